import { execFileSync } from "node:child_process";
import fs, {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { addSession } from "../../../../test/support/memory-fixture.ts";
import { Sqlite } from "../../sqlite/sqlite.ts";
import { checkMemory, Memory } from "../memory.ts";
import { emptyForgetRequest, forget, leaveNoTrace } from "../privacy/forget.ts";
import { memorySchema } from "../schema.ts";
import { readBackupContent } from "./backup-content.ts";
import { backUpDaily, makeBackup } from "./backups.ts";
import { findDueCare, takeCare, takeCareInThread } from "./care.ts";
import { listBackups, listReplacedFiles, locateBackupFolder, readCare } from "./copies.ts";
import { replaceMemory } from "./restore.ts";

let dir: string;
let file: string;
let folder: string;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "pommel-backups-"));
  file = join(dir, "memory.db");
  folder = locateBackupFolder(file, "");
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
const sessionsIn = (of: string) => readBackupContent(of)?.sessions;
const day = 86_400_000;
const names = () => readdirSync(folder).sort();

describe("a backup", () => {
  test("holds all that was committed, while another connection writes", () => {
    const memory = Memory.open(file, { readonly: false });
    addSession(memory, "a");
    memory.prepare("BEGIN IMMEDIATE").run();
    addSession(memory, "b");
    const { file: copy } = makeBackup(file, { folder, reason: "manual" });
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
    expect(() => makeBackup(file, { file: target })).toThrow("already exists");
    expect(readFileSync(target, "utf8")).toBe("mine");
  });

  test("that fails leaves nothing behind, and the others as they are", () => {
    add("a");
    const { file: good } = makeBackup(file, { folder, reason: "daily" });
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
    const { file: own } = makeBackup(file, { folder, reason: "manual" }, 1000);
    const made = [1, 2, 3, 4].map((n) => {
      add(`s${n}`);
      const daily = backUpDaily(file, { folder, keep: 2 }, n * day);
      expect(backUpDaily(file, { folder, keep: 2 }, n * day + 5000)).toBeNull();
      return daily?.file;
    });
    const kept = listBackups(file, folder).map((one) => one.file);
    expect(kept).toEqual([made[3], made[2], own]);
  });

  test("stays, however old, while no newer one has its sessions and notes", () => {
    add("of-the-old-memory");
    const old = backUpDaily(file, { folder, keep: 2 }, day)!.file;
    rmSync(file);
    cpSync(old, join(dir, "away.db"));
    rmSync(old);
    add("of-the-new-memory");
    cpSync(join(dir, "away.db"), old);
    const made = [2, 3, 4, 5].map((n) => {
      add(`s${n}`);
      return backUpDaily(file, { folder, keep: 2 }, n * day)!.file;
    });
    expect(listBackups(file, folder).map((one) => one.file)).toEqual([made[3], made[2], old]);
    // A newer copy has it as well: it may go.
    replaceMemory(file, old);
    add("later");
    backUpDaily(file, { folder, keep: 1 }, 6 * day);
    expect(listBackups(file, folder).map((one) => one.file)).not.toContain(old);
  });

  test("that a wrong clock dated later than now is never the newest, and no reason to make or to delete one", () => {
    const now = Date.parse("2026-06-01");
    const care = (at: number) => {
      add(`at ${at}`);
      const due = findDueCare(file, folder, day, at);
      if (due === "backup") takeCare({ memoryDb: file, folder, keep: 3, kind: due }, at);
      return due === "backup";
    };
    const before = [-2, -1, 0].map((n) => care(now + n * day));
    expect(before).toEqual([true, true, true]);
    const real = listBackups(file, folder, now).map((one) => one.file);
    expect(care(now + 500 * day)).toBe(true);
    const hours = Array.from({ length: 10 }, (_, hour) => care(now + hour * 3_600_000));
    expect(hours).toEqual(Array(10).fill(false));
    const after = listBackups(file, folder, now + day / 2);
    expect(after.map((one) => one.file)).toEqual([...real.slice(0, 2), expect.stringContaining("2027")]);
    expect([care(now + day), care(now + day + 3_600_000)]).toEqual([true, false]);
  });

  test("that is made while something is forgotten does not keep it", () => {
    add("a");
    add("b");
    let isForgotten = false;
    // The first look at the disk's room comes after the backup has begun, and before the copy is made.
    vi.spyOn(fs, "statfsSync").mockImplementation(() => {
      if (!isForgotten) change((memory) => forget(memory, { ...emptyForgetRequest, sessions: [1] }));
      isForgotten = true;
      return { bavail: 1e9, bsize: 4096 } as fs.StatsFs;
    });
    syncBuiltinESMExports();
    const { file: made } = makeBackup(file, { folder, reason: "manual" });
    vi.restoreAllMocks();
    syncBuiltinESMExports();
    expect(isForgotten).toBe(true);
    expect(sessionsIn(made)).toBe(1);
    expect(names()).toHaveLength(1);
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
    expect(findDueCare(file, folder, day, now)).toBe("backup");
    takeCare({ memoryDb: file, folder, keep: 2, kind: "backup" }, now);
    expect(findDueCare(file, folder, day, now + day - 1)).toBe("check");
    takeCare({ memoryDb: file, folder, keep: 2, kind: "check" }, now);
    expect(findDueCare(file, folder, day, now + day - 1)).toBeNull();
    expect(findDueCare(file, folder, day, now + day)).toBe("backup");
    expect(findDueCare(file, folder, day, now - 30 * day)).toBe("backup");
    expect(findDueCare(file, folder, null, now + 6 * day)).toBeNull();
    expect(readCare(file)).toMatchObject({ backup: { problem: null }, check: { problem: null } });
  });

  test("a check that finds damage says so", () => {
    add("a");
    writeFileSync(file, "no database");
    const task = { memoryDb: file, folder, keep: 2, kind: "check" } as const;
    expect(() => takeCare(task)).toThrow(expect.objectContaining({ code: "memory_corrupt" }));
    expect(readCare(file).check?.problem).toContain("not a database");
  });

  test("does not keep what was forgotten", () => {
    add("a");
    makeBackup(file, { folder, reason: "manual" });
    replaceMemory(file, makeBackup(file, { folder, reason: "daily" }).file);
    change((memory) => leaveNoTrace(memory));
    expect(listBackups(file, folder)).toEqual([]);
  });

  test("nor do copies that killed processes and repairs left behind", () => {
    add("a");
    const { file: backup } = makeBackup(file, { folder, reason: "manual" });
    const dead = execFileSync(process.execPath, ["-p", "process.pid"], { encoding: "utf8" }).trim();
    const left = [
      `memory.db.pommel-${dead}`,
      `memory.db.pommel-${dead}.pommel-${dead}`,
      `memory.db.pommel-${dead}-wal`,
      "memory.db.before-9",
      "memory.db.damaged-2026-01-01T00-00-00-000Z",
      "memory.db.damaged-2026-01-01T00-00-00-000Z-wal",
      `backups/memory-20260101T000000Z-daily.db.pommel-${dead}`,
    ];
    for (const name of left) cpSync(backup, join(dir, name));
    mkdirSync(join(tmpdir(), `read.pommel-${dead}-abcdef`));
    cpSync(backup, join(tmpdir(), `read.pommel-${dead}-abcdef/memory.db`));
    // Somebody is at it.
    cpSync(backup, join(dir, `other.db.pommel-${process.pid}`));
    change((memory) => leaveNoTrace(memory));
    expect(readdirSync(dir).sort()).toEqual(["backups", "memory.db", `other.db.pommel-${process.pid}`]);
    expect(names()).toEqual([]);
    expect(readdirSync(tmpdir()).filter((name) => name.startsWith("read."))).toEqual([]);
  });
});

