import { crc32 } from "node:zlib";

/**
 * What is left of a line when a formatter has gone over it: no white space, no comma or semicolon at its end, one sort
 * of quotes.
 */
export function bareLine(text: string): string {
  return text
    .replace(/\s+/g, "")
    .replace(/[,;]+$/, "")
    .replace(/['`]/g, '"');
}

/** A number for a line, the same for lines that only a formatter would tell apart; 0 for a blank one. 32 bits. */
export function lineKey(text: string): number {
  const bare = bareLine(text);
  return bare === "" ? 0 : crc32(bare) || 1;
}
