import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { addScores } from "../../../../test/support/plain/word-kernel.ts";
import { findChunksWithPhrase } from "./holders.ts";
import { computeLengthNorm, FieldSums, type Postings, PostingsReader, PostingsWriter } from "./postings.ts";
import { decodeChunks, encodeChunks, findChunkPlace, SegmentBuilder, SegmentMerge } from "./segment.ts";

const times = fc
  .tuple(...Array.from({ length: 4 }, () => fc.oneof(fc.nat(2), fc.nat(20), fc.nat(40_000))))
  .filter((counts) => counts.some((count) => count > 0) && counts.reduce((a, b) => a + b) < 300);
const occurrences = fc.array(
  fc.record({ skipped: fc.oneof(fc.nat(3), fc.nat(100_000)), times, step: fc.nat(300) }),
  {
    minLength: 1,
    maxLength: 20,
  },
);

it("postings are read as they were written", () => {
  fc.assert(
    fc.property(occurrences, (given) => {
      const writer = new PostingsWriter();
      let chunk = -1;
      const expected = given.map(({ skipped, times, step }) => {
        chunk += skipped + 1;
        const places = Array.from({ length: times.reduce((a, b) => a + b) }, (_, i) => i * (step + 1) + step);
        writer.add(chunk, times, places);
        return { chunk, times: [...times], places };
      });
      const { chunks, list, places } = writer.finish();
      expect(chunks).toBe(given.length);
      const reader = new PostingsReader(list, { places });
      const found = expected.map(() => {
        expect(reader.next()).toBe(true);
        return { chunk: reader.chunk, times: reader.readTimes(), places: reader.readPlaces() };
      });
      expect(found).toEqual(expected);
      expect(reader.next()).toBe(false);
    }),
  );
});

it("scores are those of BM25 with weighted fields, and places need not be read", () => {
  fc.assert(
    fc.property(occurrences, (given) => {
      const writer = new PostingsWriter();
      given.forEach(({ times }, i) => {
        writer.add(2 * i, times, new Array(times.reduce((a, b) => a + b)).fill(0));
      });
      const scores = new Float32Array(2 * given.length);
      const norms = Float32Array.from(scores, (_, i) => computeLengthNorm(i + 1, 7));
      addScores(
        writer.finish().list,
        new FieldSums({ name: 8, path: 4, head: 3, body: 1 }),
        1.5,
        norms,
        scores,
      );
      given.forEach(({ times: [name, path, head, body] }, i) => {
        const frequency = 8 * name! + 4 * path! + 3 * head! + body!;
        const norm = 1.2 * (1 - 0.75 + (0.75 * (2 * i + 1)) / 7);
        expect(scores[2 * i]).toBeCloseTo((1.5 * frequency * 2.2) / (frequency + norm), 4);
        expect(scores[2 * i + 1]).toBe(0);
      });
    }),
  );
});

const stream = fc
  .array(fc.constantFrom("a", "b", "c", "retry", "ü"), { maxLength: 6 })
  .map((words) => words.join(" "));
const chunk = fc.tuple(stream, stream, stream, stream);
const segments = fc.array(
  fc.array(fc.record({ streams: chunk, gone: fc.boolean() }), { minLength: 1, maxLength: 6 }),
  {
    minLength: 1,
    maxLength: 5,
  },
);

type Streams = readonly [string, string, string, string];

function built(first: number, chunks: readonly Streams[]) {
  const builder = new SegmentBuilder(first);
  // Each chunk defines what its first word says.
  for (const streams of chunks) builder.add("method", streams, [streams[0].split(" ")[0]!]);
  return { chunks: builder.buildSegmentChunks(), postings: new Map(builder.buildPostings()) };
}

const plain = (postings: Iterable<[string, Postings]>) =>
  [...postings].map(([word, { chunks, list, places }]) => [word, chunks, [...list], [...places]]);

describe("segments", () => {
  it("merge into what all of their chunks together would have made, without those that are gone", () => {
    fc.assert(
      fc.property(segments, (given) => {
        let next = 1;
        const parts = given.map((chunks) => {
          const part = built(
            next,
            chunks.map(({ streams }) => streams),
          );
          next += chunks.length;
          const isGone = chunks.some(({ gone }) => gone)
            ? Uint8Array.from(chunks, ({ gone }) => Number(gone))
            : null;
          return { ...part, isGone };
        });
        const merge = new SegmentMerge(parts);
        const anew = built(
          1,
          given.flat().flatMap(({ streams, gone }) => (gone ? [] : [streams])),
        );
        const words = [...new Set(parts.flatMap(({ postings }) => [...postings.keys()]))].sort();
        const merged = words.map((word): [string, Postings] => [
          word,
          merge.mergePostings(
            parts.flatMap(({ postings }, source) =>
              postings.has(word) ? [{ source, postings: postings.get(word)! }] : [],
            ),
          ),
        ]);
        expect(plain(merged.filter(([, { chunks }]) => chunks > 0))).toEqual(plain(anew.postings));
        expect([...merge.chunks.lengths]).toEqual([...anew.chunks.lengths]);
        const kept = given.flat().flatMap(({ gone }, i) => (gone ? [] : [i + 1]));
        expect([...merge.chunks.ids]).toEqual(kept);
        expect(decodeChunks(encodeChunks(merge.chunks), kept.length)).toEqual(merge.chunks);
        for (let id = 0; id <= next; id++)
          expect(findChunkPlace(merge.chunks.ids, id)).toBe(kept.indexOf(id));
      }),
    );
  });

  it("hold phrases where words follow each other in one field", () => {
    const phrase = fc.array(fc.constantFrom("a", "b", "c"), { minLength: 1, maxLength: 3 });
    fc.assert(
      fc.property(fc.array(chunk, { minLength: 1, maxLength: 8 }), phrase, (chunks, words) => {
        const { postings } = built(1, chunks);
        const lists = words.flatMap((word) => postings.get(word) ?? []);
        const found = lists.length < words.length ? [] : [...findChunksWithPhrase(lists)];
        const holds = (streams: Streams) =>
          streams.some((one) => ` ${one} `.includes(` ${words.join(" ")} `));
        expect(found).toEqual(chunks.flatMap((streams, i) => (holds(streams) ? [i] : [])));
      }),
    );
  });
});
