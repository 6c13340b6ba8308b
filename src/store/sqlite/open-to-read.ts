import { copyFileSync, existsSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { getErrorCode, getErrorMessage, PommelError } from "../../base/errors.ts";
import { makeDraftPath } from "../../base/files/replace-file.ts";
import { findEnvelopeOfDatabase, writeEnvelope } from "../encryption/envelope.ts";
import { Sqlite } from "./sqlite.ts";

/**
 * Opens a database to read, or a copy of it where SQLite may not write beside it, and closes it after use.
 * @param open must read something: whether a WAL database can be read comes out with the first read only
 * @throws PommelError as `open` does
 */
export async function openToRead<Db extends { close(): void }, T>(
  file: string,
  open: (file: string) => Db,
  use: (db: Db) => T | Promise<T>,
): Promise<T> {
  try {
    return await openAndUse(open, file, use);
  } catch (error) {
    // SQLite writes a -shm file beside a WAL database even to read it. Where it may not, a copy is read.
    if (!/^(unreadable|SQLITE_CANTOPEN|SQLITE_READONLY)/.test(getErrorCode(error))) throw error;
    return withCopy(file, open, use, error);
  }
}

async function openAndUse<Db extends { close(): void }, T>(
  open: (file: string) => Db,
  file: string,
  use: (db: Db) => T | Promise<T>,
): Promise<T> {
  const db = open(file);
  try {
    return await use(db);
  } finally {
    db.close();
  }
}

async function withCopy<Db extends { close(): void }, T>(
  file: string,
  open: (file: string) => Db,
  use: (db: Db) => T | Promise<T>,
  cause: unknown,
): Promise<T> {
  // Named as a draft: what a killed process leaves is removed.
  const dir = mkdtempSync(`${makeDraftPath(join(tmpdir(), "read"))}-`);
  try {
    const copy = join(dir, basename(file));
    for (const end of ["", "-wal"]) {
      if (existsSync(file + end)) copyFileSync(file + end, copy + end);
    }
    // With its key, where it is encrypted: the copy is encrypted as well.
    const envelope = findEnvelopeOfDatabase(file);
    if (envelope) writeEnvelope(dir, envelope);
    return await openAndUse(open, copy, use);
  } catch (error) {
    throw error instanceof PommelError && error.code !== "unreadable" ? error : cause;
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

/**
 * Undoes what a process was killed in while the database had no log: when it was to be copied or replaced. Who only reads cannot,
 * and would fail until somebody writes. Does nothing where nothing is left, or it may not be written.
 */
export function rollBackJournal(file: string): void {
  if (!existsSync(`${file}-journal`)) return;
  let db: Sqlite | undefined;
  try {
    db = new Sqlite(file, { mode: "write", timeoutMs: 2000 });
    db.pragma("schema_version");
  } catch {
    // Who opens it next says why it cannot be used.
  } finally {
    db?.close();
  }
}

/** Another program's SQLite database, open to read; whatever it holds is as foreign as a file. */
export interface ForeignDatabase {
  /** Rows of a statement, one after the other. */
  rows(sql: string, ...given: unknown[]): IterableIterator<unknown>;
  /** The columns of a table; none where there is no such table. */
  columns(table: string): string[];
  close(): void;
}

/**
 * Opens it, never to be written.
 * @throws PommelError `not_found`, `unreadable`
 */
export function openForeignDatabase(file: string): ForeignDatabase {
  if (!existsSync(file) || statSync(file).isDirectory()) {
    throw new PommelError("not_found", `No database ${file}.`, "Check the path.");
  }
  let db: Sqlite | undefined;
  try {
    db = new Sqlite(file, { mode: "read", timeoutMs: 2000 });
    // That it is none comes out with the first read.
    db.prepare("SELECT count(*) FROM sqlite_schema").get();
  } catch (error) {
    db?.close();
    const code = getErrorCode(error);
    // Left to who opens a copy where SQLite may not write beside it.
    if (/^SQLITE_(CANTOPEN|READONLY)/.test(code)) throw error;
    throw new PommelError(
      "unreadable",
      `${file} cannot be read: ${getErrorMessage(error)}.`,
      "Is it a SQLite database?",
    );
  }
  const open = db;
  return {
    rows: (sql, ...given) => open.prepare(sql).iterate(...given),
    columns: (table) => open.prepare("SELECT name FROM pragma_table_info(?)").pluck().all(table) as string[],
    close: () => open.close(),
  };
}
