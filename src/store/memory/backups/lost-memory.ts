import { statSync } from "node:fs";
import { dirname } from "node:path";
import { PommelError } from "../../../project/errors.ts";
import { contentOf } from "./backup-content.ts";
import { allCopies, type BackupFile } from "./copies.ts";

/**
 * For a memory that is missing or empty: the error where backups show that there was one, so that no empty one takes its place.
 * Null where there was none, or nothing in it.
 */
export function lostMemory(memoryDb: string): PommelError | null {
  const copies = allCopies(memoryDb);
  const newest = copies.find(holdsAnything);
  if (!newest) return null;
  const isThere = statSync(memoryDb, { throwIfNoEntry: false }) !== undefined;
  const places = [...new Set(copies.map(({ file }) => dirname(file)))].join(" and ");
  const count = copies.length === 1 ? "a backup of it is there" : `${copies.length} backups of it are there`;
  return new PommelError(
    "memory_missing",
    `${memoryDb} is ${isThere ? "empty" : "missing"}, and ${count}, the newest of ${dayOf(newest)}.`,
    `\`pm memory restore\` brings it back. To begin with an empty memory, move the backups out of ${places} first.`,
  );
}

/** One that cannot be read here, damaged or without its key, may hold something. */
function holdsAnything({ file }: BackupFile): boolean {
  try {
    const content = contentOf(file);
    return content === null || content.sessions + content.notes > 0;
  } catch {
    return true;
  }
}

const dayOf = ({ at }: BackupFile) => new Date(at).toISOString().slice(0, 10);
