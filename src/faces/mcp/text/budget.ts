import { createHash } from "node:crypto";
import { PommelError } from "../../../base/errors.ts";
import { charactersOfToken } from "../../../base/text/text-size.ts";

/**
 * Some clients show a model the structure of an answer and not its text, so what is empty is left out of it: null,
 * false, "" and empty lists.
 */

type Json = Readonly<Record<string, unknown>>;

/** A value without empty parts, at any depth. */
export function omitEmpty(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(omitEmpty);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, part]) => !isEmpty(part))
      .map(([key, part]) => [key, omitEmpty(part)]),
  );
}

function isEmpty(value: unknown): boolean {
  if (value === null || value === undefined || value === false || value === "") return true;
  return Array.isArray(value) && value.length === 0;
}

function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** How much of an answer is given at a time. */

/** Characters of an answer that are not its items: the text above and below them. */
const around = 500;

/** Characters for the items of an answer of so many tokens. */
export function roomOf(maxTokens: number): number {
  return maxTokens * charactersOfToken - around;
}

/** Shorter texts are not worth showing. Characters. */
const telling = 40;

interface Fitted<S, T> {
  items: T[];
  /** Those of the sources that did not fit. */
  left: S[];
}

/**
 * Makes items of as many sources as fitIn, from the first on; of the first always something. An item counts as the longer
 * of its two forms, as some clients show a model the text, and others the structure.
 * @param make an item whose long texts have at most so many characters
 * @param room in characters
 */
export function fitIn<S, T>(
  sources: readonly S[],
  room: number,
  longest: number,
  make: (source: S, longest: number) => T,
  render: (item: T) => string,
): Fitted<S, T> {
  const items: T[] = [];
  let used = 0;
  for (const [at, source] of sources.entries()) {
    // Half the length again and again, as long as nothing is there yet.
    let length = Math.min(longest, room);
    let item = make(source, length);
    while (at === 0 && sizeOf(item, render) > room && length > telling) {
      length = Math.max(Math.floor(length / 2), telling);
      item = make(source, length);
    }
    const size = sizeOf(item, render);
    if (at > 0 && used + size > room) return { items, left: sources.slice(at) };
    items.push(item);
    used += size;
  }
  return { items, left: [] };
}

function sizeOf<T>(item: T, render: (item: T) => string): number {
  return Math.max(JSON.stringify(omitEmpty(item)).length + 1, render(item).length + 1);
}

/** What names a call, apart from how much of its answer is wanted. */
type Call = Readonly<Record<string, unknown>>;

/** Where to go on in the answer of a call. */
export function cursorAt(tool: string, call: Call, offset: number): string {
  return `${offset.toString(36)}-${keyOf(tool, call)}`;
}

/**
 * How far a cursor says that the answer was given; 0 without one.
 * @throws PommelError `usage` for what is no cursor, or one of another call
 */
export function offsetOf(tool: string, call: Call, cursor: string | undefined): number {
  if (cursor === undefined) return 0;
  const [, offset, key] = /^([0-9a-z]{1,7})-([0-9a-f]{10})$/.exec(cursor) ?? [];
  if (offset !== undefined && key === keyOf(tool, call)) return Number.parseInt(offset, 36);
  throw new PommelError(
    "usage",
    "This cursor does not belong to this call.",
    "Repeat the original call with the same arguments plus the cursor, or omit the cursor.",
  );
}

function keyOf(tool: string, { cursor: _, max_tokens: __, limit: ___, ...call }: Call): string {
  const named = Object.entries(call)
    .filter(([, value]) => value !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return createHash("sha256")
    .update(JSON.stringify([tool, named]))
    .digest("hex")
    .slice(0, 10);
}
