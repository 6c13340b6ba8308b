import { existsSync, lstatSync } from "node:fs";
import { resolve } from "node:path";
import { locate, parseLines, parsePlace } from "../../answers/file-place.ts";
import { PommelError } from "../../base/errors.ts";
import { dayMs } from "../../base/text/day.ts";
import { cutToWidth, measureWidth, padToWidth } from "../../base/text/display-width.ts";
import { formatLocalTime } from "../../base/text/local-time.ts";
import { call } from "../../client/call.ts";
import { plain, readGitBuffer } from "../../git/git.ts";
import { findProject } from "../../git/projects/find-project.ts";
import { authorMarks, authorNames, listAuthorKinds } from "../../protocol/reading/authors.ts";
import { describeLineEvidence } from "../../protocol/reading/evidence.ts";
import { formatPercent } from "../../protocol/reading/numbers.ts";
import type { CommandContext } from "../../terminal/frame.ts";
import { makeCommitPageFinder } from "../../terminal/links.ts";
import type { Screen } from "../../terminal/output.ts";
import type { Palette } from "../../terminal/palette.ts";
import { renderDocument } from "../../terminal/render-document.ts";
import { cleanCodeLine, formatCount, formatShortAge, toOneLine } from "../../terminal/text.ts";
import { colorByAuthor, describeAuthor, formatCommitCell, turnId } from "./author-words.ts";
import { explainAuthor } from "./blame-summary.ts";
import type { BlameAnswer, BlameRange } from "./operation.ts";
import { blame } from "./operation.ts";
import { wordBlameSummary } from "./words.ts";

interface BlameOptions {
  lines?: string[];
  rev?: string;
  summary?: boolean;
  explain?: boolean;
  porcelain?: boolean;
  linePorcelain?: boolean;
  text?: boolean;
}

/** `pm blame` */
export async function blameCommand(
  { cwd, output }: CommandContext,
  place: string | undefined,
  { lines = [], rev, summary = false, explain = false, text = false, ...options }: BlameOptions,
): Promise<void> {
  const project = await findProject(cwd);
  if (lines.length === 0 && rev === undefined && (place === undefined || isDirectory(resolve(cwd, place)))) {
    const { blameDirectory } = await import("./pm-blame-directory.ts");
    return blameDirectory(project, cwd, place ?? ".", output);
  }
  if (place === undefined) throw new PommelError("usage", "No file given.", "Name one: pm blame src/auth.ts");
  const named = parsePlace(place, (name) => existsSync(resolve(cwd, name)));
  const ranges = [...(named.lines ? [named.lines] : []), ...lines.map(parseLines)];
  const file = locate(project, cwd, named.file);
  const porcelain = (options.porcelain || options.linePorcelain) && !output.json;
  const texts = output.json ? text : !summary && !explain && !porcelain;
  const places = ranges.map(({ first, last }) => `${first},${Number.isFinite(last) ? last : ""}`);
  const asked = { file, rev, texts, ...(places.length > 0 && { lines: places }) };
  const answer = await call(blame, asked, project);
  if (porcelain) {
    const format = options.linePorcelain ? "--line-porcelain" : "--porcelain";
    const written = await renderPorcelain(project.root, answer, { format, places });
    // A program gets git's very bytes; in a terminal, no text of a file may move the cursor.
    if (output.columns === undefined) process.stdout.write(written);
    else output.result(answer, written.toString().replace(/\n$/, ""));
    return;
  }
  if (!output.json) for (const note of answer.notes) output.note(output.colors.dim(note));
  const pageOf = await makeCommitPageFinder(project.root, output.colors);
  output.result(summary ? { ...answer, ranges: undefined } : answer, () =>
    summary
      ? renderDocument(wordBlameSummary(answer), { screen: output })
      : explain
        ? renderExplained(answer, output.colors)
        : renderBlame(answer, output, pageOf),
  );
}

