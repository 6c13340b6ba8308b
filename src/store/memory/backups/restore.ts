import { copyFileSync, existsSync, linkSync, renameSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import { PommelError } from "../../../project/errors.ts";
import { draftOf } from "../../../project/files/replace-file.ts";
import { sync } from "../../../project/files/sync.ts";
import { envelopeFor, writeEnvelope } from "../../encryption/envelope.ts";
import { keyOfDatabase } from "../../encryption/keys.ts";
import { checkDatabase } from "../../sqlite/check-database.ts";
import { copyDatabase } from "../../sqlite/copy-database.ts";
import { Sqlite } from "../../sqlite/sqlite.ts";
import { Memory } from "../memory.ts";
import { memoryMigrations } from "../schema/schema.ts";
import { replacedFile } from "./backups.ts";

/** What SQLite keeps beside a database. */
const companions = ["-wal", "-shm"];

/**
 * Checks that a memory can be restored from a file.
 * @throws PommelError `not_found`, `index_too_new`, `unreadable` for what is damaged or no memory, as `keyOfDatabase`
 */
export function checkBackup(file: string): void {
  keyOfDatabase(file);
  const check = checkDatabase(file, memoryMigrations.length);
  switch (check.state) {
    case "absent":
      throw new PommelError("not_found", `There is no backup ${file}.`, "`pm backup list` lists them.");
    case "newer":
      throw new PommelError(
        "index_too_new",
        `${file} was written by a newer Pommel (schema ${check.schema}; this version supports ${check.known}).`,
        "Update Pommel, then restore it.",
      );
    case "damaged":
    case "unreadable":
      throw new PommelError(
        "unreadable",
        `${file} cannot be restored: ${check.why}.`,
        "Choose another backup.",
      );
    default:
      if (check.schema > 0) return;
      throw new PommelError("unreadable", `${file} is no memory.`, "Choose another backup.");
  }
}

/**
 * Puts a copy of `source` in the place of the memory, which stays beside it (`replacedFile`). Nobody may have the memory
 * open. It is the old one or the new one at any moment; where the new one cannot be used, the old one comes back.
 * @throws PommelError as `checkBackup`; `locked` when another process has the memory open; `disk_full`
 */
export function replaceMemory(memoryDb: string, source: string): void {
  checkBackup(source);
  takeKey(memoryDb, source);
  closeLog(memoryDb);
  // `source` may be what the last restore replaced.
  const kept = replacedFile(memoryDb);
  const aside = `${kept}-now`;
  const draft = draftOf(memoryDb);
  const from = new Sqlite(source, { mode: "read", timeoutMs: 5000 });
  try {
    copyDatabase(from, draft, undefined, keyOfDatabase(memoryDb));
  } finally {
    from.close();
  }
  try {
    setAside(memoryDb, aside);
    renameSync(draft, memoryDb);
    sync(dirname(memoryDb));
  } finally {
    rmSync(draft, { force: true });
  }
  try {
    useOnce(memoryDb);
  } catch (error) {
    putBack(memoryDb, aside);
    throw error;
  }
  for (const end of ["", ...companions]) {
    rmSync(kept + end, { force: true });
    if (existsSync(aside + end)) renameSync(aside + end, kept + end);
  }
}

/** What comes from an encrypted copy is never stored plain: without a key of its own, the memory gets that of the copy. */
function takeKey(memoryDb: string, source: string): void {
  const envelope = envelopeFor(source);
  if (envelope && envelopeFor(memoryDb) === null) writeEnvelope(dirname(memoryDb), envelope);
}

/** Moves what the log holds into the file, and makes sure that nobody else has it open. */
function closeLog(memoryDb: string): void {
  if (!existsSync(memoryDb)) return;
  let db: Sqlite | undefined;
  try {
    db = new Sqlite(memoryDb, { mode: "write", timeoutMs: 2000 });
    db.exec("PRAGMA journal_mode = DELETE");
  } catch (error) {
    if (/^SQLITE_(?:BUSY|LOCKED)/.test(String(Object(error).code))) {
      throw new PommelError(
        "locked",
        `Another process has ${memoryDb} open.`,
        "End `pm` commands and agents that use it, then try again.",
        { cause: error },
      );
    }
    // Damaged: it goes aside as it is, with its log.
  } finally {
    db?.close();
  }
}

/** Keeps the memory under another name, while it stays in its place until it is replaced. */
function setAside(memoryDb: string, aside: string): void {
  for (const end of ["", ...companions]) rmSync(aside + end, { force: true });
  if (existsSync(memoryDb)) {
    try {
      linkSync(memoryDb, aside);
    } catch {
      // A file system without hard links.
      copyFileSync(memoryDb, aside);
    }
  }
  // A log that stayed would be read into the next database.
  for (const end of companions) if (existsSync(memoryDb + end)) renameSync(memoryDb + end, aside + end);
}

function putBack(memoryDb: string, aside: string): void {
  for (const end of companions) rmSync(memoryDb + end, { force: true });
  if (!existsSync(aside)) rmSync(memoryDb, { force: true });
  for (const end of ["", ...companions]) if (existsSync(aside + end)) renameSync(aside + end, memoryDb + end);
}

/** Opens it as a daemon would, which brings an older schema up to date. */
function useOnce(memoryDb: string): void {
  const memory = Memory.open(memoryDb, { readonly: false });
  try {
    const verdict = memory.check();
    if (verdict !== "ok")
      throw new PommelError("unreadable", `The restored memory is not sound: ${verdict}.`);
  } finally {
    memory.close();
  }
}
