import { saysOnlyGoOn, sentencesOf, withoutBoilerplate } from "../../sessions/summaries/prose.ts";
import { stopWords, tokensOf } from "../../text/tokens.ts";

/** A sentence is a claim; a shorter one says nothing, a longer one is a log or a list. Characters. */
const length = { min: 12, max: 400 } as const;
const minPromptWords = 3;

export const askedTokens = (about: string): Set<string> =>
  new Set(tokensOf(about).filter((token) => !stopWords.has(token)));

/** The share of a question's words that a sentence has. */
export function shareOf(wanted: ReadonlySet<string>, sentence: string): number {
  if (wanted.size === 0) return 0;
  const held = new Set(tokensOf(sentence));
  let shared = 0;
  for (const token of wanted) if (held.has(token)) shared++;
  return shared / wanted.size;
}

/**
 * The sentence that says most about a question; the last of equals, as conclusions come late. Without any that has a word of it,
 * the last one that says something.
 */
export function bestSentence(texts: readonly string[], about: string): string | null {
  const wanted = askedTokens(about);
  let best: { sentence: string; share: number } | null = null;
  for (const sentence of texts.flatMap((text) => [...sentencesOf(text)])) {
    const plain = withoutBoilerplate(sentence);
    if (plain.length < length.min || plain.length > length.max) continue;
    const share = shareOf(wanted, plain);
    if (best === null || share >= best.share) best = { sentence: plain, share };
  }
  return best?.sentence ?? null;
}

/** "yes", "/review" and pasted output ask for nothing that can be understood alone. */
export function isTellingPrompt(prompt: string): boolean {
  const text = prompt.trim();
  return !saysOnlyGoOn(text) && !/^[/<]/.test(text) && text.split(/\s+/).length >= minPromptWords;
}
