import fc from "fast-check";
import { expect, test } from "vitest";
import { createPlainSignKernel } from "../../../test/support/plain/sign-kernel.ts";
import { createSignKernel } from "./sign-kernel.ts";

const cases = fc.constantFrom(8, 32, 64, 128).chain((bytes) => {
  const any = fc.uint8Array({ minLength: bytes, maxLength: bytes });
  // Many that differ in as many signs.
  const few = fc.constantFrom(0, 1, 3, 255).map((value) => new Uint8Array(bytes).fill(value));
  const row = fc.record({ signs: fc.oneof(any, few), flag: fc.integer({ min: 0, max: 3 }) });
  return fc.record({
    query: any,
    rows: fc.array(row, { minLength: 1, maxLength: 60 }),
    count: fc.nat({ max: 60 }),
    wanted: fc.constantFrom(1, 2, 3, ~0),
    most: fc.integer({ min: 1, max: 12 }),
    others: fc.option(fc.uint8Array({ minLength: 60, maxLength: 60, max: 3 })),
    share: fc.float({ min: -4, max: 4, noNaN: true }),
  });
});

function different(a: Uint8Array, b: Uint8Array): number {
  return a.reduce((sum, byte, i) => sum + (byte ^ b[i]!).toString(2).replaceAll("0", "").length, 0);
}

test("both kernels find the rows that differ in the fewest signs, of those that are wanted, and say what these are worth", () => {
  fc.assert(
    fc.property(cases, ({ query, rows, count: upTo, wanted, most, others, share }) => {
      const count = Math.min(upTo, rows.length);
      const shares = Float32Array.from({ length: query.length * 256 }, (_, i) =>
        Math.fround(share * (i % 77)),
      );
      const expected = rows
        .slice(0, count)
        .map(({ signs, flag }, row) => ({
          row,
          flag: others?.[row] ?? flag,
          differs: different(query, signs),
        }))
        .filter(({ flag }) => (flag & wanted) !== 0)
        .sort((a, b) => a.differs - b.differs)
        .slice(0, most)
        .map(({ row }) => row)
        .sort((a, b) => a - b);
      const worth = expected.map((row) =>
        Math.fround(rows[row]!.signs.reduce((sum, byte, at) => sum + shares[at * 256 + byte]!, 0)),
      );
      for (const kernel of [createSignKernel(query.length), createPlainSignKernel(query.length)]) {
        rows.forEach(({ signs, flag }, row) => {
          kernel.reserve(row + 1);
          kernel.put(row, signs, Uint8Array.of(flag));
        });
        kernel.ask(query, shares);
        expect([...kernel.fewest(count, most, wanted, others)]).toEqual(expected);
        expect([...kernel.worth()]).toEqual(worth);
        expect([...kernel.flags().subarray(0, rows.length)]).toEqual(rows.map(({ flag }) => flag));
      }
    }),
    { numRuns: 500 },
  );
});
