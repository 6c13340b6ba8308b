import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { addSession } from "../../../../test/support/memory-fixture.ts";
import { Sqlite } from "../../sqlite/sqlite.ts";
import { Memory } from "../memory.ts";
import { leaveNoTrace } from "../privacy/forget.ts";
import { backUp, backUpDaily, backupFolder, contentOf, listBackups, replacedFile } from "./backups.ts";
import { careOf, dueCare, takeCare } from "./care.ts";
import { takeCareInThread } from "./care-thread.ts";
import { replaceMemory } from "./restore.ts";

let dir: string;
let file: string;
let folder: string;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "pommel-backups-"));
  file = join(dir, "memory.db");
  folder = backupFolder(file, "");
});

afterEach(() => rmSync(dir, { recursive: true, force: true }));

/** Changes the memory, and closes it. */
function change(work: (memory: Memory) => void): void {
  const memory = Memory.open(file, { readonly: false });
  try {
    work(memory);
  } finally {
    memory.close();
  }
}

const add = (uid: string) => change((memory) => void addSession(memory, uid));
const sessionsIn = (of: string) => contentOf(of)?.sessions;
const day = 86_400_000;
const names = () => readdirSync(folder).sort();

describe("a backup", () => {
  test("holds all that was committed, while another connection writes", () => {
    const memory = Memory.open(file, { readonly: false });
    addSession(memory, "a");
    memory.prepare("BEGIN IMMEDIATE").run();
    addSession(memory, "b");
    const { file: copy } = backUp(file, { folder, reason: "manual" });
    memory.prepare("COMMIT").run();
    memory.close();
    expect(sessionsIn(copy)).toBe(1);
    expect(sessionsIn(file)).toBe(2);
    expect(statSync(copy).mode & 0o777).toBe(0o600);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(names()).toHaveLength(1);
  });

  test("never replaces a file", () => {
    add("a");
    const target = join(dir, "mine.db");
    writeFileSync(target, "mine");
    expect(() => backUp(file, { file: target })).toThrow("exists already");
    expect(readFileSync(target, "utf8")).toBe("mine");
  });

  test("that fails leaves nothing behind, and the others as they are", () => {
    add("a");
    const { file: good } = backUp(file, { folder, reason: "daily" });
    const damaged = readFileSync(file);
    damaged.fill(0x5a, 8192, damaged.length);
    writeFileSync(file, damaged);
    expect(() => backUpDaily(file, { folder, keep: 1 })).toThrow(
      expect.objectContaining({ code: "memory_corrupt" }),
    );
    expect(names()).toHaveLength(1);
    expect(sessionsIn(good)).toBe(1);
  });

  test("of every day: only after a change, the newest stay, and what people made", () => {
    add("a");
    const { file: own } = backUp(file, { folder, reason: "manual" }, 1000);
    const made = [1, 2, 3, 4].map((n) => {
      add(`s${n}`);
      const daily = backUpDaily(file, { folder, keep: 2 }, n * day);
      expect(backUpDaily(file, { folder, keep: 2 }, n * day + 5000)).toBeNull();
      return daily?.file;
    });
    const kept = listBackups(file, folder).map((one) => one.file);
    expect(kept).toEqual([made[3], made[2], own]);
  });

  test("bookkeeping alone is no change", () => {
    add("a");
    backUpDaily(file, { folder, keep: 2 }, day);
    change((memory) => memory.exec("INSERT INTO storage_days (day, bytes) VALUES ('2026-01-01', 5)"));
    expect(backUpDaily(file, { folder, keep: 2 }, 2 * day)).toBeNull();
    change((memory) => memory.exec("UPDATE sessions SET title = 'other'"));
    expect(backUpDaily(file, { folder, keep: 2 }, 2 * day)).not.toBeNull();
  });

  test("is due after its time, also when the clock was set back", () => {
    add("a");
    const now = Date.parse("2026-06-01");
    expect(dueCare(file, folder, day, now)).toBe("backup");
    takeCare({ memoryDb: file, folder, keep: 2, kind: "backup" }, now);
    expect(dueCare(file, folder, day, now + day - 1)).toBe("check");
    takeCare({ memoryDb: file, folder, keep: 2, kind: "check" }, now);
    expect(dueCare(file, folder, day, now + day - 1)).toBeNull();
    expect(dueCare(file, folder, day, now + day)).toBe("backup");
    expect(dueCare(file, folder, day, now - 30 * day)).toBe("backup");
    expect(dueCare(file, folder, null, now + 6 * day)).toBeNull();
    expect(careOf(file)).toMatchObject({ backup: { problem: null }, check: { problem: null } });
  });

  test("a check that finds damage says so", () => {
    add("a");
    writeFileSync(file, "no database");
    const task = { memoryDb: file, folder, keep: 2, kind: "check" } as const;
    expect(() => takeCare(task)).toThrow(expect.objectContaining({ code: "memory_corrupt" }));
    expect(careOf(file).check?.problem).toContain("not a database");
  });

  test("does not keep what was forgotten", () => {
    add("a");
    backUp(file, { folder, reason: "manual" });
    replaceMemory(file, backUp(file, { folder, reason: "daily" }).file);
    change((memory) => leaveNoTrace(memory));
    expect(listBackups(file, folder)).toEqual([]);
  });
});

