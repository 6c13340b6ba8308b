import { mentioned, wordsHeld } from "../../code/search/mentioned.ts";
import type { SessionResult } from "../../protocol/results.ts";

/** From this evidence on, meaning, or what the session was asked, is why a result is there. Standard deviations. */
const telling = { nearness: 3, asked: 2 };

/** Why a chunk is among the answers, for a reader: what the result does not show of itself. */
export function reasonsFor(
  { content }: Pick<SessionResult, "content">,
  words: readonly string[],
  { nearness, asked }: { nearness: number; asked: number },
): string[] {
  const held = wordsHeld(words, content);
  const isLike = nearness > telling.nearness;
  const reasons = [
    mentioned(held),
    isLike && 2 * held.length < words.length ? "similar in meaning" : null,
    held.length === 0 && asked > telling.asked ? "its title, branch or prompts match" : null,
  ];
  return reasons.filter((reason) => reason !== null);
}
