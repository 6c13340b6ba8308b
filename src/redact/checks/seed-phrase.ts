import { createHash } from "node:crypto";
import type { SecretSpan } from "../patterns/rule.ts";
import { expandWordList } from "../words.ts";

/**
 * The English word list of BIP-39, by Marek Palatinus, Pavol Rusnak, Aaron Voisine and Sean Bowe
 * (https://github.com/bitcoin/bips/blob/master/bip-0039/english.txt, MIT License). A word's index is its value.
 */
export const seedWords: readonly string[] = expandWordList("seedWord");

/** Twelve words or more, in a line, a list of strings or a numbered list. */
const phrases = /\b[a-z]{3,8}(?:(?:[\s,"'`0-9.):]{1,12}|\\n)[a-z]{3,8}\b){11,}/g;
/** Of twelve words of three letters with a space between them. */
const minLength = 47;
const announcement = /seed|mnemonic|wallet|(?:recovery|secret|backup)[ _-](?:phrase|words?)/i;
const values = new Map(seedWords.map((word, index) => [word, index]));

/**
 * Wallet seeds: 12, 15, 18, 21 or 24 words of the list of BIP-39 in a row with a valid checksum. One of 16 to 256 rows of
 * such words has one by chance; English sentences have small words, which the list has not. What is announced as one needs
 * no checksum.
 */
export function findSeedPhrases(text: string): SecretSpan[] {
  const spans: SecretSpan[] = [];
  if (text.length < minLength) return spans;
  for (const { 0: row, index } of text.matchAll(phrases)) {
    const words = Array.from(row.matchAll(/[a-z]{3,8}/g), (match) => ({
      value: values.get(match[0]),
      start: index + match.index,
      end: index + match.index + match[0].length,
    }));
    const isAnnounced = announcement.test(text.slice(Math.max(0, index - 60), index));
    let same = 0;
    for (let first = 0; first + 12 <= words.length; first++) {
      // The same 24 words over and over, or one: they were looked at.
      same = first > 0 && words[first - 1]!.value === words[first + 23]?.value ? same + 1 : 0;
      if (same > 24) continue;
      const count = [24, 21, 18, 15, 12].find(
        (length) =>
          first + length <= words.length && isValid(words.slice(first, first + length), isAnnounced),
      );
      if (count === undefined) continue;
      same = 0;
      // One of 16 rows is valid by chance: its neighbours of the list may belong to the real one.
      let from = first;
      let last = first + count - 1;
      while (from > 0 && first - from < 12 && words[from - 1]!.value !== undefined) from--;
      while (last + 1 < words.length && last - first < 36 && words[last + 1]!.value !== undefined) last++;
      const { end } = words[last]!;
      spans.push({ start: words[from]!.start, end, next: end });
      first = last;
    }
  }
  return spans;
}

/** @param isAnnounced then their last word may be wrong, as after a slip of the pen */
function isValid(words: readonly { value: number | undefined }[], isAnnounced: boolean): boolean {
  // In the order of the list: it is the list, or a part of it.
  if (words.every(({ value }, at) => at === 0 || (value ?? 0) > (words[at - 1]!.value ?? 0))) return false;
  let bits = "";
  for (const { value } of words) {
    if (value === undefined) return false;
    bits += value.toString(2).padStart(11, "0");
  }
  if (isAnnounced) return true;
  const checksum = words.length / 3;
  const entropy = Buffer.from(
    bits
      .slice(0, -checksum)
      .match(/.{8}/g)!
      .map((byte) => Number.parseInt(byte, 2)),
  );
  const hash = createHash("sha256").update(entropy).digest()[0]!.toString(2).padStart(8, "0");
  return hash.startsWith(bits.slice(-checksum));
}
