import fc from "fast-check";
import { expect, it } from "vitest";
import { compileKeywords } from "./keywords.ts";

function occurrences(keywords: string[], text: string): [number, number][] {
  const found: [number, number][] = [];
  compileKeywords(keywords)(text, (keyword, start) => found.push([keyword, start]));
  return found.sort((a, b) => a[1] - b[1] || a[0] - b[0]);
}

it("keyword scan: finds keywords that overlap, contain each other and differ in case", () => {
  expect(occurrences(["she", "he", "hers", "his"], "uSHErs")).toEqual([
    [0, 1],
    [1, 2],
    [2, 2],
  ]);
});

it("keyword scan: agrees with a search for each keyword on its own", () => {
  const words = fc.uniqueArray(
    fc.string({ unit: fc.constantFrom("a", "b", "-"), minLength: 1, maxLength: 4 }),
    { minLength: 1 },
  );
  const texts = fc.string({ unit: fc.constantFrom("a", "b", "A", "-", "é", "x", "\u{1f600}") });
  fc.assert(
    fc.property(words, texts, (keywords, text) => {
      const expected: [number, number][] = [];
      for (let start = 0; start < text.length; start++) {
        keywords.forEach((keyword, index) => {
          if (text.slice(start, start + keyword.length).toLowerCase() === keyword)
            expected.push([index, start]);
        });
      }
      expect(occurrences(keywords, text)).toEqual(expected);
    }),
  );
});

it("keyword scan: tells more than 255 characters apart", () => {
  const keywords = Array.from({ length: 300 }, (_, i) => String.fromCodePoint(0x4e00 + i));
  expect(occurrences(keywords, `${keywords[254]}${keywords[255]}${keywords[299]}`)).toEqual([
    [254, 0],
    [255, 1],
    [299, 2],
  ]);
});
