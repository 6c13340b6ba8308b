import { getErrorCode } from "../../../base/errors.ts";
import type { Sqlite, SqlStatement } from "../../sqlite/sqlite.ts";
import { packContent, unpackContent } from "../sessions/content.ts";
import type { RecordReader, StoredRecord } from "./records.ts";

/** The tables and indexes of a damaged memory: their pages, and how to read them. */
export interface Trees {
  /** By name. */
  pages: ReadonlyMap<string, readonly number[]>;
  reader: RecordReader;
  /** The memory itself where its tables may have other columns than today's; null: they have none. */
  own: Sqlite | null;
}

type CopiedRow = Record<string, unknown>;

interface CopiedTable {
  /** Rows that were read. */
  saved: number;
  /** Rows that are known to be lost, or to have lost what they say. */
  lost: number;
  /** Whether there may be others that are lost. */
  isIncomplete: boolean;
}

interface CopiedColumn {
  name: string;
  type: string;
  /** Its place in the primary key, from 1; 0: not in it. */
  pk: number;
}

/** Copies the rows of a table that can be read. */
export function copyTable(from: Trees, into: Sqlite, table: string): CopiedTable {
  const stored = readColumns(from.own ?? into, table);
  const tree = from.pages.get(table);
  let isDamaged = tree === undefined;
  let read = 0;
  let saved = 0;
  const known = new Set(readColumns(into, table).columns.map(({ name }) => name));
  const insert = createInserter(into, table);
  const conflicts: CopiedRow[] = [];
  const onDamage = () => {
    isDamaged = true;
  };
  for (const record of from.reader.readRecords(tree ?? [], !stored.isKeyed, onDamage)) {
    const row = toRow(record, stored, known);
    if (row === null) {
      isDamaged = true;
      continue;
    }
    read++;
    const mended = repairRow(table, row);
    const outcome = insert(mended, "IGNORE");
    if (outcome === "conflict") conflicts.push(mended);
    if (outcome === "saved" && mended === row) saved++;
    else isDamaged = true;
  }
  // Damage can give a row the key of another one; the one that an index knows by it is the right one.
  if (conflicts.length > 0) {
    const isIndexed = indexLookup(from, into, table, stored.alias);
    for (const row of conflicts) if (isIndexed(row)) insert(row, "REPLACE");
  }
  return { saved, ...measureLoss(from, into, table, { isDamaged, read, saved }) };
}

interface StoredColumns {
  /** In the order in which rows hold them. */
  columns: readonly CopiedColumn[];
  /** Whether rows have no row ids. */
  isKeyed: boolean;
  /** The column that is the row id. */
  alias: string | undefined;
}

function readColumns(db: Sqlite, table: string): StoredColumns {
  const declared = db.prepare("SELECT name, type, pk FROM pragma_table_info(?)").all(table) as CopiedColumn[];
  const isKeyed = db.prepare("SELECT wr FROM pragma_table_list WHERE name = ?").pluck().get(table) === 1;
  const key = declared.filter(({ pk }) => pk > 0).sort((a, b) => a.pk - b.pk);
  // Without row ids a row begins with its key.
  if (isKeyed)
    return { columns: [...key, ...declared.filter(({ pk }) => pk === 0)], isKeyed, alias: undefined };
  return { columns: declared, isKeyed, alias: key.find(({ type }) => type === "INTEGER")?.name };
}

/** How many rows are missing: the table's own indexes lie on other pages. */
function measureLoss(
  from: Trees,
  into: Sqlite,
  table: string,
  { isDamaged, read, saved }: { isDamaged: boolean; read: number; saved: number },
): Pick<CopiedTable, "lost" | "isIncomplete"> {
  if (!isDamaged) return { lost: 0, isIncomplete: false };
  const indexes = "SELECT name FROM pragma_index_list(?) WHERE partial = 0";
  const counts = (into.prepare(indexes).pluck().all(table) as string[]).flatMap((name) => {
    let isWhole = from.pages.has(name);
    const count = readIndexEntries(from, name, () => {
      isWhole = false;
    }).length;
    return isWhole ? [count] : [];
  });
  return { lost: Math.max(read, ...counts) - saved, isIncomplete: counts.length === 0 };
}

