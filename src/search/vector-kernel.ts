import { readFileSync } from "node:fs";

/** Rows worked on at a time: their dot products stay in the nearest cache. */
export const blockSize = 4096;

/** Dot products of int8 vectors with a query: rows of one length side by side, slot by slot. */
export interface VectorKernel {
  /** Bytes from one row to the next: the dimensions, up to a multiple of 16. */
  readonly stride: number;
  /** Makes room for so many rows; new ones are zero. Views taken before may be of no use after. */
  reserve(slots: number): void;
  /** The rows, all there is room for; what is behind the components of each stays zero. */
  rows(): Int8Array;
  /** The vector to compare with, int8 components widened; what is behind them stays zero. */
  query(): Int16Array;
  /** Where the slots for `dotListed` go. */
  list(): Uint32Array;
  /** Where the answers of one call are, of at most `blockSize` rows. */
  dots(): Int32Array;
  /** `dots[i]` = query · row `first + i`, for `count` rows. */
  dot(first: number, count: number): void;
  /** `dots[i]` = query · row `list[i]`, for `count` rows. */
  dotListed(count: number): void;
  /** `dots[i]` = row `first + i` · itself, for `count` rows. */
  squares(first: number, count: number): void;
}

/** The quickest kernel that this machine can run; all give the same integers. */
export function createKernel(dimensions: number): VectorKernel {
  compiled ??= compile();
  return compiled === "unavailable" ? createPlainKernel(dimensions) : createWasmKernel(compiled, dimensions);
}

let compiled: WebAssembly.Module | "unavailable" | undefined;

/** Not there without a build, refused where there is no SIMD or no WebAssembly at all. */
function compile(): WebAssembly.Module | "unavailable" {
  try {
    return new WebAssembly.Module(readFileSync(builtKernel()));
  } catch {
    return "unavailable";
  }
}

/** Next to this file when bundled; from source, that of the last build. */
export function builtKernel(): URL {
  const here = import.meta.url;
  return new URL(here.endsWith(".ts") ? "../../dist/vector-kernel.wasm" : "./vector-kernel.wasm", here);
}

/** What kernel/dot.ts exports; pointers and strides in bytes. */
interface Exports {
  dot(query: number, row: number, count: number, stride: number, out: number): void;
  dotListed(query: number, rows: number, list: number, count: number, stride: number, out: number): void;
  squares(row: number, count: number, stride: number, out: number): void;
}

const pageSize = 65_536;

/** The kernel in WebAssembly. Its memory holds the query, the list, the answers and, from `rowsAt` on, the rows. */
export function createWasmKernel(module: WebAssembly.Module, dimensions: number): VectorKernel {
  const stride = strideOf(dimensions);
  const listAt = stride * 2;
  const dotsAt = listAt + blockSize * 4;
  const rowsAt = dotsAt + blockSize * 4;
  const memory = new WebAssembly.Memory({ initial: Math.ceil(rowsAt / pageSize) });
  const instance = new WebAssembly.Instance(module, { env: { memory } });
  const wasm = instance.exports as unknown as Exports;
  const rowAt = (slot: number) => rowsAt + slot * stride;
  return {
    stride,
    reserve(slots) {
      const missing = rowAt(slots) - memory.buffer.byteLength;
      if (missing > 0) memory.grow(Math.ceil(missing / pageSize));
    },
    rows: () => new Int8Array(memory.buffer, rowsAt),
    query: () => new Int16Array(memory.buffer, 0, stride),
    list: () => new Uint32Array(memory.buffer, listAt, blockSize),
    dots: () => new Int32Array(memory.buffer, dotsAt, blockSize),
    dot: (first, count) => wasm.dot(0, rowAt(first), count, stride, dotsAt),
    dotListed: (count) => wasm.dotListed(0, rowsAt, listAt, count, stride, dotsAt),
    squares: (first, count) => wasm.squares(rowAt(first), count, stride, dotsAt),
  };
}

/** The kernel in plain TypeScript. */
export function createPlainKernel(dimensions: number): VectorKernel {
  const stride = strideOf(dimensions);
  const query = new Int16Array(stride);
  const list = new Uint32Array(blockSize);
  const dots = new Int32Array(blockSize);
  let rows = new Int8Array(0);
  const product = (a: Int8Array | Int16Array, at: number, slot: number): number => {
    let sum = 0;
    for (let i = 0, row = slot * stride; i < stride; i++) sum += a[at + i]! * rows[row + i]!;
    return sum;
  };
  return {
    stride,
    reserve(slots) {
      if (slots * stride <= rows.length) return;
      const larger = new Int8Array(slots * stride);
      larger.set(rows);
      rows = larger;
    },
    rows: () => rows,
    query: () => query,
    list: () => list,
    dots: () => dots,
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

function strideOf(dimensions: number): number {
  return Math.ceil(dimensions / 16) * 16;
}
