import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createPlainKernel } from "../../../../test/support/plain/vector-kernel.ts";
import { chunkRecord, indexedFile } from "../../../../test/support/record-fixture.ts";
import { type Level, levels } from "../../../base/levels.ts";
import { createKernel } from "../../vectors/vector-kernel.ts";
import { type ChunkId, type SearchScope, toChunkId } from "../port.ts";
import { ChunkVectors } from "./chunk-vectors.ts";
import { IndexDatabase } from "./index-database.ts";

let dir: string;
let file: string;
let index: IndexDatabase;
let vectors: ChunkVectors;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "pommel-vectors-"));
  file = join(dir, "index.db");
  index = IndexDatabase.open(file, { readonly: false });
  vectors = new ChunkVectors(index, "m");
});

afterEach(() => {
  index.close();
  rmSync(dir, { recursive: true, force: true });
});

const everywhere: SearchScope = { files: null, levels: null };

interface Given {
  id: string;
  vector: number[] | null;
  level?: Level;
}

/** Writes a file whose chunks have these vectors; as another process would, with another index. */
function write(path: string, chunks: readonly Given[], { model = "m", into = index } = {}): void {
  const dimensions = chunks.find(({ vector }) => vector !== null)?.vector?.length ?? 2;
  const records = chunks.map(({ id, level = "method" }) => chunkRecord(id, { level }));
  into.replace(indexedFile(path, records), {
    model,
    dimensions,
    vectors: chunks.map(({ vector }) => vector && Int8Array.from(vector)),
  });
}

const nameOf = (id: ChunkId) => index.readChunks([id])[0]?.uid;
const near = (query: number[], k = 10, scope: SearchScope = everywhere) =>
  vectors.findNearest(Int8Array.from(query), k, scope).map(({ id }) => nameOf(id));

describe("the nearest chunks", () => {
  it("come by angle, not by length, best first", () => {
    write("a.ts", [
      { id: "opposite", vector: [-9, 0] },
      { id: "same", vector: [1, 0] },
      { id: "near", vector: [100, 20] },
      { id: "across", vector: [0, 127] },
    ]);
    const found = vectors.findNearest(Int8Array.from([50, 0]), 10, everywhere);
    expect(found.map(({ id }) => nameOf(id))).toEqual(["same", "near", "across", "opposite"]);
    expect(found.map(({ score }) => score)).toEqual([
      1,
      expect.closeTo(100 / Math.hypot(100, 20), 12),
      0,
      -1,
    ]);
  });

  it("are at most so many, and of equal ones the first in the database", () => {
    write(
      "a.ts",
      ["1", "2", "3", "4", "5"].map((id) => ({ id, vector: [1, 1] })),
    );
    expect(near([1, 1], 3)).toEqual(["1", "2", "3"]);
    expect(near([1, 1], 0)).toEqual([]);
  });

  it("never are those without a vector", () => {
    write("a.ts", [
      { id: "none", vector: null },
      { id: "away", vector: [-1, -1] },
    ]);
    expect(near([1, 1])).toEqual(["away"]);
  });

  it("are none for a query without direction, of another length, or in an empty index", () => {
    expect(near([1, 1])).toEqual([]);
    write("a.ts", [{ id: "1", vector: [1, 1] }]);
    expect(near([0, 0])).toEqual([]);
    expect(near([1, 1, 1])).toEqual([]);
  });

  it("stay within files and levels, however good the others are", () => {
    write("a.ts", [
      { id: "best", vector: [1, 0] },
      { id: "whole", vector: [1, 1], level: "file" },
    ]);
    write("b.ts", [{ id: "other", vector: [0, 1] }]);
    const idOf = (path: string) => index.listIndexedFiles().find((known) => known.path === path)!.id;
    expect(near([1, 0], 1, { files: [idOf("b.ts")], levels: null })).toEqual(["other"]);
    expect(near([1, 0], 1, { files: null, levels: ["file"] })).toEqual(["whole"]);
    expect(near([1, 0], 9, { files: [idOf("b.ts")], levels: ["file"] })).toEqual([]);
    expect(near([1, 0], 9, { files: [], levels: null })).toEqual([]);
  });
});

