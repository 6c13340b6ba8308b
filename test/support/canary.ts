import type { Memory } from "../../src/store/memory/memory.ts";
import { inflateContent } from "../../src/store/memory/sessions/content.ts";
import type { Sqlite } from "../../src/store/sqlite/sqlite.ts";

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

/** The object or list that a text is; undefined where it is none. */
export function jsonIn(text: string): Json | undefined {
  try {
    const value = JSON.parse(text) as Json;
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

/** A column of an agent's database, and in its JSON the place of a string; "" for the text as a whole. */
interface DatabasePlace {
  table: string;
  column: string;
  place: string;
}

type TextRow = { id: number; value: string | Uint8Array };

const textsIn = (db: Sqlite, table: string, column: string) =>
  db
    .prepare(
      `SELECT rowid AS id, "${column}" AS value FROM "${table}" WHERE typeof("${column}") IN ('text', 'blob')`,
    )
    .all() as TextRow[];

const textOf = ({ value }: TextRow) => Buffer.from(value as string).toString();

/** Every place of a text in an agent's database. */
export function databasePlaces(db: Sqlite): DatabasePlace[] {
  const columns = db
    .prepare(
      `SELECT m.name AS "table", c.name AS "column" FROM sqlite_master m, pragma_table_info(m.name) c
       WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite_%'`,
    )
    .all() as Pick<DatabasePlace, "table" | "column">[];
  return columns.flatMap(({ table, column }) => {
    const texts = textsIn(db, table, column).map(textOf);
    const places = new Set(texts.flatMap((text) => stringPlaces(jsonIn(text) ?? text)));
    return [...places].map((place) => ({ table, column, place }));
  });
}

/** Changes every text in one place of an agent's database. @returns what changes them back */
export function changeDatabase(
  db: Sqlite,
  { table, column, place }: DatabasePlace,
  change: (text: string) => string,
): () => void {
  const rows = textsIn(db, table, column);
  // Of rows that must differ, one gets the text that all would have.
  const update = db.prepare(`UPDATE OR IGNORE "${table}" SET "${column}" = ? WHERE rowid = ?`);
  for (const row of rows) {
    const text = textOf(row);
    const json = jsonIn(text);
    const changed = changeStrings(json ?? text, place, change);
    const written = json === undefined ? (changed as string) : JSON.stringify(changed);
    update.run(typeof row.value === "string" ? written : Buffer.from(written), row.id);
  }
  return () => {
    for (const { id, value } of rows) update.run(value, id);
  };
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
  const plain = bytes.toString("latin1");
  try {
    return [plain, inflateContent(bytes)];
  } catch {
    return [plain];
  }
}
