/** The cosine of the angle between two vectors of the same length; 0 where one of them is 0. */
export function cosineSimilarity(a: Int8Array, b: Int8Array): number {
  let [product, ofA, ofB] = [0, 0, 0];
  for (let i = 0; i < a.length; i++) {
    product += a[i]! * b[i]!;
    ofA += a[i]! * a[i]!;
    ofB += b[i]! * b[i]!;
  }
  return product / (Math.sqrt(ofA * ofB) || 1);
}
