import { widthOf, wrapToWidth } from "../../text/display-width.ts";
import type { Screen } from "../terminal/output.ts";
import { renderSnippet, type Snippet } from "./shown-lines.ts";
import { type Words, wordsOf } from "./words.ts";

/**
 * A result of a search, whatever it is: code, a session, a commit, a note. All have one form: where it is and what;
 * when and why; the passage that matches; what else belongs to it. Its texts are safe to print, but the snippet's.
 */
export interface Found {
  /** As commands take it, painted and linked; the other texts are not painted: `src/retry.ts:10`, `8ecde0fc:7`, a commit's hash. */
  place: string;
  /** Its name or title; "" for none. */
  title: string;
  /** What became of it: "changed since it was indexed". */
  warning?: string;
  /** When, on which branch, of what kind; empty ones are left out. */
  facts: readonly string[];
  /** Why it is there. */
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
export function renderFound(query: string, results: readonly Found[], style: FoundStyle): string[] {
  const words = wordsOf(query);
  const digits = String(results.length).length;
  return results.map((found, i) => renderOne(found, `${String(i + 1).padStart(digits)}.`, words, style));
}

function renderOne(found: Found, rank: string, words: Words, { screen, full }: FoundStyle): string {
  const { colors } = screen;
  const margin = " ".repeat(rank.length + 1);
  const { title, warning } = found;
  const head = [
    found.place,
    colors.isColorSupported ? colors.bold(words.mark(title, colors.match)) : title,
    warning === undefined ? "" : colors.warn(`(${warning})`),
  ];
  const [first = "", ...rest] = wrapped(head.filter((part) => part !== "").join("  "), screen, margin.length);
  const about = [
    found.facts.filter((fact) => fact !== "").join(" | "),
    found.why.join("; "),
    signalsOf(found.signals ?? {}),
  ].flatMap((text) => (text === "" ? [] : wrapped(text, screen, margin.length)));
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
      ...found.more.flatMap((line) => wrapped(line, screen, margin.length)),
    ].map((line) => `${margin}${line}`),
  ].join("\n");
}

function wrapped(text: string, { columns }: Screen, margin: number): string[] {
  const width = columns === undefined ? Number.POSITIVE_INFINITY : Math.max(columns - margin, 20);
  return widthOf(text) <= width ? [text] : wrapToWidth(text, width, true);
}

function signalsOf(signals: Readonly<Record<string, number>>): string {
  return Object.entries(signals)
    .filter(([, value]) => value !== 0)
    .sort(([, a], [, b]) => b - a)
    .map(([name, value]) => `${name} ${value.toFixed(3)}`)
    .join(", ");
}
