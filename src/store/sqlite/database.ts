import { closeSync, existsSync, openSync, rmSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { type ErrorCode, getErrorCode, getErrorMessage, PommelError } from "../../base/errors.ts";
import { listNamesIfAny } from "../../base/files/if-any.ts";
import { makeDirectory } from "../../base/home.ts";
import { isLikelyRunning, readDaemonRecord } from "../../protocol/daemon-record.ts";
import { findLostEnvelopeError } from "../encryption/envelope.ts";
import { copyDatabase } from "./copy-database.ts";
import { findLatestNumber, type Schema, stepAfter } from "./schema.ts";
import { findSchemaProblem } from "./schema-problem.ts";
import { Sqlite } from "./sqlite.ts";

/** Messages about a database: which one it is, and what people can do. Functions of its file. */
export interface DatabaseMessages {
  absent(file: string): [code: ErrorCode, message: string, hint: string];
  /** The code of a damaged one, and what to do about it. */
  corrupt: { code: ErrorCode; hint(file: string): string };
  /** What to do when a newer Pommel wrote it. */
  tooNew: string;
  /** What to do when an older Pommel wrote it and it may not be written now. */
  tooOld: string;
  /** What to do about one whose schema is older than the first that was released. */
  unreleased?(file: string): string;
  full: string;
  /** What to say where the file is missing or empty, but was there before; null where it is new. */
  lost?(file: string): PommelError | null;
}

/** index.db: what is lost can be made again. */
const indexMessages: DatabaseMessages = {
  absent: (file) => [
    "not_indexed",
    `No index yet (${file}).`,
    "Run `pm daemon start` or `pm daemon reindex`.",
  ],
  corrupt: {
    code: "index_corrupt",
    hint: () => "Run `pm daemon start` or `pm daemon reindex`: the damaged file is moved aside and rebuilt.",
  },
  tooNew: "Update Pommel, or delete the file and run `pm daemon reindex`.",
  tooOld: "Run `pm daemon start`.",
  full: "Free some space; indexing then continues, and the index stays searchable.",
};

export interface OpenOptions {
  readonly: boolean;
  words?: DatabaseMessages;
  /**
   * For what must not be lost: copied beside itself before its schema changes, what is deleted is overwritten, and
   * free pages can be given back. Anything else is emptied where its schema is older than the first that was released.
   */
  precious?: boolean;
  /** It writes what can be read again, and nobody waits for it: it lets others go first, and a power cut may lose more of it. */
  background?: boolean;
  /** It is a copy of a precious one that stays: a change of its schema needs no other, and none was lost where it is new. */
  isCopy?: boolean;
  /** Which copies from before older migrations are to be deleted, of all that there are: newest first. */
  expendable?: (copies: readonly string[]) => readonly string[];
}

/** How long a statement waits for the transactions of other threads and processes. Milliseconds. */
export const busyTimeoutMs = 5000;
/** Two that write without a pause on a busy machine keep a third waiting for longer than that. */
const backgroundTimeoutMs = 60_000;

/** Copies from before a migration that are kept. */
export const maxBackups = 2;

/**
 * Opens a SQLite file in WAL mode, creating it (mode 0600) and bringing its schema up to date unless `readonly`.
 * @throws PommelError `schema_outdated` (readonly, or from before the first release), `index_too_new`, `disk_full`, `unreadable`, and the words' own codes
 *   for an absent (readonly) and a damaged file
 */
export function openDatabase(file: string, schema: Schema, options: OpenOptions): Sqlite {
  const { readonly, words = indexMessages, precious = false, isCopy = false, background = false } = options;
  const stat = statSync(file, { throwIfNoEntry: false });
  if (stat?.isDirectory()) throw makeUnreadableError(file, new Error("it is a directory"));
  if (!stat?.size && !isCopy) {
    const lost = words.lost?.(file) ?? null;
    if (lost) throw lost;
  }
  if (readonly && !stat) throw new PommelError(...words.absent(file));
  let db: Sqlite | undefined;
  try {
    // SQLite gives -wal and -shm the mode of the main file, so making that one private is enough.
    if (!readonly) createPrivately(file);
    db = new Sqlite(file, {
      mode: readonly ? "read" : "create",
      timeoutMs: background ? backgroundTimeoutMs : busyTimeoutMs,
    });
    if (!readonly) {
      // Before anything is written, or it has no effect; later it would take the write lock for nothing.
      const isEmpty = db.pragma("page_count") === 0;
      if (precious && isEmpty) db.exec("PRAGMA auto_vacuum = INCREMENTAL");
      db.exec("PRAGMA journal_mode = WAL");
      // WAL with NORMAL survives a killed process; only a power cut may lose the last transactions, whole.
      db.exec("PRAGMA synchronous = NORMAL");
      if (precious) db.exec("PRAGMA secure_delete = ON");
      // What changes again and again while much is written is moved out of the log once for 16 or 64 MB, not for 4. Not where a
      // power cut must lose little: only then is what was written safe from it.
      if (!precious || background) db.exec(`PRAGMA wal_autocheckpoint = ${precious ? 16_384 : 4096}`);
    }
    db.exec("PRAGMA foreign_keys = ON; PRAGMA temp_store = MEMORY");
    migrate(db, file, schema, { ...options, words });
    const opened = db;
    // A table that is missing may be one that a newer Pommel has no use for: that is no damage.
    db.explain = (error) =>
      (isOfMissingTable(error) ? findNewerSchemaError(opened, file, schema, words) : null) ??
      explain(error, file, words);
    return db;
  } catch (error) {
    if (db && ["index_too_new", "schema_outdated"].includes(getErrorCode(error))) closeUnchanged(db, file);
    else db?.close();
    throw explain(error, file, words);
  }
}

/** The last connection that closes moves the log into the database, unless it may only read. */
function closeUnchanged(db: Sqlite, file: string): void {
  const reader = new Sqlite(file, { mode: "read", timeoutMs: busyTimeoutMs });
  try {
    readSchemaVersion(reader);
    db.close();
  } finally {
    reader.close();
  }
}

/**
 * Creates a database for its mode, which SQLite gives to what it makes beside it, in directories that are 0700. One that
 * exists is never opened: closing a descriptor drops the locks that this process has on the file, whatever other
 * connections it has.
 * @throws PommelError `unreadable`; that the disk is full
 */
export function createPrivately(file: string): void {
  try {
    makeDirectory(dirname(file));
    closeSync(openSync(file, "wx", 0o600));
  } catch (error) {
    // SQLite would make the file that a broken link names, for everybody to read.
    if (getErrorCode(error) === "EEXIST" && existsSync(file)) return;
    throw getErrorCode(error) === "ENOSPC" ? error : makeUnreadableError(file, error);
  }
}

const readSchemaVersion = (db: Sqlite) => db.pragma("user_version") as number;

function migrate(
  db: Sqlite,
  file: string,
  schema: Schema,
  options: OpenOptions & { words: DatabaseMessages },
): void {
  const { readonly, words, precious = false, isCopy = false, expendable = selectSurplusBackups } = options;
  const newer = findNewerSchemaError(db, file, schema, words);
  if (newer) throw newer;
  const version = readSchemaVersion(db);
  const latest = findLatestNumber(schema);
  if (version === latest) return;
  const isUnreleased = version > 0 && version < schema.first;
  // What is emptied need not be sound.
  const problem = isUnreleased && !precious ? null : findSchemaProblem(db, schema);
  if (problem !== null && (isUnreleased || !readonly)) throw makeDamagedError(problem, file, words);
  if (precious && isUnreleased) {
    throw new PommelError(
      "schema_outdated",
      `${file} was written before the first release of Pommel (schema ${version}; this version reads ${schema.first} and later).`,
      words.unreleased?.(file),
    );
  }
  if (readonly) {
    // A process that creates it may not have got further yet.
    if (version === 0 && precious) throw new PommelError(...words.absent(file));
    throw new PommelError("schema_outdated", `${file} was written by an older Pommel.`, words.tooOld);
  }
  const lost = version === 0 && !isCopy ? words.lost?.(file) : null;
  if (lost) throw lost;
  if (precious && version > 0 && !isCopy) {
    backUpBeforeMigration(db, file, { from: version, to: latest });
    for (const old of expendable(listMigrationBackups(file))) rmSync(old, { force: true });
  }
  // Another process may be migrating it as well: who comes second finds nothing left to do.
  for (let from = version; from < latest; from = readSchemaVersion(db)) {
    db.transaction("exclusive", () => {
      if (readSchemaVersion(db) !== from) return;
      if (from < schema.first) dropTables(db);
      const { to, sql } = stepAfter(schema, from);
      db.exec(sql);
      db.exec(`PRAGMA user_version = ${to}`);
    });
  }
}

/** What refers to others goes first, virtual tables before those that they consist of. */
function dropTables(db: Sqlite): void {
  const tables = db.prepare(
    `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
     ORDER BY sql LIKE 'CREATE VIRTUAL%' DESC, rowid DESC`,
  );
  for (const table of tables.pluck().all()) db.exec(`DROP TABLE IF EXISTS "${table}"`);
}

/** The error `index_too_new` when a newer Pommel wrote it, or has migrated it since; else null. */
export function findNewerSchemaError(
  db: Sqlite,
  file: string,
  schema: Schema,
  words: DatabaseMessages,
): PommelError | null {
  const version = readSchemaVersion(db);
  const latest = findLatestNumber(schema);
  if (version <= latest) return null;
  return new PommelError(
    "index_too_new",
    `${file} was written by a newer Pommel (schema ${version}; this version supports ${latest}).`,
    words.tooNew,
  );
}

/** `<file>.before-<schema version>`, newest first. */
export function listMigrationBackups(file: string): string[] {
  const beginning = `${basename(file)}.before-`;
  return listNamesIfAny(dirname(file))
    .filter((name) => name.startsWith(beginning) && /^\d+$/.test(name.slice(beginning.length)))
    .sort((a, b) => Number(b.slice(beginning.length)) - Number(a.slice(beginning.length)))
    .map((name) => join(dirname(file), name));
}

function backUpBeforeMigration(db: Sqlite, file: string, { from, to }: { from: number; to: number }): void {
  // Migrated by another process meanwhile: that one made the copy.
  copyDatabase(db, `${file}.before-${to}`, (copy) => readSchemaVersion(copy) === from);
}

const selectSurplusBackups = (copies: readonly string[]) => copies.slice(maxBackups);

/**
 * Whether an error shows that a database is damaged. Its schema version was checked when it was opened, so a table that
 * is missing now was lost.
 */
export function isDamaged(error: unknown): boolean {
  const code = getErrorCode(error);
  return (
    /^(?:index_corrupt|memory_corrupt|SQLITE_CORRUPT.*|SQLITE_NOTADB|SQLITE_IOERR_SHORT_READ)$/.test(code) ||
    isOfMissingTable(error)
  );
}

/** Also one of those that a virtual table consists of. */
const isOfMissingTable = (error: unknown) =>
  getErrorCode(error) === "SQLITE_ERROR" &&
  /\bno such (?:fts5 )?table\b|^vtable constructor failed/.test(getErrorMessage(error));

/** What belongs to a row that is not there: nobody but damage removes one alone from what is written in whole. */
const isOfMissingRow = (error: unknown) =>
  getErrorCode(error) === "SQLITE_CONSTRAINT" && getErrorMessage(error).startsWith("FOREIGN KEY");

/** The error for a database that another process has open; null for any other. */
export function openElsewhere(error: unknown, file: string): PommelError | null {
  if (!/^SQLITE_(?:BUSY|LOCKED)/.test(getErrorCode(error))) return null;
  return new PommelError(
    "locked",
    `Another process has ${file} open.`,
    "End `pm` commands and agents that use it, then try again.",
    { cause: error },
  );
}

export const isDiskFull = (error: unknown): boolean =>
  ["SQLITE_FULL", "ENOSPC"].includes(getErrorCode(error));

export function makeDiskFullError(file: string, hint: string, cause: unknown): PommelError {
  return new PommelError("disk_full", `The disk that holds ${file} is full.`, hint, { cause });
}

/** Turns SQLite's errors about the file itself into ours; everything else passes through. */
export function explain(error: unknown, file: string, words: DatabaseMessages = indexMessages): unknown {
  if (error instanceof PommelError) return error;
  const code = getErrorCode(error);
  const lost = code === "SQLITE_NOTADB" ? findLostEnvelopeError(file, error) : null;
  if (lost) return lost;
  if (isDamaged(error) || (words === indexMessages && isOfMissingRow(error)))
    return makeDamagedError(getErrorMessage(error), file, words, error);
  if (isDiskFull(error)) return makeDiskFullError(file, words.full, error);
  if (code.startsWith("SQLITE_BUSY")) {
    const hint = "Try again. If it stays so, close what has the file open: a database viewer, a backup.";
    return new PommelError("busy", describeLockHolder(file), hint, { cause: error });
  }
  return code === "EACCES" || code === "EROFS" || /^SQLITE_(CANTOPEN|READONLY)/.test(code)
    ? makeUnreadableError(file, error)
    : error;
}

/** Pommel's own daemon has its files open: then it says nothing of others. */
function describeLockHolder(file: string): string {
  const record = readDaemonRecord();
  return isLikelyRunning(record)
    ? `${file} is locked for the moment, while Pommel's daemon (PID ${record.pid}) is at work.`
    : `Another program keeps ${file} locked.`;
}

function makeDamagedError(why: string, file: string, words: DatabaseMessages, cause?: unknown): PommelError {
  return new PommelError(words.corrupt.code, `${file} is damaged: ${why}.`, words.corrupt.hint(file), {
    cause,
  });
}

function makeUnreadableError(file: string, cause: unknown): PommelError {
  const why = `${file} cannot be opened: ${getErrorMessage(cause)}.`;
  return new PommelError(
    "unreadable",
    why,
    "Check the file's owner and permissions, for example with `pm doctor`.",
    { cause },
  );
}

/** What to report of a stored file: its format number goes up with each change. */
export type StoreCheck =
  | { state: "absent" }
  | { state: "sound"; schema: number; bytes: number }
  /** isReleased: false for one from before the first release, which takes no step. */
  | { state: "older"; schema: number; isReleased: boolean }
  | { state: "newer"; schema: number; known: number }
  | { state: "damaged"; why: string }
  | { state: "unreadable"; why: string; hint?: string };

/**
 * Whether SQLite finds a database sound, and whether its schema is this Pommel's. Reads the whole file.
 * @param schema of this Pommel
 * @param lookInto says what else is wrong in a sound database of that schema; null for nothing
 */
export function checkDatabase(
  file: string,
  schema: Schema,
  lookInto: (db: Sqlite) => string | null = () => null,
): StoreCheck {
  const stat = statSync(file, { throwIfNoEntry: false });
  if (!stat) return { state: "absent" };
  if (stat.isDirectory()) return { state: "unreadable", why: "it is a directory", hint: "Move it away." };
  try {
    const db = new Sqlite(file, { mode: "read", timeoutMs: 5000 });
    try {
      const verdict = db.pragma("quick_check(1)");
      if (verdict !== "ok") return { state: "damaged", why: String(verdict) };
      const number = readSchemaVersion(db);
      const latest = findLatestNumber(schema);
      const problem = findSchemaProblem(db, schema);
      if (problem !== null) return { state: "damaged", why: problem };
      if (number > latest) return { state: "newer", schema: number, known: latest };
      if (number < latest)
        return { state: "older", schema: number, isReleased: number === 0 || number >= schema.first };
      const why = lookInto(db);
      return why === null ? { state: "sound", schema: number, bytes: stat.size } : { state: "damaged", why };
    } finally {
      db.close();
    }
  } catch (error) {
    const lost = getErrorCode(error) === "SQLITE_NOTADB" ? findLostEnvelopeError(file, error) : null;
    const cause = lost ?? error;
    const why = getErrorMessage(cause);
    if (isDamaged(cause)) return { state: "damaged", why };
    return { state: "unreadable", why, ...(cause instanceof PommelError && { hint: cause.hint }) };
  }
}
