import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, expect, it } from "vitest";
import { seeded } from "../../../../../models/train/random.ts";
import { chunkRecord, indexedFile } from "../../../../../test/support/record-fixture.ts";
import type { Level } from "../../../../project/levels.ts";
import type { FileId, Scope } from "../../port.ts";
import { chunkId } from "../../stored-rows.ts";
import { ChunkVectors } from "../chunk-vectors.ts";
import { IndexDatabase } from "../index-database.ts";
import { SqliteIndex } from "../sqlite-index.ts";
import { storeVectors } from "../vector-rows.ts";
import { stored } from "./sign-blocks.ts";
import { VectorThread } from "./vector-thread.ts";

const everywhere: Scope = { files: null, levels: null };
const levels: readonly Level[] = ["file", "class", "method", "block", "lines"];
const dimensions = 16;
const space = { model: "m", dimensions };

let dir: string;
let file: string;
let index: IndexDatabase;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "pommel-signs-"));
  file = join(dir, "index.db");
  index = IndexDatabase.open(file, { readonly: false, signsFrom: 600 });
});

afterEach(() => {
  index.close();
  rmSync(dir, { recursive: true, force: true });
});

let random = seeded(1);
const vector = (length = dimensions) =>
  Int8Array.from({ length }, () => Math.round((random() * 2 - 1) * 127));
/** One in ten is missing. */
const vectors = (count: number, length = dimensions) =>
  Array.from({ length: count }, () => (random() < 0.1 ? null : vector(length)));

const chunksOf = (path: string, count: number) =>
  Array.from({ length: count }, (_, i) => chunkRecord(`${path} ${i}`, { level: levels[i % levels.length]! }));

function write(path: string, count: number, { into = index, model = "m", length = dimensions } = {}): void {
  into.replace(indexedFile(path, chunksOf(path, count)), {
    model,
    dimensions: length,
    vectors: vectors(count, length),
  });
}

/** A large index: enough for its signs to be stored. */
function fill(files = 40, chunks = 40): void {
  for (let i = 0; i < files; i++) write(`${i}.ts`, chunks);
  settle();
}

function settle(): void {
  while (index.mergeStep(true));
}

/** Enough for the whole index, so that the answer must be exact. */
const all = { bySigns: 100_000, byShares: 100_000 };
const bySigns = (candidates = all) => new ChunkVectors(index, "m", { candidates });

/** The same by comparing all vectors. */
function exact(query: Int8Array, k: number, scope: Scope) {
  const stored = index.prepare("SELECT * FROM vectors WHERE model = 'm'").all() as {
    file_id: FileId;
    first_chunk: number;
    dimensions: number;
    levels: Uint8Array;
    data: Uint8Array;
  }[];
  const found = stored
    .filter((row) => row.dimensions === query.length)
    .filter(({ file_id }) => scope.files === null || scope.files.includes(file_id))
    .flatMap((row) =>
      Array.from(row.levels, (level, i) => ({
        id: chunkId(row.first_chunk + i),
        level: levels[level]!,
        vector: new Int8Array(row.data.slice(i * query.length, (i + 1) * query.length).buffer),
      })),
    )
    .filter(({ level }) => scope.levels === null || scope.levels.includes(level))
    .filter(({ vector }) => vector.some((component) => component !== 0))
    .map(({ id, vector }) => ({ id, score: cosine(vector, query) }));
  return found.sort((a, b) => b.score - a.score || Number(a.id) - Number(b.id)).slice(0, k);
}

function cosine(a: Int8Array, b: Int8Array): number {
  const product = (x: Int8Array, y: Int8Array) => x.reduce((sum, value, i) => sum + value * y[i]!, 0);
  return product(a, b) * (1 / Math.sqrt(product(a, a))) * (1 / Math.sqrt(product(b, b)));
}

