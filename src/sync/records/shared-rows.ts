import * as z from "zod/mini";
import { maxTime } from "../../base/text/dates.ts";
import type { LabelKind, OutsideKind } from "../../protocol/outside.ts";
import { outsideKinds } from "../../protocol/outside.ts";
import { count, label, outside } from "../../protocol/shape-parts.ts";
import { listFields, toColumnName } from "../../store/tables/statements.ts";
import type { NumberKind, Snake, StoredTextKind, Table, TableColumn } from "../../store/tables/table.ts";

/** Rows of memory.db as others get them: what of a table is shared stands in its description. */

type SharedName<Field, C> =
  C extends TableColumn<unknown, infer S>
    ? [S] extends [true]
      ? Snake<Field & string>
      : [S] extends [string]
        ? S
        : never
    : never;

type SharedValue<C> = C extends TableColumn<unknown, string | boolean, infer V> ? V : never;

/** A row of a table in a shared record: its shared columns, with uids in place of the numbers of sessions' rows. */
export type SharedRow<T extends Table> = {
  -readonly [K in keyof T["columns"] as SharedName<K, T["columns"][K]>]: SharedValue<T["columns"][K]>;
};

type ValueIn<C> = C extends TableColumn<infer V> ? V : never;

/** The shared columns of a row as code has them. */
export type SharedPart<T extends Table> = {
  -readonly [K in keyof T["columns"] as SharedName<K, T["columns"][K]> extends never ? never : K]: ValueIn<
    T["columns"][K]
  >;
};

/** SQLite stores whole numbers only, and a Date holds no more. */
export const moment = z.int().check(z.minimum(-maxTime), z.maximum(maxTime));

const numberShapes = {
  row: outside("session"),
  time: moment,
  count,
  integer: z.int(),
  real: z.number(),
  fraction: z.number().check(z.minimum(0), z.maximum(1)),
} satisfies Record<NumberKind, z.ZodMiniType>;

const isOutside = (kind: StoredTextKind): kind is OutsideKind =>
  (outsideKinds as readonly string[]).includes(kind);

function buildTextShape(kind: StoredTextKind): z.ZodMiniType {
  if (kind === "words") return z.string();
  return isOutside(kind) ? outside(kind) : label(kind satisfies LabelKind);
}

function buildShape({ as, is, number, values, isNullable, since }: TableColumn): z.ZodMiniType {
  const one =
    as === "flag"
      ? z.boolean()
      : values !== undefined
        ? z.enum(values)
        : is !== undefined
          ? buildTextShape(is)
          : numberShapes[number ?? "integer"];
  const shape = as === "json" ? z.array(one) : one;
  const given = isNullable ? z.nullable(shape) : shape;
  // An odd one is unknown.
  if (is === "branch" && isNullable) return z.catch(given, null);
  // An older Pommel's record has none.
  return since === undefined ? given : z.optional(given);
}

interface SharedColumn {
  field: string;
  /** In the record. */
  name: string;
  column: TableColumn;
}

/** The columns of a table that are shared. */
export const listSharedColumns = (table: Table): SharedColumn[] =>
  listFields(table).flatMap(([field, column]) => {
    const { shared = false } = column;
    return shared === false ? [] : [{ field, name: shared === true ? toColumnName(field) : shared, column }];
  });

/** The shape of a shared record: a table's shared columns, and what else is in it. Unknown fields are kept, as a newer client may have written them. */
export function buildSharedShape<T extends Table, E extends z.core.$ZodShape>(table: T, others: E) {
  const columns = listSharedColumns(table).map(({ name, column }) => [name, buildShape(column)]);
  return z.looseObject({ ...Object.fromEntries(columns), ...others }) as unknown as z.ZodMiniType<
    Omit<SharedRow<T>, keyof E> & z.infer<z.ZodMiniObject<E, z.core.$loose>>
  >;
}

/** @param clean for private texts @param uidOf the uid of a session's row */
export function exportRow<T extends Table>(
  table: T,
  row: SharedPart<T>,
  {
    clean = keepText,
    uidOf = () => null,
  }: { clean?: (text: string) => string; uidOf?: (id: number) => string | null } = {},
): SharedRow<T> {
  const given = row as Readonly<Record<string, unknown>>;
  return Object.fromEntries(
    listSharedColumns(table).map(({ field, name, column }) => [
      name,
      column.number === "row" && typeof given[field] === "number"
        ? uidOf(given[field])
        : cleanValue(column, given[field], clean),
    ]),
  ) as SharedRow<T>;
}

/**
 * What an older Pommel's record lacks is missing, not null: it changes nothing of a row that is known.
 * @param clean as for `exportRow` @param idOf the row of a session that is known here
 */
export function importRow<T extends Table>(
  table: T,
  record: SharedRow<T>,
  {
    clean = keepText,
    idOf = () => null,
  }: { clean?: (text: string) => string; idOf?: (uid: string) => number | null } = {},
): SharedPart<T> {
  const given = record as Readonly<Record<string, unknown>>;
  return Object.fromEntries(
    listSharedColumns(table).flatMap(({ field, name, column }) => {
      const value = given[name];
      if (value === undefined) return [];
      const isSession = column.number === "row" && typeof value === "string";
      return [[field, isSession ? idOf(value) : cleanValue(column, value, clean)]];
    }),
  ) as SharedPart<T>;
}

const keepText = (text: string) => text;

const cleanValue = (
  { isPrivate = false }: TableColumn,
  value: unknown,
  clean: (text: string) => string,
): unknown => (isPrivate && typeof value === "string" ? clean(value) : value);

/** A record that says nothing. */
export const emptyRecord = <T extends Table>(table: T): NullFields<SharedRow<T>> =>
  Object.fromEntries(
    listSharedColumns(table).flatMap(({ name, column }) => (column.isNullable ? [[name, null]] : [])),
  ) as NullFields<SharedRow<T>>;

type NullFields<R> = { [K in keyof R as null extends R[K] ? K : never]: null };
