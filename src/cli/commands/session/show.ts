import { answer } from "../../../client/answer.ts";
import { findProject } from "../../../project/paths.ts";
import type { SessionResponse } from "../../../protocol/operations/sessions.ts";
import type { CommandContext } from "../../frame.ts";
import type { Colors } from "../../terminal/output.ts";
import { block, counted, heading, localTime, noteOnMemory, oneLine, shortId } from "./text.ts";

interface ShowOptions {
  turn?: number;
  full?: boolean;
}

/** Files that are named before the rest is counted. */
const filesShown = 20;

/** `pm session show`. */
export async function sessionShowCommand(
  { cwd, output }: CommandContext,
  id: string,
  options: ShowOptions,
): Promise<void> {
  const project = findProject(cwd);
  const ask = (turn?: number) => answer(project, "session", { id, turn });
  const asked = await ask(options.turn);
  const note = noteOnMemory(asked);
  if (note !== null) output.note(output.colors.dim(note));
  const session = asked.answer;
  if (session.content !== null) {
    output.result(session, () => block(session.content ?? "").join("\n"));
  } else if (options.full) {
    const turns: (Turn & { content: string })[] = [];
    for (const turn of session.turns) {
      turns.push({ ...turn, content: (await ask(turn.number)).answer.content ?? "" });
    }
    output.result({ ...session, turns }, () => {
      const full = turns.map((turn) => [turnLine(turn, output.colors), ...block(turn.content)].join("\n"));
      return [renderHead(session, output.colors), ...full].join("\n\n");
    });
  } else {
    output.result(session, () => renderSession(session, output.columns ?? 120, output.colors));
  }
}

/** A session for a person: what it was, its summary, its turns in a line each, notes, files and subagents. */
export function renderSession(answer: SessionResponse, columns: number, colors: Colors): string {
  const { turns, annotations, files, agents } = answer;
  const parts = [renderHead(answer, colors)];
  if (turns.length > 0) {
    parts.push(
      [heading("Turns", colors), ...turns.map((turn) => turnLine(turn, colors, columns))].join("\n"),
    );
  }
  if (annotations.length > 0) {
    const notes = annotations.map(
      ({ note, turn }) => `${turn === null ? "" : colors.dim(`turn ${turn}: `)}${oneLine(note, columns)}`,
    );
    parts.push([heading("Notes", colors), ...notes].join("\n"));
  }
  if (files.length > 0) {
    const shown = files
      .slice(0, filesShown)
      .map(({ path, how }) => `${how.padEnd(5)}  ${oneLine(path, 200)}`);
    const more = files.length - shown.length;
    parts.push([heading("Files", colors), ...shown, ...(more > 0 ? [`and ${more} more`] : [])].join("\n"));
  }
  if (agents.length > 0) {
    parts.push([heading("Subagents", colors), ...agents.map((id) => oneLine(id, 200))].join("\n"));
  }
  return parts.join("\n\n");
}

function renderHead({ session, summary }: SessionResponse, colors: Colors): string {
  const { tokens } = session;
  const span = [session.started_at, session.last_at].filter((at) => at !== null).map(localTime);
  const facts = [
    `${session.agent}${session.agent_type === null ? "" : ` (${session.agent_type})`}`,
    [...new Set(span)].join(" to "),
    session.branch ?? "",
    counted(session.turns, "turn"),
    session.ended_at === null ? "" : `ended${session.end_reason ? ` (${session.end_reason})` : ""}`,
  ];
  const cost = [
    `${counted(tokens.input + tokens.cache_read + tokens.cache_write, "token")} in`,
    `(${tokens.cache_read.toLocaleString("en")} from the cache),`,
    `${tokens.output.toLocaleString("en")} out`,
    session.models.length > 0 ? `by ${session.models.join(", ")}` : "",
  ];
  const lines = [
    colors.bold(oneLine(session.title ?? "(no title)", 200)),
    `${colors.cyan(oneLine(session.id, 200))}`,
    oneLine(facts.filter((fact) => fact !== "").join(" | "), 300),
    oneLine(session.cwd, 300),
    colors.dim(oneLine(cost.join(" "), 300)),
  ];
  if (session.parent_id !== null) lines.push(`subagent of ${oneLine(shortId(session.parent_id), 80)}`);
  if (session.forked_from !== null) lines.push(`continues ${oneLine(shortId(session.forked_from), 80)}`);
  if (summary === null) return lines.join("\n");
  const source = {
    extractive: "extract",
    compaction: "by the agent",
    llm: `by ${summary.model ?? "a model"}`,
  };
  const title = heading("Summary", colors);
  const about = colors.dim(`${oneLine(source[summary.source], 80)}, up to turn ${summary.up_to_turn}`);
  return [...lines, "", title, ...block(summary.text), about].join("\n");
}

type Turn = SessionResponse["turns"][number];

function turnLine(turn: Turn, colors: Colors, columns = 120): string {
  const number = colors.cyan(`${String(turn.number).padStart(3)}.`);
  const changed = turn.files.filter(({ how }) => how !== "read").length;
  const facts = [
    turn.started_at === null ? "" : localTime(turn.started_at),
    changed > 0 ? counted(changed, "changed file") : "",
    turn.abandoned ? "abandoned branch" : "",
  ].filter((fact) => fact !== "");
  const prompt = turn.number === 0 ? "(before the first prompt)" : turn.prompt;
  const about = facts.join(", ");
  return `${number} ${oneLine(prompt, Math.max(columns - about.length - 8, 40))}  ${colors.dim(about)}`;
}