function isDirectory(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

/** Columns from which on there is room for turns, and for longer names. */
const wideColumns = 110;

/** In the place of an author, where the commit is still to be analysed. */
const notAnalysed = "not yet known";

/**
 * A line for each line: commit, author, turn, age, number, text. On a terminal what is the same as in the line before is left
 * out, and the code is cut; in a pipe every line is whole.
 */
export function renderBlame(
  answer: BlameAnswer,
  screen: Screen,
  pageOf: (hash: string) => string | null = () => null,
): string {
  const { ranges, lines = [] } = answer;
  const { colors, columns } = screen;
  const hasTurns = columns === undefined || columns >= wideColumns;
  const whoWidth = columns === undefined ? 28 : columns >= wideColumns ? 24 : 15;
  const marks = ranges.map((range) => ({
    who: range.not_analysed
      ? notAnalysed
      : describeAuthor(range, range.person, whoWidth, columns !== undefined),
    turn: hasTurns ? turnId(range) : "",
    sure: hasTurns ? describeLineEvidence(range) : "",
    day: formatLineAge(range, screen),
  }));
  const widest = (key: "who" | "turn" | "sure" | "day") =>
    Math.max(0, ...marks.map((mark) => measureWidth(mark[key])));
  const [who, turn, sure, day] = [widest("who"), widest("turn"), widest("sure"), widest("day")];
  const digits = String(ranges.at(-1)?.last_line ?? 0).length;
  let at = 0;
  // Of the columns behind the author, each with a blank.
  const extra = [turn, sure, day].reduce((sum, width) => sum + (width > 0 ? width + 1 : 0), 0);
  const rows = lines.map(({ line, text }, i) => {
    while (at < ranges.length - 1 && line > ranges[at]!.last_line) at++;
    const range = ranges[at]!;
    const mark = marks[at]!;
    const isSame = columns !== undefined && i > 0 && line !== range.first_line;
    const cut = range.is_boundary ? "^" : "";
    const hash = `${cut}${formatCommitCell(range.commit)}`.slice(0, 8).padEnd(8);
    const commit = colors.link(colors.commit(hash), range.commit === null ? null : pageOf(range.commit));
    const left = isSame
      ? [" ".repeat(8), colorByAuthor("│", range, colors), " ".repeat(who + extra)]
      : [
          commit,
          ...(columns === undefined ? [] : [colorByAuthor(authorMarks[range.author], range, colors)]),
          colorByAuthor(padToWidth(mark.who, who), range, colors),
          ...(turn > 0 ? [colors.id(mark.turn.padEnd(turn))] : []),
          ...(sure > 0 ? [colors.dim(mark.sure.padStart(sure))] : []),
          ...(day > 0 ? [paintAge(mark.day.padStart(day), range, screen)] : []),
        ];
    const number = String(line).padStart(digits);
    if (columns === undefined) return [...left, `${number})`, cleanCodeLine(text)].join(" ");
    const used = 8 + 1 + 1 + 1 + who + extra + 1 + digits + 3;
    const code = cutToWidth(cleanCodeLine(text), Math.max(columns - used, 10));
    return `${left.join(" ")} ${colors.dim(`${number} │`)} ${code}`.trimEnd();
  });
  if (columns === undefined || lines.length === 0) return rows.join("\n");
  return [...rows, "", renderLegend(answer, screen)].join("\n");
}

/** How old a line is: "3d"; in a pipe its day. */
function formatLineAge({ authored_at }: BlameRange, { columns, now }: Screen): string {
  if (authored_at === null) return "";
  return columns === undefined
    ? formatLocalTime(authored_at).slice(0, 10)
    : formatShortAge(now - Date.parse(authored_at));
}

function paintAge(text: string, { authored_at }: BlameRange, { colors, columns, now }: Screen): string {
  if (columns === undefined || authored_at === null) return colors.dim(text);
  return colors.age(text, (now - Date.parse(authored_at)) / dayMs);
}

/** `● agent 62%  ○ person 30%  · unknown 8%  of 120 lines` */
function renderLegend({ summary }: BlameAnswer, { colors }: Screen): string {
  const kinds = listAuthorKinds(summary).map((author) =>
    colorByAuthor(
      `${authorMarks[author]} ${authorNames[author]} ${formatPercent(summary[author], summary.lines)}`,
      { author },
      colors,
    ),
  );
  return `${kinds.join("  ")}  ${colors.dim(`of ${formatCount(summary.lines, "line")}`)}`;
}

/** A block for each range: its lines, who wrote them, and what that rests on. */
function renderExplained({ ranges }: BlameAnswer, colors: Palette): string {
  return ranges
    .map((range) => {
      const { first_line, last_line, person, tool_use } = range;
      const lines = first_line === last_line ? `${first_line}` : `${first_line}-${last_line}`;
      const author = range.not_analysed ? notAnalysed : describeAuthor(range, person, 60);
      const who = [author, turnId(range), describeLineEvidence(range)];
      const call = tool_use === null ? "" : ` (${toOneLine(tool_use, 60)})`;
      return [
        `${colors.bold(lines)}  ${colorByAuthor(who.filter((each) => each !== "").join(" "), range, colors)}  ${colors.commit(formatCommitCell(range.commit))}`,
        `    ${explainAuthor(range)}${call}`,
      ].join("\n");
    })
    .join("\n");
}

/**
 * What `git blame --line-porcelain` or `--porcelain` writes, byte for byte, with headers of our own before each line's
 * text: programs that read git's format skip headers that they do not know.
 * @param places lines as git's -L takes them; none: all
 * @throws GitFailure
 */
async function renderPorcelain(
  root: string,
  { file, revision, ranges }: BlameAnswer,
  { format, places }: { format: "--porcelain" | "--line-porcelain"; places: readonly string[] },
): Promise<Buffer> {
  const args = [
    ...plain,
    "blame",
    format,
    ...places.map((place) => `-L${place}`),
    // No option: the answer is of a revision that git knew. `git blame` of 2.39 knows no --end-of-options.
    ...(revision === null ? [] : [revision]),
    "--",
    file,
  ];
  // The text may have any encoding; nothing but its line breaks matters here.
  const lines = (await readGitBuffer(root, args)).toString("latin1").split("\n");
  let number = 0;
  let at = 0;
  const written = lines.flatMap((line) => {
    const [, final] = /^[0-9a-f]{40,64} \d+ (\d+)/.exec(line) ?? [];
    if (final !== undefined) number = Number(final);
    if (!line.startsWith("\t")) return [line];
    while (at < ranges.length - 1 && number > ranges[at]!.last_line) at++;
    const range = ranges[at];
    const isOfLine = range !== undefined && number >= range.first_line && number <= range.last_line;
    return [...(isOfLine ? formatAuthorHeaders(range) : []), line];
  });
  return Buffer.from(written.join("\n"), "latin1");
}

function formatAuthorHeaders({
  author,
  agent,
  model,
  session_id,
  turn,
  confidence,
  basis,
}: BlameRange): string[] {
  const said = {
    author,
    agent,
    model,
    session: session_id,
    turn,
    basis,
    confidence: author === "agent" || author === "human" ? confidence.toFixed(2) : null,
  };
  return Object.entries(said).flatMap(([name, value]) =>
    value === null ? [] : [Buffer.from(`pommel-${name} ${toOneLine(String(value))}`).toString("latin1")],
  );
}
