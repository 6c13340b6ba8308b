import { expect, test } from "vitest";
import { measureQuality, ndcg, percentile } from "./measures.ts";

test("NDCG is 1 with all targets on top, and falls with their ranks", () => {
  expect(ndcg([1, 2], 2, 10)).toBe(1);
  expect(ndcg([3], 1, 10)).toBeCloseTo(0.5);
  expect(ndcg([2], 2, 10)).toBeCloseTo(1 / Math.log2(3) / (1 + 1 / Math.log2(3)));
  expect(ndcg([11], 1, 10)).toBe(0);
  expect(ndcg([], 0, 10)).toBe(0);
});

test("percentiles are values that occurred", () => {
  expect(percentile([5, 1, 3, 2], 50)).toBe(2);
  expect(percentile([5, 1, 3, 2], 95)).toBe(5);
  expect(percentile([7], 0)).toBe(7);
  expect(percentile([], 50)).toBe(0);
});

test("recall counts a question when any target is within the rank", () => {
  const answer = (...ranks: number[]) => ({ ranks, targets: 2, milliseconds: 1 });
  expect(measureQuality([answer(7, 1), answer(4), answer(6), answer()])).toMatchObject({
    queries: 4,
    r1: 0.25,
    r5: 0.5,
    r10: 0.75,
    mrr: (1 + 1 / 4 + 1 / 6) / 4,
  });
});
