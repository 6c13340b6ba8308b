import { rootOf } from "../../store/tokens.ts";
import { stopWords } from "../stop-words.ts";

/** Characters of a snippet. */
export const snippetLength = 200;

/** The part of a text that holds most of a query's words, about `length` characters on one line. */
export function snippetAround(text: string, query: string, length: number = snippetLength): string {
  // All but single blanks, which are most, and stay.
  const flat = text.replace(/[^\S ]\s*| \s+/g, " ").trim();
  if (flat.length <= length) return flat;
  const start = bestStart(flat, rootsOf(query), length);
  const from = start === 0 ? 0 : flat.indexOf(" ", start) + 1 || start;
  const end = from + length >= flat.length ? flat.length : flat.lastIndexOf(" ", from + length);
  const cut = flat.slice(from, end > from ? end : from + length);
  return `${from > 0 ? "…" : ""}${cut}${from + cut.length < flat.length ? "…" : ""}`;
}

function rootsOf(query: string): string[] {
  const words = query.slice(0, 1000).match(/[\p{L}\p{N}_$]+/gu) ?? [];
  return [...new Set(words.filter((word) => !stopWords.has(word.toLowerCase())).map(rootOf))].slice(0, 32);
}

/** Where a window begins that holds the most different words, and of those the first. */
function bestStart(text: string, roots: readonly string[], length: number): number {
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
  let best = { count: 0, start: 0 };
  hits.forEach(({ at }, i) => {
    const seen = new Set<number>();
    for (let j = i; j < hits.length && hits[j]!.at < at + length * 0.75; j++) seen.add(hits[j]!.root);
    if (seen.size > best.count) best = { count: seen.size, start: Math.max(at - Math.floor(length / 8), 0) };
  });
  return best.start;
}
