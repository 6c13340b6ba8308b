import fc from "fast-check";
import { expect, it } from "vitest";
import { cutAt, cutToTokens, estimateTokens } from "./token-estimate.ts";

it("estimates more tokens for other scripts than for ASCII", () => {
  expect(estimateTokens("abcd")).toBe(2);
  expect(estimateTokens("解析")).toBe(3);
  expect(estimateTokens("🦀")).toBe(3);
});

it("cuts a text to a beginning that has no more tokens, and leaves a short one as it is", () => {
  const text = fc.string({ unit: "grapheme", maxLength: 200 });
  fc.assert(
    fc.property(text, fc.nat(100), (given, most) => {
      const cut = cutToTokens(given, most);
      expect(given.startsWith(cut)).toBe(true);
      expect(estimateTokens(cut)).toBeLessThanOrEqual(most);
      if (estimateTokens(given) <= most) expect(cut).toBe(given);
      // No more is lost than the character that did not fit.
      else expect(estimateTokens(cut)).toBeGreaterThan(most - 3);
    }),
  );
});

it("never cuts a character in two", () => {
  expect(cutAt("a🦀b", 2)).toBe("a");
  expect(cutAt("a🦀b", 3)).toBe("a🦀");
});
