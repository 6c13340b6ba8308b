import { copyFileSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { codeOf, PommelError } from "../../project/errors.ts";
import { draftOf } from "../../project/files/replace-file.ts";
import { envelopeFor, writeEnvelope } from "../encryption/envelope.ts";
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
    if (!/^(unreadable|SQLITE_CANTOPEN|SQLITE_READONLY)/.test(codeOf(error))) throw error;
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
  const dir = mkdtempSync(`${draftOf(join(tmpdir(), "read"))}-`);
  try {
    const copy = join(dir, basename(file));
    for (const end of ["", "-wal"]) {
      if (existsSync(file + end)) copyFileSync(file + end, copy + end);
    }
    // With its key, where it is encrypted: the copy is encrypted as well.
    const envelope = envelopeFor(file);
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
export function rollBack(file: string): void {
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
