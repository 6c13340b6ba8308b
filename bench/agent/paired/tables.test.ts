import { describe, expect, it } from "vitest";
import { changeOf, criticalT, estimate, wilson } from "./tables.ts";

const close = (values: readonly number[]) => values.map((value) => expect.closeTo(value, 3));

describe("the mean with its interval", () => {
  it("is Student's", () => {
    // Student (1908): the additional sleep of ten patients, in hours.
    const sleep = [1.2, 2.4, 1.3, 1.3, 0, 1, 1.8, 0.8, 4.6, 1.4];
    const { n, mean, interval } = estimate(sleep)!;
    expect({ n, mean }).toEqual({ n: 10, mean: expect.closeTo(1.58) });
    expect(interval).toEqual(close([0.7001, 2.4599]));
  });

  it("is unknown for one value, and nothing for none", () => {
    expect(estimate([4])).toEqual({ n: 1, mean: 4, interval: null });
    expect(estimate([])).toBeNull();
  });

  it("has no width where nothing varies", () => {
    expect(estimate([2, 2, 2])!.interval).toEqual([2, 2]);
  });

  it.each([
    [1, 12.706],
    [30, 2.042],
    [31, 2.0395],
    [60, 2.0003],
    [120, 1.9799],
    [1_000_000, 1.96],
  ])("takes the quantile for %i degrees of freedom", (degrees, quantile) => {
    expect(criticalT(degrees)).toBeCloseTo(quantile, 3);
  });
});

describe("the interval of a share", () => {
  it.each([
    [5, 10, [0.2366, 0.7634]],
    [0, 10, [0, 0.2775]],
    [10, 10, [0.7225, 1]],
    [81, 263, [0.2553, 0.3662]],
  ])("of %i in %i is Wilson's", (successes, n, interval) => {
    expect(wilson(successes, n)).toEqual(close(interval));
  });
});

describe("what changes", () => {
  it("is found pair by pair, not between the means", () => {
    // Tasks differ by far more than the arms do.
    const pairs = [100, 1000, 10_000].map((tokens, i) => ({
      task: `t${i}`,
      without: tokens,
      with: tokens - 10,
    }));
    const { without, with: withPommel, difference } = changeOf(pairs)!;
    expect({ without, withPommel }).toEqual({ without: 3700, withPommel: 3690 });
    expect(difference).toEqual({ n: 3, mean: -10, interval: [-10, -10] });
  });

  it("counts a task once, however often it is repeated", () => {
    const often = Array.from({ length: 9 }, () => ({ task: "a", without: 10, with: 4 }));
    const { difference } = changeOf([...often, { task: "b", without: 10, with: 8 }])!;
    expect(difference).toMatchObject({ n: 2, mean: -4 });
  });

  it("is nothing without pairs", () => {
    expect(changeOf([])).toBeNull();
  });
});
