import { DatabaseSync } from "../../src/store/sqlite/sqlite.ts";

/** Changes a plain database as one who does not use Pommel may: also what SQLite's defence keeps from Pommel's own SQL. */
export function changeUndefended(file: string, sql: string): void {
  const db = new DatabaseSync(file, { defensive: false });
  try {
    db.exec(`PRAGMA foreign_keys = OFF; ${sql}`);
  } finally {
    db.close();
  }
}
