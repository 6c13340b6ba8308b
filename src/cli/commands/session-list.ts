import { listSessionsOf } from "../../client/conversations.ts";
import { askMemory } from "../../client/memory-path.ts";
import type { SessionSummary } from "../../client/protocol-sessions.ts";
import { findProject } from "../../project/paths.ts";
import type { CommandContext } from "../frame.ts";
import { type Colors, table } from "../output.ts";
import { counted, localTime, noteOnMemory, oneLine, shortId } from "./session-text.ts";

interface ListOptions {
  since?: string;
  until?: string;
  branch?: string;
  agent?: string;
  agents?: boolean;
  limit?: number;
}

/** `pm session list`. */
export async function sessionListCommand(
  { cwd, output }: CommandContext,
  options: ListOptions,
): Promise<void> {
  const project = findProject(cwd);
  const asked = await askMemory(project, "sessions", options, (memory) => listSessionsOf(memory, options));
  const note = noteOnMemory(asked);
  if (note !== null) output.note(output.colors.dim(note));
  const { sessions, total } = asked.answer;
  output.result(asked.answer, () => {
    if (sessions.length === 0) return "No sessions. `pm import claude` takes in those of the past.";
    const shown = sessions.length < total ? `\n\n${output.colors.dim(`${sessions.length} of ${total}`)}` : "";
    return renderSessions(sessions, output.colors) + shown;
  });
}

/** A line for each session. */
export function renderSessions(sessions: readonly SessionSummary[], colors: Colors): string {
  const rows = sessions.map((session) => [
    shortId(session.id),
    session.last_at === null ? "" : localTime(session.last_at),
    counted(session.turns, "turn"),
    oneLine(session.branch ?? "", 24),
    oneLine(session.title ?? session.agent_type ?? "(no title)", 70),
  ]);
  const lines = table(rows).split("\n");
  return lines
    .map((line, i) => {
      const id = rows[i]![0]!;
      return `${colors.cyan(id)}${line.slice(id.length)}`;
    })
    .join("\n");
}
