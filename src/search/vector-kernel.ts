/** Rows worked on at a time: their dot products stay in the nearest cache. */
export const blockSize = 4096;

/** Dot products of one int8 vector with many: rows of one length side by side, slot by slot. */
export interface VectorKernel {
  /** Bytes from one row to the next: the dimensions, up to a multiple of 16. */
  readonly stride: number;
  /** Makes room for so many rows; new ones are zero. Views taken before may be of no use after. */
  reserve(slots: number): void;
  /** The rows; the space behind the components of each stays zero. */
  rows(): Int8Array;
  /** The vector to compare with; its space behind the components stays zero. */
  readonly query: Int8Array;
  /** Where the answers of one call are, of at most `blockSize` rows. */
  readonly dots: Int32Array;
  /** Where the slots for `dotListed` go. */
  readonly list: Int32Array;
  /** `dots[i]` = query · row `first + i`, for `count` rows. */
  dot(first: number, count: number): void;
  /** `dots[i]` = query · row `list[i]`, for `count` rows. */
  dotListed(count: number): void;
  /** `dots[i]` = row · itself, for `count` rows from `first` on. */
  squares(first: number, count: number): void;
}

/** In plain TypeScript, for where there is no WebAssembly with SIMD. The answers are the same integers. */
export function createPlainKernel(dimensions: number): VectorKernel {
  const stride = strideOf(dimensions);
  const query = new Int8Array(stride);
  const dots = new Int32Array(blockSize);
  const list = new Int32Array(blockSize);
  let rows = new Int8Array(0);
  const product = (a: Int8Array, at: number, slot: number): number => {
    let sum = 0;
    for (let i = 0, row = slot * stride; i < stride; i++) sum += a[at + i]! * rows[row + i]!;
    return sum;
  };
  return {
    stride,
    query,
    dots,
    list,
    rows: () => rows,
    reserve(slots) {
      if (slots * stride <= rows.length) return;
      const larger = new Int8Array(slots * stride);
      larger.set(rows);
      rows = larger;
    },
    dot(first, count) {
      for (let i = 0; i < count; i++) dots[i] = product(query, 0, first + i);
    },
    dotListed(count) {
      for (let i = 0; i < count; i++) dots[i] = product(query, 0, list[i]!);
    },
    squares(first, count) {
      for (let i = 0; i < count; i++) dots[i] = product(rows, (first + i) * stride, first + i);
    },
  };
}

export function strideOf(dimensions: number): number {
  return Math.ceil(dimensions / 16) * 16;
}
