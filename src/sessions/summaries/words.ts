import { stopWords } from "../../text/tokens.ts";

/** Danish words without meaning of their own, and words that every conversation about code is full of. */
export const fillerWords: ReadonlySet<string> = new Set(
  (
    "af alle alt at da de dem den denne der deres det dette dig din dog du efter eller en end er et for fra før ham " +
    "han har havde her hun hvad hvis hvor ikke ind ja jeg jer kan kun lad man med meget men mig min mod må nej nogle " +
    "nok nu når og også om op os over på selv sig skal som så til ud under var vi vil ved være været " +
    "about after all also already because before both but check code file files first here just let like line make " +
    "makes more need needs new next now one only other out over see still sure test tests then think too two up very want"
  ).split(" "),
);

const word = /[\p{L}\p{N}_]{3,}/gu;

/** The words of a sentence that carry its meaning, each once, in lower case. */
export function contentWords(text: string): Set<string> {
  const found = new Set<string>();
  for (const [match] of text.toLowerCase().matchAll(word)) {
    if (!stopWords.has(match) && !fillerWords.has(match) && !/^\d+$/.test(match)) found.add(match);
  }
  return found;
}

/** The share of `words` that `others` have as well, from 0 to 1. */
export function coverage(words: ReadonlySet<string>, others: ReadonlySet<string>): number {
  if (words.size === 0) return 0;
  let shared = 0;
  for (const word of words) if (others.has(word)) shared++;
  return shared / words.size;
}
