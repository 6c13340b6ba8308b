import { blockSize, compiledKernel, growTo, memoryOf } from "./vector-kernel.ts";

/** The signs of vectors (signs.ts) in rows, to be compared with those of a query by how many differ. */
export interface SignKernel {
  /** Makes room for so many rows in all. */
  reserve(rows: number): void;
  /** What it takes. Bytes. */
  bytes(): number;
  /** Fills rows from `first` on with signs that lie side by side. */
  put(first: number, signs: Uint8Array): void;
  /** Takes the signs to compare with. */
  ask(signs: Uint8Array): void;
  /**
   * Of the rows from `first` on, as many as there are `flags` (`blockSize` at most): those whose flag has any of the bits
   * `wanted`, and that differ from the query in at most `most` signs. Writes their places, counted from `first` on, and in how
   * many signs they differ, in their order.
   * @returns how many they are
   */
  select(first: number, flags: Uint8Array, wanted: number, most: number): number;
  /** Views of the last answer, of `blockSize`; of no use after `reserve`. */
  places(): Uint32Array;
  differences(): Uint16Array;
  /** A view of all signs, row after row; of no use after `reserve`. */
  all(): Uint8Array;
}

/** The quickest kernel that this machine can run; all give the same answers. @param bytes of a row, a multiple of 8 */
export function createSignKernel(bytes: number): SignKernel {
  const module = compiledKernel();
  return module === null ? createPlainSignKernel(bytes) : createWasmSignKernel(module, bytes);
}

/** What kernel/vectors.ts exports; see there. */
interface Exports {
  near(
    query: number,
    row: number,
    words: number,
    count: number,
    flags: number,
    wanted: number,
    most: number,
    rows: number,
    differences: number,
  ): number;
}

/** The kernel in WebAssembly, which has to find everything in its own memory: the rows come last, and may grow. */
export function createWasmSignKernel(module: WebAssembly.Module, bytes: number): SignKernel {
  const placesAt = 0;
  const differencesAt = placesAt + blockSize * 4;
  const flagsAt = differencesAt + blockSize * 2;
  const queryAt = flagsAt + blockSize;
  const rowsAt = queryAt + bytes;
  const memory = memoryOf(rowsAt);
  const wasm = new WebAssembly.Instance(module, { env: { memory } }).exports as unknown as Exports;
  return {
    reserve: (rows) => growTo(memory, rowsAt + rows * bytes),
    bytes: () => memory.buffer.byteLength,
    put(first, signs) {
      new Uint8Array(memory.buffer).set(signs, rowsAt + first * bytes);
    },
    ask(signs) {
      new Uint8Array(memory.buffer).set(signs, queryAt);
    },
    select(first, flags, wanted, most) {
      new Uint8Array(memory.buffer).set(flags, flagsAt);
      const row = rowsAt + first * bytes;
      const { length } = flags;
      return wasm.near(queryAt, row, bytes / 8, length, flagsAt, wanted, most, placesAt, differencesAt);
    },
    places: () => new Uint32Array(memory.buffer, placesAt, blockSize),
    differences: () => new Uint16Array(memory.buffer, differencesAt, blockSize),
    all: () => new Uint8Array(memory.buffer, rowsAt),
  };
}

/** The kernel in plain TypeScript. */
export function createPlainSignKernel(bytes: number): SignKernel {
  const places = new Uint32Array(blockSize);
  const differences = new Uint16Array(blockSize);
  let rows = new Uint8Array(0);
  let asked = new Uint8Array(bytes);
  return {
    reserve(count) {
      if (count * bytes <= rows.length) return;
      const enlarged = new Uint8Array(count * bytes);
      enlarged.set(rows);
      rows = enlarged;
    },
    bytes: () => rows.length,
    put(first, signs) {
      rows.set(signs, first * bytes);
    },
    ask(signs) {
      asked = signs.slice();
    },
    select(first, flags, wanted, most) {
      let found = 0;
      for (let i = 0; i < flags.length; i++) {
        if ((flags[i]! & wanted) === 0) continue;
        let different = 0;
        for (let at = 0; at < bytes; at++) different += ones[asked[at]! ^ rows[(first + i) * bytes + at]!]!;
        if (different > most) continue;
        places[found] = i;
        differences[found++] = different;
      }
      return found;
    },
    places: () => places,
    differences: () => differences,
    all: () => rows,
  };
}

/** For each byte how many of its bits are set. */
const ones = new Uint8Array(256);
for (let byte = 1; byte < 256; byte++) ones[byte] = (byte & 1) + ones[byte >> 1]!;
