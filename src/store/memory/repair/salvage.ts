import { statSync } from "node:fs";
import { PommelError } from "../../../project/errors.ts";
import { openDatabase } from "../../sqlite/database.ts";
import { latestNumber, schemaUpTo } from "../../sqlite/schema.ts";
import type { Sqlite } from "../../sqlite/sqlite.ts";
import { ordinaryTables } from "../backups/backup-content.ts";
import { memoryWords } from "../memory.ts";
import { memorySchema } from "../schema.ts";
import { unpackContent } from "../sessions/content.ts";
import { DamagedDatabase, type Row, TableCopy } from "./damaged-database.ts";

/** Saves what can still be read of a damaged memory. */

/**
 * Made from turns, summaries and notes: cutting the sessions again makes them anew, with their full-text rows, which cannot
 * be read without their index.
 */
const derived = new Set([
  "chunks",
  "vectors",
  "chunk_sources",
  "chunk_decisions",
  "session_cuts",
  "session_topics",
  "chunk_summaries",
]);
/** What other processes do with a file that is being replaced is not worth keeping. */
const dropped = new Set(["jobs", "activity"]);

export interface Salvaged {
  /** Rows that were read, by table. */
  saved: Record<string, number>;
  /** Rows that are known to be lost, by table; tables without losses are missing. */
  lost: Record<string, number>;
  /** Tables that were read only in part, where nobody can say how much is missing. */
  incomplete: string[];
  /** Sessions that miss turns or lines, by uid. */
  harmed: string[];
  /** Sessions that are known by their ids alone, by uid. */
  bare: string[];
}

/**
 * Copies what can be read of a damaged memory into a new one, table by table, and where a table is damaged row by row.
 * @param target a file that does not exist yet
 * @returns what was saved; null where nothing can be read, not even the schema
 * @throws PommelError `index_too_new`, `disk_full`, as `keyOfDatabase`
 */
export function salvageMemory(damaged: string, target: string): Salvaged | null {
  const from = openDamaged(damaged);
  if (from === null) return null;
  try {
    return copyAll(from, target);
  } finally {
    from.close();
  }
}

/**
 * @returns null when SQLite does not take the file for a database
 * @throws PommelError as `keyOfDatabase`
 */
function openDamaged(file: string): DamagedDatabase | null {
  if (!statSync(file, { throwIfNoEntry: false })) return null;
  let db: DamagedDatabase | undefined;
  try {
    db = new DamagedDatabase(file);
    // Its log may be what is damaged, or the schema's own pages; then its first read fails.
    if (db.tables().includes("sessions")) return db;
  } catch (error) {
    if (error instanceof PommelError) throw error;
  }
  db?.close();
  return null;
}

function copyAll(from: DamagedDatabase, target: string): Salvaged {
  const version = versionOf(from);
  const how = { readonly: false, words: memoryWords, precious: true, isCopy: true };
  const into = openDatabase(target, schemaUpTo(memorySchema, version), how);
  const report: Salvaged = { saved: {}, lost: {}, incomplete: [], harmed: [], bare: [] };
  try {
    into.exec("PRAGMA foreign_keys = OFF");
    into.transaction("immediate", () => {
      const triggers = dropTriggers(into);
      const has = new Set(from.tables());
      for (const table of ordinaryTables(into)) {
        if (derived.has(table) || dropped.has(table) || !has.has(table)) continue;
        const { saved, lost, isIncomplete } = new TableCopy(from, into, table, isWhole).run();
        report.saved[table] = saved;
        if (lost > 0) report.lost[table] = lost;
        if (isIncomplete) report.incomplete.push(table);
      }
      nameSessions(from, into, report);
      dropOrphans(into, report);
      for (const { sql } of triggers) into.exec(sql);
    });
    report.harmed = harmedSessions(into, report);
    return report;
  } finally {
    into.close();
  }
}

function versionOf(db: DamagedDatabase): number {
  const version = db.version(memorySchema);
  if (version > latestNumber(memorySchema)) {
    throw new PommelError(
      "index_too_new",
      `A newer Pommel wrote it (schema ${version}).`,
      memoryWords.tooNew,
    );
  }
  return version;
}

/** They would write into other tables what is copied anyway. */
function dropTriggers(db: Sqlite): { name: string; sql: string }[] {
  const triggers = db.prepare("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'").all();
  for (const { name } of triggers as { name: string }[]) db.exec(`DROP TRIGGER "${name}"`);
  return triggers as { name: string; sql: string }[];
}

