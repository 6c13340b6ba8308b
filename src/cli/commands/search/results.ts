import { exitCode } from "../../../project/errors.ts";
import type { SearchResponse } from "../../../protocol/operations/search.ts";
import { cutToWidth } from "../../../text/display-width.ts";
import { rootOf, stopWords } from "../../../text/tokens.ts";
import type { Colors } from "../../terminal/output.ts";

type Result = SearchResponse["results"][number];

/** How results are shown. */
export interface ResultStyle {
  /** Whole chunks instead of the lines that match. */
  full: boolean;
  /** The search was limited to some paths, languages or levels. */
  isFiltered: boolean;
  /** Every result had to hold the query, or what it has in quotes, as it is. */
  isExact: boolean;
  /** Longer lines are cut, except with `full`. */
  columns: number;
  /** A result's file as the reader's terminal can open it. */
  pathOf: (file: string) => string;
  colors: Colors;
}

/** Lines of a result that are shown when not all are. */
const linesShown = 4;

/** An answer for a person: best first, each with where it is, why it is there and its matching lines. */
export function renderAnswer(answer: SearchResponse, style: ResultStyle): string {
  const { colors } = style;
  const blocks = renderResults(answer.query, answer.results, style);
  if (answer.results.length === 0) {
    const next = style.isFiltered
      ? "Try without --path, --language or --level."
      : style.isExact
        ? "No indexed file holds it as it is; try without --exact, --regex or quotes."
        : "Try other words; `pm status` shows what is indexed.";
    return nothingFound(answer.query, renderResults(answer.query, answer.nearest, style), next);
  }
  const shown = `${answer.results.length} of ${answer.total_results}`;
  return `${blocks.join("\n\n")}\n\n${colors.dim(`${shown} results, ${answer.search_time_ms} ms`)}`;
}

/** Each with its place, why it is there and its matching lines. */
export function renderResults(query: string, results: readonly Result[], style: ResultStyle): string[] {
  const words = wordsOf(query);
  return results.map((result, i) => renderResult(result, i + 1, words, style));
}

/**
 * That nothing answers the question, and what comes nearest all the same.
 * @param next what to try where nothing is near either
 */
export function nothingFound(query: string, nearest: readonly string[], next: string): string {
  const nothing = `Nothing found about "${printable(query)}".`;
  if (nearest.length === 0) return `${nothing}\n${next}`;
  return [`${nothing} Nearest in meaning:`, ...nearest].join("\n\n");
}

function renderResult(result: Result, rank: number, words: Words, style: ResultStyle): string {
  const { colors } = style;
  const place = `${printable(style.pathOf(result.file))}:${result.start_line}`;
  const what = [result.kind || result.level, printable(result.name)].filter((part) => part !== "").join(" ");
  // The path contains the file's own name already.
  const isInFile = result.parent_name === null || result.file.includes(`${result.parent_name}.`);
  const inside = !isInFile ? colors.dim(` in ${printable(result.parent_name ?? "")}`) : "";
  const drifted = result.freshness === "drifted" ? colors.yellow(" (changed since it was indexed)") : "";
  const lines = [
    `${colors.dim(`${rank}.`)} ${colors.cyan(place)}  ${colors.bold(what)}${inside}  ` +
      `${confidenceOf(result, colors)}${drifted}`,
  ];
  if (result.match_reasons.length > 0) {
    lines.push(`   ${colors.dim(printable(result.match_reasons.join("; ")))}`);
  }
  if (result.signals) lines.push(`   ${colors.dim(signalsOf(result.signals))}`);
  return [...lines, ...renderLines(result, words, style)].join("\n");
}

/** The parts of an answer to `pm search`; null: not searched. */
export interface Sides<Results = { results: readonly unknown[] }> {
  code: Results | null;
  transcripts: Results | null;
  history: Results | null;
}

