import { decodeVarints, encodeVarints } from "../../text/varint.ts";
import type { Connection } from "./connection.ts";

/** Of FTS5's file format, as its `_config` table has it. Later ones may keep their books otherwise. */
const knownVersion = 4;

/** Id of the row of `_data` that holds the totals. */
const totalsRow = 1;

/**
 * Makes FTS5's totals true again: the number of rows and of words, from which bm25() takes how rare a word and how long
 * a row is. Rows that are deleted from a table with `contentless_delete` stay counted in them for ever, so that in a
 * database which lives long common words come to weigh as much as rare ones.
 *
 * The format is that of SQLite's ext/fts5: row 1 of `<table>_data` holds a varint for the rows and one a column
 * (fts5StorageSaveTotals in fts5_storage.c, FTS5_AVERAGES_ROWID in fts5_index.c), `<table>_docsize.sz` one a column for
 * each row that is there; deletion without content (fts5StorageContentlessDelete) leaves the totals as they are. FTS5
 * reads them anew for each query and each transaction. What does not look exactly like that stays as it is.
 *
 * Reads one row and counts the others where nothing is wrong. A transaction of its own, so never to be called in one.
 *
 * @param table a full-text table of the schema
 * @returns whether something was wrong, and is corrected
 * @throws PommelError as any change of the database
 */
export function correctTotals(connection: Connection, table: string): boolean {
  const columns = columnsOf(connection, table);
  if (columns === 0 || !isWrong(connection, table, columns)) return false;
  return connection.inOwnTransactionOnShadowTables(() => {
    // Somebody else may have written since.
    const sizes = isWrong(connection, table, columns) ? sizesOfRows(connection, table, columns) : null;
    if (sizes === null) return false;
    const { changes } = connection
      .prepare(`UPDATE ${table}_data SET block = ? WHERE id = ${totalsRow}`)
      .run(encodeVarints([rowCount(connection, table), ...sizes]));
    return changes === 1;
  });
}

/** What bm25() takes for the number of rows and of words in each column; null where the books are not kept as expected. */
export function totalsOf(
  connection: Connection,
  table: string,
): { rows: number; words: readonly number[] } | null {
  return connection.once(`totals of ${table}`, () => {
    const columns = columnsOf(connection, table);
    const totals = columns === 0 ? null : storedTotals(connection, table, columns);
    return totals && { rows: totals[0]!, words: totals.slice(1) };
  });
}

/** How many columns a table has; 0 for one whose books are not kept as expected. */
export function columnsOf(connection: Connection, table: string): number {
  const books = connection.get<{ n: number }>(
    "SELECT count(*) AS n FROM sqlite_master WHERE name IN (?, ?, ?)",
    `${table}_data`,
    `${table}_docsize`,
    `${table}_config`,
  );
  if (books.n !== 3) return 0;
  const version = connection.get<{ v: unknown } | null>(`SELECT v FROM ${table}_config WHERE k = 'version'`);
  if (version?.v !== knownVersion) return 0;
  return connection.value<number>("SELECT count(*) AS n FROM pragma_table_info(?)", table);
}

/** Rows that are gone are counted, or the other way round. What cannot be read, or never had a row, is left alone. */
function isWrong(connection: Connection, table: string, columns: number): boolean {
  return connection.inSnapshot(() => {
    const totals = storedTotals(connection, table, columns);
    return totals !== null && totals[0] !== rowCount(connection, table);
  });
}

/** Of rows, and of words in each column; null where that is not stored, or not like that. */
function storedTotals(connection: Connection, table: string, columns: number): number[] | null {
  const stored = connection.get<{ block: unknown } | null>(
    `SELECT block FROM ${table}_data WHERE id = ${totalsRow}`,
  );
  return decoded(stored?.block, columns + 1);
}

function rowCount(connection: Connection, table: string): number {
  return connection.get<{ n: number }>(`SELECT count(*) AS n FROM ${table}_docsize`).n;
}

/** Words in each column of the rows that are there; null when one cannot be read. */
function sizesOfRows(connection: Connection, table: string, columns: number): number[] | null {
  const totals = new Array<number>(columns).fill(0);
  for (const row of connection.prepare(`SELECT sz FROM ${table}_docsize`).iterate()) {
    const sizes = decoded((row as { sz: unknown }).sz, columns);
    if (sizes === null) return null;
    sizes.forEach((size, column) => {
      totals[column]! += size;
    });
  }
  return totals;
}

const decoded = (bytes: unknown, count: number) =>
  bytes instanceof Uint8Array ? decodeVarints(bytes, count) : null;
