import { readFileSync } from "node:fs";
import fc from "fast-check";
import { expect, test } from "vitest";
import { blockSize, builtKernel } from "../../vectors/vector-kernel.ts";
import { FieldSums, lengthNorm, PostingsWriter } from "./postings.ts";
import { createPlainScoreKernel, createWasmScoreKernel } from "./score-kernel.ts";

const kernels = [
  createWasmScoreKernel(new WebAssembly.Module(readFileSync(builtKernel()))),
  createPlainScoreKernel(),
];
const sums = new FieldSums({ name: 8, path: 4, head: 3, body: 1 });

const times = fc
  .tuple(...Array.from({ length: 4 }, () => fc.oneof(fc.constant(0), fc.nat(3), fc.nat(40_000))))
  .filter((counts) => counts.some((count) => count > 0));
const word = fc.array(fc.record({ skipped: fc.oneof(fc.nat(3), fc.nat(400)), times }), {
  minLength: 1,
  maxLength: 30,
});

function listOf(given: { skipped: number; times: number[] }[], chunks: number): Uint8Array {
  const writer = new PostingsWriter();
  let chunk = -1;
  for (const { skipped, times } of given) {
    chunk += skipped + 1;
    if (chunk < chunks) writer.add(chunk, times, []);
  }
  return writer.finish().list;
}

test("both kernels give the same scores, to the last bit, and the same chunks above one", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 3 * blockSize }),
      fc.array(fc.record({ given: word, idf: fc.double({ min: 1e-6, max: 12, noNaN: true }) }), {
        maxLength: 4,
      }),
      fc.double({ min: 0, max: 20, noNaN: true }),
      (chunks, words, above) => {
        const norms = Float32Array.from({ length: chunks }, (_, i) => lengthNorm(1 + ((i * 7) % 90), 40));
        const least = Math.fround(above);
        const [wasm, plain] = kernels.map((kernel) => {
          kernel.begin(norms, sums);
          for (const { given, idf } of words) kernel.add(listOf(given, chunks), idf);
          const found: number[] = [];
          for (let first = 0; first < chunks; first += blockSize) {
            const count = kernel.above(first, least);
            found.push(
              ...kernel
                .places()
                .subarray(0, count)
                .map((place) => first + place),
            );
          }
          return { scores: Array.from(kernel.scores()), found };
        });
        expect(wasm).toEqual(plain);
        expect(plain!.found).toEqual(plain!.scores.flatMap((score, chunk) => (score > least ? [chunk] : [])));
      },
    ),
  );
});

test("a damaged list does not reach beyond its segment", () => {
  for (const kernel of kernels) {
    const scores = [2, 3].map((chunks) => {
      kernel.begin(new Float32Array(chunks).fill(1), sums);
      kernel.add(
        listOf(
          [
            { skipped: 1, times: [1, 0, 0, 0] },
            { skipped: 500, times: [1, 0, 0, 0] },
          ],
          1000,
        ),
        1,
      );
      return Array.from(kernel.scores());
    });
    expect(scores[1]).toEqual([...scores[0]!, 0]);
  }
});
