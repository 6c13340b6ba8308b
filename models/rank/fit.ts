/** One question to learn from: which of its candidates are right. */
export interface Example {
  /** For each candidate its signals, one after the other. */
  evidence: readonly number[];
  isRight: readonly boolean[];
}

const rounds = 200;
const rate = 0.05;
/** Of the scaled weights. */
const decay = 0.003;

/**
 * A linear model that puts right candidates first: softmax over those of a question (ListNet; Cao et al. 2007) with weight decay,
 * fitted by Adam. Signals are scaled to the same spread while it learns.
 * @param supports for each signal whether it can only speak for a candidate
 * @returns the weight of each signal
 */
export function fitRanker(examples: readonly Example[], supports: readonly boolean[]): Float64Array {
  const signals = supports.length;
  const spread = spreadOf(examples, signals);
  const weights = new Float64Array(signals);
  const unscaled = () => weights.map((weight, i) => (spread[i]! > 0 ? weight / spread[i]! : 0));
  const [mean, square] = [new Float64Array(signals), new Float64Array(signals)];
  for (let round = 1; round <= rounds; round++) {
    const gradient = new Float64Array(signals);
    const raw = unscaled();
    for (const example of examples) addGradient(example, raw, gradient);
    for (let i = 0; i < signals; i++) {
      if (spread[i] === 0) continue;
      const slope = gradient[i]! / spread[i]! / examples.length + decay * weights[i]!;
      mean[i] = 0.9 * mean[i]! + 0.1 * slope;
      square[i] = 0.99 * square[i]! + 0.01 * slope * slope;
      const step = mean[i]! / (1 - 0.9 ** round) / (Math.sqrt(square[i]! / (1 - 0.99 ** round)) + 1e-8);
      weights[i]! -= rate * step;
      if (supports[i]) weights[i] = Math.max(weights[i]!, 0);
    }
  }
  return unscaled();
}

/** Standard deviations of the signals. */
function spreadOf(examples: readonly Example[], signals: number): Float64Array {
  const [sum, squares] = [new Float64Array(signals), new Float64Array(signals)];
  let count = 0;
  for (const { evidence } of examples) {
    for (let at = 0; at < evidence.length; at++) {
      sum[at % signals]! += evidence[at]!;
      squares[at % signals]! += evidence[at]! ** 2;
    }
    count += evidence.length / signals;
  }
  return sum.map((one, i) => Math.sqrt(Math.max(squares[i]! / count - (one / count) ** 2, 0)));
}

export function scoresOf(evidence: readonly number[], weights: Float64Array): Float64Array {
  const signals = weights.length;
  return Float64Array.from({ length: evidence.length / signals }, (_, candidate) => {
    let score = 0;
    for (let i = 0, at = candidate * signals; i < signals; i++, at++) score += evidence[at]! * weights[i]!;
    return score;
  });
}

function addGradient({ evidence, isRight }: Example, weights: Float64Array, gradient: Float64Array): void {
  const scores = scoresOf(evidence, weights);
  const most = scores.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY);
  const shares = scores.map((score) => Math.exp(score - most));
  const all = shares.reduce((sum, share) => sum + share, 0);
  const right = shares.reduce((sum, share, i) => sum + (isRight[i] ? share : 0), 0);
  if (right === 0) return;
  const signals = weights.length;
  for (let candidate = 0; candidate < scores.length; candidate++) {
    const slope = shares[candidate]! / all - (isRight[candidate] ? shares[candidate]! / right : 0);
    if (Math.abs(slope) < 1e-6) continue;
    for (let i = 0, at = candidate * signals; i < signals; i++, at++) gradient[i]! += slope * evidence[at]!;
  }
}
