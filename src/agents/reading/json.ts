import { readFileSync } from "node:fs";
import { type ParseError, parse } from "jsonc-parser";
import * as z from "zod/mini";
import { maxTime } from "../../text/dates.ts";

/**
 * Lenient fields for agents' records. A missing field, or one of another type, is null: other client versions write
 * other records, whose remaining fields are still useful.
 */

export const orNull = <T extends z.core.$ZodType>(schema: T) => z.catch(z.nullable(z.optional(schema)), null);

export const anything = z.optional(z.unknown());
export const text = orNull(z.string());
/** A whole number, as SQLite stores it. */
export const count = orNull(z.int());
/** Milliseconds since the epoch. */
export const moment = z.int().check(z.minimum(0), z.maximum(maxTime));
export const time = orNull(moment);
export const flag = orNull(z.boolean());

/** The parsed value; null if it does not match. */
export function orNothing<T extends z.core.$ZodType>(schema: T, value: unknown): z.output<T> | null {
  const parsed = z.safeParse(schema, value);
  return parsed.success ? parsed.data : null;
}

/** Maps undefined and "" to null. */
export function known(value: string | null | undefined): string | null {
  return value === undefined || value === null || value === "" ? null : value;
}

/** A timestamp, written as a date or in milliseconds since the epoch; null if no Date can hold it. */
export function timeOf(written: unknown): number | null {
  const at = typeof written === "string" ? Date.parse(written) : written;
  return typeof at === "number" && Math.abs(at) <= maxTime ? Math.trunc(at) : null;
}

/** JSON Lines, as most agents write them. */

/** A line's object; null if it is not a JSON object. */
export function parseJsonLine(bytes: Buffer): Record<string, unknown> | null {
  const value = parseJson(bytes);
  return isRecord(value) ? value : null;
}

/** A JSON value; undefined if it is none. */
export function parseJson(bytes: Buffer): unknown {
  // Skip a byte order mark, and NULs left by a system crash: before, behind or within a record. In JSON none stands for itself.
  const text = bytes
    .toString("utf8")
    .replace(/^\uFEFF/, "")
    .replaceAll("\0", "")
    .replace(/^\uFEFF/, "");
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Whether a line is blank. */
export function isBlank(bytes: Buffer): boolean {
  for (const byte of bytes) if (byte > 32) return false;
  return !bytes.includes(0);
}

const closingBrace = 0x7d;

/**
 * Whether a last line without a line feed is complete: no proper prefix of a JSON object is one. Copied transcripts
 * often lack the last line feed, and the last line is the agent's answer.
 */
export function isWholeJson(bytes: Buffer): boolean {
  let end = bytes.length;
  while (end > 0 && bytes[end - 1]! <= 32) end--;
  return bytes[end - 1] === closingBrace && parseJsonLine(bytes) !== null;
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The object in a client's settings file: JSON with comments. Empty when missing or invalid. */
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
