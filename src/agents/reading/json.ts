import { readFileSync } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { type ParseError, parse } from "jsonc-parser";
import * as z from "zod/mini";
import { maxTime } from "../../base/text/dates.ts";
import { bounds, isRecord } from "./bounds.ts";

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

/** Parses a value; null if it does not match. */
export const makeLenientParser =
  <T extends z.core.$ZodType>(schema: T) =>
  (value: unknown): z.output<T> | null => {
    const parsed = z.safeParse(schema, value);
    return parsed.success ? parsed.data : null;
  };
/** What such a parser gives: `Parsed<typeof asEvent>`. */
export type Parsed<Parse extends (value: unknown) => unknown> = NonNullable<ReturnType<Parse>>;

/** The valid ones in a list; none where it is no list. */
export function parseEach<T>(parse: (value: unknown) => T | null, values: unknown): T[] {
  return Array.isArray(values) ? values.map(parse).filter((value) => value !== null) : [];
}

/** Maps undefined and "" to null. */
export function emptyToNull(value: string | null | undefined): string | null {
  return value === undefined || value === null || value === "" ? null : value;
}

/** A timestamp, written as a date or in milliseconds since the epoch; null if no Date can hold it. */
export function parseTime(written: unknown): number | null {
  const at = typeof written === "string" ? Date.parse(written) : written;
  return typeof at === "number" && Math.abs(at) <= maxTime ? Math.trunc(at) : null;
}

/** JSON Lines, as most agents write them. */

/** A line's object; null if it is not a JSON object. */
export function parseJsonLine(bytes: Buffer): Record<string, unknown> | null {
  const value = parseJson(bytes);
  return isRecord(value) ? value : null;
}

/** A value that may be written as JSON in a text; null if that is invalid. */
export function decodeJsonText(value: unknown): unknown {
  if (typeof value !== "string") return value;
  try {
    return JSON.parse(value);
  } catch {
    return null;
  }
}

/** The JSON value in a file; undefined when there is none, it is too large, or being written. */
export async function readJsonFile(file: string): Promise<unknown> {
  try {
    return (await stat(file)).size > bounds.line ? undefined : parseJson(await readFile(file));
  } catch {
    return undefined;
  }
}

/** The text of a JSON value. */
const cleanJsonText = (bytes: Buffer): string =>
  // Skip a byte order mark, and NULs left by a system crash: before, behind or within a record. In JSON none stands for itself.
  bytes
    .toString("utf8")
    .replace(/^\uFEFF/, "")
    .replaceAll("\0", "")
    .replace(/^\uFEFF/, "");

/** A JSON value; undefined if it is none. */
export function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(cleanJsonText(bytes));
  } catch {
    return undefined;
  }
}

/** Whether a line is blank. */
export function isBlank(bytes: Buffer): boolean {
  for (const byte of bytes) if (byte > 32) return false;
  return !bytes.includes(0);
}

/** What a line that is damaged still gave. */
export interface LineDamage {
  /** Records that were read from it. */
  saved: number;
  /** Whether something of it was not. */
  isLost: boolean;
}

/**
 * The records on a line: one. Writers that race leave several, and of some the beginning only; so does a client that was
 * killed and goes on behind what it had not finished.
 * @param damage null where the line is as it should be
 */
export function parseRecordsOnLine(bytes: Buffer): {
  records: Record<string, unknown>[];
  damage: LineDamage | null;
} {
  const whole = parseJsonLine(bytes);
  if (whole !== null) return { records: [whole], damage: null };
  const text = cleanJsonText(bytes);
  const records: Record<string, unknown>[] = [];
  let rest = text.length;
  for (const { start, end } of findObjectSpans(text)) {
    const record = parseJsonLine(Buffer.from(text.slice(start, end)));
    if (record === null) continue;
    records.push(record);
    rest -= end - start;
  }
  return { records, damage: { saved: records.length, isLost: text.trim() !== "" && rest > 0 } };
}

/** Where a record may begin: within a text, `{"` is written `{\"`. */
const recordStart = /\{"[\w$-]+":/g;

interface JsonSpan {
  start: number;
  end: number;
}

/**
 * The objects in a text that are whole, without those within others of them, and without those within one that is cut. In one
 * pass: what was cut within a text swallows the beginning of what follows, which shows at once, and reading goes on there.
 */
function findObjectSpans(text: string): JsonSpan[] {
  const found: JsonSpan[] = [];
  let lastText = -1;
  for (
    let from = findNextStart(text, 0);
    from !== null;
    from = findNextStart(text, Math.max(lastText, from) + 1)
  ) {
    const open: number[] = [];
    let at = from;
    while (at < text.length) {
      const isText = text[at] === '"';
      if (isText) lastText = at;
      const end = isText ? endOfText(text, at) : endOfToken(text, at);
      if (end === null) break;
      if (text[at] === "{") open.push(at);
      const start = text[at] === "}" ? open.pop() : undefined;
      if (start !== undefined) {
        while (found.length > 0 && found.at(-1)!.start > start) found.pop();
        found.push({ start, end });
      }
      at = end;
    }
    if (at >= text.length) break;
  }
  const isWithin = ({ start, end }: JsonSpan) =>
    /[:,[]\s?$/.test(text.slice(Math.max(0, start - 2), start)) &&
    /^\s?[,}\]]/.test(text.slice(end, end + 2));
  return found.filter((span) => !isWithin(span));
}

function findNextStart(text: string, from: number): number | null {
  recordStart.lastIndex = from;
  return recordStart.exec(text)?.index ?? null;
}

/** What stands between texts in JSON. */
const token = /[{}]|[\s,:[\]]+|-?\d[\d.eE+-]*|true|false|null/y;

function endOfToken(text: string, at: number): number | null {
  token.lastIndex = at;
  return token.test(text) ? token.lastIndex : null;
}

function endOfText(text: string, start: number): number | null {
  for (let at = text.indexOf('"', start + 1); at !== -1; at = text.indexOf('"', at + 1)) {
    let escapes = 0;
    while (text[at - 1 - escapes] === "\\") escapes++;
    if (escapes % 2 === 0) return at + 1;
  }
  return null;
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
  return isRecord(value) ? { ...value } : {};
}

/** A type that a file names, to count by it; "?" for what must not become a key. */
export function toTypeName(name: string | null | undefined): string {
  return name && /^[\w./?$-]{1,80}$/.test(name) ? name : "?";
}
