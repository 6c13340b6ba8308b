import type { SessionResult } from "./types.ts";

/** Why a chunk is among the answers, for a reader; the strongest reason first. */
export function reasonsFor(
  {
    chunk_type,
    kind,
    content,
    abandoned,
  }: Pick<SessionResult, "chunk_type" | "kind" | "content" | "abandoned">,
  words: readonly string[],
  signals: { passage: number; whole: number; session_asked: number },
): string[] {
  const lower = content.toLowerCase();
  // A number alone says nothing.
  const matched = words
    .filter((word) => !/^\d{1,3}$/.test(word) && lower.includes(word.toLowerCase()))
    .slice(0, 4);
  const meaning = signals.passage + signals.whole;
  const reasons = [
    chunk_type === "annotated" ? "your note" : null,
    matched.length > 0 ? `contains ${matched.join(", ")}` : null,
    meaning > 6 ? "similar in meaning" : null,
    signals.session_asked > 6 ? "the session's title, branch or prompts match" : null,
    chunk_type === "summary" ? "a session's summary" : null,
    kind === "error-fix" ? "an error that was fixed" : kind === "decision" ? "a decision" : null,
    abandoned ? "abandoned branch" : null,
  ];
  return reasons.filter((reason) => reason !== null);
}
