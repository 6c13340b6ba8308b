import { hashFnv1a } from "../../../base/text/hash.ts";

/**
 * Which words a text may hold: a Bloom filter (Burton H. Bloom, "Space/time trade-offs in hash coding with allowable errors",
 * 1970). A word that it denies is not there.
 */

/** Of 40 words that are not there, the filter denies 39. */
const bitsPerWord = 8;
const probesPerWord = 4;

/** @param hashes of the words, each in lower case: `hashWord` */
export function makeWordFilter(hashes: ReadonlySet<number>): Uint8Array {
  const filter = new Uint8Array(Math.ceil((hashes.size * bitsPerWord) / 8));
  const bits = filter.length * 8;
  for (const hash of hashes) {
    const step = getStep(hash);
    for (let i = 0; i < probesPerWord; i++) {
      const bit = getBit(hash, i * step, bits);
      filter[bit >> 3]! |= 1 << (bit & 7);
    }
  }
  return filter;
}

/** Whether all of them may be there. */
export const mayHoldWords = (filter: Uint8Array, hashes: readonly number[]): boolean =>
  hashes.every((hash) => mayHold(filter, hash));

function mayHold(filter: Uint8Array, hash: number): boolean {
  const bits = filter.length * 8;
  const step = getStep(hash);
  for (let i = 0; i < probesPerWord; i++) {
    const bit = getBit(hash, i * step, bits);
    if (bits === 0 || ((filter[bit >> 3]! >> (bit & 7)) & 1) === 0) return false;
  }
  return true;
}

/** A word's hash, which is the same for all filters: 32 bits, signed, as V8 holds them without a box. */
export const hashWord = (word: string): number => hashFnv1a(word) | 0;

const getBit = (hash: number, away: number, bits: number): number => ((hash + away) >>> 0) % bits;

/** Steps from one hash (Kirsch and Mitzenmacher, "Less hashing, same performance", 2006). */
const getStep = (hash: number): number => (Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d) >>> 0) | 1;
