import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { addSession, chunk } from "../../../test/support/memory-fixture.ts";
import { changeUndefended } from "../../../test/support/undefended.ts";
import { replaceChunks } from "./chunks/chunks.ts";
import { listStoredNotes } from "./chunks/notes.ts";
import { checkMemory, Memory } from "./memory.ts";
import { repairMemory } from "./repair/repair.ts";
import { memorySchema } from "./schema.ts";
import { listSessions } from "./sessions/sessions.ts";

let dir: string;
let file: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "pommel-check-"));
  file = join(dir, "memory.db");
  const memory = Memory.open(file, { readonly: false });
  const { id } = addSession(memory, "s");
  replaceChunks(
    memory,
    id,
    { type: "raw", from: 0 },
    Array.from({ length: 50 }, (_, i) => chunk(i, `number ${i} timeout`)),
  );
  memory.close();
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

test("a memory as commands need it is sound", () => {
  expect(checkMemory(file)).toMatchObject({
    state: "sound",
    schema: memorySchema.first + memorySchema.steps.length - 1,
  });
});

describe.each([
  ["a dropped table", "DROP TABLE annotations", "annotations is missing"],
  ["a dropped index", "DROP INDEX chunks_by_time", "chunks_by_time is missing"],
  ["a dropped trigger", "DROP TRIGGER chunks_forgotten", "chunks_forgotten is missing"],
  [
    "a dropped column",
    "ALTER TABLE annotations DROP COLUMN author",
    "the table annotations is not as Pommel makes it",
  ],
  [
    "a trigger that changes what is written",
    "CREATE TRIGGER mine AFTER INSERT ON annotations BEGIN UPDATE annotations SET note = 'other'; END",
    "the trigger mine is not Pommel's",
  ],
  ["a view", "CREATE VIEW mine AS SELECT * FROM sessions", "the view mine is not Pommel's"],
  ["a foreign table", "CREATE TABLE mine (x)", "the table mine is not Pommel's"],
  [
    "a trigger of ours that does something else",
    "DROP TRIGGER chunks_forgotten; CREATE TRIGGER chunks_forgotten AFTER DELETE ON chunks BEGIN SELECT 1; END",
    "the trigger chunks_forgotten is not as Pommel makes it",
  ],
  [
    "a schema number of no Pommel yet, with the tables of this one",
    "PRAGMA user_version = 129",
    "its schema number is 129",
  ],
  ["a schema number of 0", "PRAGMA user_version = 0", "its schema number is 0"],
  ["a schema number that is too low", "PRAGMA user_version = 3", "its schema number is 3"],
  ["a negative schema number", "PRAGMA user_version = -3", "its schema number is -3"],
  [
    "a damaged list of words",
    "UPDATE chunk_terms_data SET block = zeroblob(30) WHERE id > 10",
    "chunk_terms",
  ],
  ["lost lists of words", "DELETE FROM chunk_terms", "50 chunks are missing from its full-text index"],
])("%s", (_, sql, why) => {
  test("is found, named by what writes, and mended without a loss of sessions", () => {
    changeUndefended(file, sql);
    const check = checkMemory(file);
    expect(check).toMatchObject({ state: "damaged", why: expect.stringContaining(why) });
    if (/user_version = (?:0|-)/.test(sql)) {
      expect(() => Memory.open(file, { readonly: false })).toThrow(
        expect.objectContaining({ code: "memory_corrupt", message: expect.stringContaining(why) }),
      );
    }
    repairMemory(file);
    expect(checkMemory(file)).toMatchObject({ state: "sound" });
    const memory = Memory.open(file, { readonly: false });
    expect(listSessions(memory).map(({ uid }) => uid)).toEqual(["s"]);
    expect(listStoredNotes(memory)).toEqual([]);
    memory.close();
  });
});
