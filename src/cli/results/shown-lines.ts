import { snippetText, statementsOf } from "../../protocol/reading/statements.ts";
import { cutToWidth, padToWidth, widthOf } from "../../text/display-width.ts";
import { markdown } from "../terminal/markdown.ts";
import type { Screen } from "../terminal/output.ts";
import type { Palette } from "../terminal/palette.ts";
import { block, oneLine, printable } from "../terminal/text.ts";
import type { Words } from "./words.ts";

/** What a result is shown by: lines of code, or a passage of a text that may be Markdown. */
export type Snippet =
  | { kind: "code"; content: string; startLine: number; matchLines?: readonly number[]; language: string }
  | { kind: "text"; content: string; excerpt: string };

interface SnippetStyle {
  screen: Screen;
  /** All of it. */
  full: boolean;
  words: Words;
  /** Columns to its left. */
  indent: number;
}

/** Lines that are shown when not all are. */
const linesShown = 4;

export function renderSnippet(snippet: Snippet, style: SnippetStyle): string[] {
  return snippet.kind === "code" ? renderCode(snippet, style) : renderText(snippet, style);
}

interface Line {
  number: number;
  text: string;
}

function renderCode(
  { content, startLine, matchLines, language }: Snippet & { kind: "code" },
  { screen, full, words, indent: margin }: SnippetStyle,
): string[] {
  const { colors, columns } = screen;
  const all = content.split("\n").map((text, i) => ({ number: startLine + i, text }));
  const chosen = (full ? all : matchingLines(all, words, matchLines)).map(({ number, text }) => ({
    number,
    text: printable(text).trimEnd(),
  }));
  const indent = Math.min(...chosen.map(({ text }) => (text === "" ? 999 : text.search(/\S/))));
  const digits = String(startLine + all.length - 1).length;
  return chosen.map(({ number, text }) => {
    const gutter = `${String(number).padStart(digits)} │ `;
    const body = text.slice(indent === 999 ? 0 : indent);
    const cut =
      full || columns === undefined ? body : cutToWidth(body, Math.max(columns - margin - gutter.length, 8));
    return `${colors.dim(gutter)}${paintCode(cut, language, words, colors)}`.trimEnd();
  });
}

/** Languages in which a number sign begins a comment. */
const hashComments =
  /^(?:bash|elixir|fish|make|perl|php|powershell|python|r|ruby|shell|toml|yaml|dockerfile)$/;
const dashComments = /^(?:haskell|lua|sql)$/;

/** Comments step back, and the words that were looked for stand out. */
function paintCode(line: string, language: string, words: Words, colors: Palette): string {
  if (!colors.isColorSupported) return line;
  const mark = (text: string) => words.mark(text, colors.match);
  const sign = hashComments.test(language)
    ? /(^|\s)#/
    : dashComments.test(language)
      ? /(^|\s)--/
      : /(^|\s)\/\//;
  const isWithin = /^\s*(?:\/\*|\*\s|\*\/|\*$|"""|<!--)/.test(line);
  const at = isWithin ? 0 : line.search(sign);
  return at < 0 ? mark(line) : `${mark(line.slice(0, at))}${colors.dim(mark(line.slice(at)))}`;
}

/**
 * The first line with something on it and those with a match or else the most words of the query, in their order; where
 * few hold any, the lines that follow the first, as a chunk's beginning says best what it is.
 */
function matchingLines(lines: readonly Line[], words: Words, matches: readonly number[] = []): Line[] {
  const [first, ...rest] = lines.filter(
    ({ number, text }) => matches.includes(number) || /\w|[^\0-\x7f]/.test(text),
  );
  if (!first) return [];
  const hitsIn = (line: Line) => (matches.includes(line.number) ? 1000 : words.countIn(line.text));
  const hits = new Map(rest.map((line) => [line, hitsIn(line)]));
  const best = rest.sort((a, b) => hits.get(b)! - hits.get(a)! || a.number - b.number);
  return [first, ...best.slice(0, linesShown - 1)].sort((a, b) => a.number - b.number);
}

/** Lines of a text that are shown on a terminal. */
const textLinesShown = 5;

function renderText(
  { content, excerpt }: Snippet & { kind: "text" },
  { screen, full, words, indent }: SnippetStyle,
): string[] {
  const { colors, columns } = screen;
  const mark = (text: string) => (colors.isColorSupported ? words.mark(text, colors.match) : text);
  // A pipe gets a line.
  if (columns === undefined)
    return (full ? block(content) : excerpt === "" ? [] : [oneLine(snippetText(excerpt))]).map(mark);
  const bar = colors.dim("│ ");
  const width = Math.max(columns - indent - 2, 20);
  const passage = full ? content : passageOf(content === "" ? excerpt : content, words);
  const said = statementsOf(passage).flatMap(({ speaker, text }) => {
    const margin = speaker === "" ? 0 : speakerWidth;
    return markdown(text, { colors, width: width - margin, mark })
      .filter((line) => full || line !== "")
      .map((line, i) => `${colors.dim(padToWidth(i === 0 ? speaker : "", margin))}${line}`);
  });
  const shown = full ? said : said.slice(0, textLinesShown);
  if (shown.length < said.length && shown.length > 0) {
    const last = shown.length - 1;
    if (widthOf(shown[last]!) + 2 <= width) shown[last] += colors.dim(" …");
  }
  return shown.map((line) => `${bar}${line}`.trimEnd());
}

const speakerWidth = 8;
/** The lines around the one with the most words of the query, from the beginning of what is said there. */
function passageOf(content: string, words: Words): string {
  const lines = content.split("\n");
  let [best, most] = [0, 0];
  lines.forEach((line, i) => {
    const hits = words.countIn(line);
    if (hits > most) [best, most] = [i, hits];
  });
  let from = Math.max(best - 1, 0);
  // Somebody's words begin with who speaks.
  while (from > 0 && best - from < 3 && !/^\[[A-Z_]+\]/.test(lines[from]!)) from--;
  // A passage that begins within a block of code would show the text behind it as code.
  const isInCode = lines.slice(0, from).filter((line) => /^\s*```/.test(line)).length % 2 === 1;
  const passage = lines.slice(from, best + textLinesShown + 3).join("\n");
  return isInCode ? `\`\`\`\n${passage}` : passage;
}
