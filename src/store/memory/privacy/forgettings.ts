import type { Connection } from "../../sqlite/connection.ts";
import type { Sqlite } from "../../sqlite/sqlite.ts";

/**
 * How often something was removed for good. A backup that began before and ends after would keep it: whoever makes one compares
 * this before and after.
 */

const key = "forgettings";

export function noteForgetting(memory: Connection): void {
  memory.setMeta(key, String(Number(memory.meta(key) ?? 0) + 1));
}

export function forgettings(db: Sqlite): number {
  // A memory of any schema is copied.
  const hasMeta = db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'meta'").get() !== undefined;
  return hasMeta ? Number(db.prepare("SELECT value FROM meta WHERE key = ?").pluck().get(key) ?? 0) : 0;
}