/** What an index says: the indexed values, and the row id behind them. */
export const readIndexEntries = (from: Trees, index: string, onDamage?: () => void): unknown[][] =>
  [...from.reader.readRecords(from.pages.get(index) ?? [], false, onDamage)].map(({ values }) => values);

/** Whether an index has an entry for a row as it is. */
function indexLookup(
  from: Trees,
  into: Sqlite,
  table: string,
  alias: string | undefined,
): (row: CopiedRow) => boolean {
  const indexes = (into.prepare("SELECT name FROM pragma_index_list(?)").pluck().all(table) as string[]).map(
    (name) => {
      const columns = into.prepare("SELECT name FROM pragma_index_xinfo(?) ORDER BY seqno").pluck().all(name);
      return {
        // Its last column is the row id where it is no column of the table.
        columns: (columns as (string | null)[]).map((column) => column ?? alias ?? ""),
        entries: new Set(readIndexEntries(from, name).map((entry) => JSON.stringify(entry))),
      };
    },
  );
  return (row) =>
    indexes.some(({ columns, entries }) => entries.has(JSON.stringify(columns.map((column) => row[column]))));
}

/**
 * Gives rows of a table the row ids back that its index knows them by, where no other row has them: a damaged one would take
 * what refers to it along.
 */
export function restoreIds(from: Trees, into: Sqlite, table: string): void {
  const index = into.prepare("SELECT name FROM pragma_index_list(?) WHERE origin = 'u'").pluck().get(table) as
    | string
    | undefined;
  if (index === undefined) return;
  const columns = into.prepare("SELECT name FROM pragma_index_info(?)").pluck().all(index) as string[];
  const condition = columns.map((column) => `"${column}" = ?`).join(" AND ");
  const update = into.prepare(`UPDATE OR IGNORE "${table}" SET rowid = ? WHERE rowid <> ? AND ${condition}`);
  for (const entry of readIndexEntries(from, index))
    update.run(entry.at(-1), entry.at(-1), ...entry.slice(0, -1));
}

/** @param known columns of today's table @returns null where it is of another shape */
function toRow(
  { rowid, values }: StoredRecord,
  { columns, alias }: StoredColumns,
  known: ReadonlySet<string>,
): CopiedRow | null {
  if (values.length === 0 || values.length > columns.length) return null;
  const named = values.map(
    (value, i) => [columns[i]!.name, columns[i]!.name === alias ? rowid : value] as const,
  );
  const row = named.filter(([name]) => known.has(name));
  // Damage can leave a record without any value.
  return row.length === 0 ? null : Object.fromEntries(row);
}

/**
 * A turn keeps its prompt where what was said in it is lost; the filter of its words is made anew.
 * @returns the same where nothing is wrong with it
 */
function repairRow(table: string, row: CopiedRow): CopiedRow {
  if (table !== "turns") return row;
  const lines = unpackOrNull(row.content);
  const { words, json } = packContent(lines ?? []);
  if (lines === null) return { ...row, words, content: json };
  const isWhole = row.words instanceof Uint8Array && Buffer.compare(row.words, words) === 0;
  return isWhole ? row : { ...row, words };
}

function unpackOrNull(content: unknown): unknown[] | null {
  try {
    const lines = content instanceof Uint8Array ? unpackContent(content) : null;
    return Array.isArray(lines) ? lines : null;
  } catch {
    // Damage within a page leaves what SQLite reads, and nobody else.
    return null;
  }
}

/** @returns what becomes of a row: "conflict" where there is one of its key, "refused" where it is none */
function createInserter(into: Sqlite, table: string) {
  const statements = new Map<string, SqlStatement>();
  return (row: CopiedRow, or: "IGNORE" | "REPLACE"): "saved" | "conflict" | "refused" => {
    const names = Object.keys(row).map((name) => `"${name}"`);
    const sql = `INSERT OR ${or} INTO "${table}" (${names.join(", ")}) VALUES (${names.map(() => "?").join(", ")})`;
    const statement = statements.get(sql) ?? into.prepare(sql);
    statements.set(sql, statement);
    try {
      return statement.run(...Object.values(row)).changes === 0 ? "conflict" : "saved";
    } catch (error) {
      // What page damage turned into a value of another type.
      if (!getErrorCode(error).startsWith("SQLITE_CONSTRAINT") && getErrorCode(error) !== "SQLITE_MISMATCH")
        throw error;
      return "refused";
    }
  };
}
