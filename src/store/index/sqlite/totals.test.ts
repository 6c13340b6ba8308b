import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, expect, it } from "vitest";
import { chunkRecord, indexedFile } from "../../../../test/support/record-fixture.ts";
import { Sqlite } from "../../sqlite/sqlite.ts";
import type { FileChange } from "../records.ts";
import { ChunkVectors } from "./chunk-vectors.ts";
import { IndexDatabase } from "./index-database.ts";
import { codeMigrations } from "./schema.ts";
import { sqliteDriver } from "./sqlite-driver.ts";
import { Definitions } from "./sqlite-index.ts";
import { wrongTotals } from "./totals.ts";
import { keepModels, storeVectors, vectorCounts } from "./vector-rows.ts";

let dir: string;
let file: string;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "pommel-totals-"));
  file = join(dir, "index.db");
});

afterEach(() => rmSync(dir, { recursive: true, force: true }));

const everywhere = { files: null, levels: null };

type Step =
  | { kind: "write" | "fail" | "others"; changes: FileChange[] }
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
  .map(({ path, chunks, language, model, x }): FileChange => {
    const records = Array.from({ length: chunks }, (_, i) => chunkRecord(`${path}${i}`));
    const vectors = records.map((_, i) => (i === 1 ? null : Int8Array.from([x + 1, i])));
    return { ...indexedFile(path, records), language, vectors: { model, dimensions: 2, vectors } };
  });

const change = fc.oneof(
  { weight: 4, arbitrary: indexed },
  path.map((path): FileChange => ({ status: "skipped", path, size: 1, mtimeMs: 1, reason: "binary" })),
  path.map((path): FileChange => ({ status: "gone", path })),
  path.map((path): FileChange => ({ status: "unchanged", path, size: 2, mtimeMs: 2 })),
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
  stored: Map<string, FileChange>,
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
        index.inTransaction(() => {
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
      const stored = new Map<string, FileChange>();
      try {
        for (const step of steps) {
          take(step, index, others, stored);
          expect(wrongTotals(index)).toBeNull();
          for (const [model, vectors] of following) {
            const query = Int8Array.from([3, 1]);
            const fresh = new ChunkVectors(index, model);
            expect(vectors.nearest(query, 50, everywhere)).toEqual(fresh.nearest(query, 50, everywhere));
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

it("an index of an earlier version is counted once", () => {
  const db = new Sqlite(file, { mode: "create", timeoutMs: 0 });
  for (const step of codeMigrations.slice(0, 2)) db.exec(step as string);
  db.exec(`
    PRAGMA user_version = 2;
    INSERT INTO files (id, path, size, mtime_ms, language, indexed_at) VALUES (1, 'a.go', 1, 1, 'go', 7);
    INSERT INTO files (id, path, size, mtime_ms, skip_reason, indexed_at) VALUES (2, 'b.png', 1, 1, 'binary', 9);
    INSERT INTO chunks VALUES (5, 'u', 1, NULL, NULL, 'method', 'function', 'doIt', 'doIt()', 1, 2);
    INSERT INTO chunk_terms (rowid, name, path, head, body) VALUES (5, 'do it', 'a go', '', 'word');
    INSERT INTO symbols VALUES ('doit', 'doIt', 'function', 1, 1, 5);
    INSERT INTO vectors VALUES (1, 1, 'm', 2, 5, 0, x'02', x'0101');
  `);
  db.close();
  const index = IndexDatabase.open(file, { readonly: false });
  expect(wrongTotals(index)).toBeNull();
  expect(index.counts()).toMatchObject({ files: 1, chunks: 1, skippedByReason: { binary: 1 } });
  // Its words and names are found when the file is indexed again, which a new chunker version sees to.
  expect(index.words.best(["word"], { name: 8, path: 4, head: 3, body: 1 }, 9, everywhere)).toEqual([]);
  expect(index.lastIndexedAt()).toBe(9);
  expect(vectorCounts(index)).toEqual([{ model: "m", dimensions: 2, chunks: 1, missing: 0 }]);
  expect(new Definitions(index).of(["doit"], 9)).toEqual([]);
  index.remove(["a.go"]);
  expect(index.check()).toBe("ok");
  index.close();
});
