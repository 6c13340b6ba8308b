/**
 * A vector as int8, scaled so that its largest component is ±127. Only directions are compared, so the scale is
 * not kept. A vector without a direction (zero, not finite) gives null.
 */
export function quantise(vector: ArrayLike<number>): Int8Array | null {
  let largest = 0;
  for (let i = 0; i < vector.length; i++) largest = Math.max(largest, Math.abs(vector[i]!));
  if (!(largest > 0 && largest < Number.POSITIVE_INFINITY)) return null;
  const scale = 127 / largest;
  const quantised = new Int8Array(vector.length);
  for (let i = 0; i < vector.length; i++) quantised[i] = Math.round(vector[i]! * scale);
  return quantised;
}

/** The cosine of the angle between two vectors of one length; 0 when one of them is zero. */
export function computeCosine(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let dot = 0;
  let squaresA = 0;
  let squaresB = 0;
  for (let i = 0; i < a.length; i++) {
    dot += a[i]! * b[i]!;
    squaresA += a[i]! ** 2;
    squaresB += b[i]! ** 2;
  }
  const lengths = Math.sqrt(squaresA * squaresB);
  return lengths === 0 ? 0 : dot / lengths;
}
