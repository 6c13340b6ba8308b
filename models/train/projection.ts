import { EigenvalueDecomposition, Matrix } from "ml-matrix";

/**
 * The directions in which vectors differ most (principal components, uncentred): a `width` × `dimensions` matrix,
 * row-major, that maps vectors of `width` to their first `dimensions` components.
 */
export function principalComponents(vectors: Float32Array, width: number, dimensions: number): Float32Array {
  const count = vectors.length / width;
  const stride = Math.max(1, Math.floor(count / 10_000));
  const moments = Matrix.zeros(width, width);
  for (let i = 0; i < count; i += stride) {
    const row = vectors.subarray(i * width, (i + 1) * width);
    for (let a = 0; a < width; a++) {
      for (let b = a; b < width; b++) moments.set(a, b, moments.get(a, b) + row[a]! * row[b]!);
    }
  }
  for (let a = 0; a < width; a++) for (let b = 0; b < a; b++) moments.set(a, b, moments.get(b, a));
  // Eigenvalues come in ascending order.
  const { eigenvectorMatrix } = new EigenvalueDecomposition(moments, { assumeSymmetric: true });
  const basis = new Float32Array(width * dimensions);
  for (let a = 0; a < width; a++) {
    for (let d = 0; d < dimensions; d++) basis[a * dimensions + d] = eigenvectorMatrix.get(a, width - 1 - d);
  }
  return basis;
}

/** Vectors of `width` in terms of a basis of `dimensions`, as unit vectors. */
export function project(
  vectors: Float32Array,
  width: number,
  basis: Float32Array,
  dimensions: number,
): Float32Array {
  const count = vectors.length / width;
  const projected = new Float32Array(count * dimensions);
  for (let i = 0; i < count; i++) {
    const out = projected.subarray(i * dimensions, (i + 1) * dimensions);
    for (let a = 0; a < width; a++) {
      const value = vectors[i * width + a]!;
      for (let d = 0; d < dimensions; d++) out[d]! += value * basis[a * dimensions + d]!;
    }
    let square = 0;
    for (let d = 0; d < dimensions; d++) square += out[d]! ** 2;
    const length = Math.sqrt(square) || 1;
    for (let d = 0; d < dimensions; d++) out[d]! /= length;
  }
  return projected;
}
