import { answer } from "../../../client/answer.ts";
import { findProject, findProjectIfAny } from "../../../project/paths.ts";
import type { SessionSummary, SessionsRequest } from "../../../protocol/operations/sessions.ts";
import type { CommandContext } from "../../frame.ts";
import { type Colors, table } from "../../terminal/output.ts";
import { counted, localTime, noteOnMemory, oneLine, shortId } from "./text.ts";

/** `pm session list`. */
export async function sessionListCommand(
  context: CommandContext,
  { allProjects = false, ...options }: SessionsRequest & { allProjects?: boolean },
): Promise<void> {
  if (allProjects) return listAcross(context, options);
  const { cwd, output } = context;
  const project = findProject(cwd);
  const asked = await answer(project, "sessions", options);
  const note = noteOnMemory(asked);
  if (note !== null) output.note(output.colors.dim(note));
  const { sessions, total } = asked.answer;
  output.result(asked.answer, () => {
    if (sessions.length === 0) return "No sessions. `pm import` imports past ones.";
    const shown = sessions.length < total ? `\n\n${output.colors.dim(`${sessions.length} of ${total}`)}` : "";
    return renderSessions(sessions, output.colors) + shown;
  });
}

/** `pm session list --all-projects`: works anywhere. */
async function listAcross({ cwd, output }: CommandContext, options: SessionsRequest): Promise<void> {
  const [{ sessionsAcross }, { homeRelative, noteLeftOut }] = await Promise.all([
    import("../../../client/across-projects.ts"),
    import("../search/across.ts"),
  ]);
  const across = await sessionsAcross(findProjectIfAny(cwd), options);
  noteLeftOut(across, output);
  const { answer, projects, left_out } = across;
  output.result({ ...answer, projects, left_out }, () => {
    if (answer.sessions.length === 0) return "No sessions.";
    const { colors } = output;
    const groups = [...new Set(answer.sessions.map(({ project }) => project))].map((project) => {
      const own = answer.sessions.filter((session) => session.project === project);
      return `${colors.bold(homeRelative(project))}\n${renderSessions(own, colors)}`;
    });
    const { length } = answer.sessions;
    const shown = length < answer.total ? [colors.dim(`${length} of ${answer.total}`)] : [];
    return [...groups, ...shown].join("\n\n");
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
