import * as z from "zod/mini";
import { listFields, toColumnName } from "../../tables/statements.ts";
import type { Table } from "../../tables/table.ts";
import type { Memory } from "../memory.ts";
import { memoryTables } from "../schema.ts";

/**
 * Changes that can be taken back row by row: temporary triggers write down what every statement does, also by cascades and
 * the schema's own triggers (https://www.sqlite.org/undoredo.html). Left out are tables that are made again from the others,
 * and those that say what has still to be done.
 */

const cell = z.union([z.string(), z.number(), z.null()]);
/** A row's columns; bytes as hexadecimal digits. */
const row = z.record(z.string(), cell);
type ChangeRow = z.infer<typeof row>;

/** Without `before` the row was added, without `after` removed. */
export const rowChange = z.object({
  table: z.string(),
  before: z.nullable(row),
  after: z.nullable(row),
});
export type RowChange = z.infer<typeof rowChange>;

interface ChangedColumn {
  name: string;
  isBytes: boolean;
  /** Whether it is the primary key, or a part of it. */
  isKey: boolean;
}

const listColumns = (table: Table): ChangedColumn[] =>
  listFields(table).map(([field, { type, isKey = false }]) => ({
    name: toColumnName(field),
    isBytes: type === "BLOB",
    isKey: isKey || (table.key?.includes(field) ?? false),
  }));

/** The columns of the tables that remember, by name. */
const remembered = new Map(
  memoryTables.flatMap((table) => (table.holds === undefined ? [[table.name, listColumns(table)]] : [])),
);

/** Runs a change, as part of a transaction. @returns what it gave, and what it changed, in order */
export function recordChanges<T>(memory: Memory, change: () => T): { result: T; changes: RowChange[] } {
  const names: string[] = [];
  memory.exec('CREATE TEMP TABLE recorded (n INTEGER PRIMARY KEY, "table" TEXT, before TEXT, after TEXT)');
  try {
    for (const [table, columns] of remembered) {
      const json = (of: "old" | "new") =>
        `json_object(${columns
          .map((column) => {
            const value = `${of}.${column.name}`;
            return `'${column.name}', ${column.isBytes ? `hex(${value})` : value}`;
          })
          .join(", ")})`;
      const watch = (event: string, before: string, after: string) => {
        const name = `recorded_${event.toLowerCase()}_${table}`;
        memory.exec(
          `CREATE TEMP TRIGGER ${name} AFTER ${event} ON main.${table} BEGIN
             INSERT INTO recorded ("table", before, after) VALUES ('${table}', ${before}, ${after});
           END`,
        );
        names.push(name);
      };
      watch("INSERT", "NULL", json("new"));
      watch("UPDATE", json("old"), json("new"));
      watch("DELETE", json("old"), "NULL");
    }
    const result = change();
    const rows = memory.all<{ table: string; before: string | null; after: string | null }>(
      'SELECT "table", before, after FROM temp.recorded ORDER BY n',
    );
    const parsed = (text: string | null): ChangeRow | null =>
      text === null ? null : z.parse(row, JSON.parse(text));
    const changes = rows.map(({ table, before, after }) => ({
      table,
      before: parsed(before),
      after: parsed(after),
    }));
    return { result, changes };
  } finally {
    for (const name of names) memory.exec(`DROP TRIGGER IF EXISTS temp.${name}`);
    memory.exec("DROP TABLE IF EXISTS temp.recorded");
  }
}

/**
 * Takes changes back, the last one first, as part of a transaction: removed rows return, unless something has their place;
 * of changed rows those columns that nobody has changed since.
 */
export function takeBack(memory: Memory, changes: readonly RowChange[]): void {
  // Rows come back in any order.
  memory.exec("PRAGMA defer_foreign_keys = ON");
  for (const { table, before, after } of changes.toReversed()) {
    const columns = remembered.get(table);
    if (columns === undefined) continue;
    if (after === null) insertRow(memory, table, columns, before ?? {});
    else if (before === null) {
      const key = columns.filter(({ isKey }) => isKey);
      memory.prepare(`DELETE FROM ${table} WHERE ${writeCondition(key)}`).run(...readValues(key, after));
    } else updateRow(memory, table, columns, before, after);
  }
}

function insertRow(
  memory: Memory,
  table: string,
  columns: readonly ChangedColumn[],
  before: ChangeRow,
): void {
  // Numbers of transcripts are given again; nothing refers to them.
  const given = columns.filter(({ name }) => name in before && !(table === "transcripts" && name === "id"));
  memory
    .prepare(
      `INSERT OR IGNORE INTO ${table} (${given.map(({ name }) => name).join(", ")})
       VALUES (${given.map(() => "?").join(", ")})`,
    )
    .run(...readValues(given, before));
}

/** What is made anew after a loss gives way to what was there; only a person's own stays. */
const remade: Record<string, string | undefined> = { sessions: "title_source IS NOT 'user'" };

function updateRow(
  memory: Memory,
  table: string,
  columns: readonly ChangedColumn[],
  before: ChangeRow,
  after: ChangeRow,
): void {
  const key = columns.filter(({ isKey }) => isKey);
  for (const column of columns) {
    const { name, isKey } = column;
    if (isKey || before[name] === after[name]) continue;
    memory
      .prepare(
        `UPDATE ${table} SET ${name} = ?
         WHERE (${name} IS ? OR ${remade[table] ?? "FALSE"}) AND ${writeCondition(key)}`,
      )
      .run(...readValues([column], before), ...readValues([column], after), ...readValues(key, after));
  }
}

const writeCondition = (key: readonly ChangedColumn[]) => key.map(({ name }) => `${name} = ?`).join(" AND ");

const readValues = (columns: readonly ChangedColumn[], of: ChangeRow): (string | number | null | Buffer)[] =>
  columns.map((column) => {
    const value = of[column.name] ?? null;
    return column.isBytes && typeof value === "string" ? Buffer.from(value, "hex") : value;
  });
