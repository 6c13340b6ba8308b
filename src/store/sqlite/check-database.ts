import { statSync } from "node:fs";
import { codeOf, messageOf, PommelError } from "../../project/errors.ts";
import { lostEnvelope } from "../encryption/envelope.ts";
import { isDamaged } from "./database.ts";
import { schemaProblem } from "./schema-problem.ts";
import type { Migration } from "./sqlite.ts";
import { Sqlite } from "./sqlite.ts";

/** What to report of a stored file: its format number goes up with each change. */
export type StoreCheck =
  | { state: "absent" }
  | { state: "sound"; schema: number; bytes: number }
  | { state: "older"; schema: number }
  | { state: "newer"; schema: number; known: number }
  | { state: "damaged"; why: string }
  | { state: "unreadable"; why: string; hint?: string };

/**
 * Whether SQLite finds a database sound, and whether its schema is this Pommel's. Reads the whole file.
 * @param migrations of this Pommel
 * @param lookInto says what else is wrong in a sound database of that schema; null for nothing
 */
export function checkDatabase(
  file: string,
  migrations: readonly Migration[],
  lookInto: (db: Sqlite) => string | null = () => null,
): StoreCheck {
  const stat = statSync(file, { throwIfNoEntry: false });
  if (!stat) return { state: "absent" };
  if (stat.isDirectory()) return { state: "unreadable", why: "it is a directory", hint: "Move it away." };
  try {
    const db = new Sqlite(file, { mode: "read", timeoutMs: 5000 });
    try {
      const verdict = db.pragma("quick_check(1)");
      if (verdict !== "ok") return { state: "damaged", why: String(verdict) };
      const schema = Number(db.pragma("user_version"));
      if (schema > migrations.length) return { state: "newer", schema, known: migrations.length };
      const problem = schemaProblem(db, migrations);
      if (problem !== null) return { state: "damaged", why: problem };
      if (schema < migrations.length) return { state: "older", schema };
      const why = lookInto(db);
      return why === null ? { state: "sound", schema, bytes: stat.size } : { state: "damaged", why };
    } finally {
      db.close();
    }
  } catch (error) {
    const lost = codeOf(error) === "SQLITE_NOTADB" ? lostEnvelope(file, error) : null;
    const cause = lost ?? error;
    const why = messageOf(cause);
    if (isDamaged(cause)) return { state: "damaged", why };
    return { state: "unreadable", why, ...(cause instanceof PommelError && { hint: cause.hint }) };
  }
}
