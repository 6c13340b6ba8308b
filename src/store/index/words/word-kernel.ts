import { growMemory, makeMemory, makeOnce, startKernel } from "../../../base/kernel.ts";
import { blockSize } from "../../vectors/vector-kernel.ts";
import { computeBm25Factor, type FieldSums, type Postings } from "./postings.ts";

/** What is done with all of a segment's postings of a word, one segment at a time: its chunks are scored, or phrases found in them. */
export interface WordKernel {
  /** Begins to score a segment: all scores are 0. @param norms `computeLengthNorm` of each chunk */
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

  /** Begins to look for phrases in a segment of so many chunks. @param isGone which are gone; null for none */
  beginPhrases(chunks: number, isGone: Uint8Array | null): void;
  /** Chunks that hold a phrase and are not gone, ascending, `limit` (one at least) at most. @param words its words, in their order */
  withPhrase(words: readonly Postings[], limit: number): Uint32Array;
}

/** What it is asked runs to its end, so one is enough. */
export const wordKernel = makeOnce(createWordKernel);

/** What kernel/words.ts exports; see there. */
interface WordKernelExports {
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
  chunksWithPhrase(
    words: number,
    count: number,
    chunks: number,
    gone: number,
    limit: number,
    found: number,
  ): number;
}

/** Numbers of a word of a phrase in kernel/words.ts. */
const numbersPerPhraseWord = 8;

/**
 * Words in WebAssembly, which has to find everything in its own memory. Scores, norms and a list come last, and grow; or, in
 * their place, what is gone, and words of phrases.
 */
function createWordKernel(): WordKernel {
  const placesAt = 0;
  const sumsAt = placesAt + blockSize * 4;
  const scoresAt = sumsAt + (256 + 4) * 8;
  const memory = makeMemory(scoresAt);
  const wasm = startKernel<WordKernelExports>(memory);
  let count = 0;
  let normsAt = 0;
  let listAt = 0;
  const goneAt = scoresAt;
  let isAnyGone = false;
  let endAt = 0;
  /** Words that were copied, as the numbers that kernel/words.ts wants of them. */
  const held = new Map<Postings, readonly number[]>();
  const copied = (bytes: Uint8Array): number => {
    const at = endAt;
    endAt += bytes.length;
    growMemory(memory, endAt);
    new Uint8Array(memory.buffer).set(bytes, at);
    return at;
  };
  const holdWord = (postings: Postings): readonly number[] => {
    const known = held.get(postings);
    if (known !== undefined) return known;
    const list = copied(postings.list);
    const word = [list, list + postings.list.length, -1, 0, 0, copied(postings.places), -1];
    held.set(postings, word);
    return word;
  };
  return {
    begin(norms, sums) {
      count = norms.length;
      // What lies behind the scores can be read.
      normsAt = scoresAt + count * 4;
      listAt = normsAt + Math.max(count * 4, 16);
      growMemory(memory, listAt);
      new Float32Array(memory.buffer, scoresAt, count).fill(0);
      new Float32Array(memory.buffer, normsAt, count).set(norms);
      new Float64Array(memory.buffer, sumsAt).set(sums.ofCode);
      new Float64Array(memory.buffer, sumsAt + 256 * 8).set(sums.weights);
    },
    add(list, idf) {
      growMemory(memory, listAt + list.length);
      new Uint8Array(memory.buffer).set(list, listAt);
      wasm.addScores(listAt, list.length, sumsAt, computeBm25Factor(idf), normsAt, scoresAt, count);
    },
    above: (first, least) =>
      wasm.above(scoresAt + first * 4, Math.min(blockSize, count - first), least, placesAt),
    places: () => new Uint32Array(memory.buffer, placesAt, blockSize),
    scores: () => new Float32Array(memory.buffer, scoresAt, count),
    beginPhrases(chunks, isGone) {
      held.clear();
      count = chunks;
      endAt = goneAt;
      isAnyGone = isGone !== null;
      if (isGone !== null) copied(isGone);
    },
    withPhrase(words, limit) {
      const phrase = words
        .map((postings, place) => ({ chunks: postings.chunks, numbers: [...holdWord(postings), place] }))
        .sort((a, b) => a.chunks - b.chunks);
      // What lies behind the words can be read.
      const wordsAt = Math.ceil((endAt + 16) / 4) * 4;
      const foundAt = wordsAt + phrase.length * numbersPerPhraseWord * 4;
      growMemory(memory, foundAt + limit * 4);
      new Int32Array(memory.buffer, wordsAt).set(phrase.flatMap(({ numbers }) => numbers));
      const gone = isAnyGone ? goneAt : 0;
      const found = wasm.chunksWithPhrase(wordsAt, phrase.length, count, gone, limit, foundAt);
      return new Uint32Array(memory.buffer, foundAt, found);
    },
  };
}
