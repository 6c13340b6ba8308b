import { readFileSync } from "node:fs";
import { type ParseError, parse } from "jsonc-parser";
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

/** Lines of transcripts that are JSON objects, as most agents write them. */

/** The object that a line holds; null for one that is no JSON object. */
export function parseJsonLine(bytes: Buffer): Record<string, unknown> | null {
  // A byte order mark, and NULs that a crash of the system left before the next line that was written.
  const text = bytes.toString("utf8").replace(/^[\uFEFF\0]+/, "");
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : null;
  } catch {
    return null;
  }
}

/** Whether nothing stands in a line. */
export function isBlank(bytes: Buffer): boolean {
  for (const byte of bytes) if (byte > 32) return false;
  return !bytes.includes(0);
}

/**
 * Whether a last line without a line feed is whole: no beginning of a JSON object is one itself. Transcripts that
 * were copied or cleaned up often lack the last line feed, and the last line is the agent's answer.
 */
export function isWholeJson(bytes: Buffer): boolean {
  const end = bytes.subarray(-16).toString("latin1").trimEnd();
  return end.endsWith("}") && parseJsonLine(bytes) !== null;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The object in a file that the client reads: JSON that may have comments. Empty when there is none. */
export function readObjectFile(file: string): Record<string, unknown> {
  try {
    const errors: ParseError[] = [];
    const value: unknown = parse(readFileSync(file, "utf8"), errors);
    return errors.length === 0 ? asObject(value) : {};
  } catch {
    return {};
  }
}

export function asObject(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : {};
}