describe("the similarities of given chunks", () => {
  it("come in their order, and are not a number where there is no vector", () => {
    write("a.ts", [
      { id: "1", vector: [1, 0] },
      { id: "2", vector: null },
      { id: "3", vector: [0, 5] },
    ]);
    const ids = vectors.findNearest(Int8Array.from([1, 0]), 2, everywhere).map(({ id }) => id);
    const [first, third] = ids as [ChunkId, ChunkId];
    const second = toChunkId(Number(first) + 1);
    const asked = vectors.measureSimilarities(Int8Array.from([0, 1]), [third, toChunkId(999), second, first]);
    expect([...asked]).toEqual([1, Number.NaN, Number.NaN, 0]);
  });
});

describe("following the database", () => {
  it("picks up vectors that are written, replaced and removed", () => {
    write("a.ts", [{ id: "1", vector: [1, 0] }]);
    expect(near([1, 0])).toEqual(["1"]);
    write("b.ts", [{ id: "2", vector: [1, 0] }]);
    expect(near([1, 0])).toEqual(["1", "2"]);
    write("a.ts", [
      { id: "3", vector: [1, 0] },
      { id: "4", vector: [0, 1] },
    ]);
    expect(near([1, 0])).toEqual(["2", "3", "4"]);
    index.remove(["a.ts"]);
    expect(near([1, 0])).toEqual(["2"]);
    expect(vectors.measureSize().vectors).toBe(1);
  });

  it("sees what another process writes", () => {
    const theirs = IndexDatabase.open(file, { readonly: false });
    write("a.ts", [{ id: "1", vector: [1, 0] }]);
    expect(near([1, 0])).toEqual(["1"]);
    write("a.ts", [{ id: "2", vector: [0, 1] }], { into: theirs });
    expect(near([1, 0])).toEqual(["2"]);
    theirs.close();
  });

  it("gives no chunk the id of one that is gone", () => {
    write("a.ts", [{ id: "old", vector: [1, 0] }]);
    const before = vectors.findNearest(Int8Array.from([1, 0]), 1, everywhere)[0]!;
    write("a.ts", [{ id: "new", vector: [0, 1] }]);
    const after = vectors.findNearest(Int8Array.from([1, 0]), 1, everywhere)[0]!;
    expect(after.id).not.toBe(before.id);
    expect(after.score).toBe(0);
    expect([...vectors.measureSimilarities(Int8Array.from([1, 0]), [before.id])]).toEqual([Number.NaN]);
  });

  it("frees the room of removed vectors", () => {
    write("b.ts", [{ id: "stays", vector: [-1, 0] }]);
    const many = Array.from({ length: 2000 }, (_, i) => ({ id: String(i), vector: [1, i % 100] }));
    for (let round = 0; round < 20; round++) {
      write("a.ts", many);
      expect(vectors.measureSize().vectors).toBe(2001);
    }
    expect(vectors.measureSize().bytes).toBeLessThan(500_000);
    expect(near([-1, 0], 1)).toEqual(["stays"]);
  });

  it("knows only its own model, and of that only one length of vectors", () => {
    write("a.ts", [{ id: "1", vector: [1, 0] }]);
    write("b.ts", [{ id: "2", vector: [1, 0] }], { model: "other" });
    write("c.ts", [{ id: "3", vector: [1, 0, 0] }]);
    expect(near([1, 0])).toEqual(["1"]);
    expect(near([1, 0, 0])).toEqual([]);
  });

  it("takes another length of vectors once the old ones are gone", () => {
    write("a.ts", [{ id: "1", vector: [1, 0] }]);
    expect(near([1, 0])).toEqual(["1"]);
    write("a.ts", [{ id: "2", vector: [1, 0, 0] }]);
    expect(near([1, 0])).toEqual([]);
    expect(near([1, 0, 0])).toEqual(["2"]);
  });

  it("loads everything again after it was released", () => {
    write("a.ts", [{ id: "1", vector: [1, 0] }]);
    expect(near([1, 0])).toEqual(["1"]);
    vectors.release();
    expect(near([1, 0])).toEqual(["1"]);
  });
});

