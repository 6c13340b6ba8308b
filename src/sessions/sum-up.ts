import type { Llm } from "../llm/llm.ts";
import type { SessionWork } from "./work.ts";

export interface SumUpOptions extends SessionWork {
  /** Asked within its budget (llm/budget.ts); null: nobody is asked. */
  llm: Llm | null;
}

export interface SummedUp {
  /** Summaries that are new or say something else than before. */
  summaries: number;
  /** Chunks of summaries that the session has now. */
  chunks: number;
  /** What the session is called now. */
  title: string | null;
}

/**
 * Sums a session up from its stored turns: the extractive summary, the agent's own, with `withLlm` the language
 * model's; gives it a title and makes the summaries searchable. Doing it again changes nothing.
 * @returns null for a session that is not stored or has no turns
 * @throws only the signal's reason when it is aborted, and what the store throws
 */
export async function sumUpSession(
  _options: SumUpOptions,
  _sessionUid: string,
  _how: { withLlm?: boolean; signal?: AbortSignal | undefined } = {},
): Promise<SummedUp | null> {
  throw new Error("not written yet");
}
