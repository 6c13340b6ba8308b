import { growTo, makeOnce, memoryOf, startKernel } from "../../project/kernel.ts";
import type { TextList } from "./full-text-lists.ts";

/** Those of FTS5's bm25(): how soon more of a word counts less. */
export const saturation = 1.2;

/** The scores of a table's rows, which are added up word by word. One table at a time. */
export interface ListKernel {
  /** Begins with a table: all scores are 0. @param norms what the length of each row means for BM25 */
  begin(norms: Float64Array): void;
  /**
   * Takes the lists of a word, of which no two have the same row.
   * @param weights of each column; negative for those that are not looked at
   * @returns how many rows have the word in one of the others
   */
  read(lists: readonly TextList[], weights: Float64Array): number;
  /** Takes rows that have something else than a single word, and what it counts in each. */
  take(found: ReadonlyMap<number, number>): void;
  /** Adds what was taken last, by how rare it is. @returns the rows that have a first score now; of no use after the next call */
  add(rarity: number): Uint32Array;
  /** A view of all scores, by row; of no use after the next call. */
  scores(): Float64Array;
}

/** Scoring runs to its end, so one is enough. */
export const listKernel = makeOnce(createListKernel);

/** What kernel/lists.ts exports; see there. */
interface Exports {
  readList(
    list: number,
    length: number,
    whole: number,
    gone: number,
    weights: number,
    columns: number,
    rows: number,
    counts: number,
  ): number;
  addRows(
    rows: number,
    counts: number,
    count: number,
    factor: number,
    gain: number,
    norms: number,
    scores: number,
    size: number,
  ): number;
}

/** Behind the places and rows that are numbered: no list has it. */
const noNumber = 2 ** 32 - 1;

/** Lists in WebAssembly, which has to find everything in its own memory: what was taken comes last, and grows. */
function createListKernel(): ListKernel {
  const memory = memoryOf(0);
  const wasm = startKernel<Exports>(memory);
  let size = 0;
  let taken = 0;
  const scoresAt = 0;
  let normsAt = 0;
  let countsAt = 0;
  let rowsAt = 0;
  /** Makes room for what is taken, and for `more` bytes behind it. @param rows an even number @returns where these begin */
  const roomFor = (rows: number, more: number): number => {
    rowsAt = countsAt + rows * 8;
    const behind = rowsAt + rows * 4;
    growTo(memory, behind + more);
    return behind;
  };
  return {
    begin(norms) {
      size = norms.length;
      normsAt = scoresAt + size * 8;
      countsAt = normsAt + size * 8;
      growTo(memory, countsAt);
      new Float64Array(memory.buffer, scoresAt, size).fill(0);
      new Float64Array(memory.buffer, normsAt, size).set(norms);
    },
    read(lists, weights) {
      const bytes = lists.reduce((sum, list) => sum + list.bytes.length, 0);
      const numbers = lists.reduce(
        (most, { whole, gone }) => Math.max(most, whole.length + gone.length + 2),
        0,
      );
      // A row takes two bytes at least.
      const most = Math.ceil((bytes + lists.length) / 4) * 2;
      const weightsAt = roomFor(most, weights.length * 8 + numbers * 4 + bytes + 2);
      const numbersAt = weightsAt + weights.length * 8;
      const listAt = numbersAt + numbers * 4;
      new Float64Array(memory.buffer, weightsAt).set(weights);
      const all = new Uint8Array(memory.buffer);
      const numbersOf = new Uint32Array(memory.buffer, numbersAt, numbers);
      taken = 0;
      for (const { bytes, whole, gone } of lists) {
        const goneAt = whole.length + 1;
        numbersOf.set(whole);
        numbersOf[whole.length] = noNumber;
        numbersOf.set(gone, goneAt);
        numbersOf[goneAt + gone.length] = noNumber;
        all.set(bytes, listAt);
        all.fill(0, listAt + bytes.length, listAt + bytes.length + 2);
        taken += wasm.readList(
          listAt,
          bytes.length,
          numbersAt,
          numbersAt + goneAt * 4,
          weightsAt,
          weights.length,
          rowsAt + taken * 4,
          countsAt + taken * 8,
        );
      }
      return taken;
    },
    take(found) {
      taken = found.size;
      roomFor(taken + (taken % 2), 0);
      new Uint32Array(memory.buffer, rowsAt, taken).set([...found.keys()]);
      new Float64Array(memory.buffer, countsAt, taken).set([...found.values()]);
    },
    add(rarity) {
      const gain = saturation + 1;
      const added = wasm.addRows(rowsAt, countsAt, taken, rarity, gain, normsAt, scoresAt, size);
      return new Uint32Array(memory.buffer, rowsAt, added);
    },
    scores: () => new Float64Array(memory.buffer, scoresAt, size),
  };
}
