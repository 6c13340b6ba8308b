/** The cosine of the angle between two vectors of one length; 0 when one of them is zero. */
export function cosine(a: ArrayLike<number>, b: ArrayLike<number>): number {
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
