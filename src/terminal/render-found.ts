import { cutToWidth, measureWidth, padToWidth, wrapToWidth } from "../base/text/display-width.ts";
import { findWordRoot, stopWords, withoutSuffixes } from "../base/text/tokens.ts";
import { shownOfMatch } from "../protocol/reading/shown-of-match.ts";
import { formatSnippet, parseStatements } from "../protocol/reading/statements.ts";
import { formatMarkdown } from "./markdown.ts";
import type { Screen } from "./output.ts";
import type { Palette } from "./palette.ts";
import { toOneLine, toPrintable, toPrintableLines } from "./text.ts";

/** The words of a query, to find in lines and to mark there. */
export interface QueryWords {
  /** How many of the query's words, or of words with the same stem, a line contains. */
  countIn(line: string): number;
  mark(line: string, paint: (word: string) => string): string;
}

export function compileQueryWords(query: string): QueryWords {
  const all = withoutSuffixes(query.slice(0, 1000)).match(/[\p{L}\p{N}_$]+/gu) ?? [];
  const telling = all.filter((word) => !stopWords.has(word.toLowerCase()));
  // Longer ones first, so that "retry" does not cut "retryable" short.
  const roots = [...new Set((telling.length > 0 ? telling : all).map(findWordRoot))]
    .sort((a, b) => b.length - a.length)
    .slice(0, 32);
  return {
    countIn(line) {
      const text = line.toLowerCase();
      return roots.filter((root) => {
        for (let at = text.indexOf(root); at >= 0; at = text.indexOf(root, at + 1)) {
          if (isWordStart(line, at)) return true;
        }
        return false;
      }).length;
    },
    mark(line, paint) {
      if (roots.length === 0) return line;
      return line.replace(buildPattern(roots), (word, at: number) =>
        isWordStart(line, at) ? paint(word) : word,
      );
    },
  };
}

/** "port" is a word of `daemonPort`, not of "export". */
function isWordStart(line: string, at: number): boolean {
  const [before = "", first = "", next = ""] = [line[at - 1], line[at], line[at + 1]];
  if (!/[A-Za-z]/.test(before)) return true;
  return /[A-Z]/.test(first) && (/[a-z]/.test(before) || /[a-z]/.test(next));
}

/** "retries" also marks "retry" and "retried": to the end of the word. (`\p{L}` would cost a start-up 2 ms.) */
function buildPattern(roots: readonly string[]): RegExp {
  const escaped = roots.map((root) => root.replaceAll("$", "\\$"));
  return new RegExp(escaped.map((root) => `${root}[a-z\u00df-\u024f\u0370-\u04ff]*`).join("|"), "gi");
}

/** What a result is shown by: lines of code, or a passage of a text that may be Markdown. */
type Snippet =
  | { kind: "code"; content: string; startLine: number; matchLines?: readonly number[]; language: string }
  | { kind: "text"; content: string; excerpt: string };

interface SnippetStyle {
  screen: Screen;
  /** Shows the whole snippet. */
  full: boolean;
  words: QueryWords;
  /** Columns to the left of the snippet. */
  indent: number;
}

/** Without a terminal, lines are cut to this many columns: a minified line has thousands. */
const maxPiped = 500;

export function renderSnippet(snippet: Snippet, style: SnippetStyle): string[] {
  return snippet.kind === "code" ? renderCode(snippet, style) : renderText(snippet, style);
}

interface NumberedLine {
  number: number;
  text: string;
}

function renderCode(
  { content, startLine, matchLines, language }: Snippet & { kind: "code" },
  { screen, full, words, indent: margin }: SnippetStyle,
): string[] {
  const { colors, columns } = screen;
  const all = content.split("\n").map((text, i) => ({ number: startLine + i, text }));
  const chosen = (full ? all : pickMatchingLines(all, words, matchLines)).map(({ number, text }) => ({
    number,
    text: toPrintable(text).trimEnd(),
  }));
  const indent = Math.min(...chosen.map(({ text }) => (text === "" ? 999 : text.search(/\S/))));
  const digits = String(startLine + all.length - 1).length;
  return chosen.map(({ number, text }) => {
    const gutter = `${String(number).padStart(digits)} │ `;
    const body = text.slice(indent === 999 ? 0 : indent);
    const cut = full ? body : cutToWidth(body, Math.max((columns ?? maxPiped) - margin - gutter.length, 8));
    return `${colors.dim(gutter)}${paintCode(cut, language, words, colors)}`.trimEnd();
  });
}

/** Languages in which a number sign begins a comment. */
const hashComments =
  /^(?:bash|elixir|fish|make|perl|php|powershell|python|r|ruby|shell|toml|yaml|dockerfile)$/;
const dashComments = /^(?:haskell|lua|sql)$/;

