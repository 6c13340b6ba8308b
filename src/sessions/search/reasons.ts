import { findHeldWords, formatMentions } from "../../code/search/mentioned.ts";
import type { SessionResult } from "../../protocol/results.ts";

/** From this evidence on, meaning, or what the session was asked, is why a result is there. Standard deviations. */
const minTellingDeviations = { nearness: 3, asked: 2 };

/** Why a chunk is among the answers, for a reader: what the result does not show of itself. */
export function listSessionReasons(
  { content }: Pick<SessionResult, "content">,
  words: readonly string[],
  { nearness, asked }: { nearness: number; asked: number },
): string[] {
  const held = findHeldWords(words, content);
  const isLike = nearness > minTellingDeviations.nearness;
  const reasons = [
    formatMentions(held),
    isLike && 2 * held.length < words.length ? "similar in meaning" : null,
    held.length === 0 && asked > minTellingDeviations.asked ? "its title, branch or prompts match" : null,
  ];
  return reasons.filter((reason) => reason !== null);
}
