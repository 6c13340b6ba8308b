import { blockSize, growTo, memoryOf, quickest } from "../../vectors/vector-kernel.ts";
import { addScores, bm25Factor, type FieldSums } from "./postings.ts";

/** The scores of a segment's chunks, which are added up word by word. One segment at a time. */
export interface ScoreKernel {
  /** Begins with a segment: all scores are 0. @param norms `lengthNorm` of each chunk */
  begin(norms: Float32Array, sums: FieldSums): void;
  /** Adds what a word contributes. @param list what the segment has of it */
  add(list: Uint8Array, idf: number): void;
  /**
   * Of the chunks from `first` on, `blockSize` at most: writes the `places`, counted from `first` on, of those whose score is
   * above `least`, in their order.
   * @returns how many they are
   */
  above(first: number, least: number): number;
  /** Views of the last answer, and of all scores; of no use after `begin` and `add`. */
  places(): Uint32Array;
  scores(): Float32Array;
}

/** The quickest that this machine can run. Scoring runs to its end, so one is enough. */
export const scoreKernel = quickest(createWasmScoreKernel, createPlainScoreKernel);

/** What kernel/words.ts exports; see there. */
interface Exports {
  addScores(
    list: number,
    length: number,
    sums: number,
    factor: number,
    norms: number,
    scores: number,
    count: number,
  ): void;
  above(scores: number, count: number, least: number, places: number): number;
}

/** The kernel in WebAssembly, which has to find everything in its own memory: scores, norms and a list come last, and grow. */
export function createWasmScoreKernel(module: WebAssembly.Module): ScoreKernel {
  const placesAt = 0;
  const sumsAt = placesAt + blockSize * 4;
  const scoresAt = sumsAt + (256 + 4) * 8;
  const memory = memoryOf(scoresAt);
  const wasm = new WebAssembly.Instance(module, { env: { memory } }).exports as unknown as Exports;
  let count = 0;
  let normsAt = 0;
  let listAt = 0;
  return {
    begin(norms, sums) {
      count = norms.length;
      // What lies behind the scores can be read.
      normsAt = scoresAt + count * 4;
      listAt = normsAt + Math.max(count * 4, 16);
      growTo(memory, listAt);
      new Float32Array(memory.buffer, scoresAt, count).fill(0);
      new Float32Array(memory.buffer, normsAt, count).set(norms);
      new Float64Array(memory.buffer, sumsAt).set(sums.ofCode);
      new Float64Array(memory.buffer, sumsAt + 256 * 8).set(sums.weights);
    },
    add(list, idf) {
      growTo(memory, listAt + list.length);
      new Uint8Array(memory.buffer).set(list, listAt);
      wasm.addScores(listAt, list.length, sumsAt, bm25Factor(idf), normsAt, scoresAt, count);
    },
    above: (first, least) =>
      wasm.above(scoresAt + first * 4, Math.min(blockSize, count - first), least, placesAt),
    places: () => new Uint32Array(memory.buffer, placesAt, blockSize),
    scores: () => new Float32Array(memory.buffer, scoresAt, count),
  };
}

/** The kernel in plain TypeScript. */
export function createPlainScoreKernel(): ScoreKernel {
  const places = new Uint32Array(blockSize);
  let all = new Float32Array(0);
  let scores: Float32Array = all;
  let norms: Float32Array = all;
  let sums: FieldSums;
  return {
    begin(given, weighed) {
      norms = given;
      sums = weighed;
      if (all.length < norms.length) all = new Float32Array(norms.length);
      scores = all.subarray(0, norms.length).fill(0);
    },
    add: (list, idf) => addScores(list, sums, idf, norms, scores),
    above(first, least) {
      let found = 0;
      const end = Math.min(first + blockSize, scores.length);
      for (let i = first; i < end; i++) if (scores[i]! > least) places[found++] = i - first;
      return found;
    },
    places: () => places,
    scores: () => scores,
  };
}
