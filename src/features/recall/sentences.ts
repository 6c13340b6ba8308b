import { stopWords, tokenize } from "../../base/text/tokens.ts";
import { isOnlyContinue, splitSentences, withoutBoilerplate } from "../../sessions/summaries/prose.ts";

/** A sentence is a claim; a shorter one says nothing, a longer one is a log or a list. Characters. */
const length = { min: 12, max: 400 } as const;
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

/** The share of a question's words that a sentence has. */
export function measureSharedWords(wanted: ReadonlySet<string>, sentence: string): number {
  if (wanted.size === 0) return 0;
  const held = new Set(tokenize(sentence));
  let shared = 0;
  for (const token of wanted) if (held.has(token)) shared++;
  return shared / wanted.size;
}

/**
 * The sentence that says most about a question; the last of equals, as conclusions come late. Without any that has a word of it,
 * the last one that says something.
 */
export function findBestSentence(texts: readonly string[], about: string): string | null {
  const wanted = askedTokens(about);
  let best: { sentence: string; weight: number } | null = null;
  for (const [i, text] of texts.entries()) {
    const isLast = i === texts.length - 1;
    for (const sentence of splitSentences(text)) {
      const plain = withoutBoilerplate(sentence);
      if (plain.length < length.min || plain.length > length.max || announces.test(plain)) continue;
      const weight = measureSharedWords(wanted, plain) + (isLast ? weightOfLastMessage : 0);
      if (best === null || weight >= best.weight) best = { sentence: plain, weight };
    }
  }
  return best?.sentence ?? null;
}

/** What an agent is about to do is no result. */
const announces =
  /^(?:I'll|I will|I'm going|Let me|Let's|Now (?:I|let)|Next,? I|First,? (?:I|let)|Going to|The tests are running)\b|[:]$/i;
/** The last message of a turn concludes it: as much as this share of a question's words. */
const weightOfLastMessage = 0.2;

export interface Ranked<T> {
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
): Ranked<T>[] {
  const weights = [...wanted].map((token) => {
    const holding = items.filter((item) => tokensIn(item).has(token)).length;
    return [token, Math.log(1 + (items.length + 1) / (holding + 0.5))] as const;
  });
  const whole = weights.reduce((sum, [, weight]) => sum + weight, 0);
  if (whole === 0) return [];
  return items
    .map((item) => {
      const held = weights.filter(([token]) => tokensIn(item).has(token));
      return { item, share: held.reduce((sum, [, weight]) => sum + weight, 0) / whole };
    })
    .filter(({ share }) => share >= minShare)
    .sort((a, b) => b.share - a.share);
}

/** "yes", "/review" and pasted output ask for nothing that can be understood alone. */
export function isTellingPrompt(prompt: string): boolean {
  const text = prompt.trim();
  return !isOnlyContinue(text) && !/^[/<]/.test(text) && text.split(/\s+/).length >= minPromptWords;
}
