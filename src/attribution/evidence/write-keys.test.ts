import fc from "fast-check";
import { expect, it } from "vitest";
import { KeySet } from "./writes.ts";

it("has the keys that were added, and no others", () => {
  // Many that agree in their last digits.
  const key = fc.oneof(
    fc.integer({ min: 1, max: 0xffffffff }),
    fc.nat(300).map((n) => (n << 20) >>> 0 || 1),
  );
  fc.assert(
    fc.property(fc.array(key, { maxLength: 500, size: "max" }), fc.array(key), (added, asked) => {
      const keys = new KeySet();
      for (const each of added) keys.add(each);
      const known = new Set(added);
      for (const each of [...added, ...asked]) expect(keys.has(each)).toBe(known.has(each));
      expect(keys.hasAny(Uint32Array.from(asked))).toBe(asked.some((each) => known.has(each)));
    }),
  );
});

it("has no blank lines", () => {
  const keys = new KeySet();
  expect(keys.has(0)).toBe(false);
  keys.add(0);
  expect(keys.has(0)).toBe(false);
  expect(keys.hasAny(Uint32Array.of(0))).toBe(false);
});
