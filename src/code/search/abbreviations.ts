import { stem } from "../../base/text/tokens.ts";
import abbreviations from "./abbreviations.json" with { type: "json" };

/** Common abbreviations in code: a question says "context", the code says `ctx`. Each word has its own, separated by spaces. */
const ofStem = new Map<string, ReadonlySet<string>>();
for (const [word, short] of Object.entries(abbreviations)) {
  const key = stem(word);
  ofStem.set(key, new Set([...(ofStem.get(key) ?? []), ...short.split(" ").map(stem)]));
}
const noAbbreviations: ReadonlySet<string> = new Set();

/** The stems of a word's abbreviations in code; empty for most. */
export function findAbbreviations(wordStem: string): ReadonlySet<string> {
  return ofStem.get(wordStem) ?? noAbbreviations;
}
