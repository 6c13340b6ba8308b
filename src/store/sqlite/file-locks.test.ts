import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { addSession } from "../../../test/support/memory-fixture.ts";
import { silentLog } from "../../base/log.ts";
import { makeNewProject } from "../../base/paths.ts";
import { sqliteDriver } from "../index/sqlite/sqlite-driver.ts";
import { makeBackup } from "../memory/backups/backups.ts";
import { locateBackupFolder } from "../memory/backups/copies.ts";
import { checkMemory, Memory } from "../memory/memory.ts";
import { Registry } from "../registry.ts";
import { acquireLock, lockHolder } from "./lock.ts";
import { Sqlite } from "./sqlite.ts";

/** Whoever closes a descriptor of a file drops all locks that his process has on it: SQLite alone may open a database. */

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "pommel-locks-"));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

/** Whether this process has any lock on a file. */
function isLocked(file: string): boolean {
  const inode = statSync(file).ino;
  const lines = readFileSync("/proc/locks", "utf8").split("\n");
  return lines.some((line) => {
    const [, , , , pid, place] = line.trim().split(/\s+/);
    return Number(pid) === process.pid && place?.split(":").at(-1) === String(inode);
  });
}

describe.runIf(existsSync("/proc/locks"))("a database that is open in this process keeps its locks", () => {
  test("while the memory is opened, read, checked and copied again", async () => {
    const file = join(dir, "memory.db");
    const memory = Memory.open(file, { readonly: false });
    addSession(memory, "a");
    expect(isLocked(file)).toBe(true);
    const uses: Record<string, () => unknown> = {
      write: () => Memory.open(file, { readonly: false }).close(),
      read: () => Memory.open(file, { readonly: true }).close(),
      check: () => checkMemory(file),
      backUp: () => makeBackup(file, { folder: locateBackupFolder(file, ""), reason: "manual" }),
    };
    for (const [name, use] of Object.entries(uses)) {
      use();
      expect([name, isLocked(file)]).toEqual([name, true]);
    }
    // Another program takes nothing away that is in use.
    execFileSync(process.execPath, [
      "--import",
      "tsx",
      "--input-type=module",
      "-e",
      `import { Sqlite } from ${JSON.stringify(new URL("./sqlite.ts", import.meta.url).href)};
       const db = new Sqlite(${JSON.stringify(file)}, { mode: "write", timeoutMs: 0 });
       db.prepare("SELECT count(*) FROM sessions").get();
       db.close();`,
    ]);
    expect(existsSync(`${file}-wal`)).toBe(true);
    memory.close();
  });

  test("while the index is opened and checked again, and the lock looked at", async () => {
    const project = makeNewProject(dir);
    const lock = acquireLock(project.lockFile, "test");
    const { index: writer } = await sqliteDriver.openToWrite(project.indexDb, silentLog);
    expect([isLocked(project.indexDb), isLocked(project.lockFile)]).toEqual([true, true]);
    await sqliteDriver.openBeside!(project.indexDb).close();
    await sqliteDriver.check(project.indexDb);
    lockHolder(project.lockFile);
    expect([isLocked(project.indexDb), isLocked(project.lockFile)]).toEqual([true, true]);
    await writer.close();
    lock.release();
  });

  test("while another project is registered", () => {
    const file = join(dir, "registry.db");
    const identity = { roots: [], remotes: [], within: "", isNamed: false, isOff: false };
    const project = (id: string) => ({ id, name: id, ...identity, createdAt: 1, lastUsedAt: 1 });
    Registry.open(file).saveProject(project("a"));
    const open = new Sqlite(file, { mode: "write", timeoutMs: 0, key: null });
    open.prepare("SELECT count(*) FROM projects").get();
    expect(isLocked(file)).toBe(true);
    Registry.close(file);
    Registry.open(file).saveProject(project("b"));
    expect(Registry.open(file).listRegisteredProjects()).toHaveLength(2);
    expect(isLocked(file)).toBe(true);
    open.close();
    Registry.close(file);
  });
});
