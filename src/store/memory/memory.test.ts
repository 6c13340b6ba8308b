import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  closeSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { addSession, chunk } from "../../../test/support/memory-fixture.ts";
import { temporaryHome } from "../../../test/support/temporary-home.ts";
import { PommelError } from "../../base/errors.ts";
import { locateDaemonFiles, locateHome, makeDirectory } from "../../base/home.ts";
import { type DatabaseMessages, openDatabase } from "../sqlite/database.ts";
import { Sqlite } from "../sqlite/sqlite.ts";
import { replaceChunks } from "./chunks/chunks.ts";
import { Memory } from "./memory.ts";
import { memorySchema } from "./schema.ts";
import { listSessions } from "./sessions/sessions.ts";

let dir: string;
let file: string;
const opened: { close(): void }[] = [];

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "pommel-memory-"));
  file = join(dir, "memory.db");
});
afterEach(() => {
  for (const database of opened.splice(0)) database.close();
  rmSync(dir, { recursive: true, force: true });
});

function open({ readonly = false } = {}): Memory {
  const memory = Memory.open(file, { readonly });
  opened.push(memory);
  return memory;
}

function thrownBy(work: () => unknown): PommelError {
  try {
    work();
  } catch (error) {
    if (error instanceof PommelError) return error;
    throw error;
  }
  throw new Error("nothing was thrown");
}

