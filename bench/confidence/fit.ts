import {
  type By,
  type Coefficients,
  thresholds,
  type VerdictEvidence,
} from "../../src/code/search/confidence/coefficients.ts";
import { buildVerdictEvidence, estimateProbability } from "../../src/code/search/confidence/judge.ts";
import { isAnswered, type Sample } from "./sample.ts";

/**
 * Answerable and unanswerable questions have equal total weight, so that a probability holds where every other question
 * has no answer.
 */
function weighted(samples: readonly Sample[]): { sample: Sample; weight: number }[] {
  const answerable = samples.filter((one) => one.isAnswerable);
  return samples.map((sample) => {
    const others = sample.isAnswerable ? answerable.length : samples.length - answerable.length;
    return { sample, weight: 1 / Math.max(others, 1) };
  });
}

/** Those that the judge weighs: a name or a text that stands there as asked needs no regression. */
const usable = (samples: readonly Sample[], by: By) =>
  samples.filter(
    ({ asked, found }) =>
      found.length > 0 &&
      (by === "words" || asked.nearness !== null) &&
      !found.some(({ evidence }) => evidence.literal || evidence.defines),
  );

const evidenceIn = ({ asked, found }: Sample): VerdictEvidence =>
  buildVerdictEvidence(
    asked,
    found.map(({ evidence }) => evidence),
  );

/** Whether the first results answer the question. */
export function fitCoefficients(samples: readonly Sample[], by: By): Coefficients {
  const rows = weighted(usable(samples, by)).map(({ sample, weight }) => {
    const { known, held, size, lead, nearness } = evidenceIn(sample);
    const features = [known, held, size, lead, ...(by === "meaning" ? [nearness] : [])];
    return { features, label: Number(isAnswered(sample)), weight };
  });
  const signs = [1, 1, -1, 1, ...(by === "meaning" ? [1] : [])];
  const [bias = 0, known = 0, held = 0, size = 0, lead = 0, nearness = 0] = monotone(rows, signs);
  return rounded({ bias, known, held, nearness, lead, size });
}

/** Of what is called found so many are right, of what is called "probably not here" at most so many: shares, with room to spare. */
const aims = { found: 0.93, nonsense: 0.01, notHere: 0.04 };

/** The lowest probability from which on, and the highest below which, the aims hold. */
export function fitThresholds(
  samples: readonly Sample[],
  { by, coefficients }: { by: By; coefficients: Coefficients },
): { found: number; notHere: number } {
  const all = weighted(usable(samples, by)).map(({ sample, weight }) => ({
    weight,
    isRight: isAnswered(sample),
    isNonsense: !sample.isAnswerable,
    probability: estimateProbability(coefficients, evidenceIn(sample)),
  }));
  const weightOf = (of: typeof all) => of.reduce((sum, { weight }) => sum + weight, 0);
  const shareOf = (of: typeof all, is: (one: (typeof all)[number]) => boolean) =>
    weightOf(of.filter(is)) / (weightOf(of) || 1);
  const nonsense = all.filter(({ isNonsense }) => isNonsense);
  const steps = Array.from({ length: 99 }, (_, i) => (i + 1) / 100);
  const found = steps.find((from) => {
    const isIn = ({ probability }: (typeof all)[number]) => probability >= from;
    return (
      shareOf(all.filter(isIn), ({ isRight }) => isRight) >= aims.found &&
      shareOf(nonsense, isIn) <= aims.nonsense
    );
  });
  const notHere = steps.findLast((below) => {
    const isIn = all.filter(({ probability }) => probability < below);
    return shareOf(isIn, ({ isRight }) => isRight) <= aims.notHere;
  });
  return { found: found ?? thresholds.code.found, notHere: Math.min(notHere ?? 0, found ?? 1) };
}

function rounded(values: Coefficients): Coefficients {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, Math.round(value * 100) / 100]),
  ) as unknown as Coefficients;
}

