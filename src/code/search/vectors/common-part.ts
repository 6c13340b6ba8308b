/**
 * The vectors of one project's sessions are close together: they share a common part that does not distinguish them.
 * Part of it is removed before they are compared (Mu and Viswanath, "All-but-the-Top", ICLR 2018): a vector x becomes x
 * - a m, where m is the mean of all.
 */

/** How much of the mean is taken away: `a`. Measured: bench/recall.ts. */
const commonShare = 0.5;

/** The common part of all vectors, and what corrects their cosines for it. */
export interface CommonPart {
  mean: Float64Array;
  /** m · m. */
  square: number;
  /** Of every vector x, by its slot: a (x · m). */
  shares: Float64Array;
  /** Of every vector x, by its slot: 1 / |x - a m|. */
  factors: Float64Array;
}

/** @param products of every vector with the mean, by slot */
export function buildCommonPart(mean: Float64Array, products: Float64Array): CommonPart {
  const square = dotProduct(mean, mean);
  return {
    mean,
    square,
    shares: products.map((product) => commonShare * product),
    factors: products.map((product) => 1 / computeLengthWithout(product, square)),
  };
}

/**
 * What corrects the cosine of a query and a vector x for the common part of both: (cosine - a (x · m) + `constant`) * `factor`
 * / |x - a m|.
 */
export function computeCorrection(
  query: Int8Array,
  { mean, square }: Pick<CommonPart, "mean" | "square">,
): { constant: number; factor: number } {
  const product = dotProduct(toUnitVector(query), mean);
  return {
    constant: commonShare ** 2 * square - commonShare * product,
    factor: 1 / computeLengthWithout(product, square),
  };
}

/** |x - a m| for a vector x of length 1 with `product` = x · m. */
function computeLengthWithout(product: number, square: number): number {
  return Math.sqrt(Math.max(1 - 2 * commonShare * product + commonShare ** 2 * square, 1e-6));
}

/** The sum of adjacent int8 vectors, each normalised to length 1. */
export function sumOfUnits(vectors: Uint8Array, dimensions: number): Float64Array {
  const sum = new Float64Array(dimensions);
  for (let at = 0; at + dimensions <= vectors.length; at += dimensions) {
    const vector = new Int8Array(vectors.buffer, vectors.byteOffset + at, dimensions);
    let square = 0;
    for (let i = 0; i < dimensions; i++) square += vector[i]! * vector[i]!;
    if (square === 0) continue;
    const scale = 1 / Math.sqrt(square);
    for (let i = 0; i < dimensions; i++) sum[i]! += vector[i]! * scale;
  }
  return sum;
}

function toUnitVector(vector: Int8Array): Float64Array {
  return sumOfUnits(new Uint8Array(vector.buffer, vector.byteOffset, vector.length), vector.length);
}

export function dotProduct(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i]! * b[i]!;
  return sum;
}
