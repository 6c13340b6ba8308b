import { inflateRawSync } from "node:zlib";
import type { Memory } from "../../src/store/memory/memory.ts";

/** Secrets that every pattern file knows, to be put where a secret does not belong. */

/** A key of GitHub's, and an assignment. */
export const canary = {
  token: `ghp_${"a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"}`,
  password: "Kq8vTz2mWx9rLp4s",
} as const;
/** What a field holds instead of its own text, or beside it. */
export const canaryTexts = (text: string): string[] => [canary.token, `${text} password=${canary.password}`];

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** The places of the strings in a JSON value, without the numbers of items: "message.content[].name". */
export function stringPlaces(value: Json, place = ""): string[] {
  if (typeof value === "string") return [place];
  if (Array.isArray(value)) return [...new Set(value.flatMap((one) => stringPlaces(one, `${place}[]`)))];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, one]) => stringPlaces(one, `${place}.${key}`));
}

/** A JSON value with every string in one place changed. */
export function changeStrings(
  value: Json,
  wanted: string,
  change: (text: string) => string,
  place = "",
): Json {
  if (typeof value === "string") return place === wanted ? change(value) : value;
  if (Array.isArray(value)) return value.map((one) => changeStrings(one, wanted, change, `${place}[]`));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => [key, changeStrings(one, wanted, change, `${place}.${key}`)]),
  );
}

/** Where a canary lies in a memory: each column of each table is read, what is packed unpacked. */
export function canariesIn(memory: Memory): string[] {
  const tables = memory.all<{ name: string }>("SELECT name FROM sqlite_master WHERE type = 'table'");
  return tables.flatMap(({ name }) =>
    memory.all<Record<string, unknown>>(`SELECT * FROM "${name}"`).flatMap((row) =>
      Object.entries(row).flatMap(([column, value]) => {
        const texts = typeof value === "string" ? [value] : textsOf(value);
        const held = Object.values(canary).find((secret) =>
          texts.some((text) => text.toLowerCase().includes(secret.toLowerCase())),
        );
        return held === undefined ? [] : [`${name}.${column}: ${held}`];
      }),
    ),
  );
}

function textsOf(value: unknown): string[] {
  if (!(value instanceof Uint8Array)) return [];
  const bytes = Buffer.from(value);
  try {
    return [bytes.toString("latin1"), inflateRawSync(bytes).toString()];
  } catch {
    return [bytes.toString("latin1")];
  }
}
