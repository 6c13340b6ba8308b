import { readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { getErrorCode } from "../errors.ts";
import { makeDirectory } from "../home.ts";

/** Maximum wait, poll interval, and age of a stale lock. Milliseconds. */
const maxWaitMs = 5000;
const pause = 10;
const maxWork = 30_000;

/**
 * Runs `work` under a lock, so that concurrent `pm` processes do not overwrite each other's edits. Runs without it
 * after the wait, because a lock must not block a setup.
 * @param lock the lock file
 */
export function withFileLock<T>(lock: string, work: () => T): T {
  const isHeld = take(lock);
  try {
    return work();
  } finally {
    if (isHeld) rmSync(lock, { force: true });
  }
}

function take(lock: string): boolean {
  for (let waited = 0; waited < maxWaitMs; ) {
    try {
      makeDirectory(dirname(lock));
      writeFileSync(lock, String(process.pid), { flag: "wx", mode: 0o600 });
      return true;
    } catch (error) {
      if (getErrorCode(error) !== "EEXIST") return false;
    }
    if (isLeft(lock)) rmSync(lock, { force: true });
    else waited += sleep(pause);
  }
  return false;
}

/** Whether the lock's owner was killed. */
function isLeft(lock: string): boolean {
  try {
    const pid = Number(readFileSync(lock, "utf8"));
    return Date.now() - statSync(lock).mtimeMs > maxWork || (pid > 0 && !isAlive(pid));
  } catch {
    // It was removed meanwhile.
    return false;
  }
}

/** Whether a process with this id exists. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return getErrorCode(error) === "EPERM";
  }
}

function sleep(milliseconds: number): number {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
  return milliseconds;
}