/** Dims comments, and highlights the words of the query. */
function paintCode(line: string, language: string, words: QueryWords, colors: Palette): string {
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
 * Picks the first line that is not blank, and the lines with a match or else with most words of the query, in their order. If
 * too few contain any, it adds lines after the first, because the beginning of a chunk says best what the chunk is.
 */
function pickMatchingLines(
  lines: readonly NumberedLine[],
  words: QueryWords,
  matches: readonly number[] = [],
): NumberedLine[] {
  const [first, ...rest] = lines.filter(
    ({ number, text }) => matches.includes(number) || /\w|[^\0-\x7f]/.test(text),
  );
  if (!first) return [];
  const hitsIn = (line: NumberedLine) => (matches.includes(line.number) ? 1000 : words.countIn(line.text));
  const hits = new Map(rest.map((line) => [line, hitsIn(line)]));
  const best = rest.sort((a, b) => hits.get(b)! - hits.get(a)! || a.number - b.number);
  return [first, ...best.slice(0, shownOfMatch.codeLines - 1)].sort((a, b) => a.number - b.number);
}

function renderText(
  { content, excerpt }: Snippet & { kind: "text" },
  { screen, full, words, indent }: SnippetStyle,
): string[] {
  const { colors, columns } = screen;
  const mark = (text: string) => (colors.isColorSupported ? words.mark(text, colors.match) : text);
  // A pipe gets a line.
  if (columns === undefined)
    return (full ? toPrintableLines(content) : excerpt === "" ? [] : [toOneLine(formatSnippet(excerpt))]).map(
      mark,
    );
  const bar = colors.dim("│ ");
  const width = Math.max(columns - indent - 2, 20);
  const passage = full ? content : cutPassage(content === "" ? excerpt : content, words);
  const said = parseStatements(passage).flatMap(({ speaker, text }) => {
    const margin = speaker === "" ? 0 : speakerWidth;
    return formatMarkdown(text, { colors, width: width - margin, mark })
      .filter((line) => full || line !== "")
      .map((line, i) => `${colors.dim(padToWidth(i === 0 ? speaker : "", margin))}${line}`);
  });
  const shown = full ? said : said.slice(0, shownOfMatch.textLines);
  if (shown.length < said.length && shown.length > 0) {
    const last = shown.length - 1;
    if (measureWidth(shown[last]!) + 2 <= width) shown[last] += colors.dim(" …");
  }
  return shown.map((line) => `${bar}${line}`.trimEnd());
}

const speakerWidth = 8;
/** The lines around the one with the most words of the query. They start where the message begins, if that is near. */
function cutPassage(content: string, words: QueryWords): string {
  const lines = content.split("\n");
  let [best, most] = [0, 0];
  lines.forEach((line, i) => {
    const hits = words.countIn(line);
    if (hits > most) [best, most] = [i, hits];
  });
  let from = Math.max(best - 1, 0);
  // A message begins with its speaker, such as "[USER]".
  while (from > 0 && best - from < 3 && !/^\[[A-Z_]+\]/.test(lines[from]!)) from--;
  // Without an opening fence, a passage that begins within a code block would show the text after the block as code.
  const isInCode = lines.slice(0, from).filter((line) => /^\s*```/.test(line)).length % 2 === 1;
  const passage = lines.slice(from, best + shownOfMatch.textLines + 3).join("\n");
  return isInCode ? `\`\`\`\n${passage}` : passage;
}

/**
 * A search result of any kind: code, a session, a commit, a note. All have one form: where it is and what; when and why; the
 * passage that matches; what else belongs to it. All its texts except the snippet must be safe to print.
 */
export interface FoundItem {
  /** Where it is, as commands accept it: `src/retry.ts:10`, `8ecde0fc:7`, a commit's hash. Only this text is painted and linked. */
  place: string;
  /** The result's name or title; "" for none. */
  title: string;
  /** What happened to the result since: "changed since it was indexed". */
  warning?: string;
  /** When, on which branch, of what kind; empty ones are left out. */
  facts: readonly string[];
  /** Why the search found it. */
  why: readonly string[];
  /** What each ranking signal contributed. */
  signals?: Readonly<Record<string, number>> | undefined;
  snippet: Snippet | null;
  /** Lines below the snippet: commits, files, other matches. */
  more: readonly string[];
}

export interface FoundStyle {
  screen: Screen;
  /** Whole texts instead of the lines that match. */
  full: boolean;
}

/** Results, best first, each a block of lines. @param query its words are marked */
export function renderFound(query: string, results: readonly FoundItem[], style: FoundStyle): string[] {
  const words = compileQueryWords(query);
  const digits = String(results.length).length;
  return results.map((found, i) => renderOne(found, `${String(i + 1).padStart(digits)}.`, words, style));
}

function renderOne(found: FoundItem, rank: string, words: QueryWords, { screen, full }: FoundStyle): string {
  const { colors } = screen;
  const margin = " ".repeat(rank.length + 1);
  const { title, warning } = found;
  const head = [
    found.place,
    colors.isColorSupported ? colors.bold(words.mark(title, colors.match)) : title,
    warning === undefined ? "" : colors.warn(`(${warning})`),
  ];
  const [first = "", ...rest] = wrapText(
    head.filter((part) => part !== "").join("  "),
    screen,
    margin.length,
  );
  const about = [
    found.facts.filter((fact) => fact !== "").join(" | "),
    found.why.join("; "),
    formatSignals(found.signals ?? {}),
  ].flatMap((text) => (text === "" ? [] : wrapText(text, screen, margin.length)));
  const snippet =
    found.snippet === null
      ? []
      : renderSnippet(found.snippet, { screen, full, words, indent: margin.length });
  return [
    `${colors.dim(rank)} ${first}`,
    ...[
      ...rest,
      ...about.map(colors.dim),
      ...snippet,
      ...found.more.flatMap((line) => wrapText(line, screen, margin.length)),
    ].map((line) => `${margin}${line}`),
  ].join("\n");
}

function wrapText(text: string, { columns }: Screen, margin: number): string[] {
  const width = columns === undefined ? Number.POSITIVE_INFINITY : Math.max(columns - margin, 20);
  return measureWidth(text) <= width ? [text] : wrapToWidth(text, width, true);
}

function formatSignals(signals: Readonly<Record<string, number>>): string {
  return Object.entries(signals)
    .filter(([, value]) => value !== 0)
    .sort(([, a], [, b]) => b - a)
    .map(([name, value]) => `${name} ${value.toFixed(3)}`)
    .join(", ");
}
