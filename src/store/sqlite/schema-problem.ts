import { type Migration, Sqlite } from "./sqlite.ts";

/** A database's tables and indexes, each with its columns. */
type Structure = ReadonlyMap<string, readonly string[]>;

/** What each list of migrations makes, after each of its steps. */
const known = new WeakMap<readonly Migration[], Structure[]>();

/**
 * What speaks against a database being what its schema number says, though SQLite finds it sound; null for nothing. Of a number
 * that this Pommel does not know, nothing can be said.
 */
export function schemaProblem(db: Sqlite, migrations: readonly Migration[]): string | null {
  // Another process may be migrating it.
  return db.transaction("deferred", () => problemNow(db, migrations));
}

function problemNow(db: Sqlite, migrations: readonly Migration[]): string | null {
  const version = Number(db.pragma("user_version"));
  if (version > migrations.length) return null;
  if (version < 0) return `its schema number is ${version}`;
  const structures = structuresOf(migrations);
  const actual = structureOf(db);
  const expected = structures[version];
  if (!expected) return null;
  const missing = missingFrom(actual, expected);
  if (missing !== null) return missing;
  // A later one has all of these as well: then its tables say which it is.
  const later = structures.findLastIndex((structure) => missingFrom(actual, structure) === null);
  const isLater = later > version && missingFrom(expected, structures[later]!) !== null;
  return isLater ? `its schema number is ${version}, but it has the tables of schema ${later}` : null;
}

/** The step of the migrations that a database's tables come from, whatever its schema number says; that number where it cannot be told. */
export function schemaByTables(db: Sqlite, migrations: readonly Migration[]): number {
  const version = Number(db.pragma("user_version"));
  const actual = structureOf(db);
  const structures = structuresOf(migrations);
  const stated = structures[version];
  if (version > migrations.length || (stated && version > 0 && schemaProblem(db, migrations) === null))
    return version;
  // Tables may be missing: the step that has most of those that are there, and of these the first.
  const shared = (structure: Structure) =>
    [...actual].filter(([name, columns]) => columns.every((one) => structure.get(name)?.includes(one)))
      .length;
  const counts = structures.map(shared);
  return counts.indexOf(Math.max(...counts));
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

function structuresOf(migrations: readonly Migration[]): Structure[] {
  const cached = known.get(migrations);
  if (cached) return cached;
  const db = new Sqlite(":memory:", { mode: "create", timeoutMs: 0, key: null });
  try {
    const structures = [structureOf(db)];
    try {
      for (const step of migrations) {
        if (typeof step === "string") db.exec(step);
        else step(db);
        structures.push(structureOf(db));
      }
    } catch {
      // Who migrates is told, after the copy was made.
    }
    known.set(migrations, structures);
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
