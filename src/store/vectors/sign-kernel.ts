import { growTo, memoryOf, startKernel } from "../../project/kernel.ts";

/**
 * The signs of vectors (signs.ts) in rows, to be compared with those of a query. Each row has a byte of flags, which is 0 where it
 * is empty.
 */
export interface SignKernel {
  /** Makes room for so many rows in all; new ones are empty. */
  reserve(rows: number): void;
  /** What it takes. Bytes. */
  bytes(): number;
  /** Fills rows from `first` on with signs that lie side by side. */
  put(first: number, signs: Uint8Array, flags: Uint8Array): void;
  /** A view of all flags, of no use after another call. */
  flags(): Uint8Array;
  /** Takes what to compare with: signs, and what each byte of a row's signs is worth (`Signs.shares`). */
  ask(signs: Uint8Array, shares: Float32Array): void;
  /**
   * Of the first `count` rows those that differ from the query in the fewest signs, `most` (one at least) or fewer; of equal
   * ones the first. Ascending; a view, of no use after another call.
   * @param wanted a row has any of these flags @param flags in place of those that rows have; null for theirs
   */
  fewest(count: number, most: number, wanted: number, flags: Uint8Array | null): Uint32Array;
  /** What the signs of each row that was found last are worth in sum. A view, of no use after another call. */
  worth(): Float32Array;
}

/** What kernel/vectors.ts exports; see there. */
interface Exports {
  fewest(
    query: number,
    rows: number,
    words: number,
    count: number,
    flags: number,
    wanted: number,
    most: number,
    found: number,
    differences: number,
    counts: number,
  ): number;
  sumShares(rows: number, words: number, list: number, count: number, shares: number, sums: number): void;
}

/**
 * Signs in WebAssembly, which has to find everything in its own memory: rows, flags and answers come last, and grow.
 * @param bytes of a row, a multiple of 8
 */
export function createSignKernel(bytes: number): SignKernel {
  const queryAt = 0;
  const sharesAt = queryAt + bytes;
  const countsAt = sharesAt + bytes * 256 * 4;
  const rowsAt = countsAt + Math.ceil((bytes * 8 + 1) / 2) * 8;
  const memory = memoryOf(rowsAt);
  const wasm = startKernel<Exports>(memory);
  const words = bytes / 8;
  let room = 0;
  let [foundAt, worthAt, found] = [0, 0, 0];
  const flagsAt = () => rowsAt + room * bytes;
  const flags = () => new Uint8Array(memory.buffer, flagsAt(), room);
  return {
    reserve(rows) {
      if (rows <= room) return;
      const known = flags().slice();
      growTo(memory, rowsAt + rows * (bytes + 1));
      room = rows;
      flags().fill(0).set(known);
    },
    bytes: () => memory.buffer.byteLength,
    put(first, signs, theirFlags) {
      new Uint8Array(memory.buffer).set(signs, rowsAt + first * bytes);
      flags().set(theirFlags, first);
    },
    flags,
    ask(signs, shares) {
      new Uint8Array(memory.buffer).set(signs, queryAt);
      new Float32Array(memory.buffer).set(shares, sharesAt / 4);
    },
    fewest(count, most, wanted, others) {
      foundAt = Math.ceil((flagsAt() + room) / 4) * 4;
      const differencesAt = foundAt + most * 4 * 4;
      // Differences are not needed any more then.
      worthAt = differencesAt;
      const othersAt = differencesAt + most * 4 * 2;
      growTo(memory, othersAt + (others?.length ?? 0));
      if (others !== null) new Uint8Array(memory.buffer).set(others, othersAt);
      const usedAt = others === null ? flagsAt() : othersAt;
      found = wasm.fewest(
        ...([queryAt, rowsAt, words, count, usedAt, wanted, most] as const),
        ...([foundAt, differencesAt, countsAt] as const),
      );
      return new Uint32Array(memory.buffer, foundAt, found);
    },
    worth() {
      wasm.sumShares(rowsAt, words, foundAt, found, sharesAt, worthAt);
      return new Float32Array(memory.buffer, worthAt, found);
    },
  };
}
