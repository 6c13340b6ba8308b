import fc from "fast-check";
import { expect, it } from "vitest";
import { anyCharacter } from "../../../test/support/any-text.ts";
import { WordPattern } from "./word-pattern.ts";

const pattern = new WordPattern(
  ["i_d rather", "trade-off*", "kind of", "årsag", "gå", "pros"],
  ["c++ (ok)", "#fix", "x*"],
);

it("finds words and phrases, whole, in any case, with any white space between them", () => {
  for (const text of [
    "I’d\n rather not",
    "Id rather",
    "the TRADE-OFFS",
    "(pros)",
    "ÅRSAG: den",
    "c++ (ok)!",
    "a #fix",
    "x*",
  ])
    expect(pattern.isIn(text), text).toBe(true);
  for (const text of ["", "I'd", "mypros", "pros1", "éårsag", "xx", "kindof", "prose"])
    expect(pattern.isIn(text), text).toBe(false);
});

it("counts different ones, up to so many", () => {
  expect(pattern.countDistinct("pros, Pros and årsag; trade-off, trade-offs", 10)).toBe(4);
  expect(pattern.countDistinct("pros, årsag, gå", 2)).toBe(2);
});

it("finds nothing without a word", () => {
  expect(new WordPattern([], [" "]).isIn("– any text")).toBe(false);
});

it("finds what its regular expression finds that is tried everywhere", () => {
  const piece = fc.oneof(
    anyCharacter,
    fc.constantFrom(
      ..." '’-_#*ſK",
      "i'd",
      "rather",
      "Kind",
      "ſ",
      "of",
      "pros",
      "trade-",
      "offs",
      "Årsag",
      "GÅ",
      "x*",
      "c++ (ok)",
    ),
  );
  fc.assert(
    fc.property(fc.array(piece), (pieces) => {
      const text = pieces.join("");
      const all = [...text.matchAll(new RegExp(pattern.source, "giu"))].map(([match]) => match.toLowerCase());
      expect(pattern.isIn(text)).toBe(all.length > 0);
      expect(pattern.countDistinct(text, 3)).toBe(Math.min(3, new Set(all).size));
    }),
  );
});
