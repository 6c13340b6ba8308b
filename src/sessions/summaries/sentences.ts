import { stopWords, tokenize } from "../../base/text/tokens.ts";
import { isOnlyContinue } from "./prose.ts";

const minPromptWords = 3;

/** What a question's words are about: not those that ask of the past, unless there are no others. */
export function askedTokens(about: string): Set<string> {
  const tokens = tokenize(about).filter((token) => token.length > 1 && !stopWords.has(token));
  const telling = tokens.filter((token) => !askingOfPast.has(token));
  return new Set(telling.length > 0 ? telling : tokens);
}

const askingOfPast: ReadonlySet<string> = new Set(
  tokenize(
    "decide decided decision say said user tried try attempt already again last time before earlier yesterday continue remember previously past discuss discussed talk choose chose",
  ),
);

/** What an agent is about to do is no result. */
const announces =
  /^(?:I'll|I will|I'm going|Let me|Let's|Now (?:I|let)|Next,? I|First,? (?:I|let)|Going to|The tests are running)\b|[:]$/i;

/** Whether a sentence only says what an agent is about to do or to say. */
export const isAnnouncement = (sentence: string): boolean => announces.test(sentence);

/** What each word of a question is worth by how rare it is among texts; 1 together. */
export function weighTokens(
  texts: readonly ReadonlySet<string>[],
  wanted: ReadonlySet<string>,
): (readonly [token: string, weight: number])[] {
  const weights = [...wanted].map((token) => {
    const holding = texts.filter((tokens) => tokens.has(token)).length;
    return [token, Math.log(1 + (texts.length + 1) / (holding + 0.5))] as const;
  });
  const whole = weights.reduce((sum, [, weight]) => sum + weight, 0);
  return whole === 0 ? [] : weights.map(([token, weight]) => [token, weight / whole] as const);
}

export interface RankedSentence<T> {
  item: T;
  /** The share of the question's words that it has, by how rare they are: 0 to 1. */
  share: number;
}

/** Texts that have enough of a question's words, by how rare these are among all; of equals in the order given. */
export function rankByWords<T>(
  items: readonly T[],
  wanted: ReadonlySet<string>,
  tokensIn: (item: T) => ReadonlySet<string>,
  minShare: number,
): RankedSentence<T>[] {
  const weights = weighTokens(items.map(tokensIn), wanted);
  if (weights.length === 0) return [];
  return items
    .map((item) => {
      const held = weights.filter(([token]) => tokensIn(item).has(token));
      return { item, share: held.reduce((sum, [, weight]) => sum + weight, 0) };
    })
    .filter(({ share }) => share >= minShare)
    .sort((a, b) => b.share - a.share);
}

/** "yes", "/review" and pasted output ask for nothing that can be understood alone. */
export function isTellingPrompt(prompt: string): boolean {
  const text = prompt.trim();
  return !isOnlyContinue(text) && !/^[/<]/.test(text) && text.split(/\s+/).length >= minPromptWords;
}
