import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { addSession, chunk, temporaryMemory } from "../../../../test/support/memory-fixture.ts";
import { quantise } from "../../../models/embed/quantise.ts";
import { replaceChunks } from "../../../store/memory/chunks/chunks.ts";
import { createPassageSource, type PassageRow } from "../../../store/memory/chunks/vectors.ts";
import { Memory } from "../../../store/memory/memory.ts";
import type { SessionChunkId } from "../../../store/memory/memory-records.ts";
import type { VectorSource } from "../../../store/vectors/vector-index.ts";
import { PassageNearness } from "./nearness.ts";

/** Passages of chunks, as a database holds them. */
interface Given {
  chunkId: number;
  passages: number[][];
}

function sourceOf(given: readonly Given[]): VectorSource<PassageRow> {
  const rows = given.map(({ chunkId, passages }, i): PassageRow => {
    const data = new Uint8Array(Int8Array.from(passages.flat()).buffer);
    return { id: i + 1, chunkId: chunkId as SessionChunkId, dimensions: passages[0]?.length ?? 0, data };
  });
  return {
    version: () => "1",
    count: () => given.flatMap(({ passages }) => passages).length,
    rowsAfter: (_, id) => rows.filter((row) => row.id > id),
    rowIds: () => rows.map(({ id }) => id),
  };
}

const dot = (a: readonly number[], b: readonly number[]) => a.reduce((sum, x, i) => sum + x * b[i]!, 0);
const scaled = (a: readonly number[], by: number) => a.map((x) => x * by);
const unit = (a: readonly number[]) => (dot(a, a) === 0 ? [...a] : scaled(a, 1 / Math.sqrt(dot(a, a))));

/** The same by its documentation: cosines after half of the mean is removed. */
function plainNearness(given: readonly Given[], query: readonly number[], inMean = given) {
  const counted = inMean.flatMap(({ passages }) => passages.map(unit));
  const sum = counted.reduce((total, x) => total.map((y, i) => y + x[i]!), scaled(query, 0));
  const mean = scaled(sum, 1 / counted.length);
  const size = Math.sqrt(dot(mean, mean));
  // The one thing that is not exact: the mean's direction is compared as int8.
  const direction = quantise(mean);
  const alongMean = (x: readonly number[]) => (direction ? dot(x, unit([...direction])) * size : 0);
  const rest = (ofMean: number) => Math.sqrt(Math.max(1 - ofMean + 0.25 * dot(mean, mean), 1e-6));
  const ofQuery = dot(unit(query), mean);
  return given.map(({ passages }) => {
    const cosines = passages.map(unit).map((x) => {
      const left = dot(x, unit(query)) - 0.5 * (alongMean(x) + ofQuery) + 0.25 * dot(mean, mean);
      return left / (rest(ofQuery) * rest(alongMean(x)));
    });
    if (cosines.length === 0) return { best: Number.NaN, whole: Number.NaN };
    return { best: Math.max(...cosines), whole: cosines.reduce((a, b) => a + b, 0) / cosines.length };
  });
}

function expectNearness(
  index: PassageNearness,
  query: number[],
  expected: { best: number; whole: number }[],
) {
  const nearness = index.to(Int8Array.from(query))!;
  expect(nearness.chunkIds).toHaveLength(expected.length);
  nearness.chunkIds.forEach((id, place) => {
    expect(nearness.placeOf.get(id)).toBe(place);
    for (const part of ["best", "whole"] as const) {
      if (Number.isNaN(expected[place]![part])) expect(nearness[part][place]).toBeNaN();
      else expect(Math.abs(nearness[part][place]! - expected[place]![part])).toBeLessThan(1e-6);
    }
  });
}

const component = fc.integer({ min: -127, max: 127 });
const vectorsOf = (dimensions: number) =>
  fc.array(component, { minLength: dimensions, maxLength: dimensions });

describe("nearness", () => {
  it("follows the formula", () => {
    const dimensions = 20;
    const vector = vectorsOf(dimensions);
    const passages = fc.array(vector, { maxLength: 4 });
    fc.assert(
      fc.property(
        fc.array(passages, { minLength: 1, maxLength: 12 }),
        vector,
        vector.filter((query) => query.some((x) => x !== 0)),
        (chunks, first, query) => {
          const given = [[first], ...chunks].map((passages, i) => ({ chunkId: 3 * i + 1, passages }));
          expectNearness(new PassageNearness(sourceOf(given), "m"), query, plainNearness(given, query));
        },
      ),
      { numRuns: 200 },
    );
  });

  it("distinguishes close vectors", () => {
    const given = [
      { chunkId: 1, passages: [[100, 20, 0]] },
      { chunkId: 2, passages: [[100, 0, 20]] },
    ];
    const { best } = new PassageNearness(sourceOf(given), "m").to(Int8Array.from([100, 30, 0]))!;
    expect(best[0]! - best[1]!).toBeGreaterThan(2 * (0.99 - 0.94));
  });

  it("estimates the common part from one of eight chunks if there are many", () => {
    const random = fc.sample(vectorsOf(8), { numRuns: 1200, seed: 7 });
    const given = random.map((vector, i) => ({ chunkId: i + 1, passages: [vector] }));
    const sample = given.filter(({ chunkId }) => chunkId % 8 === 0);
    const query = [1, 2, 3, 4, 5, 6, 7, 8];
    expectNearness(new PassageNearness(sourceOf(given), "m"), query, plainNearness(given, query, sample));
    const few = given.slice(0, 1000);
    expectNearness(new PassageNearness(sourceOf(few), "m"), query, plainNearness(few, query));
  });

  it("is null for a query of another length or without direction, and without vectors", () => {
    const index = new PassageNearness(sourceOf([{ chunkId: 1, passages: [[1, 0]] }]), "m");
    expect(index.to(Int8Array.from([1, 0, 0]))).toBeNull();
    expect(index.to(Int8Array.from([0, 0]))).toBeNull();
    expect(index.to(Int8Array.from([1, 0]))).not.toBeNull();
    expect(new PassageNearness(sourceOf([]), "m").to(Int8Array.from([1, 0]))).toBeNull();
    expect(new PassageNearness(sourceOf([]), "m").countPassages()).toBe(0);
  });
});