it("finds the nearest of what is stored, whatever was written, removed and asked", () => {
  const component = fc.integer({ min: -3, max: 3 });
  const vector = fc.array(component, { minLength: 4, maxLength: 4 });
  const level = fc.constantFrom(...levels);
  const chunks = fc.array(fc.record({ vector: fc.option(vector), level }), { maxLength: 8 });
  const change = fc.record({ path: fc.constantFrom("a.ts", "b.ts", "c.ts"), chunks: fc.option(chunks) });
  const scope = fc.record({
    files: fc.option(fc.array(fc.nat(12), { maxLength: 6 })),
    levels: fc.option(fc.subarray([...levels])),
  });
  fc.assert(
    fc.property(
      fc.array(change, { minLength: 1, maxLength: 10 }),
      scope,
      vector,
      fc.integer({ min: 1, max: 9 }),
      (changes, { files, levels: wanted }, query, k) => {
        index.remove(index.listIndexedFiles().map(({ path }) => path));
        const now = new Map<string, readonly Given[]>();
        for (const { path, chunks } of changes) {
          if (chunks === null) {
            index.remove([path]);
            now.delete(path);
          } else {
            // One at least says how long vectors are.
            const all = [{ vector: [1, 0, 0, 0] }, ...chunks].map((given, i) => ({
              ...given,
              id: `${path} ${i}`,
            }));
            write(path, all);
            // What was written last comes last.
            now.delete(path);
            now.set(path, all);
          }
          const ids = new Map(index.listIndexedFiles().map((file) => [file.path, file.id]));
          const among = files?.map((n) => [...ids.values()][n % 4]).filter((id) => id !== undefined) ?? null;
          const expected = [...now].flatMap(([path, all]) =>
            among === null || among.includes(ids.get(path)!)
              ? all.flatMap(({ id, vector, level = "method" }) =>
                  vector?.some((one) => one !== 0) && (wanted === null || wanted.includes(level))
                    ? { id, score: cosine(vector, query) }
                    : [],
                )
              : [],
          );
          expected.sort((a, b) => b.score - a.score);
          const hasDirection = query.some((one) => one !== 0);
          expect(near(query, k, { files: among, levels: wanted })).toEqual(
            hasDirection ? expected.slice(0, k).map(({ id }) => id) : [],
          );
        }
      },
    ),
  );
});

/** In the kernel's order of steps: rounded in the same way. */
function cosine(a: readonly number[], b: readonly number[]): number {
  const product = (x: readonly number[], y: readonly number[]) =>
    x.reduce((sum, value, i) => sum + value * y[i]!, 0);
  return product(a, b) * (1 / Math.sqrt(product(a, a))) * (1 / Math.sqrt(product(b, b)));
}

it("finds the same with and without WebAssembly, in the same order", () => {
  const component = fc.integer({ min: -127, max: 127 });
  const vector = fc.array(component, { minLength: 20, maxLength: 20 });
  fc.assert(
    fc.property(
      fc.array(fc.option(vector, { nil: null }), { minLength: 1, maxLength: 40 }),
      vector,
      fc.integer({ min: 1, max: 50 }),
      (rows, query, k) => {
        write(
          "a.ts",
          rows.map((row, i) => ({ id: String(i), vector: row ?? (i === 0 ? Array(20).fill(0) : null) })),
        );
        const [quick, plain] = [createKernel, createPlainKernel].map(
          (create) => new ChunkVectors(index, "m", create),
        );
        const asked = Int8Array.from(query);
        const found = quick!.findNearest(asked, k, everywhere);
        expect(plain!.findNearest(asked, k, everywhere)).toEqual(found);
        const ids = [...found.map(({ id }) => id), toChunkId(12345)];
        expect(plain!.measureSimilarities(asked, ids)).toEqual(quick!.measureSimilarities(asked, ids));
        const sorted = [...found].sort((a, b) => b.score - a.score || Number(a.id) - Number(b.id));
        expect(found).toEqual(sorted);
      },
    ),
    { numRuns: 100 },
  );
});
