import { findChunksWithPhrase } from "../../../src/store/index/words/holders.ts";
import { computeBm25Factor, type FieldSums, isLong } from "../../../src/store/index/words/postings.ts";
import type { WordKernel } from "../../../src/store/index/words/word-kernel.ts";
import { blockSize } from "../../../src/store/vectors/vector-kernel.ts";

/** What the kernel in WebAssembly is compared with. */
export function createPlainWordKernel(): WordKernel {
  const places = new Uint32Array(blockSize);
  let all = new Float32Array(0);
  let scores: Float32Array = all;
  let norms: Float32Array = all;
  let sums: FieldSums;
  let gone: Uint8Array | null = null;
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
    beginPhrases(_, isGone) {
      gone = isGone;
    },
    withPhrase(words, limit) {
      const found: number[] = [];
      for (const chunk of findChunksWithPhrase(words)) {
        if (gone?.[chunk]) continue;
        if (found.push(chunk) === limit) break;
      }
      return Uint32Array.from(found);
    },
  };
}

/** Adds what a word contributes to the BM25 scores of a segment's chunks (Robertson; k1 = 1.2, b = 0.75, as in FTS5). */
export function addScores(
  list: Uint8Array,
  sums: FieldSums,
  idf: number,
  norms: Float32Array,
  scores: Float32Array,
): void {
  const { ofCode } = sums;
  const factor = computeBm25Factor(idf);
  const { length } = list;
  let chunk = -1;
  for (let at = 0; at < length; ) {
    let byte = list[at++]!;
    let distance = byte & 0x7f;
    while (byte > 0x7f) {
      byte = list[at++]!;
      distance = (distance << 7) | (byte & 0x7f);
    }
    chunk += distance + 1;
    const code = list[at++]!;
    let frequency = ofCode[code]!;
    if (isLong(code)) {
      const { sum, next } = sums.sumLongCode(code, list, at);
      frequency = sum;
      at = next;
    }
    scores[chunk]! += (factor * frequency) / (frequency + norms[chunk]!);
  }
}
