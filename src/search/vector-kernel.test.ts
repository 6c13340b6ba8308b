import { readFileSync } from "node:fs";
import fc from "fast-check";
import { expect, test } from "vitest";
import {
  blockSize,
  builtKernel,
  createPlainKernel,
  createWasmKernel,
  type VectorKernel,
} from "./vector-kernel.ts";

const module = new WebAssembly.Module(readFileSync(builtKernel()));

const component = fc.integer({ min: -128, max: 127 });

/** Rows of one length, a query of the same, and some of the rows, in any order and more than once. */
const cases = fc.integer({ min: 1, max: 100 }).chain((dimensions) => {
  const vector = fc.array(component, { minLength: dimensions, maxLength: dimensions });
  const rows = fc.array(vector, { minLength: 1, maxLength: 20 });
  return fc.record({ rows, query: vector, picks: fc.array(fc.nat(), { maxLength: 30 }) });
});

function fill(kernel: VectorKernel, rows: readonly number[][], query: readonly number[]): void {
  kernel.reserve(rows.length);
  rows.forEach((row, slot) => {
    kernel.rows().set(row, slot * kernel.stride);
  });
  kernel.query().set(query);
}

/** The answers of `ask`. */
function answers(kernel: VectorKernel, count: number, ask: (kernel: VectorKernel) => void): number[] {
  kernel.dots().fill(-1);
  ask(kernel);
  return [...kernel.dots().subarray(0, count)];
}

test("the kernels give the same integers, and the right ones", () => {
  fc.assert(
    fc.property(cases, ({ rows, query, picks }) => {
      const exact = rows.map((row) => row.reduce((sum, value, i) => sum + value * query[i]!, 0));
      const squared = rows.map((row) => row.reduce((sum, value) => sum + value * value, 0));
      const listed = picks.map((pick) => pick % rows.length);
      for (const kernel of [createWasmKernel(module, query.length), createPlainKernel(query.length)]) {
        fill(kernel, rows, query);
        kernel.list().set(listed);
        expect(answers(kernel, rows.length, (k) => k.dot(0, rows.length))).toEqual(exact);
        expect(answers(kernel, rows.length - 1, (k) => k.dot(1, rows.length - 1))).toEqual(exact.slice(1));
        expect(answers(kernel, listed.length, (k) => k.dotListed(listed.length))).toEqual(
          listed.map((slot) => exact[slot]),
        );
        expect(answers(kernel, rows.length, (k) => k.squares(0, rows.length))).toEqual(squared);
      }
    }),
    { numRuns: 300 },
  );
});

test.each([256, 384, 768, 1024, 1536, 3072])(
  "sums of %i of the largest products stay exact",
  (dimensions) => {
    const lowest = Array<number>(dimensions).fill(-128);
    for (const kernel of [createWasmKernel(module, dimensions), createPlainKernel(dimensions)]) {
      fill(kernel, [lowest], lowest);
      expect(answers(kernel, 1, (k) => k.dot(0, 1))).toEqual([dimensions * 128 * 128]);
      expect(answers(kernel, 1, (k) => k.squares(0, 1))).toEqual([dimensions * 128 * 128]);
    }
  },
);

test("rows stay when there is more room", () => {
  for (const kernel of [createWasmKernel(module, 32), createPlainKernel(32)]) {
    fill(kernel, [Array<number>(32).fill(3)], Array<number>(32).fill(2));
    kernel.reserve(3 * blockSize);
    expect(answers(kernel, 2, (k) => k.dot(0, 2))).toEqual([32 * 6, 0]);
    kernel.rows().fill(1, (3 * blockSize - 1) * 32, 3 * blockSize * 32);
    expect(answers(kernel, 1, (k) => k.dot(3 * blockSize - 1, 1))).toEqual([32 * 2]);
  }
});
