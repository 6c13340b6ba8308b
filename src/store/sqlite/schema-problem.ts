import { findLatestNumber, type Schema, stepAfter } from "./schema.ts";
import { Sqlite } from "./sqlite.ts";

/** A row of a database's schema. */
export interface SchemaRow {
  type: string;
  name: string;
  table: string;
  /** Page on which it begins; 0 for what has no rows of its own. */
  root: number;
  sql: string | null;
}

/** What a database is made of, by name: tables, indexes, triggers and views, each with its SQL. */
type DatabaseStructure = ReadonlyMap<string, string>;

/** The structures of each schema, by its numbers. */
const structuresBySchema = new WeakMap<Schema, ReadonlyMap<number, DatabaseStructure>>();

/**
 * What speaks against a database being what its schema number says, though SQLite finds it sound; null for nothing. What
 * Pommel does not make has no place in it: a trigger would change what is written. Of a number that this Pommel does not
 * know, nothing can be said.
 */
export function findSchemaProblem(db: Sqlite, schema: Schema): string | null {
  // Another process may be migrating it.
  return db.transaction("deferred", () => compareWithSchema(db, schema));
}

function compareWithSchema(db: Sqlite, schema: Schema): string | null {
  const version = Number(db.pragma("user_version"));
  if (version < 0) return `its schema number is ${version}`;
  const structures = buildStructures(schema);
  const actual = readStructure(readSchemaRows(db));
  const expected = structures.get(version);
  const problem = expected ? findDifference(expected, actual) : "";
  if (problem === null) return null;
  const last = (isIt: (structure: DatabaseStructure) => boolean) =>
    [...structures].findLast(([, structure]) => isIt(structure))?.[0] ?? 0;
  const isAnother = (of: number) => `its schema number is ${version}, but it has the tables of schema ${of}`;
  // Each step changes the schema: one that is all ours is of no other Pommel.
  const same = last((structure) => findDifference(structure, actual) === null);
  if (same > 0) return isAnother(same);
  if (!expected) return null;
  const later = last((structure) => findMissingName(actual, structure) === null);
  return later > version ? isAnother(later) : problem;
}

const findMissingName = (actual: DatabaseStructure, expected: DatabaseStructure): string | null =>
  [...expected.keys()].find((name) => !actual.has(name)) ?? null;

function findDifference(expected: DatabaseStructure, actual: DatabaseStructure): string | null {
  const missing = findMissingName(actual, expected);
  if (missing !== null) return `${missing} is missing`;
  for (const [name, sql] of actual) {
    const kind = sql.split(" ", 1)[0];
    if (!expected.has(name)) return `the ${kind} ${name} is not Pommel's`;
    if (expected.get(name) !== sql) return `the ${kind} ${name} is not as Pommel makes it`;
  }
  return null;
}

/**
 * The number of the schema that most of these rows are of, where some of it may be lost, whatever the database itself says;
 * that number where it cannot be told.
 */
export function findNearestSchema(rows: readonly SchemaRow[], stated: number, schema: Schema): number {
  const actual = readStructure(rows);
  const shared = [...buildStructures(schema)].map(([number, structure]) => ({
    number,
    count: [...actual].filter(([name, sql]) => structure.get(name) === sql).length,
  }));
  const most = Math.max(...shared.map(({ count }) => count));
  // One with tables that are no schema's is what it says, unless that is nothing.
  const isOurs = most === actual.size || (stated >= schema.first && stated <= findLatestNumber(schema));
  if (!isOurs && stated !== 0) return stated;
  const best = shared.filter(({ count }) => count === most);
  return (best.find(({ number }) => number === stated) ?? best[0]!).number;
}

function buildStructures(schema: Schema): ReadonlyMap<number, DatabaseStructure> {
  const cached = structuresBySchema.get(schema);
  if (cached) return cached;
  const structures = new Map([[0, readStructure([])]]);
  try {
    buildSchema(schema, (db, number) => structures.set(number, readStructure(readSchemaRows(db))));
  } catch {
    // Who migrates hears of it, after the copy was made.
  }
  structuresBySchema.set(schema, structures);
  return structures;
}

/** On which page each table and each index of a schema begins: in a database that was made so, and in a copy of one. */
export function findRoots(schema: Schema): ReadonlyMap<string, number>[] {
  let roots: ReadonlyMap<string, number>[] = [];
  const readRoots = (db: Sqlite) => new Map(readSchemaRows(db).map(({ name, root }) => [name, root]));
  buildSchema(schema, (db, number) => {
    if (number < findLatestNumber(schema)) return;
    roots = [readRoots(db)];
    db.exec("VACUUM");
    roots.push(readRoots(db));
  });
  return roots;
}

/** Makes a database in memory, step by step. */
function buildSchema(schema: Schema, onStep: (db: Sqlite, number: number) => void): void {
  const db = new Sqlite(":memory:", { mode: "create", timeoutMs: 0, key: null });
  try {
    db.exec("PRAGMA auto_vacuum = INCREMENTAL");
    for (let number = 0; number < findLatestNumber(schema); ) {
      const { to, sql } = stepAfter(schema, number);
      db.exec(sql);
      number = to;
      onStep(db, number);
    }
  } finally {
    db.close();
  }
}

const readSchemaRows = (db: Sqlite) =>
  db
    .prepare("SELECT type, name, tbl_name AS 'table', rootpage AS root, sql FROM sqlite_schema")
    .all() as SchemaRow[];

const readStructure = (rows: readonly SchemaRow[]): DatabaseStructure =>
  new Map(rows.map(({ type, name, table, sql }) => [name, `${type} ${table} ${normaliseSql(sql ?? "")}`]));

/** SQL as it counts: without comments, and with one blank where there are several. */
const normaliseSql = (sql: string) =>
  sql.replace(
    /('(?:[^']|'')*'|"(?:[^"]|"")*"|`[^`]*`|\[[^\]]*\])|(?:--[^\n]*|\/\*[\s\S]*?\*\/|\s)+/g,
    (_, quoted?: string) => quoted ?? " ",
  );
