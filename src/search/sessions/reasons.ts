import type { SessionResult } from "../../protocol/operations/search.ts";
import { mentioned, wordsHeld } from "../mentioned.ts";

/** From this evidence on, meaning, or what the session was asked, is why a result is there. */
const telling = 6;

/** Why a chunk is among the answers, for a reader: what the result does not show of itself. */
export function reasonsFor(
  { content }: Pick<SessionResult, "content">,
  words: readonly string[],
  signals: { passage: number; whole: number; session_asked: number },
): string[] {
  const held = wordsHeld(words, content);
  const isLike = signals.passage + signals.whole > telling;
  const reasons = [
    mentioned(held),
    isLike && 2 * held.length < words.length ? "similar in meaning" : null,
    held.length === 0 && signals.session_asked > telling ? "its title, branch or prompts match" : null,
  ];
  return reasons.filter((reason) => reason !== null);
}