/** Damage within a page can leave rows that SQLite reads and nobody else. */
function isWhole(table: string, row: Row): boolean {
  if (table !== "turns") return true;
  try {
    return row.content instanceof Uint8Array && Array.isArray(unpackContent(row.content));
  } catch {
    return false;
  }
}

/** Sessions whose own row is lost, but not their turns, get the little that is known of them. */
function nameSessions(from: DamagedDatabase, into: Sqlite, report: Salvaged): void {
  const without = into
    .prepare(
      `SELECT session_id FROM (SELECT session_id FROM turns UNION SELECT session_id FROM lines)
       WHERE session_id NOT IN (SELECT id FROM sessions)`,
    )
    .pluck()
    .all() as number[];
  const uids = uidsOfSessions(from);
  const root = (into
    .prepare("SELECT cwd FROM sessions GROUP BY cwd ORDER BY count(*) DESC LIMIT 1")
    .pluck()
    .get() ?? ".") as string;
  const agents = into.prepare("SELECT agent FROM transcripts WHERE session_id = ?").pluck();
  const insert = into.prepare(
    "INSERT OR IGNORE INTO sessions (id, uid, agent, cwd, started_at, last_at) SELECT ?, ?, ?, ?, min(started_at), max(ended_at) FROM turns WHERE session_id = ?",
  );
  for (const id of without) {
    const uid = uids.get(id);
    if (uid === undefined) continue;
    insert.run(id, uid, agents.get(id) ?? "claude", root, id);
    report.bare.push(uid);
  }
}

function uidsOfSessions(from: DamagedDatabase): Map<number, string> {
  const uids = new Map<number, string>();
  try {
    const rows = from.rows("SELECT id, uid FROM sessions INDEXED BY sqlite_autoindex_sessions_1");
    for (const row of rows as Iterable<{ id: number; uid: string }>) uids.set(row.id, row.uid);
  } catch {
    // The index is damaged, too.
  }
  return uids;
}

/** Rows that belong to what is lost. */
function dropOrphans(into: Sqlite, report: Salvaged): void {
  for (;;) {
    const orphans = into
      .prepare('SELECT DISTINCT "table" AS name, rowid AS id, parent, fkid FROM pragma_foreign_key_check')
      .all() as { name: string; id: number | null; parent: string; fkid: number }[];
    if (orphans.length === 0) return;
    for (const { name, id, fkid } of orphans) {
      const key = into
        .prepare(
          'SELECT "from" AS child, "to" AS parent, on_delete AS rule FROM pragma_foreign_key_list(?) WHERE id = ?',
        )
        .get(name, fkid) as { child: string; parent: string | null; rule: string };
      const table = orphans.find((one) => one.name === name)!.parent;
      const parentKey = key.parent ?? primaryKeyOf(into, table);
      const condition = `"${key.child}" IS NOT NULL AND "${key.child}" NOT IN (SELECT "${parentKey}" FROM "${table}")`;
      if (key.rule === "SET NULL") {
        into.exec(`UPDATE "${name}" SET "${key.child}" = NULL WHERE ${condition}`);
        continue;
      }
      const only = id === null ? condition : `rowid = ${id}`;
      const { changes } = into.prepare(`DELETE FROM "${name}" WHERE ${only}`).run();
      report.lost[name] = (report.lost[name] ?? 0) + changes;
      report.saved[name] = (report.saved[name] ?? 0) - changes;
    }
  }
}

const primaryKeyOf = (db: Sqlite, table: string) =>
  db.prepare("SELECT name FROM pragma_table_info(?) WHERE pk = 1").pluck().get(table) as string;

/** Sessions with lines whose turn is gone, or without their lines: the transcript may still have them. */
function harmedSessions(into: Sqlite, { bare, lost, incomplete }: Salvaged): string[] {
  const misses = (table: string) => table in lost || incomplete.includes(table);
  const all = (sql: string) => into.prepare(sql).pluck().all() as string[];
  // Turn 0 may have lines without anything in them.
  const withoutTurns = all(
    `SELECT DISTINCT s.uid FROM lines l JOIN sessions s ON s.id = l.session_id WHERE l.turn > 0
     AND NOT EXISTS (SELECT 1 FROM turns t WHERE t.session_id = l.session_id AND t.number = l.turn)`,
  );
  const withoutLines = all(
    `SELECT s.uid FROM sessions s WHERE EXISTS (SELECT 1 FROM turns t WHERE t.session_id = s.id)
     AND NOT EXISTS (SELECT 1 FROM lines l WHERE l.session_id = s.id)`,
  );
  return [
    ...new Set([...bare, ...(misses("turns") ? withoutTurns : []), ...(misses("lines") ? withoutLines : [])]),
  ];
}
