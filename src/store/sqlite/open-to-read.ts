import { copyFileSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { codeOf, PommelError } from "../../project/errors.ts";
import { draftOf } from "../../project/files/replace-file.ts";
import { envelopeFor, writeEnvelope } from "../encryption/envelope.ts";

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
