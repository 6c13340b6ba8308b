import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { findProject, inWorktreeOf } from "../../../project/paths.ts";
import type { BlameAnswer, BlameRange, LineAuthor } from "../../../protocol/operations/blame.ts";
import { blameFile } from "../../../queries/blame/blame.ts";
import { explanationOf } from "../../../queries/blame/explanation.ts";
import { locate, parseLines, parsePlace } from "../../../queries/blame/file-place.ts";
import { withMemoryOrNote } from "../../../store/memory/with-memory.ts";
import { padToWidth, widthOf } from "../../../text/display-width.ts";
import type { CommandContext } from "../../frame.ts";
import { type Colors, table } from "../../terminal/output.ts";
import { counted, heading, localTime, oneLine, shortId } from "../session/text.ts";
import { codeLine, inColor, percent, shortHash, turnId, whoWrote } from "./author-text.ts";

interface BlameOptions {
  lines?: string[];
  rev?: string;
  summary?: boolean;
  explain?: boolean;
  text?: boolean;
}

/** Rows of a table that are shown. */
const rowsShown = 10;

/** `pm blame`: reads git and the memory itself, whether a daemon runs or not. */
export async function blameCommand(
  { cwd, output }: CommandContext,
  place: string,
  { lines = [], rev, summary = false, explain = false, text = false }: BlameOptions,
): Promise<void> {
  const project = inWorktreeOf(findProject(cwd), cwd);
  const named = parsePlace(place, (name) => existsSync(resolve(cwd, name)));
  const ranges = [...(named.lines ? [named.lines] : []), ...lines.map(parseLines)];
  const file = locate(project, cwd, named.file);
  const texts = output.json ? text : !summary && !explain;
  const answer = await withMemoryOrNote(project, (memory) =>
    blameFile(project, memory, { file, ranges, revision: rev, texts }),
  );
  if (!output.json) for (const note of answer.notes) output.note(output.colors.dim(note));
  output.result(summary ? { ...answer, ranges: undefined } : answer, () =>
    summary
      ? renderSummary(answer, output.colors)
      : explain
        ? renderExplained(answer, output.colors)
        : renderBlame(answer, output.colors),
  );
}

/** A line for each line: commit, author, turn, day, number, text. */
export function renderBlame(answer: BlameAnswer, colors: Colors): string {
  const { ranges, lines = [] } = answer;
  const marks = ranges.map((range) => ({
    who: whoWrote(range, range.person, 28),
    turn: turnId(range),
    sure: sureness(range),
    day: range.authored_at === null ? "" : localTime(range.authored_at).slice(0, 10),
  }));
  const widest = (key: "who" | "turn" | "sure" | "day") =>
    Math.max(0, ...marks.map((mark) => widthOf(mark[key])));
  const [who, turn, sure, day] = [widest("who"), widest("turn"), widest("sure"), widest("day")];
  const digits = String(ranges.at(-1)?.last_line ?? 0).length;
  let at = 0;
  return lines
    .map(({ line, text }) => {
      while (at < ranges.length - 1 && line > ranges[at]!.last_line) at++;
      const range = ranges[at]!;
      const mark = marks[at]!;
      const cut = range.is_boundary ? "^" : "";
      const hash = `${cut}${shortHash(range.commit)}`.slice(0, 8).padEnd(8);
      return [
        colors.yellow(hash),
        inColor(padToWidth(mark.who, who), range, colors),
        ...(turn > 0 ? [colors.cyan(mark.turn.padEnd(turn))] : []),
        ...(sure > 0 ? [colors.dim(mark.sure.padStart(sure))] : []),
        ...(day > 0 ? [colors.dim(mark.day.padEnd(day))] : []),
        `${String(line).padStart(digits)})`,
        codeLine(text),
      ].join(" ");
    })
    .join("\n");
}

/** A block for each range: its lines, who wrote them, and what that rests on. */
export function renderExplained({ ranges }: BlameAnswer, colors: Colors): string {
  return ranges
    .map((range) => {
      const { first_line, last_line, person, tool_use } = range;
      const lines = first_line === last_line ? `${first_line}` : `${first_line}-${last_line}`;
      const who = [whoWrote(range, person, 60), turnId(range), sureness(range)];
      const call = tool_use === null ? "" : ` (${oneLine(tool_use, 60)})`;
      return [
        `${colors.bold(lines)}  ${inColor(who.filter((each) => each !== "").join(" "), range, colors)}  ${colors.yellow(shortHash(range.commit))}`,
        `    ${explanationOf(range)}${call}`,
      ].join("\n");
    })
    .join("\n");
}

/** "98%": how likely an author is the right one; "" where none is named. */
const sureness = ({ author, confidence, said_by }: LineAuthor): string =>
  (author === "agent" || author === "human") && said_by === "pommel"
    ? `${Math.round(100 * confidence)}%`
    : "";

/** Shares, for a person. */
export function renderSummary({ file, summary, ranges }: BlameAnswer, colors: Colors): string {
  const { lines, agent, human, unknown, before_agents, by_session, by_model, by_person } = summary;
  const kinds = [
    ["agent", agent] as const,
    ["human", human] as const,
    ["unknown", unknown] as const,
    ...(before_agents > 0 ? [["before agents", before_agents] as const] : []),
  ];
  const parts = [
    `${colors.bold(oneLine(file, 200))}  ${counted(lines, "line")}${uncommitted(ranges)}`,
    table(kinds.map(([kind, count]) => [kind, percent(count, lines), count.toLocaleString("en")])),
  ];
  const add = (title: string, rows: string[][]) => {
    if (rows.length === 0) return;
    const more = rows.length > rowsShown ? [`and ${rows.length - rowsShown} more`] : [];
    parts.push([heading(title, colors), table(rows.slice(0, rowsShown)), ...more].join("\n"));
  };
  add(
    "Sessions",
    by_session.map(({ session_id, session_title, turns, lines: own }) => [
      percent(own, lines),
      own.toLocaleString("en"),
      shortId(session_id),
      oneLine(session_title ?? "(no title)", 60),
      turns.length === 0 ? "" : `${turns.length === 1 ? "turn" : "turns"} ${oneLine(turns.join(", "), 40)}`,
    ]),
  );
  add(
    "Models",
    by_model.map(({ model, lines: own }) => [
      percent(own, lines),
      own.toLocaleString("en"),
      oneLine(model, 60),
    ]),
  );
  add(
    "People",
    by_person.map(({ person, human: own, unknown: perhaps, before_agents: before }) => [
      percent(own + perhaps + before, lines),
      (own + perhaps + before).toLocaleString("en"),
      oneLine(person ?? "(not committed yet)", 60),
      [
        perhaps > 0 ? `${perhaps.toLocaleString("en")} unknown` : "",
        before > 0 ? `${before.toLocaleString("en")} before agents` : "",
      ]
        .filter((each) => each !== "")
        .join(", "),
    ]),
  );
  return parts.join("\n\n");
}

function uncommitted(ranges: readonly BlameRange[]): string {
  const count = ranges
    .filter(({ commit }) => commit === null)
    .reduce((sum, { first_line, last_line }) => sum + last_line - first_line + 1, 0);
  return count === 0 ? "" : `, ${count.toLocaleString("en")} not committed yet`;
}
