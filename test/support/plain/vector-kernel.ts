import { blockSize, type RowGroups, type VectorKernel } from "../../../src/store/vectors/vector-kernel.ts";

/** What the kernel in WebAssembly is compared with. */
export function createPlainKernel(dimensions: number): VectorKernel {
  const [ids, cosines, list] = [
    new Float64Array(blockSize),
    new Float64Array(blockSize),
    new Uint32Array(blockSize),
  ];
  let rows = new Int8Array(0);
  let inverses = new Float64Array(0);
  let rowIds = new Float64Array(0);
  let groups: RowGroups | null = null;
  let asked: Int8Array = new Int8Array(dimensions);
  let scale = 0;
  const cosineOf = (row: number): number => {
    let sum = 0;
    for (let i = 0, at = row * dimensions; i < dimensions; i++) sum += asked[i]! * rows[at + i]!;
    return sum * inverses[row]! * scale;
  };
  return {
    reserve(count) {
      if (count <= inverses.length) return;
      rows = enlarged(rows, new Int8Array(count * dimensions));
      inverses = enlarged(inverses, new Float64Array(count));
      rowIds = enlarged(rowIds, new Float64Array(count));
    },
    bytes: () => rows.byteLength + inverses.byteLength + rowIds.byteLength,
    put(first, firstId, vectors) {
      rows.set(vectors, first * dimensions);
      for (let i = 0; i < vectors.length / dimensions; i++) {
        inverses[first + i] = computeInverseLength(rows, (first + i) * dimensions, dimensions);
        rowIds[first + i] = firstId + i;
      }
    },
    clear(first, count) {
      inverses.fill(0, first, first + count);
    },
    ask(query) {
      if (query.length !== dimensions) return false;
      asked = query;
      scale = computeInverseLength(query, 0, dimensions);
      return scale > 0;
    },
    select(first, count, least) {
      let found = 0;
      for (let row = first; row < first + count; row++) {
        if (inverses[row] === 0) continue;
        const cosine = cosineOf(row);
        if (cosine < least) continue;
        ids[found] = rowIds[row]!;
        cosines[found++] = cosine;
      }
      return found;
    },
    measure(count) {
      for (let i = 0; i < count; i++) cosines[i] = inverses[list[i]!] === 0 ? Number.NaN : cosineOf(list[i]!);
    },
    group(given) {
      groups = given;
    },
    nearest(constant, factor) {
      const { firsts, counts, shares, factors } = groups!;
      const best = new Float64Array(firsts.length).fill(Number.NaN);
      const whole = new Float64Array(firsts.length).fill(Number.NaN);
      for (let group = 0; group < firsts.length; group++) {
        const [first, count] = [firsts[group]!, counts[group]!];
        if (count === 0) continue;
        let greatest = Number.NEGATIVE_INFINITY;
        let sum = 0;
        for (let row = first; row < first + count; row++) {
          const corrected = (cosineOf(row) - shares[row]! + constant) * factor * factors[row]!;
          sum += corrected;
          if (corrected > greatest) greatest = corrected;
        }
        best[group] = greatest;
        whole[group] = sum / count;
      }
      return { best, whole };
    },
    ids: () => ids,
    cosines: () => cosines,
    list: () => list,
  };
}

function enlarged<T extends { set(from: T): void }>(from: T, to: T): T {
  to.set(from);
  return to;
}

/** 1 / the length of a vector, 0 for one of zeros. */
function computeInverseLength(components: Int8Array, from: number, dimensions: number): number {
  let square = 0;
  for (let i = from; i < from + dimensions; i++) square += components[i]! * components[i]!;
  return square === 0 ? 0 : 1 / Math.sqrt(square);
}
