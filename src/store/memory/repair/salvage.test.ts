import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { addSession, turn } from "../../../../test/support/memory-fixture.ts";
import { Sqlite } from "../../sqlite/sqlite.ts";
import { makeBackup } from "../backups/backups.ts";
import { locateBackupFolder } from "../backups/copies.ts";
import { Memory } from "../memory.ts";
import { packContent } from "../sessions/content.ts";
import { insertLines, saveTranscript } from "../sessions/transcripts.ts";
import { saveTurn } from "../sessions/turns.ts";
import { repairMemory } from "./repair.ts";

let dir: string;
let file: string;
const sessions = 40;
const turns = 10;

/** A memory of several hundred pages. */
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "pommel-salvage-"));
  file = join(dir, "memory.db");
  const memory = Memory.open(file, { readonly: false });
  memory.runInTransaction(() => {
    for (let n = 0; n < sessions; n++) {
      const { id } = addSession(memory, `session-${n}`);
      const path = join(dir, `${n}.jsonl`);
      if (n % 2 === 0) writeFileSync(path, "");
      saveTranscript(memory, {
        path,
        agent: "claude",
        sessionId: id,
        offset: 1,
        lineHash: "h",
        size: 1,
        readAt: 1,
        skipped: {},
      });
      for (let number = 1; number <= turns; number++) {
        const content = packContent([{ seq: number, entries: [], text: `${n} ${number} `.repeat(20) }]);
        saveTurn(memory, id, turn(number, { content, prompt: `${n}:${number} ${"why ".repeat(30)}` }));
        insertLines(memory, id, [{ uid: `line-${n}-${number}`, seq: number, turn: number }]);
      }
    }
  });
  memory.close();
});

afterEach(() => rmSync(dir, { recursive: true, force: true }));

/** The pages of a table or an index. */
function pagesOf(name: string): number[] {
  const root = rowsOf(`SELECT rootpage FROM sqlite_master WHERE name = '${name}'`)[0] as number;
  const bytes = readFileSync(file);
  const size = bytes.readUInt16BE(16) === 1 ? 65_536 : bytes.readUInt16BE(16);
  const pages = [root];
  const start = (root - 1) * size;
  // An inner page: its cells begin with the number of a child.
  if (bytes[start] === 2 || bytes[start] === 5) {
    for (let cell = 0; cell < bytes.readUInt16BE(start + 3); cell++) {
      pages.push(bytes.readUInt32BE(start + bytes.readUInt16BE(start + 12 + 2 * cell)));
    }
    pages.push(bytes.readUInt32BE(start + 8));
  }
  return pages;
}

function rowsOf(sql: string): unknown[] {
  const db = new Sqlite(file, { mode: "read", timeoutMs: 0 });
  try {
    return db.prepare(sql).pluck().all();
  } finally {
    db.close();
  }
}

function damage(...pages: number[]): void {
  const bytes = readFileSync(file);
  const size = bytes.readUInt16BE(16);
  for (const page of pages) bytes.fill(0xa5, (page - 1) * size, page * size);
  writeFileSync(file, bytes);
}

const count = (table: string) => rowsOf(`SELECT count(*) FROM ${table}`)[0] as number;

test("a memory with backups is repaired as one without", () => {
  makeBackup(file, { folder: locateBackupFolder(file, ""), reason: "manual" });
  const db = new Sqlite(file, { mode: "write", timeoutMs: 0 });
  db.exec("DROP TABLE events");
  db.close();
  expect(repairMemory(file).saved).toMatchObject({ sessions, turns: sessions * turns });
});

test("of a table with a damaged page all other rows are saved, and what is lost is counted", () => {
  const pages = pagesOf("turns");
  expect(pages.length).toBeGreaterThan(10);
  damage(pages[5]!, pages[6]!);
  const before = readFileSync(file);
  const report = repairMemory(file);
  expect(report.lost.turns).toBeGreaterThan(0);
  expect(report.saved.turns! + report.lost.turns!).toBe(sessions * turns);
  expect(report.lost.turns).toBeLessThan(sessions * turns * 0.3);
  expect(report.saved.sessions).toBe(sessions);
  expect(rowsOf("PRAGMA integrity_check")).toEqual(["ok"]);
  expect(rowsOf("PRAGMA foreign_key_check")).toEqual([]);
  expect(readFileSync(report.aside)).toEqual(before);
});

test("sessions that miss turns are read again, where their transcripts exist", () => {
  damage(pagesOf("turns")[5]!);
  const { harmed, rereads } = repairMemory(file);
  expect(harmed.length).toBeGreaterThan(0);
  const even = harmed.filter((uid) => Number(uid.slice("session-".length)) % 2 === 0);
  expect(rereads.toSorted()).toEqual(even.map((uid) => join(dir, `${uid.slice(8)}.jsonl`)).toSorted());
  expect(rowsOf("SELECT subject FROM jobs WHERE kind = 'transcript'").toSorted()).toEqual(rereads.toSorted());
  for (const uid of even) {
    expect(
      rowsOf(`SELECT count(*) FROM lines JOIN sessions s ON s.id = session_id WHERE s.uid = '${uid}'`),
    ).toEqual([0]);
  }
});

test("a table whose key is no number is read around the damage by its index", () => {
  damage(pagesOf("lines")[2]!);
  const report = repairMemory(file);
  expect(report.lost.lines).toBeGreaterThan(0);
  expect(report.saved.lines! + report.lost.lines!).toBe(sessions * turns);
  expect(count("turns")).toBeGreaterThan(0);
});

test("sessions whose rows are lost keep their turns", () => {
  damage(pagesOf("sessions").at(-1)!);
  const report = repairMemory(file);
  expect(report.bare.length).toBeGreaterThan(0);
  expect(count("sessions")).toBe(sessions);
  expect(rowsOf("PRAGMA foreign_key_check")).toEqual([]);
});

test("damaged indexes and full-text tables lose nothing", () => {
  damage(
    ...pagesOf("lines_of_session"),
    ...pagesOf("lines_by_uid"),
    ...pagesOf("chunk_terms_data"),
    ...pagesOf("sessions_by_time"),
  );
  const report = repairMemory(file);
  expect(report).toMatchObject({ lost: {}, incomplete: [], harmed: [] });
  expect([count("sessions"), count("turns"), count("lines")]).toEqual([
    sessions,
    sessions * turns,
    sessions * turns,
  ]);
});

test("where nothing can be read, nothing is changed", () => {
  writeFileSync(file, "no database");
  expect(() => repairMemory(file)).toThrow(expect.objectContaining({ code: "memory_corrupt" }));
  expect(readFileSync(file, "utf8")).toBe("no database");
});
