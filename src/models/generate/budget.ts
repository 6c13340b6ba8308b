import { PommelError } from "../../base/errors.ts";
import { RequestFailed } from "../http/request.ts";
import type { Llm } from "./llm.ts";
import { estimateInputTokens } from "./llm.ts";

/** The purpose of a request. */
type LlmPurpose = "summary" | "scrub";

/** The cost of one call. */
interface LlmUsage {
  /** The generator's id. */
  model: string;
  purpose: LlmPurpose;
  input: number;
  output: number;
  /** Null if there is no list price. */
  dollars: number | null;
}

interface DailyBudget {
  purpose: LlmPurpose;
  /** Daily limit on input and output tokens, over all models and purposes. */
  dailyTokens: number;
  /** Today's input and output tokens. */
  spentToday(): number;
  record(usage: LlmUsage): void;
}

/**
 * Wraps `llm` with a daily budget: refuses a request whose estimated input and maximum output might exceed it. Safe for
 * concurrent calls.
 */
export function createBudgetedLlm(llm: Llm, budget: DailyBudget): Llm {
  const { purpose, dailyTokens, spentToday, record } = budget;
  let inProgress = 0;
  return {
    id: llm.id,
    async generate(request, signal) {
      signal?.throwIfAborted();
      const input = estimateInputTokens(request);
      const most = input + request.maxTokens;
      const spent = spentToday() + inProgress;
      if (spent + most > dailyTokens) throw makeBudgetUsedUpError(spent, most, dailyTokens);
      inProgress += most;
      try {
        const answer = await llm.generate(request, signal);
        const { inputTokens, outputTokens, dollars } = answer;
        record({ model: llm.id, purpose, input: inputTokens, output: outputTokens, dollars });
        return answer;
      } catch (error) {
        if (canHaveCost(error, signal)) record({ model: llm.id, purpose, input, output: 0, dollars: null });
        throw error;
      } finally {
        inProgress -= most;
      }
    },
  };
}

/** Late, empty or invalid answers may still be charged. */
function canHaveCost(error: unknown, signal: AbortSignal | undefined): boolean {
  if (signal?.aborted) return true;
  const cause = error instanceof PommelError ? error.cause : null;
  return cause instanceof RequestFailed && (cause.kind === "timeout" || cause.kind === "nonsense");
}

function makeBudgetUsedUpError(spent: number, most: number, dailyTokens: number): PommelError {
  return new PommelError(
    "llm_unavailable",
    `The language model's daily budget is used up: ${spent} of ${dailyTokens} tokens, and the request may take ${most}.`,
    "It continues tomorrow (UTC). llm.daily_tokens sets the limit.",
  );
}
