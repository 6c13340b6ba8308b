import { checkDatabase, type StoreCheck } from "../sqlite/check-database.ts";
import { rollBack } from "../sqlite/open-to-read.ts";
import type { Sqlite } from "../sqlite/sqlite.ts";
import { memoryMigrations } from "./schema/schema.ts";

/** Whether a memory is what commands need it to be. Reads the whole file. */
export function checkMemory(file: string): StoreCheck {
  rollBack(file);
  return checkDatabase(file, memoryMigrations, missingTerms);
}

/** SQLite finds lists of words sound from which rows are gone. */
function missingTerms(db: Sqlite): string | null {
  const missing = db
    .prepare("SELECT count(*) FROM chunks WHERE id NOT IN (SELECT id FROM chunk_terms_docsize)")
    .pluck()
    .get() as number;
  return missing === 0 ? null : `${missing} chunks are missing from its full-text index`;
}
