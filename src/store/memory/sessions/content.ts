import { deflateRawSync, inflateRawSync } from "node:zlib";
import { addToFnv1a, fnvBasis } from "../../../base/text/hash.ts";
import { listIdentifiers } from "../../../base/text/tokens.ts";
import { hashWord, makeWordFilter } from "./word-filter.ts";

/** A turn's lines as they are archived. */
export interface PackedContent {
  /** The words in their texts, as a filter, so that most searches need not unpack them. */
  words: Uint8Array;
  /** Their JSON, deflated. */
  json: Uint8Array;
}

export function packContent(lines: readonly unknown[]): PackedContent {
  const hashes = new Set<number>();
  collectWords(lines, hashes);
  return { words: makeWordFilter(hashes), json: deflateRawSync(JSON.stringify(lines), { level: 6 }) };
}

/** The JSON of a turn's lines. */
export const inflateContent = (json: Uint8Array): string => inflateRawSync(json).toString();

/** The lines of a turn; of the shape that they were packed with. */
export const unpackContent = <Line = unknown>(json: Uint8Array): Line[] =>
  JSON.parse(inflateContent(json)) as Line[];

/** Hashes of the identifiers in all strings, at any depth, in lower case. */
function collectWords(value: unknown, hashes: Set<number>): void {
  if (typeof value === "string") addWordHashes(value, hashes);
  else if (typeof value === "object" && value !== null) {
    for (const part of Object.values(value)) collectWords(part, hashes);
  }
}

/** Of ASCII's letters, digits, `_` and `$` the code in lower case; 0 of what stands between words. */
const codesInWords = Uint8Array.from({ length: 128 }, (_, code) => {
  const letter = String.fromCharCode(code);
  return /[\w$]/.test(letter) ? letter.toLowerCase().charCodeAt(0) : 0;
});
const blank = 32;
/** Longer words may be data, which only `listIdentifiers` knows. Characters. */
const maxPlain = 64;

/** Adds the hashes of a text's identifiers: of most of them without a string of their own, as a text has thousands. */
function addWordHashes(text: string, hashes: Set<number>): void {
  let start = 0;
  let hash = fnvBasis;
  let isAscii = true;
  for (let i = 0; i <= text.length; i++) {
    const code = i < text.length ? text.charCodeAt(i) : blank;
    if (code >= codesInWords.length) {
      isAscii = false;
      continue;
    }
    const letter = codesInWords[code]!;
    if (letter !== 0) {
      hash = addToFnv1a(hash, letter);
      continue;
    }
    if (isAscii && i - start <= maxPlain) {
      if (i > start) hashes.add(hash | 0);
    } else {
      for (const name of listIdentifiers(text.slice(start, i))) hashes.add(hashWord(name.toLowerCase()));
    }
    start = i + 1;
    hash = fnvBasis;
    isAscii = true;
  }
}