/** The exit code of a search: "not found" where no side has a result. */
export function exitCodeOf({ code, transcripts, history }: Sides): number {
  const isFound = [code, transcripts, history].some((side) => side !== null && side.results.length > 0);
  return isFound ? exitCode.ok : exitCode.notFound;
}

/** How sure a result is, in a word. */
export function confidenceOf({ confidence }: Pick<Result, "confidence">, colors: Colors): string {
  return confidence === "high" ? colors.green(confidence) : colors.dim(confidence);
}

/** What each ranking signal contributed. */
export function signalsOf(signals: Record<string, number>): string {
  return Object.entries(signals)
    .filter(([, value]) => value !== 0)
    .sort(([, a], [, b]) => b - a)
    .map(([name, value]) => `${name} ${value.toFixed(3)}`)
    .join(", ");
}

function renderLines(result: Result, words: Words, { full, columns, colors }: ResultStyle): string[] {
  const all = result.content.split("\n").map((text, i) => ({ number: result.start_line + i, text }));
  const chosen = (full ? all : matchingLines(all, words, result.match_lines)).map(({ number, text }) => ({
    number,
    text: printable(text),
  }));
  const indent = Math.min(...chosen.map(({ text }) => (text.trim() === "" ? 999 : text.search(/\S/))));
  const width = String(result.end_line).length;
  return chosen.map(({ number, text }) => {
    const gutter = `   ${String(number).padStart(width)} │ `;
    const body = text.slice(indent === 999 ? 0 : indent);
    const cut = full ? body : cutToWidth(body, columns - gutter.length);
    return `${colors.dim(gutter)}${colors.isColorSupported ? words.mark(cut, colors.yellow) : cut}`.trimEnd();
  });
}

interface Line {
  number: number;
  text: string;
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

/** The words of a query, to find in lines and to mark there. */
export interface Words {
  /** How many of them, or of words of the same stem, a line holds. */
  countIn(line: string): number;
  mark(line: string, paint: (word: string) => string): string;
}

export function wordsOf(query: string): Words {
  const all = query.slice(0, 1000).match(/[\p{L}\p{N}_$]+/gu) ?? [];
  const telling = all.filter((word) => !stopWords.has(word.toLowerCase()));
  // Longer ones first, so that "retry" does not cut "retryable" short.
  const roots = [...new Set((telling.length > 0 ? telling : all).map(rootOf))]
    .sort((a, b) => b.length - a.length)
    .slice(0, 32);
  return {
    countIn(line) {
      const text = line.toLowerCase();
      return roots.filter((root) => {
        for (let at = text.indexOf(root); at >= 0; at = text.indexOf(root, at + 1)) {
          if (beginsWord(line, at)) return true;
        }
        return false;
      }).length;
    },
    mark(line, paint) {
      if (roots.length === 0) return line;
      return line.replace(patternOf(roots), (word, at: number) =>
        beginsWord(line, at) ? paint(word) : word,
      );
    },
  };
}

/** "port" is a word of `daemonPort`, not of "export". */
function beginsWord(line: string, at: number): boolean {
  const [before = "", first = "", next = ""] = [line[at - 1], line[at], line[at + 1]];
  if (!/[A-Za-z]/.test(before)) return true;
  return /[A-Z]/.test(first) && (/[a-z]/.test(before) || /[a-z]/.test(next));
}

/** "retries" also marks "retry" and "retried": to the end of the word. (`\p{L}` would cost a start-up 2 ms.) */
function patternOf(roots: readonly string[]): RegExp {
  const escaped = roots.map((root) => root.replaceAll("$", "\\$"));
  return new RegExp(escaped.map((root) => `${root}[a-z\u00df-\u024f\u0370-\u04ff]*`).join("|"), "gi");
}

/** Text that cannot move the cursor or recolour the terminal, whatever the file holds. */
export function printable(text: string): string {
  return text.replaceAll("\t", "  ").replace(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g, "·");
}
