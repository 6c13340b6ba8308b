import { growMemory, makeMemory, startKernel } from "../../base/kernel.ts";

/** Vectors of one length in rows, to be compared with a query by the cosine of their angle. */
export interface VectorKernel {
  /** Makes room for so many rows in all; new ones are empty. */
  reserve(rows: number): void;
  /** What it takes. Bytes. */
  bytes(): number;
  /**
   * Fills rows from `first` on with int8 vectors that lie side by side; their ids count on from `firstId`. A vector
   * of zeros leaves its row empty.
   */
  put(first: number, firstId: number, vectors: Uint8Array): void;
  /** Empties `count` rows from `first` on. */
  clear(first: number, count: number): void;
  /** Takes the vector to compare with; false when it has another length or no direction. */
  ask(query: Int8Array): boolean;
  /**
   * Of `count` rows from `first` on (`blockSize` at most), writes the `ids` and `cosines` of those that are not empty
   * and have a cosine of at least `least`, in their order.
   * @returns how many they are
   */
  select(first: number, count: number, least: number): number;
  /** Writes the `cosines` of the rows in `list`, `count` of them, in its order; NaN for an empty row. */
  measure(count: number): void;
  /** Takes groups of rows, for `nearest`; valid until rows change. */
  group(groups: RowGroups): void;
  /** How near each group is; a cosine is corrected to (cosine - its row's share + constant) * factor * its row's factor. */
  nearest(constant: number, factor: number): GroupNearness;
  /** Views of the last answers and of the next list, of `blockSize`; of no use after `reserve`. */
  ids(): Float64Array;
  cosines(): Float64Array;
  list(): Uint32Array;
}

/** Groups of rows that lie side by side, and what corrects the cosine of each row. */
export interface RowGroups {
  /** Of each group. */
  firsts: Uint32Array;
  counts: Uint32Array;
  /** Of each row. */
  shares: Float64Array;
  factors: Float64Array;
}

/** The greatest corrected cosine of each group, and the mean of all of them; NaN for one without rows. */
export interface GroupNearness {
  best: Float64Array;
  whole: Float64Array;
}

/** Rows that one call works on at most. */
export const blockSize = 1024;

/** What kernel/vectors.ts exports; see there. */
interface VectorKernelExports {
  put(vectors: number, dimensions: number, row: number, length: number, count: number, firstId: number): void;
  select(
    query: number,
    scale: number,
    row: number,
    length: number,
    count: number,
    least: number,
    ids: number,
    cosines: number,
  ): number;
  measure(
    query: number,
    scale: number,
    rows: number,
    length: number,
    list: number,
    count: number,
    cosines: number,
  ): void;
  nearest(
    query: number,
    scale: number,
    rows: number,
    length: number,
    groups: number,
    count: number,
    corrections: number,
    constant: number,
    factor: number,
    best: number,
    whole: number,
  ): void;
}

/** What a row has before its components. Bytes. */
const rowHeaderBytes = 16;
/** Vectors are handed over in pieces of so many bytes. */
const stagingSize = 65_536;

/**
 * Vectors in WebAssembly, which has to find everything in its own memory: the rows come behind what has one size, and may grow;
 * groups come behind them.
 */
export function createKernel(dimensions: number): VectorKernel {
  const length = Math.ceil(dimensions / 16) * 16;
  const stride = rowHeaderBytes + length;
  const idsAt = 0;
  const cosinesAt = idsAt + blockSize * 8;
  const listAt = cosinesAt + blockSize * 8;
  const queryAt = listAt + blockSize * 4;
  const stagingAt = queryAt + length * 2;
  const rowsAt = stagingAt + stagingSize;
  const rowAt = (row: number) => rowsAt + row * stride;

  const memory = makeMemory(rowsAt);
  const wasm = startKernel<VectorKernelExports>(memory);
  let scale = 0;
  let reserved = 0;
  let grouped = 0;
  let groupsAt = rowsAt;
  let correctionsAt = rowsAt;
  let nearestAt = rowsAt;
  const viewGroups = (group: number) => new Float64Array(memory.buffer, nearestAt + group * 8, grouped);
  return {
    reserve(rows) {
      if (rows <= reserved) return;
      // Where groups were, there are rows now.
      new Uint8Array(memory.buffer).fill(0, rowAt(reserved));
      reserved = rows;
      growMemory(memory, rowAt(rows));
    },
    bytes: () => memory.buffer.byteLength,
    put(first, firstId, vectors) {
      const most = Math.floor(stagingSize / dimensions);
      const count = vectors.length / dimensions;
      const staging = new Uint8Array(memory.buffer, stagingAt, stagingSize);
      for (let start = 0; start < count; start += most) {
        const n = Math.min(most, count - start);
        staging.set(vectors.subarray(start * dimensions, (start + n) * dimensions));
        wasm.put(stagingAt, dimensions, rowAt(first + start), length, n, firstId + start);
      }
    },
    clear(first, count) {
      new Uint8Array(memory.buffer, rowAt(first), count * stride).fill(0);
    },
    ask(query) {
      if (query.length !== dimensions) return false;
      new Int16Array(memory.buffer, queryAt, dimensions).set(query);
      scale = computeInverseLength(query, 0, dimensions);
      return scale > 0;
    },
    select: (first, count, least) =>
      wasm.select(queryAt, scale, rowAt(first), length, count, least, idsAt, cosinesAt),
    measure: (count) => wasm.measure(queryAt, scale, rowsAt, length, listAt, count, cosinesAt),
    group({ firsts, counts, shares, factors }) {
      grouped = firsts.length;
      groupsAt = rowAt(reserved);
      correctionsAt = groupsAt + grouped * 8;
      nearestAt = correctionsAt + shares.length * 16;
      growMemory(memory, nearestAt + grouped * 16);
      const groups = new Uint32Array(memory.buffer, groupsAt, grouped * 2);
      for (let i = 0; i < grouped; i++) {
        groups[2 * i] = firsts[i]!;
        groups[2 * i + 1] = counts[i]!;
      }
      const corrections = new Float64Array(memory.buffer, correctionsAt, shares.length * 2);
      for (let row = 0; row < shares.length; row++) {
        corrections[2 * row] = shares[row]!;
        corrections[2 * row + 1] = factors[row]!;
      }
    },
    nearest(constant, factor) {
      const [best, whole] = [viewGroups(0), viewGroups(grouped)];
      wasm.nearest(
        queryAt,
        scale,
        rowsAt,
        length,
        groupsAt,
        grouped,
        correctionsAt,
        constant,
        factor,
        best.byteOffset,
        whole.byteOffset,
      );
      return { best: best.slice(), whole: whole.slice() };
    },
    ids: () => new Float64Array(memory.buffer, idsAt, blockSize),
    cosines: () => new Float64Array(memory.buffer, cosinesAt, blockSize),
    list: () => new Uint32Array(memory.buffer, listAt, blockSize),
  };
}

/** 1 / the length of a vector, 0 for one of zeros. */
function computeInverseLength(components: Int8Array, from: number, dimensions: number): number {
  let square = 0;
  for (let i = from; i < from + dimensions; i++) square += components[i]! * components[i]!;
  return square === 0 ? 0 : 1 / Math.sqrt(square);
}
