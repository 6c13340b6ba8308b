import { closeSync, openSync, renameSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import { PommelError } from "../../base/errors.ts";
import { makeDraftPath, sync } from "../../base/files/replace-file.ts";
import { measureFreeBytes } from "../../base/home.ts";
import { Sqlite } from "./sqlite.ts";

/** Room that a copy leaves to everything else on the disk. Bytes. */
const spareBytes = 20_000_000;

/**
 * Writes a copy of a database as one reader sees it, while others go on writing: `VACUUM INTO` (docs/decisions/0001-sqlite-is-the-truth.md).
 * The copy is read back, forced to the disk and only then gets its name (mode 0600); what fails leaves nothing behind.
 * @param accept of the copy: whether it is the wanted one
 * @param key of the copy, null for a plain one; by default that of the database
 * @returns whether it was accepted, and is there
 * @throws PommelError `disk_full`, `unreadable` for a copy that cannot be read; SQLite's own errors
 */
export function copyDatabase(
  db: Sqlite,
  target: string,
  accept: (copy: Sqlite) => boolean = () => true,
  key: string | null = db.key,
): boolean {
  const draft = makeDraftPath(target);
  rmSync(draft, { force: true });
  try {
    leaveRoom(db, dirname(target));
    // Made here for its mode; SQLite writes into an empty file.
    closeSync(openSync(draft, "wx", 0o600));
    db.copyTo(draft, key);
    if (!isGoodCopy(draft, key, accept)) return false;
    sync(draft);
    renameSync(draft, target);
    sync(dirname(target));
    return true;
  } finally {
    removeDatabase(draft);
  }
}

/** Removes a database that nobody has open, with what SQLite keeps beside it. */
export function removeDatabase(file: string): void {
  for (const end of ["", "-journal", "-wal", "-shm"]) rmSync(file + end, { force: true });
}

/** Without room for the copy none is begun, or everything else on the disk would fail with it. */
export function leaveRoom(db: Sqlite, dir: string): void {
  const needed = (db.pragma("page_count") as number) * (db.pragma("page_size") as number) + spareBytes;
  if (measureFreeBytes(dir) >= needed) return;
  throw new PommelError(
    "disk_full",
    `The disk of ${dir} has too little room for a copy: ${Math.ceil(needed / 1e6)} MB are needed.`,
    "Free some space, or choose another directory.",
  );
}

function isGoodCopy(file: string, key: string | null, accept: (copy: Sqlite) => boolean): boolean {
  const copy = new Sqlite(file, { mode: "read", timeoutMs: 0, key });
  try {
    const verdict = copy.pragma("quick_check(1)");
    if (verdict !== "ok") {
      throw new PommelError(
        "unreadable",
        `The copy ${file} differs from what was written: ${verdict}.`,
        "Check the disk.",
      );
    }
    return accept(copy);
  } finally {
    copy.close();
  }
}
