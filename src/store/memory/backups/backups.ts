import { chmodSync, rmSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { getErrorCode, PommelError } from "../../../base/errors.ts";
import { makeDirectory } from "../../../base/home.ts";
import { findEnvelopeOfDatabase, keepEnvelopeBeside, locateOwnEnvelope } from "../../encryption/envelope.ts";
import { copyDatabase } from "../../sqlite/copy-database.ts";
import { explain } from "../../sqlite/database.ts";
import { Sqlite } from "../../sqlite/sqlite.ts";
import { memoryWords } from "../memory.ts";
import { countForgettings } from "../privacy/forget.ts";
import { findLostMemoryError, hashMemoryContent, listExpendableCopies } from "./backup-content.ts";
import { type BackupFile, chooseFreeBackupName, listDatedBackups } from "./copies.ts";
import { removeCopy } from "./put-in-place.ts";

/** How long a statement waits for another connection. Milliseconds. */
const timeoutMs = 5000;

/**
 * Copies the memory as it is now, whatever writes to it. The copy is checked before it gets its name.
 * @param target a file that does not exist yet, or the folder of this memory's backups
 * @throws PommelError `no_memory`, `memory_missing`, `usage` when the file exists, `memory_corrupt`, `disk_full`, `unreadable`
 */
export function makeBackup(
  memoryDb: string,
  target: { file: string } | { folder: string; reason: "daily" | "manual" },
  now = Date.now(),
): BackupFile {
  const reason = "file" in target ? "manual" : target.reason;
  const file = "file" in target ? target.file : chooseFreeBackupName(target.folder, reason, now);
  if (statSync(file, { throwIfNoEntry: false })) {
    throw new PommelError("usage", `${file} already exists.`, "Choose another name.");
  }
  withDatabase(memoryDb, (db) => {
    makeFolder(dirname(file));
    try {
      if (db.key !== null) keepEnvelopeBeside(file, findEnvelopeOfDatabase(memoryDb)!, "folder" in target);
      copyWhatIsKept(db, file);
    } catch (error) {
      rmSync(locateOwnEnvelope(file), { force: true });
      // The disk of the copy, not that of the memory.
      const code = getErrorCode(error);
      if (!/^(?:SQLITE_FULL|SQLITE_IOERR.*|SQLITE_CANTOPEN|ENOSPC|EACCES|EROFS|ENOTDIR|EPERM)$/.test(code))
        throw error;
      throw explain(code.startsWith("SQLITE_IOERR") ? toDiskFullError(error) : error, file, memoryWords);
    }
  });
  return { file, reason, at: now, bytes: statSync(file).size };
}

/** Makes the copy again where something was forgotten while it was made. */
function copyWhatIsKept(db: Sqlite, file: string): void {
  for (;;) {
    const before = countForgettings(db);
    copyDatabase(db, file);
    if (countForgettings(db) === before) return;
    rmSync(file, { force: true });
  }
}

/** What a file-size limit or a quota gives is no damage: the memory itself was only read. */
const toDiskFullError = (cause: unknown) =>
  Object.assign(new Error(String(cause), { cause }), { code: "ENOSPC" });

function makeFolder(folder: string): void {
  // A folder that exists keeps its mode: it may be somebody's own.
  if (makeDirectory(folder) !== undefined) chmodSync(folder, 0o700);
}

/** @throws PommelError as `Memory.open`, but reads a memory of any schema */
function withDatabase<T>(memoryDb: string, use: (db: Sqlite) => T): T {
  const stat = statSync(memoryDb, { throwIfNoEntry: false });
  const lost = stat?.size ? null : findLostMemoryError(memoryDb);
  if (lost) throw lost;
  if (!stat) throw new PommelError(...memoryWords.absent(memoryDb));
  let db: Sqlite | undefined;
  try {
    db = new Sqlite(memoryDb, { mode: "read", timeoutMs });
    return use(db);
  } catch (error) {
    throw explain(error, memoryDb, memoryWords);
  } finally {
    db?.close();
  }
}

export interface DailyOptions {
  folder: string;
  /** How many daily ones stay. */
  keep: number;
}

/**
 * The daily backup: none where the memory holds what the newest one does. Older ones go once the new one is checked, but none
 * that alone holds a session or a note, and never the last one.
 * @returns the new one; null where nothing changed
 * @throws PommelError as `makeBackup`
 */
export function backUpDaily(
  memoryDb: string,
  { folder, keep }: DailyOptions,
  now = Date.now(),
): BackupFile | null {
  const [newest] = listDatedBackups(folder, now);
  if (newest && hasSameContent(memoryDb, newest.file)) return null;
  const made = makeBackup(memoryDb, { folder, reason: "daily" }, now);
  removeOlder(made.file, folder, Math.max(keep, 1), now);
  return made;
}

function removeOlder(made: string, folder: string, keep: number, now: number): void {
  const isDaily = ({ reason, file }: BackupFile) => reason === "daily" && file !== made;
  const older = listDatedBackups(folder, now).filter(isDaily);
  for (const file of listExpendableCopies([made, ...older.map((one) => one.file)], keep)) removeCopy(file);
}

function hasSameContent(memoryDb: string, backup: string): boolean {
  try {
    const stored = withDatabase(backup, hashMemoryContent);
    return stored === withDatabase(memoryDb, hashMemoryContent);
  } catch {
    // One that cannot be read is no reason to leave out the next.
    return false;
  }
}

/** Whether the next backup is due. What is dated later than now, by a clock that was wrong, does not count. */
export function isBackupDue(
  folder: string,
  intervalMs: number,
  checkedAt: number,
  now = Date.now(),
): boolean {
  const times = [checkedAt <= now ? checkedAt : 0, ...listDatedBackups(folder, now).map(({ at }) => at)];
  return now - Math.max(...times) >= intervalMs;
}
