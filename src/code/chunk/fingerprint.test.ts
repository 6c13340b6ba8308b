import { describe, expect, it } from "vitest";
import type { ChunkRecord } from "../../store/index/records.ts";
import { withFingerprints } from "./fingerprint.ts";

/** The fingerprints of texts of one file. */
function printsOf(...texts: string[]): number[] {
  const words: string[] = [];
  const numbered = (text: string) =>
    Uint32Array.from(text.split(/\s+/), (word) => {
      if (!words.includes(word)) words.push(word);
      return words.indexOf(word);
    });
  const chunks = texts.map((text) => ({ terms: { body: numbered(text) } }) as unknown as ChunkRecord);
  return withFingerprints(chunks, words).map(({ fingerprint }) => fingerprint!);
}

const differentBits = (a: number, b: number) => ((a ^ b) >>> 0).toString(2).replaceAll("0", "").length;

const sentence = (from: number, count: number) =>
  Array.from({ length: count }, (_, i) => `w${(from + i) * 7919}`).join(" ");

describe("withFingerprints", () => {
  it("gives the same to the same words, in whatever file", () => {
    const text = sentence(0, 40);
    const [alone] = printsOf(text);
    const [, beside] = printsOf(sentence(100, 20), text);
    expect(beside).toBe(alone);
    expect(alone).not.toBe(0);
  });

  it("differs in few bits for one word of many, and in many for other words", () => {
    const text = sentence(0, 200);
    const [print, nearly, other] = printsOf(text, text.replace("w0 ", "changed "), sentence(500, 200));
    expect(differentBits(print!, nearly!)).toBeLessThanOrEqual(2);
    expect(differentBits(print!, other!)).toBeGreaterThan(5);
  });

  it("depends on the order of words", () => {
    const text = sentence(0, 60);
    const [print, reversed] = printsOf(text, text.split(" ").reverse().join(" "));
    expect(differentBits(print!, reversed!)).toBeGreaterThan(5);
  });

  it("is 0 for what is short", () => {
    expect(printsOf("return this . name")).toEqual([0]);
  });
});
