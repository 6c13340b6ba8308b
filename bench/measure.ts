/** The measures that the benchmarks share. */

export interface Target {
  path: string;
  start_line?: number | undefined;
  end_line?: number | undefined;
}

interface Place {
  file: string;
  start_line: number;
  end_line: number;
}

/** The rank (from 1) of the first result that covers the target, or 0: same file, and overlapping lines if it names any. */
export function rankOf(target: Target, results: readonly Place[]): number {
  const found = results.findIndex(
    (result) =>
      (result.file === target.path ||
        result.file.endsWith(`/${target.path}`) ||
        target.path.endsWith(`/${result.file}`)) &&
      (target.start_line === undefined ||
        target.end_line === undefined ||
        (result.start_line <= target.end_line && result.end_line >= target.start_line)),
  );
  return found + 1;
}

/** Normalised discounted cumulative gain at k, gain 1 a target; ideal: all targets on top. */
export function ndcg(ranks: readonly number[], targets: number, k: number): number {
  const gain = (rank: number) => 1 / Math.log2(rank + 1);
  const ideal = Array.from({ length: Math.min(targets, k) }, (_, i) => gain(i + 1));
  const got = ranks.filter((rank) => rank <= k).map(gain);
  const total = (values: readonly number[]) => values.reduce((a, b) => a + b, 0);
  return ideal.length === 0 ? 0 : total(got) / total(ideal);
}

export function average(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((a, b) => a + b, 0) / values.length;
}

/** The p-th percentile (nearest rank). */
export function percentile(values: readonly number[], p: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.ceil((p / 100) * sorted.length) - 1)] ?? 0;
}

/** Every other name in alphabetical order: one half to choose numbers with, the other to confirm them. */
export function half(names: readonly string[]): { choose: Set<string>; confirm: Set<string> } {
  const sorted = [...names].sort();
  return {
    choose: new Set(sorted.filter((_, i) => i % 2 === 0)),
    confirm: new Set(sorted.filter((_, i) => i % 2 === 1)),
  };
}
