import { codeOf } from "../../../project/errors.ts";
import { Sqlite } from "../../sqlite/sqlite.ts";

/** What a copy of a memory, or the memory itself, holds. */
export interface BackupContent {
  schema: number;
  sessions: number;
  notes: number;
  commits: number;
  /** Of the last line of a session, of the last note. Milliseconds; null without any. */
  lastAt: number | null;
}

/** How long a statement waits for another connection. Milliseconds. */
const timeoutMs = 5000;

function reading<T>(file: string, use: (db: Sqlite) => T): T {
  const db = new Sqlite(file, { mode: "read", timeoutMs });
  try {
    return use(db);
  } finally {
    db.close();
  }
}

/** @returns null when it is damaged @throws PommelError as `keyOfDatabase` */
export function contentOf(file: string): BackupContent | null {
  try {
    return reading(file, (db) => {
      const one = (sql: string) => db.prepare(sql).pluck().get() as number | null;
      return {
        schema: Number(db.pragma("user_version")),
        sessions: one("SELECT count(*) FROM sessions WHERE agent <> 'pommel'") ?? 0,
        notes: one("SELECT count(*) FROM annotations") ?? 0,
        commits: one("SELECT count(*) FROM commits") ?? 0,
        lastAt: one(
          "SELECT max(at) FROM (SELECT max(last_at) AS at FROM sessions UNION ALL SELECT max(at) FROM annotations)",
        ),
      };
    });
  } catch (error) {
    if (/^encryption_/.test(codeOf(error))) throw error;
    return null;
  }
}

interface Uids {
  sessions: Set<string>;
  notes: Set<string>;
}

/** Sessions and notes by their uids, to compare a copy with what is there. @throws SQLite's errors, as `keyOfDatabase` */
export function uidsOf(file: string): Uids {
  return reading(file, (db) => {
    const all = (sql: string) => new Set(db.prepare(sql).pluck().all() as string[]);
    return {
      sessions: all("SELECT uid FROM sessions WHERE agent <> 'pommel'"),
      notes: all("SELECT uid FROM annotations"),
    };
  });
}

/** As `uidsOf`, of what was recorded here: a colleague may take back what they shared. */
function ownUids(file: string): Uids {
  return reading(file, (db) => {
    const all = (table: string, condition = "TRUE") => {
      const columns = db.prepare("SELECT name FROM pragma_table_info(?)").pluck().all(table) as string[];
      const own = columns.includes("author") ? "author IS NULL" : "TRUE";
      const sql = `SELECT uid FROM ${table} WHERE ${own} AND ${condition}`;
      return new Set(db.prepare(sql).pluck().all() as string[]);
    };
    return { sessions: all("sessions", "agent <> 'pommel'"), notes: all("annotations") };
  });
}

/**
 * Which of these copies can be deleted: those after the first `keep` with no session and no note that a newer one does not have. One
 * that cannot be read stays, as nobody knows.
 * @param copies newest first
 */
export function expendable(copies: readonly string[], keep: number): string[] {
  // To keep all, none needs to be read.
  if (copies.length <= keep) return [];
  const held: Uids = { sessions: new Set(), notes: new Set() };
  return copies.filter((file, i) => {
    try {
      const { sessions, notes } = ownUids(file);
      const isHeld =
        [...sessions].every((uid) => held.sessions.has(uid)) &&
        [...notes].every((uid) => held.notes.has(uid));
      if (i >= keep && isHeld) return true;
      for (const uid of sessions) held.sessions.add(uid);
      for (const uid of notes) held.notes.add(uid);
      return false;
    } catch {
      return false;
    }
  });
}
