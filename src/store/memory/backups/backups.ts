import { chmodSync, mkdirSync, readdirSync, rmSync, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { codeOf, PommelError } from "../../../project/errors.ts";
import { envelopeFor, keepEnvelopeBeside, ownEnvelope } from "../../encryption/envelope.ts";
import { copyDatabase } from "../../sqlite/copy-database.ts";
import { backupsOf, explain } from "../../sqlite/database.ts";
import { Sqlite } from "../../sqlite/sqlite.ts";
import { memoryWords } from "../memory.ts";
import { contentDigest } from "./content-digest.ts";

/** Copies of memory.db: where they lie, what they are called, and how they are made. */

/** `daily` ones are replaced by newer ones, `manual` ones stay; the others are made before something replaces the memory. */
type BackupReason = "daily" | "manual" | "migration" | "replaced";

export interface BackupFile {
  file: string;
  reason: BackupReason;
  /** Milliseconds. */
  at: number;
  bytes: number;
}

/** Copies in a folder: `memory-20261122T193500Z-daily.db`. */
const namePattern = /^memory-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z-(daily|manual)\.db$/;

/** How long a statement waits for another connection. Milliseconds. */
const timeoutMs = 5000;

/**
 * Where the backups of a memory lie: in `backups/` beside it, or in a folder of its own in `chosen`, which several projects
 * may share.
 */
export function backupFolder(memoryDb: string, chosen: string): string {
  const beside = dirname(memoryDb);
  return chosen === "" ? join(beside, "backups") : join(resolve(chosen), basename(beside));
}

/** What `pm restore` puts beside the memory: the database that it replaced. */
export const replacedFile = (memoryDb: string) => `${memoryDb}.replaced`;

/** Everything that a memory can be restored from, newest first. */
export function listBackups(memoryDb: string, folder: string): BackupFile[] {
  const before = backupsOf(memoryDb).map((file) => ({ file, reason: "migration" as const }));
  const replaced = [{ file: replacedFile(memoryDb), reason: "replaced" as const }];
  const beside = [...before, ...replaced].flatMap(({ file, reason }) => {
    const stat = statSync(file, { throwIfNoEntry: false });
    return stat ? [{ file, reason, at: Math.trunc(stat.mtimeMs), bytes: stat.size }] : [];
  });
  return [...inFolder(folder), ...beside].sort((a, b) => b.at - a.at);
}

function inFolder(folder: string): BackupFile[] {
  let names: string[] = [];
  try {
    names = readdirSync(folder);
  } catch {
    // None was made yet, or the disk with them is not there.
  }
  return names.flatMap((name) => {
    const [, year, month, day, hours, minutes, seconds, reason] = namePattern.exec(name) ?? [];
    const file = join(folder, name);
    const stat = reason === undefined ? undefined : statSync(file, { throwIfNoEntry: false });
    if (!stat) return [];
    const at = Date.parse(`${year}-${month}-${day}T${hours}:${minutes}:${seconds}Z`);
    return [{ file, reason: reason as "daily" | "manual", at, bytes: stat.size }];
  });
}

/**
 * Copies the memory as it is now, whatever writes to it. The copy is checked before it gets its name.
 * @param target a file that does not exist yet, or the folder of this memory's backups
 * @throws PommelError `no_memory`, `usage` when the file exists, `memory_corrupt`, `disk_full`, `unreadable`
 */
export function backUp(
  memoryDb: string,
  target: { file: string } | { folder: string; reason: "daily" | "manual" },
  now = Date.now(),
): BackupFile {
  const reason = "file" in target ? "manual" : target.reason;
  const file = "file" in target ? target.file : freeName(target.folder, reason, now);
  if (statSync(file, { throwIfNoEntry: false })) {
    throw new PommelError("usage", `${file} exists already.`, "Choose another name.");
  }
  withDatabase(memoryDb, (db) => {
    makeFolder(dirname(file));
    try {
      if (db.key !== null) keepEnvelopeBeside(file, envelopeFor(memoryDb)!, "folder" in target);
      copyDatabase(db, file);
    } catch (error) {
      rmSync(ownEnvelope(file), { force: true });
      // The disk of the copy, not that of the memory.
      const code = codeOf(error);
      if (!/^(?:SQLITE_FULL|SQLITE_IOERR.*|SQLITE_CANTOPEN|ENOSPC|EACCES|EROFS|ENOTDIR|EPERM)$/.test(code))
        throw error;
      throw explain(code.startsWith("SQLITE_IOERR") ? asFull(error) : error, file, memoryWords);
    }
  });
  return { file, reason, at: now, bytes: statSync(file).size };
}

/** What a file-size limit or a quota gives is no damage: the memory itself was only read. */
const asFull = (cause: unknown) => Object.assign(new Error(String(cause), { cause }), { code: "ENOSPC" });

/** The first name of this second that is free. */
export function freeName(folder: string, reason: "daily" | "manual", now = Date.now()): string {
  for (let at = now; ; at += 1000) {
    const stamp = new Date(at).toISOString().replace(/\.\d+/, "").replace(/[:-]/g, "");
    const file = join(folder, `memory-${stamp}-${reason}.db`);
    if (!statSync(file, { throwIfNoEntry: false })) return file;
  }
}

function makeFolder(folder: string): void {
  // A folder that exists keeps its mode: it may be somebody's own.
  if (mkdirSync(folder, { recursive: true, mode: 0o700 }) !== undefined) chmodSync(folder, 0o700);
}

/** @throws PommelError as `Memory.open`, but reads a memory of any schema */
function withDatabase<T>(memoryDb: string, use: (db: Sqlite) => T): T {
  if (!statSync(memoryDb, { throwIfNoEntry: false })) throw new PommelError(...memoryWords.absent(memoryDb));
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
 * The daily backup: none where the memory holds what the newest one does. Older ones go once the new one is checked, and
 * never the last one.
 * @returns the new one; null where nothing changed
 * @throws PommelError as `backUp`
 */
export function backUpDaily(
  memoryDb: string,
  { folder, keep }: DailyOptions,
  now = Date.now(),
): BackupFile | null {
  const [newest] = inFolder(folder).sort((a, b) => b.at - a.at);
  if (newest && holdsTheSame(memoryDb, newest.file)) return null;
  const made = backUp(memoryDb, { folder, reason: "daily" }, now);
  const daily = inFolder(folder).filter(({ reason }) => reason === "daily");
  const older = daily.filter(({ file }) => file !== made.file).sort((a, b) => b.at - a.at);
  for (const { file } of older.slice(Math.max(keep, 1) - 1)) removeCopy(file);
  return made;
}

function holdsTheSame(memoryDb: string, backup: string): boolean {
  try {
    const stored = withDatabase(backup, contentDigest);
    return stored === withDatabase(memoryDb, contentDigest);
  } catch {
    // One that cannot be read is no reason to leave out the next.
    return false;
  }
}

/** Whether the next backup is due. A clock that was set back does not put it off. */
export function isBackupDue(
  folder: string,
  intervalMs: number,
  checkedAt: number,
  now = Date.now(),
): boolean {
  const last = Math.max(checkedAt, ...inFolder(folder).map(({ at }) => at));
  return Math.abs(now - last) >= intervalMs;
}

/** Removes all copies: what was forgotten must not be in them. */
export function removeBackups(memoryDb: string, folders: readonly string[]): void {
  for (const folder of folders) {
    for (const { file } of listBackups(memoryDb, folder)) removeCopy(file);
  }
}

function removeCopy(file: string): void {
  for (const one of [file, `${file}-wal`, `${file}-shm`, ownEnvelope(file)]) rmSync(one, { force: true });
}

export interface BackupContent {
  schema: number;
  sessions: number;
  notes: number;
  commits: number;
  /** Of the last line of a session, of the last note. Milliseconds; null without any. */
  lastAt: number | null;
}

/** What a copy, or the memory itself, holds; null when it is damaged. @throws PommelError as `keyOfDatabase` */
export function contentOf(file: string): BackupContent | null {
  try {
    return withDatabase(file, (db) => {
      const one = (sql: string) => db.prepare(sql).pluck().get() as number | null;
      return {
        schema: Number(db.pragma("user_version")),
        sessions: one("SELECT count(*) FROM sessions WHERE agent <> 'pommel'") ?? 0,
        notes: one("SELECT count(*) FROM annotations") ?? 0,
        commits: one("SELECT count(*) FROM commits") ?? 0,
        lastAt: one(
          "SELECT max(at) FROM (SELECT max(last_at) AS at FROM sessions UNION ALL SELECT max(at) FROM annotations)",
        ),
      };
    });
  } catch (error) {
    if (/^encryption_/.test(codeOf(error))) throw error;
    return null;
  }
}

/** Sessions and notes by their uids, to compare a copy with what is there. */
export function uidsOf(file: string): { sessions: Set<string>; notes: Set<string> } {
  return withDatabase(file, (db) => {
    const all = (sql: string) => new Set(db.prepare(sql).pluck().all() as string[]);
    return {
      sessions: all("SELECT uid FROM sessions WHERE agent <> 'pommel'"),
      notes: all("SELECT uid FROM annotations"),
    };
  });
}
