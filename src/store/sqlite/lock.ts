import { closeSync, openSync, rmSync, statSync, truncateSync } from "node:fs";
import { dirname } from "node:path";
import { getErrorCode, getErrorMessage, PommelError } from "../../base/errors.ts";
import { makeDirectory } from "../../base/home.ts";
import { isDamaged, isDiskFull, makeDiskFullError } from "./database.ts";
import { Sqlite } from "./sqlite.ts";

/**
 * A lock that one process holds from start to exit: the daemon's, and that of whoever writes a checkout's index.
 *
 * It is a write transaction, never committed, on a tiny SQLite file. The kernel drops it when the process
 * dies, however it dies, so there are no stale locks and a reused pid cannot be mistaken for the holder;
 * of two that start at once the kernel picks one. The file also says who holds it, for people and for
 * `pm daemon stop`; that text means nothing while the lock is free.
 */
export interface Lock {
  release(): void;
  /** False when the lock file was deleted or replaced: somebody else may hold "the" lock by now. */
  isStillOurs(): boolean;
}

export interface LockHolder {
  pid: number;
  /** What it calls itself: "pommeld", "pm daemon reindex". */
  owner: string;
}

/** How long to wait for another process that merely looks (`lockHolder`). Milliseconds. */
const timeoutMs = 200;

/**
 * Locks held by this process, by their file: SQLite's locks do not always keep a process from itself, and a lock whose
 * connection is not referenced would end at the next garbage collection.
 */
const heldHere = new Map<string, Sqlite>();

/**
 * Takes the lock that is `file`, in a directory that is made where it is missing.
 * @throws PommelError `locked` when another process holds it, `disk_full`, `unreadable` when the file cannot be used
 */
export function acquireLock(file: string, owner: string): Lock {
  if (heldHere.has(file)) throw makeLockedError({ pid: process.pid, owner });
  let db: Sqlite;
  try {
    makeDirectory(dirname(file));
    db = lock(file, owner);
  } catch (error) {
    if (!isDamaged(error)) throw explain(error, file);
    try {
      empty(file);
      db = lock(file, owner);
    } catch (again) {
      throw explain(again, file);
    }
  }
  heldHere.set(file, db);
  const inode = statSync(file).ino;
  return {
    release() {
      if (heldHere.delete(file)) db.close();
    },
    isStillOurs: () => heldHere.has(file) && statSync(file, { throwIfNoEntry: false })?.ino === inode,
  };
}

/** @throws errors of SQLite and of the file system */
function lock(file: string, owner: string): Sqlite {
  const db = openLockFile(file);
  try {
    // What the file says is worth nothing after a crash of the machine: no need to wait for the disk.
    db.exec("PRAGMA synchronous = OFF");
    // Exclusive, so that no process reads the former holder's pid while the lock is already taken.
    db.exec("BEGIN EXCLUSIVE");
    db.exec("CREATE TABLE IF NOT EXISTS holder (pid INTEGER NOT NULL, owner TEXT NOT NULL)");
    db.exec("DELETE FROM holder");
    db.prepare("INSERT INTO holder (pid, owner) VALUES (?, ?)").run(process.pid, owner);
    db.exec("COMMIT");
    // Held from here on: readable by others, writable by none. Whoever slips in between has won.
    db.exec("BEGIN IMMEDIATE");
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/**
 * Makes a lock file that a power cut left damaged usable again. In place: a process that holds the lock keeps it, as the
 * kernel holds it by the file and not by what is in it.
 */
function empty(file: string): void {
  rmSync(`${file}-journal`, { force: true });
  truncateSync(file, 0);
}

function explain(error: unknown, file: string): PommelError {
  if (getErrorCode(error).startsWith("SQLITE_BUSY")) return makeLockedError(lockHolder(file));
  return isDiskFull(error)
    ? makeDiskFullError(file, "Free some space.", error)
    : makeUnusableLockError(file, error);
}

/** Who holds the lock that is `file`, or null when it is free. */
export function lockHolder(file: string): LockHolder | null {
  let db: Sqlite;
  try {
    db = new Sqlite(file, { mode: "write", timeoutMs: timeoutMs, key: null });
  } catch {
    return null;
  }
  try {
    db.exec("BEGIN IMMEDIATE");
    return null;
  } catch (error) {
    if (!getErrorCode(error).startsWith("SQLITE_BUSY")) return null;
    return readHolder(db);
  } finally {
    db.close();
  }
}

function readHolder(db: Sqlite): LockHolder {
  try {
    const holder = db.prepare("SELECT pid, owner FROM holder").get();
    if (holder) return holder as LockHolder;
  } catch {
    // Taken this very moment, and not signed yet.
  }
  return { pid: 0, owner: "another process" };
}

function openLockFile(file: string): Sqlite {
  try {
    // Created here for its mode. Never opened when it exists: closing a descriptor drops POSIX locks.
    closeSync(openSync(file, "wx", 0o600));
  } catch (error) {
    if (getErrorCode(error) !== "EEXIST") throw error;
  }
  return new Sqlite(file, { mode: "write", timeoutMs: timeoutMs, key: null });
}

function makeLockedError(holder: LockHolder | null): PommelError {
  const who = holder && holder.pid > 0 ? `${holder.owner} (PID ${holder.pid})` : "another process";
  return new PommelError(
    "locked",
    `${who} is at work on it.`.replace(/^a/, "A"),
    "Wait until it is done, or stop the daemon with `pm daemon stop`.",
  );
}

function makeUnusableLockError(file: string, cause: unknown): PommelError {
  return new PommelError(
    "unreadable",
    `Cannot use the lock file ${file}: ${getErrorMessage(cause)}.`,
    "Check that the directory is writable; the file itself may be deleted when no daemon runs.",
    { cause },
  );
}
