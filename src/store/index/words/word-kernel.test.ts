import fc from "fast-check";
import { expect, test } from "vitest";
import { createPlainWordKernel } from "../../../../test/support/plain/word-kernel.ts";
import { blockSize } from "../../vectors/vector-kernel.ts";
import { computeLengthNorm, FieldSums, fieldCount, type Postings, PostingsWriter } from "./postings.ts";
import { wordKernel } from "./word-kernel.ts";

const kernels = [wordKernel(), createPlainWordKernel()];
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
        const norms = Float32Array.from({ length: chunks }, (_, i) =>
          computeLengthNorm(1 + ((i * 7) % 90), 40),
        );
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

/** Postings of the words of chunks: each field is a row of words, a number each, and the next begins with a gap. */
function postingsOf(chunks: readonly (readonly (readonly number[])[])[], words: number): Postings[] {
  const writers = Array.from({ length: words }, () => new PostingsWriter());
  chunks.forEach((fields, chunk) => {
    writers.forEach((writer, word) => {
      const times = new Array<number>(fieldCount).fill(0);
      const places: number[] = [];
      let place = 0;
      fields.forEach((field, at) => {
        for (const one of field) {
          if (one === word) {
            times[at]!++;
            places.push(place);
          }
          place++;
        }
        // Far apart, so that a place takes several bytes.
        place += at === 2 ? 300 : 1;
      });
      if (places.length > 0) writer.add(chunk, times, places);
    });
  });
  return writers.map((writer) => writer.finish());
}

test("both kernels find the chunks with a phrase", () => {
  const words = 4;
  // The last words are rare.
  const one = fc.constantFrom(0, 0, 0, 0, 1, 1, 2, 3);
  const field = fc.oneof(
    fc.constant([]),
    fc.array(one, { maxLength: 4 }),
    fc.array(one, { minLength: 30, maxLength: 60 }),
  );
  const chunk = fc.oneof(
    { weight: 1, arbitrary: fc.constant([[], [], [], []]) },
    { weight: 2, arbitrary: fc.tuple(field, field, field, field) },
  );
  const phrase = fc.array(fc.nat(words - 1), { minLength: 1, maxLength: 4 });
  fc.assert(
    fc.property(
      fc.array(chunk, { minLength: 1, maxLength: 60 }),
      fc.array(phrase, { minLength: 1, maxLength: 4 }),
      fc.option(fc.uint8Array({ minLength: 60, maxLength: 60, max: 1 })),
      fc.integer({ min: 1, max: 10 }),
      (chunks, phrases, gone, limit) => {
        const ofWords = postingsOf(chunks, words);
        const isGone = gone?.slice(0, chunks.length) ?? null;
        const holds = (fields: readonly (readonly number[])[], wanted: readonly number[]) =>
          fields.some((row) => row.some((_, at) => wanted.every((word, i) => row[at + i] === word)));
        for (const kernel of kernels) {
          kernel.beginPhrases(chunks.length, isGone);
          for (const wanted of phrases) {
            const expected = chunks.flatMap((fields, i) =>
              holds(fields, wanted) && !isGone?.[i] ? [i] : [],
            );
            const found = kernel.withPhrase(
              wanted.map((word) => ofWords[word]!),
              limit,
            );
            expect([...found]).toEqual(expected.slice(0, limit));
          }
        }
      },
    ),
    { numRuns: 400 },
  );
});

test("a phrase is not found beyond the segment of a damaged list", () => {
  const [word] = postingsOf(
    [[[]], [[0]], [[]], [[0]]].map((fields) => [...fields, [], [], []]),
    1,
  );
  for (const kernel of kernels.slice(0, 1)) {
    kernel.beginPhrases(2, null);
    expect([...kernel.withPhrase([word!], 9)]).toEqual([1]);
  }
});
