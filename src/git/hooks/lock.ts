import { mkdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { codeOf } from "../../project/errors.ts";
import { explain } from "./hook-file.ts";

/** Whoever holds it that long has died. Milliseconds; changing hooks takes a few. */
const staleMs = 10_000;

/**
 * Runs `change` while nobody else changes hooks in `dir`, which linked worktrees and the projects of a repository share.
 * @param create makes the directory, if it is not there
 * @throws PommelError `unreadable`, `disk_full`
 */
export async function withHooksLock<T>(dir: string, create: boolean, change: () => T): Promise<T> {
  const file = join(dir, "pommel.lock");
  try {
    if (create) mkdirSync(dir, { recursive: true });
    while (!tryLock(file)) await sleep(20);
  } catch (error) {
    throw explain(error, "write", dir);
  }
  try {
    return change();
  } finally {
    rmSync(file, { force: true });
  }
}

function tryLock(file: string): boolean {
  try {
    writeFileSync(file, `${process.pid}\n`, { flag: "wx" });
    return true;
  } catch (error) {
    if (codeOf(error) !== "EEXIST") throw error;
    const since = statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? Date.now();
    if (Date.now() - since > staleMs) rmSync(file, { force: true });
    return false;
  }
}