/**
 * Logistic regression by Newton's method with a ridge, on standardised features: deterministic, and done in a few steps.
 */

interface Row {
  features: number[];
  label: number;
  weight: number;
}

const steps = 30;

/**
 * The bias, then a coefficient for each feature. What speaks for something (sign 1) may not speak against it: a
 * coefficient that would is 0.
 */
function monotone(rows: readonly Row[], signs: readonly number[], ridge = 1e-4): number[] {
  const used = signs.map(() => true);
  for (;;) {
    const masked = rows.map((row) => ({
      ...row,
      features: row.features.map((value, i) => (used[i] ? value : 0)),
    }));
    const fitted = logistic(masked, ridge);
    const wrong = signs.findIndex((sign, i) => used[i] && fitted[i + 1]! * sign < -1e-9);
    if (wrong < 0) return fitted;
    used[wrong] = false;
  }
}

function logistic(rows: readonly Row[], ridge: number): number[] {
  const count = rows[0]?.features.length ?? 0;
  const total = rows.reduce((sum, { weight }) => sum + weight, 0);
  const means = columns(
    count,
    (i) => rows.reduce((sum, { features, weight }) => sum + weight * features[i]!, 0) / total,
  );
  const deviations = columns(count, (i) =>
    Math.sqrt(
      rows.reduce((sum, { features, weight }) => sum + weight * (features[i]! - means[i]!) ** 2, 0) / total,
    ),
  );
  const scaled = rows.map(({ features, ...row }) => ({
    ...row,
    x: [1, ...features.map((value, i) => (deviations[i]! > 1e-9 ? (value - means[i]!) / deviations[i]! : 0))],
  }));
  let beta = new Array<number>(count + 1).fill(0);
  for (let step = 0; step < steps; step++) {
    const gradient = beta.map((value, i) => (i === 0 ? 0 : -ridge * total * value));
    const hessian = beta.map((_, i) => beta.map((_, j) => (i === j ? ridge * total : 0)));
    for (const { x, label, weight } of scaled) {
      const p = 1 / (1 + Math.exp(-x.reduce((sum, value, i) => sum + value * beta[i]!, 0)));
      for (let i = 0; i <= count; i++) {
        gradient[i]! += weight * (label - p) * x[i]!;
        for (let j = 0; j <= count; j++) hessian[i]![j]! += weight * p * (1 - p) * x[i]! * x[j]!;
      }
    }
    const change = solve(hessian, gradient);
    beta = beta.map((value, i) => value + change[i]!);
  }
  const slopes = columns(count, (i) => (deviations[i]! > 1e-9 ? beta[i + 1]! / deviations[i]! : 0));
  return [beta[0]! - slopes.reduce((sum, slope, i) => sum + slope * means[i]!, 0), ...slopes];
}

const columns = (count: number, value: (i: number) => number) =>
  Array.from({ length: count }, (_, i) => value(i));

/** Gauss's elimination with pivots. */
function solve(matrix: readonly (readonly number[])[], right: readonly number[]): number[] {
  const rows = matrix.map((row, i) => [...row, right[i]!]);
  const n = rows.length;
  for (let i = 0; i < n; i++) {
    const pivot = rows
      .slice(i)
      .reduce((best, row, k) => (Math.abs(row[i]!) > Math.abs(rows[best]![i]!) ? i + k : best), i);
    [rows[i], rows[pivot]] = [rows[pivot]!, rows[i]!];
    for (let k = i + 1; k < n; k++) {
      const factor = rows[k]![i]! / rows[i]![i]!;
      for (let j = i; j <= n; j++) rows[k]![j]! -= factor * rows[i]![j]!;
    }
  }
  const solution = new Array<number>(n).fill(0);
  for (let i = n - 1; i >= 0; i--) {
    const known = solution.reduce((sum, value, j) => sum + (j > i ? rows[i]![j]! * value : 0), 0);
    solution[i] = (rows[i]![n]! - known) / rows[i]![i]!;
  }
  return solution;
}
