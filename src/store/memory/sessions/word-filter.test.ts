import fc from "fast-check";
import { expect, it } from "vitest";
import { hashWord, makeWordFilter, mayHoldWords } from "./word-filter.ts";

it("denies no word that it was made of", () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.string(), { maxLength: 300 }), (words) => {
      const filter = makeWordFilter(new Set(words.map(hashWord)));
      expect(words.filter((word) => !mayHoldWords(filter, [hashWord(word)]))).toEqual([]);
    }),
  );
});

it("denies most of the words that it was not made of", () => {
  const filter = makeWordFilter(new Set(Array.from({ length: 1000 }, (_, i) => hashWord(`there${i}`))));
  const others = Array.from({ length: 10_000 }, (_, i) => `elsewhere${i}`);
  expect(others.filter((word) => mayHoldWords(filter, [hashWord(word)])).length).toBeLessThan(400);
});

it("denies every word where there is none, and nothing where none is asked for", () => {
  const filter = makeWordFilter(new Set());
  expect(mayHoldWords(filter, [hashWord("one")])).toBe(false);
  expect(mayHoldWords(filter, [])).toBe(true);
});
