import fc from "fast-check";
import { expect, test } from "vitest";
import { createPlainKernel } from "../../../test/support/plain/vector-kernel.ts";
import { createKernel, type VectorKernel } from "./vector-kernel.ts";

const component = fc.integer({ min: -128, max: 127 });

/** Rows of one length, a query of the same, some of the rows in any order, and where to draw the line. */
const cases = fc.integer({ min: 1, max: 100 }).chain((dimensions) => {
  const zeros = fc.constant(Array<number>(dimensions).fill(0));
  const some = fc.array(component, { minLength: dimensions, maxLength: dimensions });
  const vector = fc.oneof({ weight: 9, arbitrary: some }, { weight: 1, arbitrary: zeros });
  return fc.record({
    rows: fc.array(vector, { minLength: 1, maxLength: 20 }),
    query: some,
    picks: fc.array(fc.nat(), { maxLength: 30 }),
    least: fc.constantFrom(Number.NEGATIVE_INFINITY, -0.5, 0, 0.1, 2),
  });
});

const firstId = 7;

function filled(kernel: VectorKernel, rows: readonly number[][]): VectorKernel {
  kernel.reserve(rows.length);
  kernel.put(0, firstId, Uint8Array.from(rows.flat()));
  return kernel;
}

function both(dimensions: number): VectorKernel[] {
  return [createKernel(dimensions), createPlainKernel(dimensions)];
}

function selected(kernel: VectorKernel, first: number, count: number, least = Number.NEGATIVE_INFINITY) {
  const found = kernel.select(first, count, least);
  return [...kernel.ids().subarray(0, found)].map((id, i) => [id, kernel.cosines()[i]]);
}

/** As the definition has it: one rounding for each of the operations that both kernels do. */
function cosine(row: readonly number[], query: readonly number[]): number {
  const dot = row.reduce((sum, value, i) => sum + value * query[i]!, 0);
  const length = (vector: readonly number[]) => Math.sqrt(vector.reduce((sum, value) => sum + value ** 2, 0));
  return dot * (1 / length(row)) * (1 / length(query));
}

test("both kernels give the same answers to the last bit, and the right ones", () => {
  fc.assert(
    fc.property(cases, ({ rows, query, picks, least }) => {
      const expected = rows
        .map((row, i) => [firstId + i, cosine(row, query)] as const)
        .filter(([, value]) => value >= least);
      const listed = picks.map((pick) => pick % rows.length);
      const hasDirection = query.some((value) => value !== 0);
      for (const kernel of both(query.length)) {
        filled(kernel, rows);
        expect(kernel.ask(Int8Array.from(query))).toBe(hasDirection);
        if (!hasDirection) continue;
        expect(selected(kernel, 0, rows.length, least)).toEqual(expected);
        kernel.list().set(listed);
        kernel.measure(listed.length);
        expect([...kernel.cosines().subarray(0, listed.length)]).toEqual(
          listed.map((row) => cosine(rows[row]!, query)),
        );
      }
    }),
    { numRuns: 300 },
  );
});

test("both kernels say the same of groups, to the last bit, whatever rows come after", () => {
  fc.assert(
    fc.property(cases, fc.array(fc.nat(4), { maxLength: 8 }), ({ rows, query }, sizes) => {
      fc.pre(query.some((value) => value !== 0));
      const counts = sizes.map((size, i) => Math.min(size, rows.length - (i % rows.length)));
      const firsts = counts.map((_, i) => i % rows.length);
      const shares = rows.map((_, row) => row / 7 - 1);
      const factors = rows.map((_, row) => 1 + row / 3);
      const expected = counts.map((count, i) => {
        const all = rows.slice(firsts[i]!, firsts[i]! + count).map((row, n) => {
          const at = firsts[i]! + n;
          const known = row.every((value) => value === 0) ? 0 : cosine(row, query);
          return (known - shares[at]! + 0.25) * 1.5 * factors[at]!;
        });
        return count === 0
          ? [Number.NaN, Number.NaN]
          : [Math.max(...all), all.reduce((a, b) => a + b, 0) / count];
      });
      for (const kernel of both(query.length)) {
        filled(kernel, rows);
        kernel.group({
          firsts: Uint32Array.from(firsts),
          counts: Uint32Array.from(counts),
          shares: Float64Array.from(shares),
          factors: Float64Array.from(factors),
        });
        kernel.ask(Int8Array.from(query));
        const { best, whole } = kernel.nearest(0.25, 1.5);
        expect(counts.map((_, i) => [best[i], whole[i]])).toEqual(expected);
        // Their place is that of rows now, which are empty.
        kernel.reserve(rows.length + 50);
        expect(selected(kernel, rows.length, 50)).toEqual([]);
      }
    }),
    { numRuns: 200 },
  );
});

test.each([256, 384, 768, 1024, 1536, 3072])(
  "sums of %i of the largest products stay exact",
  (dimensions) => {
    const [lowest, opposite] = [Array<number>(dimensions).fill(-128), Array<number>(dimensions).fill(127)];
    for (const kernel of both(dimensions)) {
      filled(kernel, [lowest, opposite]);
      kernel.ask(Int8Array.from(lowest));
      expect(selected(kernel, 0, 2)).toEqual([
        [firstId, cosine(lowest, lowest)],
        [firstId + 1, cosine(opposite, lowest)],
      ]);
    }
  },
);

test("rows stay when there is more room, and go when they are cleared", () => {
  for (const kernel of both(20)) {
    const row = Array<number>(20).fill(3);
    filled(kernel, [row, row, row]);
    kernel.reserve(10_000);
    kernel.put(9999, 5, Uint8Array.from(row));
    kernel.clear(1, 1);
    kernel.ask(Int8Array.from(row));
    expect(selected(kernel, 0, 1000).map(([id]) => id)).toEqual([firstId, firstId + 2]);
    expect(selected(kernel, 9990, 10).map(([id]) => id)).toEqual([5]);
  }
});

test("takes more vectors at once than fit into one piece", () => {
  const rows = Array.from({ length: 1000 }, (_, i) =>
    Array.from({ length: 300 }, (_, d) => (d === i % 300 ? 9 : 0)),
  );
  for (const kernel of both(300)) {
    filled(kernel, rows);
    kernel.ask(Int8Array.from(rows[299]!));
    expect(selected(kernel, 0, 1000, 0.5)).toEqual([299, 599, 899].map((row) => [firstId + row, 1]));
  }
});

test("refuses a query of another length", () => {
  for (const kernel of both(20)) expect(kernel.ask(new Int8Array(21).fill(1))).toBe(false);
});