describe("following the database", () => {
  let store: ReturnType<typeof temporaryMemory>;
  let index: PassageNearness;
  beforeEach(() => {
    store = temporaryMemory();
    index = new PassageNearness(createPassageSource(store.memory), "m");
  });
  afterEach(() => store.remove());

  const query = [3, 1, -2];

  /** Puts chunks with these passages in place of a session's from one on. */
  function write(
    uid: string,
    all: readonly number[][][],
    { from = 0, model = "m", memory = store.memory } = {},
  ): void {
    const session = addSession(memory, uid);
    const chunks = all.map((passages, i) => {
      const data = Int8Array.from(passages.flat());
      const vectors = new Map([[model, { dimensions: passages[0]?.length ?? 0, data }]]);
      return chunk(from + i, "text", { session: uid, vectors });
    });
    replaceChunks(memory, session.id, { type: "raw", from }, chunks);
  }

  /** The results equal those of a new index, and those of the formula. */
  function expectAll(...chunks: number[][][]): void {
    const given = chunks.map((passages, i) => ({ chunkId: i, passages }));
    expectNearness(index, query, plainNearness(given, query));
    const asked = Int8Array.from(query);
    expect(index.to(asked)).toEqual(new PassageNearness(createPassageSource(store.memory), "m").to(asked));
    expect(index.countPassages()).toBe(chunks.flat().length);
  }

  const [a, b, c, d] = [
    [[9, 1, 0]],
    [
      [1, 9, 3],
      [0, 0, 7],
    ],
    [[-5, 2, 2]],
    [[4, 4, 4]],
  ] as const;
  const of = (passages: readonly (readonly number[])[]) => passages.map((passage) => [...passage]);

  it("follows additions, replacements and deletions", () => {
    write("s", [of(a)]);
    expectAll(of(a));
    write("s", [of(b)], { from: 1 });
    write("t", [of(c)]);
    expectAll(of(a), of(b), of(c));
    write("s", [of(d)], { from: 1 });
    expectAll(of(a), of(c), of(d));
    write("s", []);
    expectAll(of(c));
    write("t", []);
    expect(index.to(Int8Array.from(query))).toBeNull();
    write("t", [of(d)]);
    expectAll(of(d));
  });

  it("sees what another process writes", () => {
    write("s", [of(a)]);
    expectAll(of(a));
    const theirs = Memory.open(store.memory.file, { readonly: false });
    write("s", [of(b)], { from: 1, memory: theirs });
    theirs.close();
    expectAll(of(a), of(b));
  });

  it("ignores chunks that its model skips, and another model's", () => {
    write("s", [of(a), []]);
    write("t", [of(b)], { model: "other" });
    expectAll(of(a));
  });

  it("uses vectors of one length, the new one once the old are gone", () => {
    write("s", [of(a)]);
    write("t", [[[1, 0]]]);
    const near = (vector: number[]) => index.to(Int8Array.from(vector))?.best.length ?? null;
    expect([near(query), near([1, 0]), index.countPassages()]).toEqual([2, null, 1]);
    expect([...index.to(Int8Array.from(query))!.best].filter(Number.isNaN)).toHaveLength(1);
    write("s", []);
    expect([near(query), near([1, 0]), index.countPassages()]).toEqual([null, 1, 1]);
  });

  it("stays correct under many changes", () => {
    write("t", [of(c)]);
    for (let round = 1; round <= 8; round++) {
      const many = Array.from({ length: 150 }, (_, i) => [[i - 75, round, 3]]);
      write("s", many);
      expectAll(of(c), ...many);
    }
  });

  it("loads everything again after it was released", () => {
    write("s", [of(a), of(b)]);
    expectAll(of(a), of(b));
    index.release();
    expectAll(of(a), of(b));
  });
});

it("depends on the content, not on its history, also when few and many alternate", () => {
  const vectors = fc.sample(vectorsOf(4), { numRuns: 1500, seed: 3 });
  const all = vectors.map((vector, i) => ({ id: i + 1, chunkId: i + 1, vector }));
  let present = all.slice(0, 10);
  let version = 0;
  const rowOf = ({ id, chunkId, vector }: (typeof all)[number]): PassageRow => {
    return {
      id,
      chunkId: chunkId as SessionChunkId,
      dimensions: 4,
      data: new Uint8Array(Int8Array.from(vector).buffer),
    };
  };
  const source: VectorSource<PassageRow> = {
    version: () => String(version),
    count: () => present.length,
    rowsAfter: (_, id) => present.filter((row) => row.id > id).map(rowOf),
    rowIds: () => present.map(({ id }) => id),
  };
  const index = new PassageNearness(source, "m");
  const query = Int8Array.from([1, 2, 3, 4]);
  for (const [from, to] of [
    [0, 900],
    [0, 1100],
    [200, 1100],
    [200, 1400],
    [1000, 1500],
  ] as const) {
    present = all.slice(from, to);
    version++;
    expect(index.to(query)).toEqual(new PassageNearness(source, "m").to(query));
  }
});
