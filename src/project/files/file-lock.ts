import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { codeOf } from "../errors.ts";

/** How long somebody else's work is waited for, how often it is looked at, and when it is given up on. Milliseconds. */
const patience = 5000;
const pause = 10;
const maxWork = 30_000;

/**
 * Edits files while no other `pm` does: each reads what was made of them, and writes it anew. Where the lock cannot be
 * had, it goes on without, as nobody should be kept from setting up by a lock.
 * @param lock the file that stands for the lock
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
  for (let waited = 0; waited < patience; ) {
    try {
      mkdirSync(dirname(lock), { recursive: true, mode: 0o700 });
      writeFileSync(lock, String(process.pid), { flag: "wx", mode: 0o600 });
      return true;
    } catch (error) {
      if (codeOf(error) !== "EEXIST") return false;
    }
    if (isLeft(lock)) rmSync(lock, { force: true });
    else waited += sleep(pause);
  }
  return false;
}

/** Whoever made it was killed. */
function isLeft(lock: string): boolean {
  try {
    const pid = Number(readFileSync(lock, "utf8"));
    return Date.now() - statSync(lock).mtimeMs > maxWork || (pid > 0 && !isAlive(pid));
  } catch {
    // It is gone by now.
    return false;
  }
}

/** Whether there is a process of this id. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) === "EPERM";
  }
}

function sleep(milliseconds: number): number {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
  return milliseconds;
}
