import * as z from "zod/mini";

/**
 * Fields of what agents write. One that is missing, null or of a type that was not expected is null here: clients of
 * other versions write other records, and a record's other fields may still be worth reading.
 */

export const orNull = <T extends z.core.$ZodType>(schema: T) => z.catch(z.nullable(z.optional(schema)), null);

export const anything = z.optional(z.unknown());
export const text = orNull(z.string());
export const count = orNull(z.number());
export const flag = orNull(z.boolean());

/** What the schema makes of a value; null where it is nothing of that kind. */
export function orNothing<T extends z.core.$ZodType>(schema: T, value: unknown): z.output<T> | null {
  const parsed = z.safeParse(schema, value);
  return parsed.success ? parsed.data : null;
}

/**
 * What is missing, null or empty is null: without this, `undefined` would have to be thought of beside null
 * everywhere.
 */
export function known(value: string | null | undefined): string | null {
  return value === undefined || value === null || value === "" ? null : value;
}

/** The time that a timestamp says, ms since 1970; null where it says none. */
export function timeOf(written: string | null | undefined): number | null {
  const at = Date.parse(written ?? "");
  return Number.isNaN(at) ? null : at;
}
