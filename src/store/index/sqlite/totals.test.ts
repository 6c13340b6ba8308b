import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, expect, it } from "vitest";
import { chunkRecord, indexedFile } from "../../../../test/support/record-fixture.ts";
import { Sqlite } from "../../sqlite/sqlite.ts";
import type { IndexedChange } from "../records.ts";
import { ChunkVectors } from "./chunk-vectors.ts";
import { IndexDatabase } from "./index-database.ts";
import { findWrongTotals } from "./schema.ts";
import { sqliteDriver } from "./sqlite-driver.ts";
import { keepModels, storeVectors } from "./vector-rows.ts";

let dir: string;
let file: string;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "pommel-totals-"));
  file = join(dir, "index.db");
});

afterEach(() => rmSync(dir, { recursive: true, force: true }));

const everywhere = { files: null, levels: null };

type Step =
  | { kind: "write" | "fail" | "others"; changes: IndexedChange[] }
  | { kind: "models"; models: string[] }
  | { kind: "vectors"; path: string; model: string };

const path = fc.constantFrom("a", "b", "c", "d");
const model = fc.constantFrom("m", "n");

const indexed = fc
  .record({
    path,
    chunks: fc.integer({ min: 0, max: 4 }),
    language: fc.constantFrom("go", "rust"),
    model,
    x: fc.nat(9),
  })
  .map(({ path, chunks, language, model, x }): IndexedChange => {
    const records = Array.from({ length: chunks }, (_, i) => chunkRecord(`${path}${i}`));
    const vectors = records.map((_, i) => (i === 1 ? null : Int8Array.from([x + 1, i])));
    return { ...indexedFile(path, records), language, vectors: { model, dimensions: 2, vectors } };
  });

const change = fc.oneof(
  { weight: 4, arbitrary: indexed },
  path.map((path): IndexedChange => ({ status: "skipped", path, size: 1, mtimeMs: 1, reason: "binary" })),
  path.map((path): IndexedChange => ({ status: "gone", path })),
  path.map((path): IndexedChange => ({ status: "unchanged", path, size: 2, mtimeMs: 2 })),
);
const changes = fc.uniqueArray(change, { selector: ({ path }) => path, maxLength: 4 });

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constantFrom("write", "fail", "others"), changes }) },
  fc.record({ kind: fc.constant("models" as const), models: fc.subarray(["m", "n"]) }),
  fc.record({ kind: fc.constant("vectors" as const), path, model }),
);

function take(
  step: Step,
  index: IndexDatabase,
  others: IndexDatabase,
  stored: Map<string, IndexedChange>,
): void {
  switch (step.kind) {
    case "models":
      keepModels(index, step.models);
      break;
    case "vectors": {
      const known = stored.get(step.path);
      if (known?.status !== "indexed") break;
      const vectors = known.chunks.map(() => Int8Array.from([1, 1]));
      storeVectors(index, known, { model: step.model, dimensions: 2, vectors });
      break;
    }
    case "fail":
      expect(() =>
        index.runInTransaction(() => {
          index.write(step.changes);
          throw new Error("undone");
        }),
      ).toThrow("undone");
      break;
    default:
      (step.kind === "write" ? index : others).write(step.changes);
      for (const change of step.changes) stored.set(change.path, change);
  }
}

it("totals are those of the rows, and vectors in memory those that are stored, whatever changed them", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
      for (const end of ["", "-wal", "-shm"]) rmSync(file + end, { force: true });
      const index = IndexDatabase.open(file, { readonly: false });
      const others = IndexDatabase.open(file, { readonly: false });
      const following = new Map(["m", "n"].map((model) => [model, new ChunkVectors(index, model)]));
      const stored = new Map<string, IndexedChange>();
      try {
        for (const step of steps) {
          take(step, index, others, stored);
          expect(findWrongTotals(index)).toBeNull();
          for (const [model, vectors] of following) {
            const query = Int8Array.from([3, 1]);
            const fresh = new ChunkVectors(index, model);
            expect(vectors.findNearest(query, 50, everywhere)).toEqual(
              fresh.findNearest(query, 50, everywhere),
            );
          }
        }
      } finally {
        index.close();
        others.close();
      }
    }),
    { numRuns: 25 },
  );
});

it("totals that are wrong are damage", async () => {
  const index = IndexDatabase.open(file, { readonly: false });
  index.replace(indexedFile("a.go", [chunkRecord("1")]));
  expect(await sqliteDriver.check(file)).toMatchObject({ state: "sound" });
  index.exec("UPDATE file_totals SET chunks = chunks + 1");
  index.close();
  expect(await sqliteDriver.check(file)).toEqual({
    state: "damaged",
    why: "its totals of files and chunks are wrong",
  });
});

it("an index of a former format is emptied", () => {
  const db = new Sqlite(file, { mode: "create", timeoutMs: 0 });
  db.exec(`
    CREATE TABLE files (id INTEGER PRIMARY KEY, path TEXT NOT NULL) STRICT;
    CREATE TABLE chunks (id INTEGER PRIMARY KEY, file_id INTEGER NOT NULL REFERENCES files ON DELETE CASCADE) STRICT;
    CREATE VIRTUAL TABLE chunk_terms USING fts5 (body, content = '', contentless_delete = 1);
    INSERT INTO files VALUES (1, 'a.go');
    INSERT INTO chunks VALUES (5, 1);
    INSERT INTO chunk_terms (rowid, body) VALUES (5, 'word');
    PRAGMA user_version = 2;
  `);
  db.close();
  const index = IndexDatabase.open(file, { readonly: false });
  expect(index.readIndexCounts()).toMatchObject({ files: 0, chunks: 0 });
  expect(findWrongTotals(index)).toBeNull();
  expect(index.has("SELECT 1 FROM sqlite_schema WHERE name LIKE 'chunk_terms%'")).toBe(false);
  expect(index.check()).toBe("ok");
  index.close();
});