it("finds what comparing all vectors finds, whatever is written, removed and asked", () => {
  const change = fc.oneof(
    fc.record({ what: fc.constant("write"), file: fc.nat(30), chunks: fc.integer({ min: 0, max: 60 }) }),
    fc.record({ what: fc.constant("remove"), file: fc.nat(30), chunks: fc.constant(0) }),
    fc.record({ what: fc.constant("embed"), file: fc.nat(30), chunks: fc.constant(0) }),
    fc.record({ what: fc.constantFrom("settle", "reopen"), file: fc.constant(0), chunks: fc.constant(0) }),
  );
  const scopes = fc.record({
    files: fc.option(fc.array(fc.nat(60), { maxLength: 20 })),
    levels: fc.option(fc.subarray([...levels])),
  });
  let withSigns = 0;
  fc.assert(
    fc.property(
      fc.array(change, { maxLength: 12 }),
      fc.array(scopes, { minLength: 1, maxLength: 2 }),
      fc.integer({ min: 1, max: 80 }),
      fc.nat(),
      (changes, scopes, k, seed) => {
        random = seeded(seed);
        fill(20, 40);
        let asked = bySigns();
        const check = () => {
          const query = vector();
          for (const { files, levels } of [everywhere, ...scopes]) {
            const scope = { files: files as FileId[] | null, levels };
            expect(asked.nearest(query, k, scope)).toEqual(exact(query, k, scope));
          }
          const ids = exact(query, 1e6, everywhere);
          const similarities = asked.similarities(query, [...ids.map(({ id }) => id), chunkId(1e6)]);
          expect([...similarities]).toEqual([...ids.map(({ score }) => score), Number.NaN]);
          if (stored(index, space).chunks > 0) withSigns++;
        };
        check();
        for (const { what, file, chunks } of changes) {
          const path = `${file}.ts`;
          if (what === "write") write(path, chunks);
          else if (what === "remove") index.remove([path]);
          else if (what === "settle") settle();
          else if (what === "reopen") asked = bySigns();
          else {
            const count = index.prepare("SELECT chunks FROM files WHERE path = ?").pluck().get(path);
            const known = chunksOf(path, (count as number | undefined) ?? 0);
            storeVectors(index, indexedFile(path, known), { ...space, vectors: vectors(known.length) });
          }
          check();
        }
        index.remove(index.files().map(({ path }) => path));
      },
    ),
    { numRuns: 5 },
  );
  expect(withSigns).toBeGreaterThan(10);
});

it("finds nearly all of the nearest with few candidates", () => {
  fill(100, 40);
  const asked = bySigns({ bySigns: 200, byShares: 60 });
  let found = 0;
  for (let i = 0; i < 20; i++) {
    const query = vector();
    const ids = asked.nearest(query, 10, everywhere).map(({ id }) => id);
    found += exact(query, 10, everywhere).filter(({ id }) => ids.includes(id)).length;
  }
  expect(found / 200).toBeGreaterThan(0.8);
  expect(found / 200).toBeLessThan(1);
});

it("holds signs instead of vectors, and stores those of no small index", () => {
  write("a.ts", 250);
  settle();
  expect(stored(index, space).chunks).toBe(0);
  fill(100, 40);
  expect(stored(index, space).chunks).toBeGreaterThan(3000);
  const large = Array.from({ length: 20 }, (_, i) => `${i}.ts`);
  index.remove(large);
  settle();
  expect(stored(index, space).chunks).toBeGreaterThan(3000);
  index.remove(index.files().flatMap(({ path }) => (path === "a.ts" ? [] : path)));
  settle();
  expect(stored(index, space).chunks).toBe(0);
});

