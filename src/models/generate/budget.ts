import { PommelError } from "../../project/errors.ts";
import { RequestFailed } from "../http/request.ts";
import { estimatedInput } from "./estimate.ts";
import type { Llm } from "./llm.ts";

/** What a model was asked for. */
type LlmPurpose = "summary" | "scrub";

/** What one call has cost. */
export interface LlmUsage {
  /** The generator's id. */
  model: string;
  purpose: LlmPurpose;
  input: number;
  output: number;
  /** Null where no price is known. */
  dollars: number | null;
}

export interface DailyBudget {
  purpose: LlmPurpose;
  /** The most that a day may cost, in and out, over all models and purposes. */
  dailyTokens: number;
  /** What the day has cost so far, in and out. */
  spentToday(): number;
  record(usage: LlmUsage): void;
}

/**
 * `llm`, asked only while the day's tokens last: a request that might not fit, by what it is estimated to take in and
 * may give out, is refused before it is sent. Calls at the same time do not overrun it together.
 */
export function createBudgetedLlm(llm: Llm, budget: DailyBudget): Llm {
  const { purpose, dailyTokens, spentToday, record } = budget;
  let inProgress = 0;
  return {
    id: llm.id,
    async generate(request, signal) {
      signal?.throwIfAborted();
      const input = estimatedInput(request);
      const most = input + request.maxTokens;
      const spent = spentToday() + inProgress;
      if (spent + most > dailyTokens) throw usedUp(spent, most, dailyTokens);
      inProgress += most;
      try {
        const answer = await llm.generate(request, signal);
        const { inputTokens, outputTokens, dollars } = answer;
        record({ model: llm.id, purpose, input: inputTokens, output: outputTokens, dollars });
        return answer;
      } catch (error) {
        if (mayHaveCost(error, signal)) record({ model: llm.id, purpose, input, output: 0, dollars: null });
        throw error;
      } finally {
        inProgress -= most;
      }
    },
  };
}

/** A server that answered too late, with nothing or with nonsense has worked, and may have charged for it. */
function mayHaveCost(error: unknown, signal: AbortSignal | undefined): boolean {
  if (signal?.aborted) return true;
  const cause = error instanceof PommelError ? error.cause : null;
  return cause instanceof RequestFailed && (cause.kind === "timeout" || cause.kind === "nonsense");
}

function usedUp(spent: number, most: number, dailyTokens: number): PommelError {
  return new PommelError(
    "llm_unavailable",
    `The language model's daily budget is used up: ${spent} of ${dailyTokens} tokens, and the request may take ${most}.`,
    "It continues tomorrow (UTC). llm.daily_tokens sets the limit.",
  );
}