describe("restoring", () => {
  test("replaces the memory, and can be undone", () => {
    add("a");
    const { file: backup } = backUp(file, { folder, reason: "manual" });
    add("b");
    replaceMemory(file, backup);
    expect(sessionsIn(file)).toBe(1);
    replaceMemory(file, replacedFile(file));
    expect(sessionsIn(file)).toBe(2);
    replaceMemory(file, replacedFile(file));
    expect(sessionsIn(file)).toBe(1);
    expect(sessionsIn(backup)).toBe(1);
  });

  test.each([
    ["missing", () => rmSync(file)],
    ["damaged", () => writeFileSync(file, "no database")],
    [
      "damaged, with a log",
      () => ["", "-wal"].map((end) => writeFileSync(file + end, "neither database nor log")),
    ],
  ])("works when the memory is %s", (_, spoil) => {
    add("a");
    const { file: backup } = backUp(file, { folder, reason: "manual" });
    spoil();
    replaceMemory(file, backup);
    expect(sessionsIn(file)).toBe(1);
    expect(readdirSync(dir).filter((name) => name.includes("-now") || name.includes(".pommel-"))).toEqual([]);
  });

  test("waits for nobody: a memory that is in use stays", () => {
    add("a");
    const { file: backup } = backUp(file, { folder, reason: "manual" });
    const open = Memory.open(file, { readonly: false });
    addSession(open, "b");
    expect(() => replaceMemory(file, backup)).toThrow(expect.objectContaining({ code: "locked" }));
    expect(sessionsIn(file)).toBe(2);
    open.close();
  });

  test.each([
    ["of a newer schema", "index_too_new", (backup: string) => exec(backup, "PRAGMA user_version = 999")],
    ["that is none", "unreadable", (backup: string) => writeFileSync(backup, "no database")],
    ["that is missing", "not_found", (backup: string) => rmSync(backup)],
    ["that is empty", "unreadable", (backup: string) => writeFileSync(backup, "")],
  ])("refuses a backup %s", (_, code, spoil) => {
    add("a");
    const { file: backup } = backUp(file, { folder, reason: "manual" });
    add("b");
    spoil(backup);
    expect(() => replaceMemory(file, backup)).toThrow(expect.objectContaining({ code }));
    expect(sessionsIn(file)).toBe(2);
  });
});

function exec(of: string, sql: string): void {
  const db = new Sqlite(of, { mode: "write", timeoutMs: 0 });
  db.exec(sql);
  db.close();
}

test("a thread backs up and checks as well, and nothing once it is aborted", async () => {
  add("a");
  const { signal } = new AbortController();
  const task = { memoryDb: file, folder, keep: 2 };
  expect(await takeCareInThread({ ...task, kind: "backup" }, signal)).toContain("backed up memory.db to");
  expect(await takeCareInThread({ ...task, kind: "check" }, signal)).toBe("memory.db is sound");
  expect(names()).toHaveLength(1);
  expect(await takeCareInThread({ ...task, kind: "backup" }, AbortSignal.abort())).toBeNull();
  writeFileSync(file, "no database");
  await expect(takeCareInThread({ ...task, kind: "check" }, signal)).rejects.toThrow(
    expect.objectContaining({ code: "memory_corrupt" }),
  );
});
