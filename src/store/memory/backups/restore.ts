import { existsSync } from "node:fs";
import { PommelError } from "../../../base/errors.ts";
import { makeDraftPath, sync } from "../../../base/files/replace-file.ts";
import { locateHome } from "../../../base/home.ts";
import { findEnvelopeOfDatabase, writeEnvelope } from "../../encryption/envelope.ts";
import { findDatabaseKey } from "../../encryption/keys.ts";
import { copyDatabase, removeDatabase } from "../../sqlite/copy-database.ts";
import { checkDatabase, openElsewhere } from "../../sqlite/database.ts";
import { Sqlite } from "../../sqlite/sqlite.ts";
import { addToTrash, findProjectIdOfMemory, locateMemoryFile } from "../../trash/trash.ts";
import { Memory } from "../memory.ts";
import { findOddValue } from "../outside-columns.ts";
import { salvageMemory } from "../repair/salvage.ts";
import { memorySchema } from "../schema.ts";
import { putInPlace, recoverMemory, refuseDirectory } from "./put-in-place.ts";

/**
 * Checks that a memory can be restored from a file.
 * @returns whether its schema is from before the first release: its rows are taken, table by table
 * @throws PommelError `not_found`, `index_too_new`, `unreadable` for what is damaged or no memory, as `findDatabaseKey`
 */
export function checkBackup(file: string): { isUnreleased: boolean } {
  findDatabaseKey(file);
  const check = checkDatabase(file, memorySchema);
  switch (check.state) {
    case "absent":
      throw new PommelError(
        "not_found",
        `There is no backup ${file}.`,
        "`pm memory backup list` lists them.",
      );
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
      if (check.schema > 0) return { isUnreleased: check.state === "older" && !check.isReleased };
      throw new PommelError("unreadable", `${file} is not a memory.`, "Choose another backup.");
  }
}

/**
 * Puts a copy of `source` in the place of the memory, which goes into the trash. Nobody may have the memory
 * open. It is the old one until the new one is complete, up to date and checked.
 * @param from.isOwn whether it is of this project and this person: of another one, what it shared with whom is not taken
 * @throws PommelError as `checkBackup`; `locked` when another process has the memory open; `disk_full`, `unreadable`
 */
export function replaceMemory(
  memoryDb: string,
  source: string,
  { isOwn = true, command = "pm memory restore" }: { isOwn?: boolean; command?: string } = {},
): void {
  recoverMemory(memoryDb);
  refuseDirectory(memoryDb);
  const { isUnreleased } = checkBackup(source);
  takeKey(memoryDb, source);
  closeLog(memoryDb);
  const draft = makeDraftPath(memoryDb);
  try {
    if (isUnreleased) salvageMemory(source, draft);
    else copyTo(draft, source, findDatabaseKey(memoryDb));
    bringUpToDate(draft, isOwn ? ofThen : [...ofThen, ...ofTheProject]);
    const what = { kind: "memory", project: findProjectIdOfMemory(memoryDb) } as const;
    const isThere = ["", "-wal"].some((end) => existsSync(memoryDb + end));
    const aside = isThere ? locateMemoryFile(addToTrash(command, "the memory", what)) : null;
    putInPlace(draft, memoryDb, aside);
  } finally {
    removeDatabase(draft);
  }
}

/** What comes from an encrypted copy is never stored unencrypted: a home without a key gets that of the copy. */
function takeKey(memoryDb: string, source: string): void {
  const envelope = findEnvelopeOfDatabase(source);
  if (envelope && findEnvelopeOfDatabase(memoryDb) === null) writeEnvelope(locateHome().dataDir, envelope);
}

function copyTo(draft: string, source: string, key: string | null): void {
  const from = new Sqlite(source, { mode: "read", timeoutMs: 5000 });
  try {
    copyDatabase(from, draft, undefined, key);
  } finally {
    from.close();
  }
}

/** Moves what the log holds into the file, and makes sure that nobody else has it open. */
function closeLog(memoryDb: string): void {
  if (!existsSync(memoryDb)) return;
  let db: Sqlite | undefined;
  try {
    db = new Sqlite(memoryDb, { mode: "write", timeoutMs: 2000 });
    db.exec("PRAGMA journal_mode = DELETE");
  } catch (error) {
    const locked = openElsewhere(error, memoryDb);
    if (locked) throw locked;
    // Damaged: it goes aside as it is, with its log.
  } finally {
    db?.close();
  }
}

/** What was to be done then, and was done: transcripts and commits that are not read yet are found again. */
const ofThen = ["jobs", "activity"];
/** What a project shares, and through what. */
const ofTheProject = ["sync_state", "sync_refused", "team_changed", "team_shared"];

/** Opens it as a daemon would, which brings an older schema up to date. @param emptied tables whose rows are not taken */
function bringUpToDate(file: string, emptied: readonly string[]): void {
  const memory = Memory.open(file, { readonly: false, isCopy: true });
  try {
    for (const table of emptied) memory.change(`DELETE FROM ${table}`);
    const verdict = memory.check();
    if (verdict !== "ok")
      throw new PommelError("unreadable", `The restored memory is not sound: ${verdict}.`);
    const odd = findOddValue(memory);
    if (odd !== null)
      throw new PommelError(
        "unreadable",
        `${odd}. No Pommel wrote this memory.`,
        "Nothing was restored. Choose another backup.",
      );
  } finally {
    memory.close();
  }
  sync(file);
}
