import fc from "fast-check";
import { expect, it } from "vitest";
import { compileExpression } from "../../../base/text/pattern.ts";
import { findRequiredTexts } from "./required-texts.ts";

it.each([
  ["next\\(\\) called", ["next() called"]],
  ["http\\.(Get|Post)\\(", ["http.", "("]],
  ["colou?r of (the )?day", ["colo", "r of ", "day"]],
  ["a+bc*d{2,3}e", ["a", "b", "e"]],
  ["^func \\w+Error$", ["func ", "Error"]],
  ["[a-z\\]]x[[:alpha:]]y", ["x", "y"]],
  ["one|two", []],
  ["\\Qa.b\\E", []],
  ["(?i)Any (\\(x|y\\))end", ["Any ", "end"]],
])("of %s", (pattern, texts) => {
  expect(findRequiredTexts(pattern)).toEqual(texts);
});

it("are in everything that the pattern matches", () => {
  const piece = fc.constantFrom(
    "a",
    "b",
    "\\.",
    ".",
    "a*",
    "b?",
    "(a|b)",
    "[ab]",
    "a+",
    "\\w",
    "(?:ab)?",
    "b{0,2}",
    "a{2}",
    "|",
    "^",
    "$",
  );
  fc.assert(
    fc.property(
      fc.array(piece, { maxLength: 6 }),
      fc.string({ unit: fc.constantFrom("a", "b", "."), maxLength: 8 }),
      (pieces, text) => {
        const pattern = pieces.join("");
        const matcher = compileExpression(pattern).matcher(text);
        if (!matcher.find()) return;
        for (const required of findRequiredTexts(pattern)) expect(matcher.group()).toContain(required);
      },
    ),
    { numRuns: 2000 },
  );
});