describe("memory.db", () => {
  it("is private, with its log, and can give free pages back", () => {
    const memory = open();
    addSession(memory, "s");
    for (const name of readdirSync(dir)) {
      expect([name, (statSync(join(dir, name)).mode & 0o777).toString(8)]).toEqual([name, "600"]);
    }
    expect(memory.prepare("PRAGMA auto_vacuum").get()).toEqual({ auto_vacuum: 2 });
    expect(memory.prepare("PRAGMA secure_delete").get()).toEqual({ secure_delete: 1 });
    const { id } = addSession(memory, "s");
    const texts = Array.from({ length: 50 }, (_, i) => chunk(i, "word ".repeat(2000)));
    replaceChunks(memory, id, { type: "raw", from: 0 }, texts);
    replaceChunks(memory, id, { type: "raw", from: 0 }, []);
    const { free } = memory.countPages();
    expect(free).toBeGreaterThan(50);
    memory.vacuum(10);
    expect(memory.countPages().free).toBe(free - 10);
    memory.vacuum();
    expect(memory.countPages().free).toBe(0);
    expect(memory.checkpointLog()).toBe(true);
    expect(memory.measureDiskBytes()).toBe(statSync(file).size);
  });

  it("says so when nothing is remembered yet, and makes no file for that", () => {
    const error = thrownBy(() => open({ readonly: true }));
    expect(error.code).toBe("no_memory");
    expect(error.message).toBe("No sessions recorded yet.");
    expect(readdirSync(dir)).toEqual([]);
    writeFileSync(file, "");
    expect(thrownBy(() => open({ readonly: true })).message).toBe("No sessions recorded yet.");
  });

  it("gives rows and values of the same query, in any order", () => {
    const memory = open();
    const sql = "SELECT ? AS one, 2 AS two";
    expect(memory.readValue(sql, 1)).toBe(1);
    expect(memory.all(sql, 1)).toEqual([{ one: 1, two: 2 }]);
    expect(memory.readColumn(sql, 1)).toEqual([1]);
    expect(memory.get(sql, 1)).toEqual({ one: 1, two: 2 });
  });

  it("is read by those who may not write", () => {
    addSession(open(), "s");
    const reader = open({ readonly: true });
    expect(listSessions(reader).map(({ uid }) => uid)).toEqual(["s"]);
    expect(thrownBy(() => addSession(reader, "t")).code).toBe("unreadable");
  });

  it("is left as it is when it is damaged, with a way back", () => {
    writeFileSync(file, "no database, but a thousand bytes of something else".repeat(20));
    const before = readFileSync(file);
    for (const readonly of [true, false]) {
      const error = thrownBy(() => open({ readonly }));
      expect(error.code).toBe("memory_corrupt");
      expect(error.hint).toMatch(/^Nothing was changed\..*pm doctor --repair.*pm memory restore/);
    }
    expect(readFileSync(file)).toEqual(before);
  });

  it("names its file where a table is missing, before anybody takes it for another's", () => {
    expect(() => open().prepare("SELECT * FROM gone")).toThrow(
      expect.objectContaining({ code: "memory_corrupt", message: expect.stringContaining(file) }),
    );
  });

  it("says that it is damaged when that shows only later", () => {
    const memory = open();
    addSession(memory, "s");
    const { rootpage } = memory
      .prepare("SELECT rootpage FROM sqlite_master WHERE name = 'sessions'")
      .get() as {
      rootpage: number;
    };
    memory.checkpointLog();
    memory.close();
    opened.pop();
    const descriptor = openSync(file, "r+");
    writeSync(descriptor, Buffer.alloc(4096, 7), 0, 4096, (rootpage - 1) * 4096);
    closeSync(descriptor);
    const damaged = open();
    expect(damaged.check()).not.toBe("ok");
    expect(thrownBy(() => addSession(damaged, "t")).code).toBe("memory_corrupt");
  });

  it("of a newer Pommel is not touched, and no message suggests deleting it", () => {
    open();
    const other = new Sqlite(file, { mode: "create", timeoutMs: 0 });
    other.exec("PRAGMA user_version = 99");
    other.close();
    const error = thrownBy(() => open());
    expect(error.code).toBe("index_too_new");
    expect(error.hint).toContain("Do not delete");
  });

  it("that a newer Pommel migrates while it is open is not written any more, and a table that went is no damage", () => {
    const memory = open();
    addSession(memory, "before");
    const other = new Sqlite(file, { mode: "create", timeoutMs: 0 });
    other.exec("ALTER TABLE sessions RENAME TO runs; PRAGMA user_version = 99");
    other.close();
    expect(thrownBy(() => addSession(memory, "after")).code).toBe("index_too_new");
    expect(memory.findOutgrownError()?.hint).toContain("Update Pommel");
    const missing = new Sqlite(file, { mode: "read", timeoutMs: 0 });
    expect(missing.prepare("SELECT uid FROM runs").pluck().all()).toEqual(["before"]);
    missing.close();
    expect(thrownBy(() => memory.prepare("SELECT 1 FROM sessions").get()).code).toBe("index_too_new");
  });

  it("that is locked while Pommel's own daemon is at work blames no other program", () => {
    const home = temporaryHome();
    try {
      const record = { pid: process.pid, port: 1, token: "0".repeat(64), started_at: "", version: "" };
      makeDirectory(locateHome().stateDir);
      const context = { mode: "off", deadline_ms: 0, places: {} };
      writeFileSync(locateDaemonFiles().record, JSON.stringify({ ...record, context }));
      const memory = open();
      memory.exec("PRAGMA busy_timeout = 1");
      const other = new Sqlite(file, { mode: "write", timeoutMs: 0 });
      other.begin("immediate");
      const said = `${file} is locked for the moment, while Pommel's daemon (PID ${process.pid}) is at work.`;
      expect(thrownBy(() => addSession(memory, "now"))).toMatchObject({ code: "busy", message: said });
      other.close();
    } finally {
      home.remove();
    }
  });

  it("that another program keeps locked is named, and what to do", () => {
    const memory = open();
    memory.exec("PRAGMA busy_timeout = 1");
    const other = new Sqlite(file, { mode: "write", timeoutMs: 0 });
    other.begin("immediate");
    expect(thrownBy(() => addSession(memory, "now"))).toMatchObject({
      code: "busy",
      message: `Another program keeps ${file} locked.`,
      hint: expect.stringContaining("Try again"),
    });
    other.close();
    addSession(memory, "now");
  });

  it.each([1, memorySchema.first - 1])(
    "of schema %d, from before the first release, is refused and not touched",
    (number) => {
      open();
      opened.pop()!.close();
      const other = new Sqlite(file, { mode: "create", timeoutMs: 0 });
      other.exec(`DROP TABLE events; PRAGMA user_version = ${number}`);
      other.close();
      const before = readFileSync(file);
      for (const readonly of [true, false]) {
        expect(thrownBy(() => Memory.open(file, { readonly }))).toMatchObject({
          code: "schema_outdated",
          message: expect.stringContaining(
            `schema ${number}; this version reads ${memorySchema.first} and later`,
          ),
          hint: expect.stringContaining(`pm memory restore ${file}`),
        });
      }
      expect(readFileSync(file).equals(before)).toBe(true);
    },
  );

  it("of a newer Pommel that was killed keeps every byte of its file and its log", () => {
    open();
    const other = new Sqlite(file, { mode: "create", timeoutMs: 0 });
    other.exec("PRAGMA user_version = 99");
    const files = [file, `${file}-wal`];
    const left = files.map((one) => readFileSync(one));
    other.close();
    opened.pop()!.close();
    for (const [i, one] of files.entries()) writeFileSync(one, left[i]!);
    expect(left[1]!.length).toBeGreaterThan(0);
    expect(thrownBy(() => open()).code).toBe("index_too_new");
    expect(files.map((one, i) => readFileSync(one).equals(left[i]!))).toEqual([true, true]);
  });

  it("on a full disk loses nothing and keeps nothing half", () => {
    const memory = open();
    const { id } = addSession(memory, "s");
    replaceChunks(memory, id, { type: "raw", from: 0 }, [chunk(0, "before")]);
    memory.exec(`PRAGMA max_page_count = ${memory.countPages().total + 5}`);
    const large = Array.from({ length: 20 }, (_, i) => chunk(i, "word ".repeat(2000)));
    const error = thrownBy(() => replaceChunks(memory, id, { type: "raw", from: 0 }, large));
    expect(error.code).toBe("disk_full");
    expect(memory.prepare("SELECT text FROM chunks").all()).toEqual([{ text: "before" }]);
    memory.exec("PRAGMA max_page_count = 1000000");
    replaceChunks(memory, id, { type: "raw", from: 0 }, large);
    expect(memory.prepare("SELECT count(*) AS n FROM chunk_terms").get()).toEqual({ n: 20 });
  });

  it("notifies readers of changes, whoever wrote", () => {
    const [memory, other] = [open(), open()];
    const versions = [memory.readVersion()];
    addSession(memory, "mine");
    versions.push(memory.readVersion());
    addSession(other, "theirs");
    versions.push(memory.readVersion());
    expect(new Set(versions).size).toBe(3);
    expect(memory.readVersion()).toBe(versions[2]);
  });

  it("shows nothing of what others write to reads that belong together, nor its version", () => {
    const [memory, other] = [open(), open()];
    const state = () => [memory.readVersion(), memory.prepare("SELECT count(*) FROM sessions").pluck().get()];
    const [before, ...meanwhile] = memory.readInSnapshot(() => {
      const first = state();
      addSession(other, "theirs");
      return [first, state(), memory.readInSnapshot(state)];
    });
    expect(meanwhile).toEqual([before, before]);
    const version = before![0];
    expect(state()).toEqual([expect.not.stringMatching(String(version)), 1]);
    const inBetween = memory.readInSnapshot(() => {
      addSession(memory, "mine");
      return state();
    });
    expect(inBetween).toEqual(state());
    expect(inBetween[0]).not.toBe(version);
  });

  it("begins with the version that what is read later has", () => {
    const [memory, other] = [open(), open()];
    const count = memory.readInSnapshot(() => {
      addSession(other, "theirs");
      return memory.prepare("SELECT count(*) FROM sessions").pluck().get();
    });
    expect(count).toBe(0);
  });
});

