import { deflateRawSync, inflateRawSync } from "node:zlib";
import { listIdentifiers } from "../../../base/text/tokens.ts";
import { makeWordFilter } from "./word-filter.ts";

/** A turn's lines as they are archived. */
export interface PackedContent {
  /** The words in their texts, as a filter, so that most searches need not unpack them. */
  words: Uint8Array;
  /** Their JSON, deflated. */
  json: Uint8Array;
}

export function packContent(lines: readonly unknown[]): PackedContent {
  const words = new Set<string>();
  collectWords(lines, words);
  return { words: makeWordFilter(words), json: deflateRawSync(JSON.stringify(lines), { level: 6 }) };
}

/** The JSON of a turn's lines. */
export const inflateContent = (json: Uint8Array): string => inflateRawSync(json).toString();

/** The lines of a turn; of the shape that they were packed with. */
export const unpackContent = <Line = unknown>(json: Uint8Array): Line[] =>
  JSON.parse(inflateContent(json)) as Line[];

/** Identifiers in all strings, at any depth, in lower case. */
function collectWords(value: unknown, words: Set<string>): void {
  if (typeof value === "string") {
    for (const name of listIdentifiers(value)) words.add(name.toLowerCase());
  } else if (typeof value === "object" && value !== null) {
    for (const part of Object.values(value)) collectWords(part, words);
  }
}
