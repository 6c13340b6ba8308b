import { statSync } from "node:fs";
import { codeOf, messageOf, PommelError } from "../../../project/errors.ts";
import { openDatabase } from "../../sqlite/database.ts";
import { schemaByTables } from "../../sqlite/schema-problem.ts";
import type { Migration } from "../../sqlite/sqlite.ts";
import { Sqlite } from "../../sqlite/sqlite.ts";
import { ordinaryTables } from "../backups/backup-content.ts";
import { memoryWords } from "../memory.ts";
import { memoryMigrations } from "../schema/schema.ts";
import { unpackContent } from "../sessions/content.ts";

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

/** Read through one connection: one that is encrypted gives nothing more after a page that cannot be decrypted, so it is replaced. */
class DamagedDatabase {
  private db: Sqlite;

  constructor(private readonly file: string) {
    this.db = this.open();
  }

  *rows(sql: string, ...given: unknown[]): IterableIterator<unknown> {
    try {
      yield* this.db.prepare(sql).iterate(...given);
    } catch (error) {
      if (this.db.key !== null) {
        this.db.close();
        this.db = this.open();
      }
      throw error;
    }
  }

  tables(): string[] {
    return ordinaryTables(this.db);
  }

  /** By its tables: the number itself may be what is damaged. */
  version(migrations: readonly Migration[]): number {
    return schemaByTables(this.db, migrations);
  }

  close(): void {
    this.db.close();
  }

  private open(): Sqlite {
    return new Sqlite(this.file, { mode: "read", timeoutMs: 5000 });
  }
}

