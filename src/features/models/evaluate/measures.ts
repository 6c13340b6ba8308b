/** Measures of retrieval, as the literature defines them; ranks count from 1. */

/** Normalised discounted cumulative gain at k (Järvelin and Kekäläinen 2002), gain 1 a target; ideal: all targets on top. */
export function ndcg(ranks: readonly number[], targets: number, k: number): number {
  const gain = (rank: number) => 1 / Math.log2(rank + 1);
  const ideal = Array.from({ length: Math.min(targets, k) }, (_, i) => gain(i + 1));
  const got = ranks.filter((rank) => rank <= k).map(gain);
  const total = (values: readonly number[]) => values.reduce((a, b) => a + b, 0);
  return ideal.length === 0 ? 0 : total(got) / total(ideal);
}

/** 1 / the best rank; 0 when nothing was found. */
function reciprocalRank(ranks: readonly number[]): number {
  return ranks.length === 0 ? 0 : 1 / Math.min(...ranks);
}

export function average(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((a, b) => a + b, 0) / values.length;
}

/** The p-th percentile (nearest rank); 0 of nothing. */
export function percentile(values: readonly number[], p: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.min(sorted.length, Math.ceil((p / 100) * sorted.length)) - 1)] ?? 0;
}

/** How one question was answered. */
export interface MeasuredAnswer {
  /** Of the targets that were found. */
  ranks: readonly number[];
  targets: number;
  milliseconds: number;
}

/** The figures of many answers; the keys are those of JSON. */
export interface Quality {
  queries: number;
  /** Mean reciprocal rank. */
  mrr: number;
  ndcg10: number;
  /** Share of the questions with any of their targets among the first 1, 5, 10. */
  r1: number;
  r5: number;
  r10: number;
  p50_ms: number;
  p95_ms: number;
}

export function measureQuality(answers: readonly MeasuredAnswer[]): Quality {
  const times = answers.map(({ milliseconds }) => milliseconds);
  const recall = (k: number) =>
    average(answers.map(({ ranks }) => (ranks.some((rank) => rank <= k) ? 1 : 0)));
  return {
    queries: answers.length,
    mrr: average(answers.map(({ ranks }) => reciprocalRank(ranks))),
    ndcg10: average(answers.map(({ ranks, targets }) => ndcg(ranks, targets, 10))),
    r1: recall(1),
    r5: recall(5),
    r10: recall(10),
    p50_ms: percentile(times, 50),
    p95_ms: percentile(times, 95),
  };
}
