import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { addSession, turn } from "../../../../test/support/memory-fixture.ts";
import { runs } from "../../../../test/support/runs.ts";
import { saveNote } from "../chunks/notes.ts";
import { checkMemory, Memory } from "../memory.ts";
import { packContent } from "../sessions/content.ts";
import { saveSummary } from "../sessions/summaries.ts";
import { insertLines, saveTranscript } from "../sessions/transcripts.ts";
import { saveTurn } from "../sessions/turns.ts";
import { repairMemory } from "./repair.ts";

/** What SQLite calls a page of a table and of a table without row ids that holds rows. */
const leaves = { table: [13], keyed: [10, 2] };

/** What is looked for after a repair: rows, each with what stands in it and in no other, and the kind of pages that hold them. */
const tables = {
  sessions: { sql: "SELECT uid AS mark, agent, cwd FROM sessions", pages: leaves.table },
  transcripts: { sql: "SELECT path AS mark, agent, line_hash FROM transcripts", pages: leaves.table },
  turns: {
    sql: `SELECT prompt AS mark, uid, number, t.started_at, tools, hex(content) AS content
          FROM turns t JOIN sessions s ON s.id = session_id`,
    pages: leaves.table,
  },
  lines: {
    sql: "SELECT l.uid AS mark, s.uid, seq, turn FROM lines l JOIN sessions s ON s.id = session_id",
    pages: leaves.table,
  },
  annotations: { sql: "SELECT note AS mark, uid, at, source FROM annotations", pages: leaves.table },
  summaries: {
    sql: "SELECT text AS mark, uid, up_to_turn FROM summaries JOIN sessions s ON s.id = session_id",
    pages: leaves.table,
  },
  turn_files: {
    sql: "SELECT path AS mark, prompt, how FROM turn_files JOIN turns t ON t.id = turn_id",
    pages: leaves.keyed,
  },
} as const;

let dir: string;
let bytes: Buffer;
let whole: Record<string, Map<string, string>>;
const sessions = 12;
const turns = 12;
const pageBytes = 4096;

/** Several levels in some tables, one page in others, and turns whose content flows over. */
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), "pommel-flip-"));
  const file = join(dir, "memory.db");
  const memory = Memory.open(file, { readonly: false });
  memory.runInTransaction(() => {
    for (let n = 0; n < sessions; n++) {
      const { id } = addSession(memory, `session-${n}-of-them`);
      const path = `/gone/${n}.jsonl`;
      const read = { offset: 1, lineHash: "h", size: 1, readAt: 1, skipped: {} };
      saveTranscript(memory, { path, agent: "claude", sessionId: id, ...read });
      for (let number = 1; number <= turns; number++) {
        const mark = `${n}-${number}`;
        const long =
          number === 3 ? Array.from({ length: 2000 }, (_, i) => (i * 7919 + n) % 9973).join(" ") : "";
        const content = packContent([{ seq: number, entries: [], text: `${mark} ${long}` }]);
        const files = [{ path: `src/file-${mark}.ts`, how: "edit" as const }];
        saveTurn(memory, id, turn(number, { content, files, prompt: `prompt-${mark} ${"why ".repeat(60)}` }));
        const lines = Array.from({ length: 4 }, (_, i) => ({
          uid: `line-${mark}-${i}-of-them`,
          seq: 4 * number + i,
          turn: number,
        }));
        insertLines(memory, id, lines);
      }
      saveSummary(memory, {
        sessionId: id,
        source: "extractive",
        upToTurn: turns,
        at: 1,
        model: null,
        text: `summary-${n}.`,
      });
      saveNote(memory, {
        uid: `note-${n}`,
        sessionUid: null,
        turn: null,
        lineUid: null,
        at: n,
        source: "shell",
        branch: null,
        note: `noted-${n}. ${"because ".repeat(40)}`,
        author: null,
      });
    }
  });
  memory.checkpointLog();
  memory.close();
  bytes = readFileSync(file);
  whole = storedIn(file);
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

function storedIn(file: string): Record<string, Map<string, string>> {
  const memory = Memory.open(file, { readonly: true });
  try {
    return Object.fromEntries(
      Object.entries(tables).map(([table, { sql }]) => [
        table,
        new Map(memory.all<{ mark: string }>(sql).map((row) => [row.mark, JSON.stringify(row)])),
      ]),
    );
  } finally {
    memory.close();
  }
}

/** Rows that are missing or changed although nothing of them lies on the page. */
function lostBeside(page: number, after: Record<string, Map<string, string>>): string[] {
  const damaged = bytes.subarray((page - 1) * pageBytes, page * pageBytes);
  const type = damaged[page === 1 ? 100 : 0]!;
  const isOverflow = ![2, 5, 10, 13].includes(type);
  return Object.entries(tables).flatMap(([table, { pages }]) =>
    [...whole[table]!].flatMap(([mark, row]) => {
      if (after[table]!.get(mark) === row) return [];
      const isOnPage =
        (pages as readonly number[]).includes(type) && damaged.includes(mark.split(/[. ]/)[0]!);
      // Of a turn whose content flows over to the page, the rest is there.
      const contentOnly =
        table === "turns" &&
        isOverflow &&
        after.turns!.has(mark) &&
        withoutContent(after.turns!.get(mark)!) === withoutContent(row);
      // What belongs to a row goes with it.
      const withTurn = table === "turn_files" && !after.turns!.has(JSON.parse(row).prompt);
      return isOnPage || contentOnly || withTurn ? [] : [`${table}: ${mark}`];
    }),
  );
}

const withoutContent = (row: string) => row.replace(/"content":"[^"]*"/, "");

function* flips(): Iterable<[page: number, at: number, to: number]> {
  const pages = bytes.length / pageBytes;
  // Its header, of the first page the file's and the tree's, and places all over it.
  const places = [
    0, 1, 3, 4, 5, 7, 8, 9, 12, 13, 16, 20, 27, 31, 43, 47, 52, 55, 59, 60, 63, 100, 103, 105, 112, 700, 2300,
    3900, 4015, 4094,
  ];
  for (let page = 1; page <= pages; page++)
    for (const at of places) yield [page, at, bytes[(page - 1) * pageBytes + at]! ^ (1 << ((page + at) % 8))];
}

test("with any byte flipped, everything that is not on its page is saved", { timeout: runs(120_000) }, () => {
  const all = [...flips()];
  // All of the pages with the schema and the pointers, and some of the others, elsewhere for each place.
  const step = Math.max(1, Math.floor(all.length / runs(25)));
  const some = all.filter((_, i) => i % step === 0);
  const failures: unknown[] = [];
  for (const [page, at, to] of some) {
    const file = join(dir, "flipped", "memory.db");
    rmSync(join(dir, "flipped"), { recursive: true, force: true });
    copyInto(file, (page - 1) * pageBytes + at, to);
    try {
      repairMemory(file);
      const lost = lostBeside(page, storedIn(file));
      if (lost.length > 0) failures.push({ page, at, to, lost: lost.slice(0, 5), all: lost.length });
      if (checkMemory(file).state !== "sound") failures.push({ page, at, to, check: checkMemory(file) });
    } catch (error) {
      failures.push({ page, at, to, error: String(error) });
    }
  }
  expect(failures).toEqual([]);
});

function copyInto(file: string, at: number, to: number): void {
  mkdirSync(join(dir, "flipped"));
  const copy = Buffer.from(bytes);
  copy[at] = to;
  writeFileSync(file, copy);
}
