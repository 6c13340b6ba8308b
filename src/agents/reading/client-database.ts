import { getErrorCode } from "../../base/errors.ts";
import { type ForeignDatabase, openForeignDatabase } from "../../store/sqlite/open-to-read.ts";

/**
 * Opens the database that a client keeps its sessions in.
 * @param isKnown whether it has the tables that are read
 * @returns null where there is none, or another program's
 * @throws PommelError `unreadable`
 */
export function openClientDatabase(
  file: string,
  isKnown: (db: ForeignDatabase) => boolean,
): ForeignDatabase | null {
  try {
    const db = openForeignDatabase(file);
    if (isKnown(db)) return db;
    db.close();
  } catch (error) {
    if (getErrorCode(error) !== "not_found") throw error;
  }
  return null;
}

/** Runs `work` on an open database, and closes it; null when there is none. Errors as `openClientDatabase`. */
export function withClientDatabase<T>(
  file: string,
  isKnown: (db: ForeignDatabase) => boolean,
  work: (db: ForeignDatabase) => T,
): T | null {
  const db = openClientDatabase(file, isKnown);
  try {
    return db && work(db);
  } finally {
    db?.close();
  }
}
