import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { chunkRecord, indexedFile } from "../../../../test/support/record-fixture.ts";
import { IndexDatabase } from "./index-database.ts";
import {
  countVectorsByModel,
  keepModels,
  listPathsWithoutVectors,
  listVectorRowIds,
  readVectorRowsAfter,
  storeVectors,
} from "./vector-rows.ts";

let dir: string;
let index: IndexDatabase;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "pommel-vectors-"));
  index = IndexDatabase.open(join(dir, "index.db"), { readonly: false });
});

afterEach(() => {
  index.close();
  rmSync(dir, { recursive: true, force: true });
});

const vector = (...components: number[]) => Int8Array.from(components);
const file = indexedFile("a.ts", [chunkRecord("1", { level: "file" }), chunkRecord("2"), chunkRecord("3")]);
const vectors = { model: "m", dimensions: 2, vectors: [vector(1, -2), null, vector(127, 0)] };

it("keeps the vectors of a file in one row, and drops them with the file", () => {
  index.replace(indexedFile("before.ts", [chunkRecord("0")]));
  index.replace(file, vectors);
  const [row, ...others] = [...readVectorRowsAfter(index, "m", 0)];
  expect(others).toEqual([]);
  expect(row).toMatchObject({ dimensions: 2, firstId: index.countChunks() - 2 });
  expect([...row!.levels]).toEqual([0, 2, 2]);
  expect([...new Int8Array(row!.data)]).toEqual([1, -2, 0, 0, 127, 0]);
  expect(countVectorsByModel(index)).toEqual([{ model: "m", dimensions: 2, chunks: 3, missing: 1 }]);
  index.remove(["a.ts"]);
  expect(listVectorRowIds(index, "m")).toEqual([]);
});

it("gives a new id to every row, so that readers find what is new after the last they know", () => {
  index.replace(file, vectors);
  const [first] = listVectorRowIds(index, "m");
  index.replace(file, vectors);
  const [second] = listVectorRowIds(index, "m");
  expect(second).toBeGreaterThan(first!);
  expect([...readVectorRowsAfter(index, "m", first!)].map(({ id }) => id)).toEqual([second]);
  expect([...readVectorRowsAfter(index, "m", second!)]).toEqual([]);
});

it("stores nothing when vectors and chunks do not fit together", () => {
  expect(() => index.replace(file, { ...vectors, vectors: [null] })).toThrow();
  expect(() => index.replace(file, { ...vectors, vectors: [vector(1), null, null] })).toThrow();
  expect(index.readIndexCounts()).toMatchObject({ files: 0, chunks: 0 });
});

it("takes the vectors of another model later, in the place of its earlier ones", () => {
  index.replace(file, vectors);
  const more = { model: "other", dimensions: 1, vectors: [vector(1), vector(2), vector(3)] };
  expect(storeVectors(index, file, more)).toBe(true);
  expect(storeVectors(index, file, { ...more, vectors: [vector(4), null, null] })).toBe(true);
  expect([...readVectorRowsAfter(index, "other", 0)].map(({ data }) => [...data])).toEqual([[4, 0, 0]]);
  expect(listVectorRowIds(index, "m")).toHaveLength(1);
});

it.each([
  ["holds something else", { ...file, hash: "older" }],
  ["was cut into other chunks", indexedFile("a.ts", file.chunks.slice(1))],
  ["is gone", indexedFile("gone.ts", file.chunks)],
])("refuses vectors made from a file that meanwhile %s", (_, old) => {
  index.replace(file);
  const made = { model: "m", dimensions: 1, vectors: old.chunks.map(() => vector(1)) };
  expect(storeVectors(index, old, made)).toBe(false);
  expect(listVectorRowIds(index, "m")).toEqual([]);
});

it("knows which files a model has not seen, those indexed last first", () => {
  index.replace(file, vectors);
  index.replace(indexedFile("b.ts", [chunkRecord("4")]));
  index.replace(indexedFile("empty.ts", []));
  index.replace({ status: "skipped", path: "c.bin", size: 1, mtimeMs: 1, reason: "binary" });
  expect(listPathsWithoutVectors(index, { model: "m", dimensions: 2 })).toEqual(["b.ts"]);
  expect(listPathsWithoutVectors(index, { model: "other", dimensions: 2 })).toEqual(["b.ts", "a.ts"]);
  // The same name with another length of vectors is another model.
  expect(listPathsWithoutVectors(index, { model: "m", dimensions: 3 })).toEqual(["b.ts", "a.ts"]);
});

it("forgets models that are not in use", () => {
  index.replace(file, vectors);
  storeVectors(index, file, { ...vectors, model: "old" });
  keepModels(index, ["m", "new"]);
  expect(countVectorsByModel(index).map(({ model }) => model)).toEqual(["m"]);
  keepModels(index, []);
  expect(countVectorsByModel(index)).toEqual([]);
});

it("distinguishes its own changes, those of others, and none", () => {
  const other = IndexDatabase.open(join(dir, "index.db"), { readonly: false });
  const before = index.readVersion();
  expect(index.readVersion()).toBe(before);
  other.setMeta("key", "value");
  const after = index.readVersion();
  expect(after).not.toBe(before);
  index.setMeta("key", "other");
  expect(index.readVersion()).not.toBe(after);
  other.close();
});
