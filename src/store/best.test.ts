import fc from "fast-check";
import { expect, test } from "vitest";
import { nthLargest } from "./best.ts";

test("the n-th largest is the one that sorting finds", () => {
  const values = fc.array(fc.oneof(fc.float({ noNaN: true }), fc.constantFrom(0, 1, 2)), { minLength: 1 });
  fc.assert(
    fc.property(values, fc.nat(), (given, place) => {
      const sorted = Float32Array.from(given).sort();
      const n = (place % given.length) + 1;
      expect(nthLargest(Float32Array.from(given), n) === sorted[sorted.length - n]).toBe(true);
    }),
  );
});
