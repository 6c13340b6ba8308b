import type { CommitOfResult, SessionQuery, SessionResult } from "./types.ts";
import type { SessionWeights } from "./weights.ts";

interface Weighing extends Pick<SessionQuery, "mode" | "explain"> {
  weights: Pick<SessionWeights, "reverted" | "halfScore">;
}

/**
 * Gives results the commits that they led to, and puts what was taken back behind what is as good. Only among these
 * results: git is not asked about all that might have been found.
 * @param commits by the result's place; missing: none
 */
export function weighReverts(
  results: readonly SessionResult[],
  commits: readonly CommitOfResult[][],
  { mode, explain, weights }: Weighing,
): SessionResult[] {
  const told = results.map((result, i): SessionResult => {
    const led = commits[i] ?? [];
    const isReverted = led.length > 0 && led.every(({ reverted_by }) => reverted_by !== null);
    // A pattern's results are in the order of time, and all as good.
    const factor = isReverted && mode !== "regex" ? weights.reverted : 1;
    return {
      ...result,
      commits: led,
      ...(factor !== 1 && { score: scaled(result.score, factor, weights.halfScore) }),
      match_reasons: isReverted ? [...result.match_reasons, "its commit was reverted"] : result.match_reasons,
      ...(explain && result.signals && { signals: { ...result.signals, reverted: factor } }),
    };
  });
  return mode === "regex" ? told : told.sort((a, b) => b.score - a.score);
}

/** The score of so much of the evidence that a score stands for. */
function scaled(score: number, factor: number, half: number): number {
  const evidence = ((half * score) / (1 - score)) * factor;
  return Math.round((evidence / (evidence + half)) * 1e4) / 1e4;
}
