import { average } from "../../measure.ts";

/** A mean with its 95 % interval. */
export interface Estimate {
  n: number;
  mean: number;
  /** null: one value says nothing about how much values vary. */
  interval: readonly [low: number, high: number] | null;
}

/** The mean of independent values, with Student's t interval. @returns null for no values */
export function estimate(values: readonly number[]): Estimate | null {
  const n = values.length;
  if (n === 0) return null;
  const mean = average(values);
  if (n === 1) return { n, mean, interval: null };
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (n - 1);
  const half = criticalT(n - 1) * Math.sqrt(variance / n);
  return { n, mean, interval: [mean - half, mean + half] };
}

/** The 97.5 % quantile of Student's t for 1 to 30 degrees of freedom, as in any table. */
const quantiles = [
  12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.16, 2.145, 2.131,
  2.12, 2.11, 2.101, 2.093, 2.086, 2.08, 2.074, 2.069, 2.064, 2.06, 2.056, 2.052, 2.048, 2.045, 2.042,
];
const z = 1.959964;

/** Beyond the table by the first terms of the Cornish-Fisher expansion, exact to three digits there. */
export function criticalT(degrees: number): number {
  const known = quantiles[degrees - 1];
  if (known !== undefined) return known;
  return z + (z ** 3 + z) / (4 * degrees) + (5 * z ** 5 + 16 * z ** 3 + 3 * z) / (96 * degrees ** 2);
}

/** The 95 % interval of a share, by Wilson's score (1927), which also holds for few values and near 0 and 1. */
export function wilson(successes: number, n: number): readonly [low: number, high: number] {
  const share = successes / n;
  const centre = share + z ** 2 / (2 * n);
  const half = z * Math.sqrt((share * (1 - share)) / n + z ** 2 / (4 * n ** 2));
  const scale = 1 + z ** 2 / n;
  return [Math.max(0, (centre - half) / scale), Math.min(1, (centre + half) / scale)];
}

/** Two measurements of the same task. */
export interface Pair {
  task: string;
  without: number;
  with: number;
}

/** What Pommel changes: means, and the difference with its interval. */
export interface Change {
  without: number;
  with: number;
  /** With minus without. */
  difference: Estimate;
}

/**
 * The paired difference. Repetitions of a task are averaged first: they are not independent, so tasks are what is
 * counted.
 * @returns null for no pairs
 */
export function changeOf(pairs: readonly Pair[]): Change | null {
  const means = [...new Set(pairs.map(({ task }) => task))].map((task) => {
    const own = pairs.filter((pair) => pair.task === task);
    return {
      without: average(own.map(({ without }) => without)),
      with: average(own.map((pair) => pair.with)),
    };
  });
  const difference = estimate(means.map((mean) => mean.with - mean.without));
  if (difference === null) return null;
  return {
    without: average(means.map(({ without }) => without)),
    with: average(means.map((mean) => mean.with)),
    difference,
  };
}