describe("a migration", () => {
  const words: DatabaseMessages = {
    absent: () => ["no_memory", "absent", ""],
    corrupt: { code: "memory_corrupt", hint: () => "" },
    tooNew: "",
    tooOld: "",
    full: "",
  };
  const steps = (n: number) =>
    Array.from(
      { length: n },
      (_, i) => `CREATE TABLE step${i + 1} (x); INSERT INTO step${i + 1} VALUES (${i + 1});`,
    );
  const migrateTo = (n: number, sql = steps(n)) =>
    openDatabase(file, { first: 1, steps: sql }, { readonly: false, words, precious: true }).close();
  const tablesOf = (path: string) => {
    const db = new Sqlite(path, { mode: "read", timeoutMs: 0 });
    const tables = db
      .prepare("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
      .pluck()
      .all();
    db.close();
    return tables;
  };

  it("first makes a private copy, and keeps the newest two copies", () => {
    migrateTo(1);
    expect(readdirSync(dir)).toEqual(["memory.db"]);
    migrateTo(2);
    migrateTo(3);
    expect(tablesOf(`${file}.before-2`)).toEqual(["step1"]);
    expect(tablesOf(`${file}.before-3`)).toEqual(["step1", "step2"]);
    migrateTo(12, steps(12));
    expect(readdirSync(dir).sort()).toEqual(["memory.db", "memory.db.before-12", "memory.db.before-3"]);
    expect(statSync(`${file}.before-12`).mode & 0o777).toBe(0o600);
    migrateTo(12, steps(12));
    expect(tablesOf(file)).toHaveLength(12);
  });

  it("that fails leaves the old version, and its copy", () => {
    migrateTo(1);
    expect(() => migrateTo(2, [...steps(1), "CREATE TABLE half (x); SELECT nonsense;"])).toThrow("nonsense");
    expect(tablesOf(file)).toEqual(["step1"]);
    expect(tablesOf(`${file}.before-2`)).toEqual(["step1"]);
  });

  it("of the real schema is done once when several processes open it first", async () => {
    const script = `
      import { Memory } from ${JSON.stringify(new URL("./memory.ts", import.meta.url).href)};
      import { addSession } from ${JSON.stringify(new URL("../../../test/support/memory-fixture.ts", import.meta.url).href)};
      const memory = Memory.open(process.argv[1], { readonly: false });
      for (let i = 0; i < 20; i++) addSession(memory, process.pid + "-" + i);
      memory.close();`;
    const children = Array.from({ length: 4 }, () =>
      spawn(process.execPath, ["--import", "tsx", "--input-type=module", "-e", script, file], {
        stdio: ["ignore", "inherit", "inherit"],
      }),
    );
    const codes = await Promise.all(children.map(async (child) => (await once(child, "exit"))[0]));
    expect(codes).toEqual([0, 0, 0, 0]);
    const memory = open();
    expect(listSessions(memory)).toHaveLength(80);
    expect(memory.prepare("PRAGMA user_version").get()).toEqual({
      user_version: memorySchema.first + memorySchema.steps.length - 1,
    });
    expect(memory.check()).toBe("ok");
  });
});
