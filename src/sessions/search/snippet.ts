import { findWordRoot, stopWords, withoutSuffixes } from "../../base/text/tokens.ts";
import { shownOfMatch } from "../../protocol/reading/shown-of-match.ts";

/** The part of a text that holds most of a query's words, about `length` characters on one line. */
export function cutSnippetAroundQuery(
  text: string,
  query: string,
  length: number = shownOfMatch.snippetChars,
): string {
  const flat = onOneLine(text);
  if (flat.length <= length) return flat;
  const { start, hit } = findBestStart(flat, listQueryRoots(query), length);
  const blank = start === 0 ? -1 : flat.indexOf(" ", start);
  // In a very long word, the match may be in its middle.
  const from = blank >= 0 && blank < hit ? blank + 1 : start;
  const lastBlank = flat.lastIndexOf(" ", from + length);
  const isWhole = from + length >= flat.length;
  const to = isWhole ? flat.length : lastBlank > hit ? lastBlank : from + length;
  return cutOut(flat, from, to);
}

/** Whether a summary holds no fewer of a query's words than the snippet in whose place it would be shown. */
export function hasAsManyWords(summary: string, snippet: string, query: string): boolean {
  const roots = listQueryRoots(query);
  const heldBy = (text: string) => roots.filter((root) => text.toLowerCase().includes(root)).length;
  return heldBy(summary) >= heldBy(snippet);
}

/** The part of a text around `at`, about `length` characters on one line. */
export function cutSnippetAt(text: string, at: number): string {
  return onOneLine(cutPartAt(text, at, shownOfMatch.snippetChars));
}

/** The same with its lines. */
export function cutPartAt(text: string, at: number, length: number): string {
  const from = Math.max(at - Math.floor(length / 4), 0);
  return cutOut(text, from, Math.min(from + length, text.length));
}

function onOneLine(text: string): string {
  // All but single blanks, which are most, and stay.
  return text.replace(/[^\S ]\s*| \s+/g, " ").trim();
}

/** A part with marks where it is cut; no surrogate pair is split. */
function cutOut(text: string, from: number, to: number): string {
  const start = isInside(text, from) ? from + 1 : from;
  const end = isInside(text, to) ? to - 1 : to;
  return `${start > 0 ? "…" : ""}${text.slice(start, end)}${end < text.length ? "…" : ""}`;
}

function isInside(text: string, at: number): boolean {
  return /^[\uD800-\uDBFF][\uDC00-\uDFFF]$/.test(text.slice(Math.max(at - 1, 0), at + 1));
}

function listQueryRoots(query: string): string[] {
  const words = withoutSuffixes(query.slice(0, 1000)).match(/[\p{L}\p{N}_$]+/gu) ?? [];
  return [...new Set(words.filter((word) => !stopWords.has(word.toLowerCase())).map(findWordRoot))].slice(
    0,
    32,
  );
}

/** Where a window begins that holds the most different words, and of those the first; and where its first word is. */
function findBestStart(
  text: string,
  roots: readonly string[],
  length: number,
): { start: number; hit: number } {
  const lower = text.toLowerCase();
  const hits: { at: number; root: number }[] = [];
  roots.forEach((root, i) => {
    for (
      let at = lower.indexOf(root);
      at >= 0 && hits.length < 2000;
      at = lower.indexOf(root, at + root.length)
    ) {
      hits.push({ at, root: i });
    }
  });
  hits.sort((a, b) => a.at - b.at);
  let best = { count: 0, start: 0, hit: 0 };
  hits.forEach(({ at }, i) => {
    const seen = new Set<number>();
    for (let j = i; j < hits.length && hits[j]!.at < at + length * 0.75; j++) seen.add(hits[j]!.root);
    if (seen.size > best.count) {
      best = { count: seen.size, start: Math.max(at - Math.floor(length / 8), 0), hit: at };
    }
  });
  return best;
}
