/**
 * Goes down a gradient by Adam (Kingma and Ba 2015).
 * @param weights the start, and in the end the result
 * @param gradientAt the gradient for the weights as they are
 * @param hold brings weights back that went too far
 */
export function descend(
  weights: Float64Array,
  { rounds, rate }: { rounds: number; rate: number },
  gradientAt: () => Float64Array,
  hold: () => void,
): void {
  const [mean, square] = [new Float64Array(weights.length), new Float64Array(weights.length)];
  for (let round = 1; round <= rounds; round++) {
    const gradient = gradientAt();
    for (let i = 0; i < weights.length; i++) {
      const slope = gradient[i]!;
      mean[i] = 0.9 * mean[i]! + 0.1 * slope;
      square[i] = 0.99 * square[i]! + 0.01 * slope * slope;
      const step = mean[i]! / (1 - 0.9 ** round) / (Math.sqrt(square[i]! / (1 - 0.99 ** round)) + 1e-8);
      weights[i]! -= rate * step;
    }
    hold();
  }
}

/**
 * The slope of the loss for each score: softmax over those of a question, in which the right ones are to have the most (ListNet).
 * @param sharpness by which the scores are multiplied
 */
export function listwise(scores: Float64Array, isRight: readonly boolean[], sharpness = 1): Float64Array {
  const most = scores.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY);
  const shares = scores.map((score) => Math.exp(sharpness * (score - most)));
  const all = shares.reduce((sum, share) => sum + share, 0);
  const right = shares.reduce((sum, share, i) => sum + (isRight[i] ? share : 0), 0);
  if (right === 0) return new Float64Array(scores.length);
  return shares.map((share, i) => share / all - (isRight[i] ? share / right : 0));
}