describe("restoring", () => {
  test("replaces the memory, and can be undone", () => {
    add("a");
    const { file: backup } = makeBackup(file, { folder, reason: "manual" });
    add("b");
    replaceMemory(file, backup);
    expect(sessionsIn(file)).toBe(1);
    replaceMemory(file, listReplacedFiles(file)[0]!);
    expect(sessionsIn(file)).toBe(2);
    replaceMemory(file, listReplacedFiles(file)[0]!);
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
    const { file: backup } = makeBackup(file, { folder, reason: "manual" });
    spoil();
    replaceMemory(file, backup);
    expect(sessionsIn(file)).toBe(1);
    expect(readdirSync(dir).filter((name) => name.includes("-now") || name.includes(".pommel-"))).toEqual([]);
  });

  test("takes what a memory from before the first release holds, and of it our tables only", () => {
    add("a");
    const { file: backup } = makeBackup(file, { folder, reason: "manual" });
    exec(
      backup,
      `DROP TABLE events; ALTER TABLE sessions DROP COLUMN end_reason; CREATE TABLE other (x);
       CREATE TRIGGER other_trigger AFTER INSERT ON annotations BEGIN DELETE FROM sessions; END; PRAGMA user_version = 15`,
    );
    add("b");
    replaceMemory(file, backup);
    expect(sessionsIn(file)).toBe(1);
    expect(checkMemory(file)).toMatchObject({
      state: "sound",
      schema: memorySchema.first + memorySchema.steps.length - 1,
    });
    const db = new Sqlite(file, { mode: "read", timeoutMs: 0 });
    expect(db.prepare("SELECT name FROM sqlite_schema WHERE name LIKE 'other%'").all()).toEqual([]);
    db.close();
  });

  test("waits for nobody: a memory that is in use stays", () => {
    add("a");
    const { file: backup } = makeBackup(file, { folder, reason: "manual" });
    const open = Memory.open(file, { readonly: false });
    addSession(open, "b");
    expect(() => replaceMemory(file, backup)).toThrow(expect.objectContaining({ code: "locked" }));
    expect(sessionsIn(file)).toBe(2);
    open.close();
  });

  test.each([
    [
      "of a newer schema",
      "index_too_new",
      (backup: string) => exec(backup, "CREATE TABLE later (x); PRAGMA user_version = 999"),
    ],
    [
      "with a trigger of its own",
      "unreadable",
      (backup: string) =>
        exec(backup, "CREATE TRIGGER mine AFTER INSERT ON annotations BEGIN DELETE FROM sessions; END"),
    ],
    ["with a table of its own", "unreadable", (backup: string) => exec(backup, "CREATE TABLE mine (x)")],
    [
      "with a session id that would be an option",
      "unreadable",
      (backup: string) => exec(backup, "UPDATE sessions SET uid = '--dangerously-skip-permissions'"),
    ],
    ["that is none", "unreadable", (backup: string) => writeFileSync(backup, "no database")],
    ["that is missing", "not_found", (backup: string) => rmSync(backup)],
    ["that is empty", "unreadable", (backup: string) => writeFileSync(backup, "")],
  ])("refuses a backup %s", (_, code, spoil) => {
    add("a");
    const { file: backup } = makeBackup(file, { folder, reason: "manual" });
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
