import { columnsOf } from "./statements.ts";
import type { Column, Row, Table } from "./table.ts";

/** How what is new of a row becomes one with what is stored. */

/** A row of which nothing is known: null wherever that can be said. */
export const emptyRow = <T extends Table>(table: T): NullFields<Row<T>> =>
  Object.fromEntries(
    columnsOf(table).flatMap(([field, { isNullable }]) => (isNullable ? [[field, null]] : [])),
  ) as NullFields<Row<T>>;

type NullFields<R> = { [K in keyof R as null extends R[K] ? K : never]: R[K] };

/** Merges column by column. Columns that come from one version together stay, but for those that have a way of their own. */
export function mergeRows<T extends Table>(table: T, known: Row<T>, update: Partial<Row<T>>): Row<T> {
  const merged: Record<string, unknown> = { ...known };
  const given = update as Readonly<Record<string, unknown>>;
  for (const [field, column] of columnsOf(table)) {
    if (column.together !== undefined && column.merge === undefined) continue;
    merged[field] = mergeValues(column, merged[field], given[field]);
  }
  return merged as Row<T>;
}

const isUnknown = (value: unknown) => value === null || value === undefined || value === "";

function mergeValues({ merge = "first" }: Column, known: unknown, given: unknown): unknown {
  if (merge === "latest") return given === undefined ? known : given;
  if (isUnknown(known) || isUnknown(given)) return isUnknown(known) ? (given ?? known) : known;
  if (merge === "least") return Math.min(known as number, given as number);
  return merge === "greatest" ? Math.max(known as number, given as number) : known;
}
