import { findWordRoot } from "../../base/text/tokens.ts";

/** Words that are named. */
const maxShownWords = 4;

/** The words of a query that a text holds, but for short numbers and single letters, which say nothing alone. */
export function findHeldWords(words: readonly string[], text: string): string[] {
  const lower = text.toLowerCase();
  return words.filter(
    (word) => !/^(?:\d{1,3}|[A-Za-z])$/.test(word) && lower.includes(findWordRoot(word).toLowerCase()),
  );
}

/** "mentions retry, backoff": a reason for a reader; null where it has no word to name. */
export const formatMentions = (held: readonly string[]): string | null =>
  held.length === 0 ? null : `mentions ${held.slice(0, maxShownWords).join(", ")}`;
