/**
 * Logistic regression by Newton's method with a ridge, on standardised features: deterministic, and done in a few steps.
 */

export interface Row {
  features: number[];
  label: number;
  weight: number;
}

const steps = 30;

/**
 * The bias, then a coefficient for each feature. What speaks for something (sign 1) may not speak against it: a
 * coefficient that would is 0.
 */
export function monotone(rows: readonly Row[], signs: readonly number[], ridge = 1e-4): number[] {
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
