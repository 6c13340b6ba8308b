import fc from "fast-check";
import { expect, it } from "vitest";
import { compilePattern } from "./pattern.ts";

it("pattern: finds the first match", () => {
  expect(compilePattern("b+")("aabb bb")).toBe(2);
  expect(compilePattern("bb")("aabb bb")).toBe(2);
  expect(compilePattern("c")("aabb bb")).toBe(-1);
  expect(compilePattern("^b")("a\nb")).toBe(2);
});

it("pattern: is linear on input that hangs backtracking engines", () => {
  const text = `${"a".repeat(50_000)}!`;
  expect(compilePattern("^(a+)+$")(text)).toBe(-1);
  expect(compilePattern("(a|aa)+!")(text)).toBe(0);
});

it("pattern: gives the same result for literals as with RE2", () => {
  const plain = fc.string({
    unit: fc.constantFrom("a", "B", "1", "_", "-", " "),
    minLength: 1,
    maxLength: 4,
  });
  const text = fc.string({ unit: fc.constantFrom("a", "A", "b", "B", "1", "_", "-", " ", "æ") });
  fc.assert(
    fc.property(plain, text, (words, said) => {
      expect(compilePattern(words)(said)).toBe(compilePattern(`(?:${words})`)(said));
    }),
  );
});
