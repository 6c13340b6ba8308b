import { describeKind, isValidAs, type OutsideKind, outsideKinds } from "../../protocol/outside.ts";
import { toColumnName } from "../tables/statements.ts";
import type { StoredTextKind } from "../tables/table.ts";
import type { Memory } from "./memory.ts";
import { memoryTables } from "./schema.ts";

const isOutside = (kind: StoredTextKind | undefined): kind is OutsideKind =>
  (outsideKinds as readonly (string | undefined)[]).includes(kind);

/**
 * The columns of memory.db that hold ids, paths and names from outside, and what each of them is. Other columns hold what people
 * read, or what Pommel itself has written.
 */
export const outsideColumns = memoryTables.flatMap(({ name, columns }) =>
  Object.entries(columns).flatMap(([field, { is, as }]) =>
    isOutside(is) ? [{ table: name, column: toColumnName(field), kind: is, isList: as === "json" }] : [],
  ),
);

/** The first value that is not what its column holds, as a sentence; null: each is. For a memory that somebody else may have written. */
export function findOddValue(memory: Memory): string | null {
  for (const { table, column, kind, isList } of outsideColumns) {
    const values = isList
      ? `SELECT DISTINCT value FROM ${table}, json_each(${column})`
      : `SELECT DISTINCT ${column} FROM ${table} WHERE ${column} IS NOT NULL`;
    for (const value of memory.prepare(values).pluck().iterate()) {
      if (typeof value === "string" && isValidAs(kind, value)) continue;
      return `${table}.${column} holds ${JSON.stringify(String(value).slice(0, 60))}, which is not ${describeKind(kind)}`;
    }
  }
  return null;
}
