import { identifierParts } from "../../src/models/embed/static/words.ts";
import type { Pair } from "./pairs.ts";

/** Rarer words are spelled out in pieces. Occurrences: texts that hold the word. */
const fewestTexts = 4;

/**
 * The tokens of the model: every piece and letter of the teacher's vocabulary that code can be spelled with, then
 * the teacher's words and the commonest other words of the corpus, up to `size`.
 */
export function chooseVocabulary(
  teacher: readonly string[],
  pairs: readonly Pair[],
  prose: readonly string[],
  size: number,
): string[] {
  const plain = teacher.filter((token) => /^(##)?[a-z0-9]+$/.test(token));
  const isPiece = (token: string) => token.startsWith("##") || token.length === 1;
  const frequencies = textFrequencies(pairs, prose);
  const known = new Set(plain);
  const words = plain.filter((token) => !isPiece(token) && (frequencies.get(token) ?? 0) >= 1);
  const more = [...frequencies]
    .filter(
      ([word, count]) => !known.has(word) && word.length > 1 && word.length <= 20 && count >= fewestTexts,
    )
    .sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1))
    .map(([word]) => word);
  return [...plain.filter(isPiece), ...words, ...more].slice(0, size);
}

function textFrequencies(pairs: readonly Pair[], prose: readonly string[]): Map<string, number> {
  const frequencies = new Map<string, number>();
  const count = (text: string) => {
    for (const word of new Set(text.match(identifierParts)?.map((part) => part.toLowerCase()))) {
      frequencies.set(word, (frequencies.get(word) ?? 0) + 1);
    }
  };
  for (const { question, passage } of pairs) count(`${question} ${passage}`);
  prose.forEach(count);
  return frequencies;
}
