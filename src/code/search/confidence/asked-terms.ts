import { shortenLines } from "../../../base/text/long-lines.ts";
import { computeRarity } from "../../../base/text/rarity.ts";
import { isSpaced, listIdentifiers, makeTokenStream } from "../../../base/text/tokens.ts";
import type { Frequencies } from "../../../store/index/port.ts";
import type { AnalysedQuery } from "../query.ts";

/** The terms of a query: rare ones weigh more, and those that occur nowhere weigh most. */
export interface AskedTerms {
  /** Weights sum to 1. */
  weights: ReadonlyMap<string, number>;
  /** The weight of those that occur anywhere in the index. */
  known: number;
  /** How many chunks there are. */
  chunks: number;
}

/** Characters of a text that are searched, its long lines shortened as in the index. */
const maxLook = 200_000;
/** A term that is only the beginning of other words so often is not looked for further. */
const maxMisses = 30;

/** The terms to look up: stems of words, and pairs of characters where a script puts no blanks between words. */
export function listLookupTerms({ words, stems }: Pick<AnalysedQuery, "words" | "stems">): string[] {
  const unspaced = words.filter((word) => !isSpaced(word));
  if (unspaced.length === 0) return [...stems];
  const runs = new Set(unspaced.map((word) => word.toLowerCase()));
  const pairs = unspaced.flatMap((word) => makeTokenStream(word).split(" "));
  return [...new Set([...stems, ...pairs])].filter((term) => !runs.has(term) || term.length <= 2);
}

/** Weighs terms by their inverse document frequency (the formula of BM25). */
export function weighTerms(terms: readonly string[], { chunks, holding }: Frequencies): AskedTerms {
  const idf = terms.map((term) => {
    const n = Math.min(holding.get(term) ?? 0, chunks);
    return computeRarity(chunks, n);
  });
  const sum = idf.reduce((a, b) => a + b, 0) || 1;
  const known = terms.reduce((total, term, i) => total + (holding.has(term) ? idf[i]! : 0), 0);
  return { weights: new Map(terms.map((term, i) => [term, idf[i]! / sum])), known: known / sum, chunks };
}

/** The share of the query, by weight, that a text holds: exactly the terms under which the index would find it. */
export function measureHeldShare({ weights }: AskedTerms, text: string): number {
  const looked = shortenLines(text).slice(0, maxLook);
  const lower = looked.toLowerCase();
  let sum = 0;
  for (const [term, weight] of weights) if (hasTerm(lower, looked, term)) sum += weight;
  return Math.min(sum, 1);
}

function hasTerm(lower: string, text: string, term: string): boolean {
  // Porter's stems are beginnings of their words but for their last letter: "retri" of "retry".
  const beginning = term.length > 2 ? term.replace(/[iey]$/, "") : term;
  // Where case changes the length of a text, its words are taken as they are in lower case.
  const words = lower.length === text.length ? text : lower;
  let misses = 0;
  for (let at = lower.indexOf(beginning); at >= 0; at = lower.indexOf(beginning, at + 1)) {
    const word = findWordAround(words, at);
    if (` ${makeTokenStream(word)} `.includes(` ${term} `)) return true;
    if (++misses > maxMisses) return false;
  }
  return false;
}

const partOfWord = /[\p{L}\p{N}\p{M}_$]/u;

function findWordAround(text: string, at: number): string {
  let [start, end] = [at, at + 1];
  while (start > 0 && partOfWord.test(text[start - 1]!)) start--;
  while (end < text.length && partOfWord.test(text[end]!)) end++;
  return text.slice(start, end);
}

/** A name as code has it: with a capital inside, an underscore, or digits. */
const codeName = /\p{Ll}\p{Lu}|_|\p{L}\d|\d\p{L}/u;

/** The names in a query that stand for themselves: their parts may be anywhere. */
export const namesAsked = ({ written }: Pick<AnalysedQuery, "written">): string[] =>
  [...written].filter((name) => codeName.test(name) && !/\s/.test(name));

/** Whether a text holds each of some names as a whole, in any case. */
export function holdsNames(names: readonly string[], text: string): boolean {
  if (names.length === 0) return true;
  const lower = shortenLines(text).slice(0, maxLook).toLowerCase();
  return names.every((name) => lower.includes(name.toLowerCase()));
}

/** Fewer quoted words are a subject, and may stand anywhere. */
const minQuotedWords = 3;

/** Whether a text contains the whole query, or several quoted words of it in a row, literally. */
export function isLiteral(query: string, text: string): boolean {
  const quoted = [...query.matchAll(/"([^"]{3,})"|`([^`]{3,})`/g)]
    .map(([, a, b]) => a ?? b ?? "")
    .filter((phrase) => listIdentifiers(phrase).length >= minQuotedWords);
  const lower = shortenLines(text).slice(0, maxLook).toLowerCase();
  return [query, ...quoted].some((phrase) => hasPhrase(lower, phrase.trim().toLowerCase()));
}

function hasPhrase(text: string, phrase: string): boolean {
  if (listIdentifiers(phrase).length === 0) return false;
  for (let at = text.indexOf(phrase); at >= 0; at = text.indexOf(phrase, at + 1)) {
    const before = at > 0 && isInside(text[at - 1]!, phrase[0]!);
    const end = at + phrase.length;
    if (!before && !(end < text.length && isInside(phrase.at(-1)!, text[end]!))) return true;
  }
  return false;
}

/** Between two characters of one word; Chinese has no other boundaries than those of its characters. */
function isInside(one: string, other: string): boolean {
  return partOfWord.test(one) && partOfWord.test(other) && isSpaced(one) && isSpaced(other);
}
