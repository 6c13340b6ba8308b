import { identifiersOf, rootOf, stopWords } from "../../src/text/tokens.ts";

/** Searches for words that an agent makes before it begins to read. */
const mostKeywords = 4;
/** A question of so few words is a name. */
const wordsOfName = 2;

const looksLikeCode = /[a-z\d][A-Z]|[A-Z]{2}|_|\$|\d/;

/** Entries that a search shows. */
export const shown = 100;

/** A word that was searched for. */
export interface Keyword {
  text: string;
  files: readonly string[];
  /** The rarer, the higher. */
  weight: number;
}

export interface Keywords {
  /** What the question spells as code, as written. */
  names: string[];
  /** What to grep for, lower-case. */
  texts: string[];
}

/**
 * What to grep for: names that look like code, then the longest words, each without its ending, so that "grouped" finds
 * "group" and "grouping". How common they are in the project is still unknown.
 */
export function keywordsOf(question: string): Keywords {
  const words = [...new Set(identifiersOf(question))].filter(
    (word) => word.length > 1 && !stopWords.has(word.toLowerCase()) && !/^\d+$/.test(word),
  );
  const isName = (word: string) => looksLikeCode.test(word) || words.length <= wordsOfName;
  const names = words.filter(isName);
  const others = words.filter((word) => !isName(word)).sort((a, b) => b.length - a.length);
  const texts = [
    ...names.map((word) => (looksLikeCode.test(word) ? word.toLowerCase() : rootOf(word))),
    ...others.map(rootOf),
  ];
  return { names, texts: [...new Set(texts)].slice(0, mostKeywords) };
}
