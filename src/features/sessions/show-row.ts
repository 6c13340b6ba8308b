import { formatIsoTime } from "../../base/text/iso-time.ts";
import { listFields, toColumnName } from "../../store/tables/statements.ts";
import type { Snake, Table, TableRow } from "../../store/tables/table.ts";

/**
 * The fields of an answer's shape that are columns of a table, as answers have them: times in ISO 8601, uids in place of the numbers
 * of rows. Of a row's own number a shape says nothing.
 * @param uidOf the uid of the row that a column refers to
 */
export function showRow<T extends Table, S extends object>(
  table: T,
  row: TableRow<T>,
  { shape, uidOf }: { shape: Readonly<Record<keyof S, unknown>>; uidOf: (id: number) => string | null },
): Pick<S, Exclude<Extract<keyof S, Snake<keyof T["columns"] & string>>, "id">> {
  const given = row as Readonly<Record<string, unknown>>;
  const shown = listFields(table).flatMap(([field, { number, isReused }]): [string, unknown][] => {
    const [name, value] = [toColumnName(field), given[field]];
    if (isReused !== undefined || !Object.hasOwn(shape, name)) return [];
    if (number === "time") return [[name, formatIsoTime(value as number | null)]];
    return [[name, number === "row" && value !== null ? uidOf(value as number) : value]];
  });
  return Object.fromEntries(shown) as ReturnType<typeof showRow<T, S>>;
}
