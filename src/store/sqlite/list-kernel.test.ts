import fc from "fast-check";
import { expect, test } from "vitest";
import { createPlainListKernel } from "../../../test/support/plain/list-kernel.ts";
import { pushVarint } from "../../text/varint.ts";
import type { TextList } from "./full-text-lists.ts";
import { type ListKernel, listKernel } from "./list-kernel.ts";

const kernels = [listKernel(), createPlainListKernel()];

/** A row with a word: how far it is from the one before, and the distances of its places in each column. */
interface Given {
  skipped: number;
  places: number[][];
  isWhole: boolean;
  isGone: boolean;
}

const distance = fc.oneof({ weight: 9, arbitrary: fc.nat(100) }, { weight: 1, arbitrary: fc.nat(300_000) });
const given: fc.Arbitrary<Given> = fc.record({
  skipped: fc.oneof(fc.nat(3), fc.nat(400)),
  places: fc.array(fc.array(distance, { maxLength: 4 }), { minLength: 3, maxLength: 3 }),
  isWhole: fc.boolean(),
  isGone: fc.boolean(),
});

/** As FTS5 stores it. @param from the row before the first one */
function listOf(rows: readonly Given[], from: number): { list: TextList; last: number } {
  const bytes: number[] = [];
  const whole: number[] = [];
  const gone: number[] = [];
  let row = from;
  for (const [i, { skipped, places, isWhole, isGone }] of rows.entries()) {
    const before = row;
    row += skipped + 1;
    if (isWhole || i === 0) whole.push(bytes.length);
    pushVarint(bytes, isWhole || i === 0 ? row : row - before);
    const ofRow: number[] = [];
    for (const [column, distances] of places.entries()) {
      if (distances.length === 0) continue;
      if (column > 0) ofRow.push(1, column);
      for (const one of distances) pushVarint(ofRow, one + 2);
    }
    pushVarint(bytes, ofRow.length * 2);
    bytes.push(...ofRow);
    if (isGone) gone.push(row);
  }
  return { list: { bytes: Uint8Array.from(bytes), whole, gone: Uint32Array.from(gone) }, last: row };
}

/** What a kernel says of each word, and the scores in the end. */
function scored(
  kernel: ListKernel,
  norms: Float64Array,
  words: readonly (readonly TextList[])[],
  weights: number[],
) {
  kernel.begin(norms);
  const ofWords = words.map((lists, i) => {
    const holders = kernel.read(lists, Float64Array.from(weights));
    return { holders, added: [...kernel.add(0.5 + i)] };
  });
  kernel.take(new Map([[1, 2.5]]));
  const added = [...kernel.add(3)];
  return { ofWords, added, scores: [...kernel.scores()] };
}

/** The same by the formula of BM25. */
function plainly(norms: Float64Array, words: readonly (readonly Given[])[], weights: number[]) {
  const scores = [...norms.map(() => 0)];
  const add = (row: number, rarity: number, count: number) => {
    if (row < scores.length) scores[row]! += rarity * ((count * 2.2) / (count + norms[row]!));
  };
  const holders = words.map((rows, i) => {
    let row = 0;
    return rows.filter(({ skipped, places, isGone }) => {
      row += skipped + 1;
      const looked = places.flatMap((some, column) =>
        weights[column]! < 0 ? [] : some.map(() => weights[column]!),
      );
      if (isGone || looked.length === 0) return false;
      add(
        row,
        0.5 + i,
        looked.reduce((a, b) => a + b),
      );
      return true;
    }).length;
  });
  add(1, 3, 2.5);
  return { holders, scores };
}

test("both kernels give the same to the last bit, and what the formula says", () => {
  fc.assert(
    fc.property(
      fc.array(fc.array(given, { maxLength: 20 }), { maxLength: 4 }),
      fc.integer({ min: 2, max: 2000 }),
      fc.array(fc.constantFrom(-1, 0, 0.4, 1, 1.5), { minLength: 3, maxLength: 3 }),
      fc.nat(20),
      (words, size, weights, cut) => {
        const norms = Float64Array.from({ length: size }, (_, row) => 0.3 + (row % 17) / 10);
        // In two segments.
        const lists = words.map((rows) => {
          const first = listOf(rows.slice(0, cut), 0);
          return [first.list, listOf(rows.slice(cut), first.last).list];
        });
        const [wasm, plain] = kernels.map((kernel) => scored(kernel, norms, lists, weights));
        expect(wasm).toEqual(plain);
        const { holders, scores } = plainly(norms, words, weights);
        expect(wasm!.scores).toEqual(scores);
        expect(wasm!.ofWords.map((one) => one.holders)).toEqual(holders);
        const found = [...wasm!.ofWords.flatMap(({ added }) => added), ...wasm!.added];
        const expected = scores.flatMap((score, row) => (score > 0 ? [row] : []));
        expect(found.sort((a, b) => a - b)).toEqual(expected);
      },
    ),
    { numRuns: 300 },
  );
});

test("a damaged list is read to its end and no further", () => {
  const byte = fc.oneof(fc.nat(255), fc.constantFrom(0, 1, 255));
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 60 }), fc.array(byte, { maxLength: 60 }), (some, others) => {
      const norms = new Float64Array(50).fill(1);
      const words = [some, Uint8Array.from(others)].map((bytes) => [
        { bytes, whole: [0], gone: new Uint32Array(0) },
      ]);
      for (const kernel of kernels) {
        const { scores } = scored(kernel, norms, words, [1, 1, 1]);
        expect(scores).toHaveLength(50);
        for (const score of scores) expect(score).toBeGreaterThanOrEqual(0);
      }
    }),
    { numRuns: 300 },
  );
});