function copyAll(from: DamagedDatabase, target: string): Salvaged {
  const version = versionOf(from);
  const steps: readonly Migration[] = memoryMigrations.slice(0, version);
  const how = { readonly: false, words: memoryWords, precious: true, isCopy: true };
  const into = openDatabase(target, steps, how);
  const report: Salvaged = { saved: {}, lost: {}, incomplete: [], harmed: [], bare: [] };
  try {
    into.exec("PRAGMA foreign_keys = OFF");
    into.transaction("immediate", () => {
      const triggers = dropTriggers(into);
      const has = new Set(from.tables());
      for (const table of ordinaryTables(into)) {
        if (derived.has(table) || dropped.has(table) || !has.has(table)) continue;
        new TableCopy(from, into, table, report).run();
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
  const version = db.version(memoryMigrations);
  if (version > memoryMigrations.length) {
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

type Row = Record<string, unknown>;

/** Reads one table, around its damaged pages. */
class TableCopy {
  /** Columns of the primary key: `rowid` where the table has one. */
  private readonly key: readonly string[];
  private readonly insert: (row: Row) => void;
  private readonly seen = new Set<string>();
  private saved = 0;
  private lost = 0;

  constructor(
    private readonly from: DamagedDatabase,
    into: Sqlite,
    private readonly table: string,
    private readonly report: Salvaged,
  ) {
    const columns = "SELECT name, pk FROM pragma_table_info(?)";
    const stored = new Set([...from.rows(columns, table)].map((column) => (column as { name: string }).name));
    const known = into.prepare(columns).all(table) as { name: string; pk: number }[];
    const shared = known.filter(({ name }) => stored.has(name));
    const keys = shared.filter(({ pk }) => pk > 0).sort((a, b) => a.pk - b.pk);
    this.key = keys.map(({ name }) => name);
    const names = shared.map(({ name }) => `"${name}"`);
    const statement = into.prepare(
      `INSERT OR IGNORE INTO "${table}" (${names.join(", ")}) VALUES (${names.map(() => "?").join(", ")})`,
    );
    this.insert = (row) => {
      const id = this.idOf(row);
      if (this.seen.has(id)) return;
      this.seen.add(id);
      if (!isWhole(table, row)) {
        this.lost++;
        return;
      }
      try {
        this.saved += statement.run(...shared.map(({ name }) => row[name])).changes;
      } catch (error) {
        // What page damage turned into a value of another type.
        if (!codeOf(error).startsWith("SQLITE_CONSTRAINT") && codeOf(error) !== "SQLITE_MISMATCH")
          throw error;
        this.lost++;
      }
    };
  }

  run(): void {
    if (!this.readFrom("ASC")) {
      // From the other end, up to the same damage.
      this.readFrom("DESC");
      const known = this.keysOfIndexes();
      for (const key of known) if (!this.seen.has(key)) this.readOne(JSON.parse(key) as unknown[]);
      if (known.size === 0) this.probe();
    }
    this.report.saved[this.table] = this.saved;
    if (this.lost > 0) this.report.lost[this.table] = this.lost;
  }

  private readonly idOf = (row: Row) => JSON.stringify(this.key.map((name) => row[name]));

  /**
   * Reads in the order of the key, up to the first row that cannot be read. In steps, which get smaller before the damage:
   * not every driver gives the rows before it.
   * @returns whether it came to the end
   */
  private readFrom(direction: "ASC" | "DESC"): boolean {
    const names = this.key.map((name) => `"${name}"`);
    const order = names.map((name) => `${name} ${direction}`).join(", ");
    const beyond = `(${names.join(", ")}) ${direction === "ASC" ? ">" : "<"} (${names.map(() => "?").join(", ")})`;
    let last: unknown[] | null = null;
    for (let most = 1000; most >= 1; ) {
      const where = last === null ? "" : `WHERE ${beyond}`;
      let count = 0;
      const isRead = this.read(`${where} ORDER BY ${order} LIMIT ${most}`, last ?? [], (row) => {
        last = this.key.map((name) => row[name]);
        count++;
      });
      if (!isRead) most = Math.floor(most / 2);
      else if (count < most) return true;
    }
    return false;
  }

  /** @returns whether it came to the end */
  private read(how: string, given: readonly unknown[], onRow: (row: Row) => void = () => {}): boolean {
    try {
      for (const row of this.from.rows(`SELECT * FROM "${this.table}" NOT INDEXED ${how}`, ...given)) {
        this.insert(row as Row);
        onRow(row as Row);
      }
      return true;
    } catch (error) {
      if (isUnreadable(error)) return false;
      throw error;
    }
  }

  private readOne(key: unknown[]): void {
    const condition = this.key.map((name) => `"${name}" = ?`).join(" AND ");
    if (!this.read(`WHERE ${condition}`, key)) this.lost++;
  }

  /** Keys of all rows, as far as the table's own indexes, which lie on other pages, still name them. */
  private keysOfIndexes(): Set<string> {
    const keys = new Set<string>();
    const indexes = "SELECT name FROM pragma_index_list(?) WHERE partial = 0 AND origin <> 'pk'";
    const names = [...this.from.rows(indexes, this.table)];
    for (const { name } of names as { name: string }[]) {
      try {
        const columns = this.key.map((column) => `"${column}"`).join(", ");
        const rows = this.from.rows(`SELECT ${columns} FROM "${this.table}" INDEXED BY "${name}"`);
        for (const row of rows) keys.add(this.idOf(row as Row));
      } catch (error) {
        if (!isUnreadable(error) && codeOf(error) !== "SQLITE_ERROR") throw error;
      }
    }
    return keys;
  }

  /** Without an index the gap is halved, as far as its key is a number, until what is readable in it is read. */
  private probe(): void {
    const [first] = this.key;
    this.report.incomplete.push(this.table);
    const numbers = [...this.seen].map((id) => (JSON.parse(id) as unknown[])[0]);
    if (first === undefined || !numbers.every((one) => Number.isSafeInteger(one)) || numbers.length < 2)
      return;
    let [least, most] = [Number.POSITIVE_INFINITY, 0];
    for (const one of numbers as number[]) [least, most] = [Math.min(least, one), Math.max(most, one)];
    const ranges: [number, number][] = [[least, most]];
    for (let range = ranges.pop(); range; range = ranges.pop()) {
      const [from, to] = range;
      if (this.read(`WHERE "${first}" BETWEEN ? AND ?`, [from, to]) || from === to) continue;
      const middle = Math.floor((from + to) / 2);
      ranges.push([from, middle], [middle + 1, to]);
    }
  }
}

const isUnreadable = (error: unknown) =>
  /^SQLITE_(?:CORRUPT|NOTADB|IOERR|TOOBIG)/.test(codeOf(error)) ||
  /malformed|safe integer/i.test(messageOf(error));

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
