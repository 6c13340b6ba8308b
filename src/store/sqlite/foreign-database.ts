import { existsSync, statSync } from "node:fs";
import { codeOf, messageOf, PommelError } from "../../project/errors.ts";
import { Sqlite } from "./sqlite.ts";

/** Another program's SQLite database, open to read; whatever it holds is as foreign as a file. */
export interface ForeignDatabase {
  /** Rows of a statement, one after the other. */
  rows(sql: string, ...given: unknown[]): IterableIterator<unknown>;
  /** The columns of a table; none where there is no such table. */
  columns(table: string): string[];
  close(): void;
}

/**
 * Opens it, never to be written.
 * @throws PommelError `not_found`, `unreadable`
 */
export function openForeignDatabase(file: string): ForeignDatabase {
  if (!existsSync(file) || statSync(file).isDirectory()) {
    throw new PommelError("not_found", `No database ${file}.`, "Check the path.");
  }
  let db: Sqlite | undefined;
  try {
    db = new Sqlite(file, { mode: "read", timeoutMs: 2000 });
    // That it is none comes out with the first read.
    db.prepare("SELECT count(*) FROM sqlite_schema").get();
  } catch (error) {
    db?.close();
    const code = codeOf(error);
    // Left to who opens a copy where SQLite may not write beside it.
    if (/^SQLITE_(CANTOPEN|READONLY)/.test(code)) throw error;
    throw new PommelError(
      "unreadable",
      `${file} cannot be read: ${messageOf(error)}.`,
      "Is it a SQLite database?",
    );
  }
  const open = db;
  return {
    rows: (sql, ...given) => open.prepare(sql).iterate(...given),
    columns: (table) => open.prepare("SELECT name FROM pragma_table_info(?)").pluck().all(table) as string[],
    close: () => open.close(),
  };
}
