import { latestNumber, type Schema, stepAfter } from "./schema.ts";
import { Sqlite } from "./sqlite.ts";

/** A database's tables and indexes, each with its columns. */
type Structure = ReadonlyMap<string, readonly string[]>;

/** The structures of each schema, by its numbers. */
const known = new WeakMap<Schema, ReadonlyMap<number, Structure>>();

/**
 * What speaks against a database being what its schema number says, though SQLite finds it sound; null for nothing. Of a number
 * that this Pommel does not know, nothing can be said.
 */
export function schemaProblem(db: Sqlite, schema: Schema): string | null {
  // Another process may be migrating it.
  return db.transaction("deferred", () => problemNow(db, schema));
}

function problemNow(db: Sqlite, schema: Schema): string | null {
  const version = Number(db.pragma("user_version"));
  if (version < 0) return `its schema number is ${version}`;
  const structures = structuresOf(schema);
  const actual = structureOf(db);
  const expected = structures.get(version);
  if (!expected) return version < schema.first ? claimedTooLow(version, actual, structures) : null;
  const missing = missingFrom(actual, expected);
  if (missing !== null) return missing;
  // A later one has all of these as well: then its tables say which it is.
  const [later, structure] = [...structures].findLast(([, one]) => missingFrom(actual, one) === null)!;
  const isLater = later > version && missingFrom(expected, structure) !== null;
  return isLater ? `its schema number is ${version}, but it has the tables of schema ${later}` : null;
}

/** A number from before the first schema is wrong where the tables of a known schema are there. */
function claimedTooLow(
  version: number,
  actual: Structure,
  structures: ReadonlyMap<number, Structure>,
): string | null {
  const found = [...structures].findLast(([number, one]) => number > 0 && missingFrom(actual, one) === null);
  return found === undefined
    ? null
    : `its schema number is ${version}, but it has the tables of schema ${found[0]}`;
}

/** The number of the schema that a database's tables come from, whatever its schema number says; that number where it cannot be told. */
export function schemaByTables(db: Sqlite, schema: Schema): number {
  const version = Number(db.pragma("user_version"));
  const actual = structureOf(db);
  const structures = structuresOf(schema);
  const isStated = structures.has(version) && version > 0 && schemaProblem(db, schema) === null;
  if (version > latestNumber(schema) || isStated) return version;
  // Tables may be missing: the one that has most of those that are there, and of these the first.
  const shared = (structure: Structure) =>
    [...actual].filter(([name, columns]) => columns.every((one) => structure.get(name)?.includes(one)))
      .length;
  return [...structures].reduce((best, one) => (shared(one[1]) > shared(best[1]) ? one : best))[0];
}

function missingFrom(actual: Structure, expected: Structure): string | null {
  for (const [name, columns] of expected) {
    const there = actual.get(name);
    if (!there) return `${name} is missing`;
    const column = columns.find((one) => !there.includes(one));
    if (column !== undefined) return `${name} has no column ${column}`;
  }
  return null;
}

function structuresOf(schema: Schema): ReadonlyMap<number, Structure> {
  const cached = known.get(schema);
  if (cached) return cached;
  const db = new Sqlite(":memory:", { mode: "create", timeoutMs: 0, key: null });
  try {
    const structures = new Map([[0, structureOf(db)]]);
    try {
      for (let number = 0; number < latestNumber(schema); ) {
        const { to, sql } = stepAfter(schema, number);
        db.exec(sql);
        number = to;
        structures.set(number, structureOf(db));
      }
    } catch {
      // Who migrates is told, after the copy was made.
    }
    known.set(schema, structures);
    return structures;
  } finally {
    db.close();
  }
}

function structureOf(db: Sqlite): Structure {
  const rows = db
    .prepare(
      `SELECT s.name AS name, c.name AS column FROM sqlite_schema s LEFT JOIN pragma_table_xinfo(s.name) c
         ON s.type = 'table'
       WHERE s.type IN ('table', 'index', 'trigger') AND s.name NOT LIKE 'sqlite\\_%' ESCAPE '\\'`,
    )
    .all() as { name: string; column: string | null }[];
  const structure = new Map<string, string[]>();
  for (const { name, column } of rows) {
    const columns = structure.get(name) ?? [];
    if (column !== null) columns.push(column);
    structure.set(name, columns);
  }
  return structure;
}
