import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { computeCosine, quantise } from "./quantise.ts";

describe("quantise", () => {
  it("scales the largest component to 127, whatever its sign", () => {
    expect(quantise([0.5, -1, 0.25])).toEqual(Int8Array.of(64, -127, 32));
    expect(quantise([3e-30, 6e-30])).toEqual(Int8Array.of(64, 127));
  });

  it("gives null for what has no direction", () => {
    expect(quantise([])).toBeNull();
    expect(quantise([0, -0, 0])).toBeNull();
    expect(quantise([1, Number.NaN])).toBeNull();
    expect(quantise([1, Number.POSITIVE_INFINITY])).toBeNull();
  });

  it("forgets the length of a vector, not its direction", () => {
    const component = fc.float({ min: -1, max: 1, noNaN: true });
    const vectors = fc.array(component, { minLength: 64, maxLength: 256 });
    fc.assert(
      fc.property(vectors, fc.float({ min: Math.fround(0.001), max: 1000, noNaN: true }), (vector, scale) => {
        fc.pre(vector.some((value) => Math.abs(value) > 0.01));
        const quantised = quantise(vector)!;
        expect(Math.max(...quantised.map(Math.abs))).toBe(127);
        expect(computeCosine(quantised, vector)).toBeGreaterThan(0.99);
        const scaled = quantise(vector.map((value) => value * scale))!;
        for (const [at, value] of scaled.entries()) {
          expect(Math.abs(value - quantised[at]!)).toBeLessThanOrEqual(1);
        }
      }),
    );
  });
});
