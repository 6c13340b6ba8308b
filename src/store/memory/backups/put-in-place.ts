import { copyFileSync, existsSync, linkSync, renameSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { PommelError } from "../../../base/errors.ts";
import { listDeadDrafts, removeDeadDrafts } from "../../../base/files/dead-drafts.ts";
import { makeDraftPath, sync } from "../../../base/files/replace-file.ts";
import { makeProject } from "../../../base/paths.ts";
import { locateOwnEnvelope } from "../../encryption/envelope.ts";
import { removeDatabase } from "../../sqlite/copy-database.ts";
import { rollBackJournal } from "../../sqlite/open-to-read.ts";
import {
  dropFromTrash,
  listExpiredTrash,
  listTrashedMemories,
  listTrashOfMemory,
  locateMemoryFile,
  locateProjectFolder,
  type TrashEntry,
} from "../../trash/trash.ts";
import { isSameFile, listAllBackups, listDamagedFiles, listKnownBackupFolders } from "./copies.ts";

/** Replacing the memory by another file, so that it is the old one or the new one at any moment, and neither is ever lost. */

/** What SQLite keeps beside a database. */
const companions = ["-wal", "-shm"];

/**
 * Puts a finished database in the place of the memory, which stays as `aside`, where it is there. Killed before the end, the memory is what it
 * was, except that it may miss its log: `undoReplacement` puts that back.
 * @param draft on the disk, without a log
 */
export function putInPlace(draft: string, memoryDb: string, aside: string | null): void {
  if (aside !== null) keepAs(memoryDb, aside);
  renameSync(draft, memoryDb);
  sync(dirname(memoryDb));
}

/** Gives the memory another name, while it stays in its place until it is replaced. Its log would be read into the next database. */
function keepAs(memoryDb: string, aside: string): void {
  if (existsSync(memoryDb)) {
    try {
      linkSync(memoryDb, aside);
    } catch {
      // A file system without hard links.
      const draft = makeDraftPath(aside);
      copyFileSync(memoryDb, draft);
      sync(draft);
      renameSync(draft, aside);
    }
  }
  for (const end of companions) if (existsSync(memoryDb + end)) renameSync(memoryDb + end, aside + end);
}

/**
 * Undoes what was killed in `putInPlace` before it replaced the memory. Nobody may be at it.
 * @returns the names that the memory had besides its own
 */
function undoReplacement(memoryDb: string): string[] {
  const trashed = listTrashedMemories(memoryDb);
  const others = [...listDamagedFiles(memoryDb), ...trashed.map(locateMemoryFile)].filter((other) =>
    isSameFile(other, memoryDb),
  );
  for (const other of others) {
    for (const end of companions) {
      if (existsSync(other + end) && !existsSync(memoryDb + end)) renameSync(other + end, memoryDb + end);
    }
    rmSync(other, { force: true });
  }
  // Nothing came to be taken.
  for (const entry of trashed) if (!existsSync(locateMemoryFile(entry))) dropFromTrash(entry);
  return others;
}

/** @throws PommelError `unreadable` where the memory's place is taken by something that is no file */
export function refuseDirectory(memoryDb: string): void {
  if (!statSync(memoryDb, { throwIfNoEntry: false })?.isDirectory()) return;
  throw new PommelError(
    "unreadable",
    `${memoryDb} is a directory.`,
    "Move it away, then run `pm memory restore` to bring back the newest backup.",
  );
}

/** What killed processes left behind of a memory: half-written copies of it, and replacements that did not come to their end. */

/**
 * Puts the memory back to where it was before a replacement that was killed, and removes drafts of dead processes. For whoever
 * holds the writer lock.
 * @returns what was removed
 */
export function recoverMemory(memoryDb: string): string[] {
  rollBackJournal(memoryDb);
  return [...undoReplacement(memoryDb), ...removeLeftovers(memoryDb)];
}

/** Removes drafts of dead processes. @returns which */
export const removeLeftovers = (memoryDb: string): string[] => removeDeadDrafts(listDraftFolders(memoryDb));

/** Drafts of dead processes that hold copies of the memory, or parts of them. */
export const listLeftovers = (memoryDb: string): string[] => listDeadDrafts(listDraftFolders(memoryDb));

const listDraftFolders = (memoryDb: string) => [
  dirname(memoryDb),
  ...listKnownBackupFolders(memoryDb),
  tmpdir(),
];

/**
 * Removes all copies of a memory, as what was forgotten must not be in them: backups, what is in the trash, what repairs put
 * aside, and what killed processes left of these.
 */
export function removeCopies(memoryDb: string): void {
  for (const entry of listTrashOfMemory(memoryDb)) dropFromTrash(entry);
  removeCopiesUntil(memoryDb, Number.POSITIVE_INFINITY);
  removeLeftovers(memoryDb);
}

/** Removes the copies beside the memory and in its backup folders that were made up to a time. */
function removeCopiesUntil(memoryDb: string, until: number): void {
  const damaged = listDamagedFiles(memoryDb).map((file) => ({ file, at: statSync(file).mtimeMs }));
  for (const { file, at } of [...listAllBackups(memoryDb), ...damaged]) if (at <= until) removeCopy(file);
}

/** Those that have older copies of what is in an entry. */
function listMemories(entry: TrashEntry): string[] {
  const { taken } = entry;
  if (taken.kind === "memory") return [];
  if (taken.kind === "rows") return [makeProject(taken.project, "/").memoryDb];
  return taken.projects.map(({ known }) => join(locateProjectFolder(entry, known.id), "memory.db"));
}

/**
 * Deletes what was in the trash for its time. What was forgotten goes from the copies that were made before, too.
 * @returns the numbers of the entries
 */
export function emptyTrash(now = Date.now()): number[] {
  return listExpiredTrash(now).map((entry) => {
    for (const memoryDb of listMemories(entry)) removeCopiesUntil(memoryDb, entry.at);
    dropFromTrash(entry);
    return entry.number;
  });
}

/** Removes a copy, and what lies beside it. */
export function removeCopy(file: string): void {
  removeDatabase(file);
  rmSync(locateOwnEnvelope(file), { force: true });
}
