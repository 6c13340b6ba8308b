import type { SessionResult } from "../../../protocol/results.ts";
import type { CommitOfResult, SessionQuery } from "../types.ts";
import type { SessionWeights } from "../weights.ts";

interface Weighing extends Pick<SessionQuery, "mode" | "explain"> {
  weights: Pick<SessionWeights, "reverted" | "halfScore">;
}

/**
 * Adds the commits that results led to, and ranks reverted work behind equal results. Only these results are reordered:
 * git is not asked about all candidates.
 * @param commits by the result's place; missing: none
 */
export function weighReverts(
  results: readonly SessionResult[],
  commits: readonly CommitOfResult[][],
  { mode, explain, weights }: Weighing,
): SessionResult[] {
  const weighed = results.map((result, i): SessionResult => {
    const led = commits[i] ?? [];
    const isReverted = led.length > 0 && led.every(({ reverted_by }) => reverted_by !== null);
    // A pattern's results are in the order of time, and all as good.
    const factor = isReverted && mode !== "regex" ? weights.reverted : 1;
    return {
      ...result,
      commits: led,
      ...(factor !== 1 && { score: scaleScore(result.score, factor, weights.halfScore) }),
      match_reasons: isReverted ? [...result.match_reasons, "its commit was reverted"] : result.match_reasons,
      ...(explain && result.signals && { signals: { ...result.signals, reverted: factor } }),
    };
  });
  return mode === "regex" ? weighed : weighed.sort((a, b) => b.score - a.score);
}

/** The score of so much of the evidence that a score stands for. */
function scaleScore(score: number, factor: number, half: number): number {
  const evidence = ((half * score) / (1 - score)) * factor;
  return Math.round((evidence / (evidence + half)) * 1e4) / 1e4;
}