it("writes blocks again when a quarter of their chunks is gone, and is never without them", () => {
  fill(100, 40);
  const { chunks: least } = index.prepare("SELECT min(chunks) AS chunks FROM sign_blocks").get() as {
    chunks: number;
  };
  for (let round = 0; round < 6; round++) {
    for (let i = 0; i < 100; i += 3) write(`${i}.ts`, 40);
    do {
      expect(stored(index, space).chunks).toBeGreaterThan(2000);
    } while (index.mergeStep(true));
    expect(stored(index, space).chunks).toBeLessThanOrEqual((4000 * 4) / 3);
  }
  const blocks = index.prepare("SELECT chunks FROM sign_blocks").pluck().all() as number[];
  expect(blocks.filter((chunks) => chunks < least).length).toBeLessThanOrEqual(2);
  const query = vector();
  for (const asked of [bySigns(), bySigns({ bySigns: 400, byShares: 200 })])
    expect(asked.nearest(query, 1, everywhere)).toEqual(exact(query, 1, everywhere));
  expect(bySigns().nearest(query, 20, everywhere)).toEqual(exact(query, 20, everywhere));
});

it("keeps models and lengths apart", () => {
  fill();
  for (let i = 100; i < 130; i++) write(`${i}.ts`, 40, { model: "other" });
  for (let i = 200; i < 210; i++) write(`${i}.ts`, 40, { length: 24 });
  settle();
  expect(stored(index, { model: "other", dimensions }).chunks).toBeGreaterThan(1000);
  const query = vector();
  expect(bySigns().nearest(query, 20, everywhere)).toEqual(exact(query, 20, everywhere));
  expect(bySigns().nearest(vector(24), 20, everywhere)).toEqual([]);
  expect([...bySigns().similarities(vector(24), [chunkId(1)])]).toEqual([Number.NaN]);
});

it("forgets the signs of models that are no longer kept", async () => {
  fill();
  write("a.ts", 600, { model: "other" });
  settle();
  await new SqliteIndex(index).keepModels(["other"]);
  settle();
  expect(stored(index, space).chunks).toBe(0);
  expect(stored(index, { model: "other", dimensions }).chunks).toBeGreaterThan(500);
});

it("follows what another process writes and stores", () => {
  const theirs = IndexDatabase.open(file, { readonly: false, signsFrom: 600 });
  const query = vector();
  const asked = bySigns();
  expect(asked.nearest(query, 5, everywhere)).toEqual([]);
  for (let i = 0; i < 40; i++) write(`${i}.ts`, 40, { into: theirs });
  expect(asked.nearest(query, 50, everywhere)).toEqual(exact(query, 50, everywhere));
  const before = asked.size().bytes;
  while (theirs.mergeStep(true));
  expect(asked.nearest(query, 50, everywhere)).toEqual(exact(query, 50, everywhere));
  expect(asked.size().bytes).not.toBe(before);
  theirs.remove(["3.ts"]);
  write("4.ts", 10, { into: theirs });
  expect(asked.nearest(query, 50, everywhere)).toEqual(exact(query, 50, everywhere));
  theirs.close();
});

it("loads everything again after it was released", () => {
  fill();
  const asked = bySigns();
  const query = vector();
  const found = asked.nearest(query, 5, everywhere);
  asked.release();
  expect(asked.nearest(query, 5, everywhere)).toEqual(found);
});

it("a thread that has the vectors answers as the index itself, which does so when the thread has ended", async () => {
  expect(VectorThread.of(index)).toBeNull();
  fill();
  const thread = VectorThread.of(index)!;
  try {
    const [itself, asking] = [new SqliteIndex(index), new SqliteIndex(index, thread)];
    const some: Scope = { files: [3, 7] as unknown as FileId[], levels: ["method"] };
    const query = { model: "m", vector: vector() };
    for (const scope of [everywhere, some]) {
      expect(await asking.nearest(query, 20, scope)).toEqual(await itself.nearest(query, 20, scope));
    }
    const ids = [900, 3, 99_999].map(chunkId);
    expect(await asking.similarities(query, ids)).toEqual(await itself.similarities(query, ids));
    expect(await asking.nearest({ ...query, model: "other" }, 20, everywhere)).toEqual([]);
    await thread.close();
    await expect(thread.similarities(query, ids)).rejects.toThrow(/ended/);
    expect(await asking.nearest(query, 20, some)).toEqual(await itself.nearest(query, 20, some));
  } finally {
    await thread.close();
  }
});
