import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { findProject, inWorktreeOf } from "../../../project/paths.ts";
import type { BlameAnswer, BlameRange } from "../../../protocol/operations/blame.ts";
import { blameFile } from "../../../queries/blame/blame.ts";
import { locate, parseLines, parsePlace } from "../../../queries/blame/file-place.ts";
import { withMemoryOrNote } from "../../../store/memory/with-memory.ts";
import { padToWidth, widthOf } from "../../../text/display-width.ts";
import type { CommandContext } from "../../frame.ts";
import { aligned } from "../../terminal/output.ts";
import type { Palette } from "../../terminal/palette.ts";
import { counted, heading, localTime, oneLine, shortId } from "../../terminal/text.ts";
import { codeLine, inColor, percent, shortHash, turnId, whoWrote } from "./author-text.ts";

interface BlameOptions {
  lines?: string[];
  rev?: string;
  summary?: boolean;
  text?: boolean;
}

/** Rows of a table that are shown. */
const rowsShown = 10;

/** `pm blame`: reads git and the memory itself, whether a daemon runs or not. */
export async function blameCommand(
  { cwd, output }: CommandContext,
  place: string,
  { lines = [], rev, summary = false, text = false }: BlameOptions,
): Promise<void> {
  const project = inWorktreeOf(findProject(cwd), cwd);
  const named = parsePlace(place, (name) => existsSync(resolve(cwd, name)));
  const ranges = [...(named.lines ? [named.lines] : []), ...lines.map(parseLines)];
  const file = locate(project, cwd, named.file);
  const texts = output.json ? text : !summary;
  const answer = await withMemoryOrNote(project, (memory) =>
    blameFile(project, memory, { file, ranges, revision: rev, texts }),
  );
  if (!output.json) for (const note of answer.notes) output.note(output.colors.dim(note));
  output.result(summary ? { ...answer, ranges: undefined } : answer, () =>
    summary ? renderSummary(answer, output.colors) : renderBlame(answer, output.colors),
  );
}

/** A line for each line: commit, author, turn, day, number, text. */
export function renderBlame(answer: BlameAnswer, colors: Palette): string {
  const { ranges, lines = [] } = answer;
  const marks = ranges.map((range) => ({
    who: whoWrote(range, range.person, 28),
    turn: turnId(range),
    day: range.authored_at === null ? "" : localTime(range.authored_at).slice(0, 10),
  }));
  const widest = (key: "who" | "turn" | "day") => Math.max(0, ...marks.map((mark) => widthOf(mark[key])));
  const [who, turn, day] = [widest("who"), widest("turn"), widest("day")];
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
        colors.commit(hash),
        inColor(padToWidth(mark.who, who), range, colors),
        ...(turn > 0 ? [colors.id(mark.turn.padEnd(turn))] : []),
        ...(day > 0 ? [colors.dim(mark.day.padEnd(day))] : []),
        `${String(line).padStart(digits)})`,
        codeLine(text),
      ].join(" ");
    })
    .join("\n");
}

/** Shares, for a person. */
export function renderSummary({ file, summary, ranges }: BlameAnswer, colors: Palette): string {
  const { lines, agent, human, unknown, by_session, by_model, by_person } = summary;
  const kinds = [
    ["agent", agent],
    ["human", human],
    ["unknown", unknown],
  ] as const;
  const parts = [
    `${colors.bold(oneLine(file, 200))}  ${counted(lines, "line")}${uncommitted(ranges)}`,
    aligned(kinds.map(([kind, count]) => [kind, percent(count, lines), count.toLocaleString("en")])),
  ];
  const add = (title: string, rows: string[][]) => {
    if (rows.length === 0) return;
    const more = rows.length > rowsShown ? [`and ${rows.length - rowsShown} more`] : [];
    parts.push([heading(title, colors), aligned(rows.slice(0, rowsShown)), ...more].join("\n"));
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
    by_person.map(({ person, human: own, unknown: perhaps }) => [
      percent(own + perhaps, lines),
      (own + perhaps).toLocaleString("en"),
      oneLine(person ?? "(not committed yet)", 60),
      perhaps === 0 ? "" : `${perhaps.toLocaleString("en")} unknown`,
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
