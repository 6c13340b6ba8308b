import { statSync } from "node:fs";
import { PommelError } from "../../../base/errors.ts";
import { findDatabaseKey } from "../../encryption/keys.ts";
import { openDatabase } from "../../sqlite/database.ts";
import { findLatestNumber, truncateSchema } from "../../sqlite/schema.ts";
import { findNearestSchema, findRoots, type SchemaRow } from "../../sqlite/schema-problem.ts";
import { Sqlite } from "../../sqlite/sqlite.ts";
import { listOrdinaryTables } from "../backups/backup-content.ts";
import { memoryWords } from "../memory.ts";
import { findTablesHolding, memorySchema } from "../schema.ts";
import { copyTable, readIndexEntries, restoreIds, type Trees } from "./copy-table.ts";
import { openPages, type Pages } from "./pages.ts";
import { RecordReader } from "./records.ts";

/** Saves what can still be read of a damaged memory. */

/**
 * What is made again from the rest, with its full-text rows, which cannot be read without their index; and what other processes do
 * with a file that is being replaced.
 */
const dropped = findTablesHolding("derived", "work");

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
 * Copies what can be read of a damaged memory into a new one, page by page.
 * @param target a file that does not exist yet
 * @returns what was saved; null where nothing can be read, not even the schema
 * @throws PommelError `index_too_new`, `disk_full`, as `findDatabaseKey`
 */
export function salvageMemory(damaged: string, target: string): Salvaged | null {
  if (!statSync(damaged, { throwIfNoEntry: false })?.isFile()) return null;
  const pages = openPages(damaged, findDatabaseKey(damaged));
  let own: Sqlite | null = null;
  try {
    const trees = findTrees(pages);
    if (trees === null) return null;
    // What a damaged schema says of columns is not believed, where they are known.
    if (trees.version < memorySchema.first) own = new Sqlite(damaged, { mode: "read", timeoutMs: 5000 });
    return copyAll({ ...trees, own }, target);
  } finally {
    own?.close();
    pages.close();
  }
}

function findTrees(pages: Pages): (Omit<Trees, "own"> & { version: number }) | null {
  const reader = new RecordReader(pages);
  const rows = [...reader.readRecords(reader.groupPagesByRoot(new Set([1])).get(1)!, true)].flatMap(
    ({ values }) => {
      const [type, name, table, root, sql] = values;
      return [type, name, table].every((one) => typeof one === "string") && typeof root === "number"
        ? [{ type, name, table, root, sql } as SchemaRow]
        : [];
    },
  );
  const version = findNearestSchema(rows, pages.read(1)?.readUInt32BE(60) ?? 0, memorySchema);
  if (version > findLatestNumber(memorySchema)) {
    throw new PommelError(
      "index_too_new",
      `A newer Pommel wrote it (schema ${version}).`,
      memoryWords.tooNew,
    );
  }
  const references = findRoots(truncateSchema(memorySchema, version));
  const isReleased = version >= memorySchema.first;
  const roots = findRootPages(rows, reader, references, isReleased);
  if (!roots.has("sessions")) return null;
  const trees = reader.groupPagesByRoot(new Set(roots.values()));
  return {
    version,
    reader,
    pages: new Map([...roots].map(([name, root]) => [name, trees.get(root)!])),
  };
}

/** Where each table and each index begins: as the schema says, and where that is damaged as it is in every memory. */
function findRootPages(
  rows: readonly SchemaRow[],
  reader: RecordReader,
  references: readonly ReadonlyMap<string, number>[],
  isReleased: boolean,
): Map<string, number> {
  const ours = rows.filter(({ name, root }) => root > 0 && references[0]!.has(name));
  const found = new Map(
    ours
      .filter(({ root }) => reader.isRoot(root) && ours.filter((other) => other.root === root).length === 1)
      .map(({ name, root }) => [name, root]),
  );
  if (found.size === 0 || !isReleased) return found;
  const agreement = (roots: ReadonlyMap<string, number>) =>
    [...found].filter(([name, root]) => roots.get(name) === root).length;
  const [like] = references.toSorted((a, b) => agreement(b) - agreement(a));
  const taken = new Set(found.values());
  for (const [name, root] of like!)
    if (root > 0 && !found.has(name) && !taken.has(root)) found.set(name, root);
  return found;
}

function copyAll(from: Trees & { version: number }, target: string): Salvaged {
  const how = { readonly: false, words: memoryWords, precious: true, isCopy: true };
  const into = openDatabase(target, truncateSchema(memorySchema, from.version), how);
  const report: Salvaged = { saved: {}, lost: {}, incomplete: [], harmed: [], bare: [] };
  try {
    into.exec("PRAGMA foreign_keys = OFF");
    into.transaction("immediate", () => {
      const triggers = dropTriggers(into);
      for (const table of listOrdinaryTables(into)) {
        if (dropped.has(table)) continue;
        const { saved, lost, isIncomplete } = copyTable(from, into, table);
        report.saved[table] = saved;
        if (lost > 0) report.lost[table] = lost;
        if (isIncomplete) report.incomplete.push(table);
      }
      for (const parent of into.prepare("SELECT DISTINCT parent FROM pragma_foreign_key_check").pluck().all())
        restoreIds(from, into, parent as string);
      nameSessions(from, into, report);
      dropOrphans(into, report);
      for (const { sql } of triggers) into.exec(sql);
    });
    report.harmed = listHarmedSessions(into, report);
    return report;
  } finally {
    into.close();
  }
}

/** They would write into other tables what is copied anyway. */
function dropTriggers(db: Sqlite): { name: string; sql: string }[] {
  const triggers = db.prepare("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'").all();
  for (const { name } of triggers as { name: string }[]) db.exec(`DROP TRIGGER "${name}"`);
  return triggers as { name: string; sql: string }[];
}

/** Sessions whose own row is lost, but not their turns, get the little that is known of them. */
function nameSessions(from: Trees, into: Sqlite, report: Salvaged): void {
  const without = into
    .prepare(
      `SELECT session_id FROM (SELECT session_id FROM turns UNION SELECT session_id FROM lines)
       WHERE session_id NOT IN (SELECT id FROM sessions)`,
    )
    .pluck()
    .all() as number[];
  const uids = readSessionUids(from);
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

const readSessionUids = (from: Trees) =>
  new Map(
    readIndexEntries(from, "sqlite_autoindex_sessions_1").map(([uid, id]) => [id as number, uid as string]),
  );

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
      const parentKey = key.parent ?? findPrimaryKey(into, table);
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

const findPrimaryKey = (db: Sqlite, table: string) =>
  db.prepare("SELECT name FROM pragma_table_info(?) WHERE pk = 1").pluck().get(table) as string;

/** Sessions with lines whose turn is gone, or without their lines: the transcript may still have them. */
function listHarmedSessions(into: Sqlite, { bare, lost, incomplete }: Salvaged): string[] {
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
