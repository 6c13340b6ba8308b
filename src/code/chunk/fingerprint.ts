import { hashFnv1a } from "../../base/text/hash.ts";
import type { ChunkRecord } from "../../store/index/records.ts";

/** Words in a row that are hashed as one. */
const inARow = 3;
/** What has fewer of those resembles others by chance. */
const minRows = 12;
const bits = 32;

/**
 * Gives each chunk the SimHash of its code (Charikar 2002): of nearly the same words in the same order the bits are nearly the same,
 * however the code is laid out.
 * @param words what the numbers of the chunks' terms stand for
 */
export function withFingerprints(chunks: readonly ChunkRecord[], words: readonly string[]): ChunkRecord[] {
  const hashes = Uint32Array.from(words, (word) => hashFnv1a(word));
  return chunks.map((chunk) => {
    const { body } = chunk.terms;
    return typeof body === "string" ? chunk : { ...chunk, fingerprint: computeFingerprint(body, hashes) };
  });
}

/** 0 for a text that is too short. */
function computeFingerprint(body: Uint32Array, hashes: Uint32Array): number {
  const rows = body.length - inARow + 1;
  if (rows < minRows) return 0;
  const votes = new Int32Array(bits);
  for (let at = 0; at < rows; at++) {
    let row = 0;
    for (let i = 0; i < inARow; i++) row = mixBits(row ^ hashes[body[at + i]!]!);
    for (let bit = 0; bit < bits; bit++) votes[bit]! += (row >>> bit) & 1;
  }
  let print = 0;
  for (let bit = 0; bit < bits; bit++) if (2 * votes[bit]! > rows) print |= 1 << bit;
  return print;
}

/** The last step of MurmurHash3, by which each bit depends on all. */
function mixBits(value: number): number {
  let hash = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return hash ^ (hash >>> 16);
}
