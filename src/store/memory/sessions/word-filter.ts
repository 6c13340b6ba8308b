/**
 * Which words a text may hold: a Bloom filter (Burton H. Bloom, "Space/time trade-offs in hash coding with allowable errors",
 * 1970). A word that it denies is not there.
 */

/** Of 40 words that are not there, the filter denies 39. */
const bitsPerWord = 8;
const probesPerWord = 4;

/** @param words each in lower case; repeated ones count once */
export function makeWordFilter(words: ReadonlySet<string>): Uint8Array {
  const filter = new Uint8Array(Math.ceil((words.size * bitsPerWord) / 8));
  for (const word of words)
    for (const bit of listBits(hashWord(word), filter)) filter[bit >> 3]! |= 1 << (bit & 7);
  return filter;
}

/** Whether all of them may be there. */
export const mayHoldWords = (filter: Uint8Array, hashes: readonly number[]): boolean =>
  hashes.every(
    (hash) =>
      filter.length > 0 && listBits(hash, filter).every((bit) => (filter[bit >> 3]! >> (bit & 7)) & 1),
  );

/** A word's hash, which is the same for all filters: FNV-1a (Fowler, Noll, Vo), 32 bits. */
export function hashWord(word: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < word.length; i++) hash = Math.imul(hash ^ word.charCodeAt(i), 0x01000193);
  return hash >>> 0;
}

/** Steps from one hash (Kirsch and Mitzenmacher, "Less hashing, same performance", 2006). */
function listBits(hash: number, { length }: Uint8Array): number[] {
  const step = (Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d) >>> 0) | 1;
  return Array.from({ length: probesPerWord }, (_, i) => ((hash + i * step) >>> 0) % (length * 8));
}
