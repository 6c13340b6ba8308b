import fc from "fast-check";
import { expect, test } from "vitest";
import { Best } from "./best.ts";

test("the best are those that sorting finds, of equal ones the lower rows", () => {
  const scores = fc.array(fc.oneof(fc.float({ noNaN: true }), fc.constantFrom(0, 1, 2)));
  fc.assert(
    fc.property(scores, fc.integer({ min: 1, max: 10 }), (given, k) => {
      const best = new Best(k);
      for (const [row, score] of given.entries()) best.offer(row, score);
      const sorted = given
        .map((score, row) => ({ row, score }))
        .sort((a, b) => b.score - a.score || a.row - b.row);
      expect(best.least).toBe(sorted[k - 1]?.score ?? Number.NEGATIVE_INFINITY);
      expect(best.takeSorted()).toEqual(sorted.slice(0, k));
    }),
  );
});
