import { createHash } from "node:crypto";
import type { Sqlite } from "../../sqlite/sqlite.ts";

/** What changes without anything new to remember: the queue, what it did last, and the daily size. */
const bookkeeping = new Set(["jobs", "activity", "storage_days"]);

/** A hash of everything that a memory remembers: the same for the same rows, wherever they lie in the file. */
export function contentDigest(db: Sqlite): string {
  const hash = createHash("sha256");
  hash.update(String(db.pragma("user_version")));
  db.transaction("deferred", () => {
    for (const table of ordinaryTables(db)) {
      if (bookkeeping.has(table)) continue;
      hash.update(`\0${table}\0`);
      for (const row of db.prepare(`SELECT * FROM "${table}"`).iterate()) {
        for (const value of Object.values(row as object)) {
          hash.update(value instanceof Uint8Array ? value : `${value}\0`);
        }
      }
    }
  });
  return hash.digest("hex");
}

/** Tables that hold rows of their own; full-text tables are made from these. */
export function ordinaryTables(db: Sqlite): string[] {
  const names = db
    .prepare(
      "SELECT name, sql FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name",
    )
    .all() as { name: string; sql: string }[];
  const virtual = names.filter(({ sql }) => /^CREATE VIRTUAL/i.test(sql)).map(({ name }) => name);
  return names
    .map(({ name }) => name)
    .filter((name) => !virtual.some((one) => name === one || name.startsWith(`${one}_`)));
}
