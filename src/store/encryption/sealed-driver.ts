import { createRequire } from "node:module";
import type { DatabaseSyncInstance } from "@photostructure/sqlite";
import { codeOf, messageOf, PommelError } from "../../project/errors.ts";

/**
 * Encrypted databases, in the format of SQLCipher 4: every page with AES-256 and an HMAC. Two packages read and write it, and
 * come with binaries that need neither a compiler nor an install script (docs/decisions/0018-encryption-at-rest.md). Here
 * they get the part of `node:sqlite`'s interface that the store uses, so that the same code runs on all.
 */

/** What the store uses of `node:sqlite`'s database. */
export type Driver = Pick<
  DatabaseSyncInstance,
  "prepare" | "exec" | "isTransaction" | "isOpen" | "close" | "enableDefensive"
>;
type DriverStatement = ReturnType<Driver["prepare"]>;

interface Opening {
  file: string;
  /** 64 hexadecimal digits; null opens a plain one. */
  key: string | null;
  readOnly: boolean;
  /** Milliseconds. */
  timeout: number;
}

interface Engine {
  open(opening: Opening): Driver;
  /** Writes a copy with another key, or none, into an empty file. */
  copy(opening: Opening, target: string, key: string | null): void;
}

const load = createRequire(import.meta.url);

let engine: Engine | undefined;

/** @throws PommelError `encryption_unavailable` when neither package is installed */
export function sealedEngine(): Engine {
  engine ??= installedEngine();
  return engine;
}

/** Loaded by an older Node, the first one would crash it: its binary wants Node-API 10. */
const hasNodeApi10 = Number(process.versions.napi) >= 10;

function installedEngine(): Engine {
  const problems: string[] = [];
  for (const [name, make] of engines) {
    try {
      return make(load(name) as never);
    } catch (error) {
      if (codeOf(error) !== "MODULE_NOT_FOUND") problems.push(` ${name}: ${messageOf(error)}.`);
    }
  }
  throw new PommelError(
    "encryption_unavailable",
    `Encryption needs a package that is not installed${problems.length > 0 ? `, or cannot be loaded.${problems.join("")}` : "."}`,
    `Install it where Pommel is: \`npm install -g --ignore-scripts ${hasNodeApi10 ? multipleCiphers : sqlcipher}\`.`,
  );
}

const multipleCiphers = "better-sqlite3-multiple-ciphers";
const sqlcipher = "@signalapp/sqlcipher";

/** In the order in which they are preferred. */
const engines: [name: string, make: (module: never) => Engine][] = [
  ...(hasNodeApi10 ? [[multipleCiphers, fromMultipleCiphers] as [string, (module: never) => Engine]] : []),
  [sqlcipher, fromSqlcipher],
];

/** A raw key: no passphrase to derive it from at every opening. */
const rawKey = (key: string) => `"x'${key}'"`;

/** Values as `node:sqlite` gives them. */
function given(value: unknown): unknown {
  // SQLite's integers end at 2^63; larger ones are floating-point numbers.
  const isLarge = typeof value === "number" && Number.isInteger(value) && !Number.isSafeInteger(value);
  if (isLarge && Math.abs(value) <= 2 ** 63) {
    throw new RangeError(`Value is too large to be represented as a JavaScript number: ${value}`);
  }
  if (Buffer.isBuffer(value)) return new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
  return value;
}

const isNamed = (values: readonly unknown[]): values is [Record<string, unknown>] =>
  values.length === 1 &&
  typeof values[0] === "object" &&
  values[0] !== null &&
  !ArrayBuffer.isView(values[0]);

/** Errors carry SQLite's name of the primary code, as those of `Sqlite` do. */
function named<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw withPrimaryCode(error);
  }
}

function withPrimaryCode(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const [primary] = /^SQLITE_(?:IOERR_SHORT_READ|[A-Z]+)/.exec(codeOf(error)) ?? [];
  if (primary !== undefined) return Object.assign(error, { code: primary });
  const cannotOpen = /unable to open database file|directory does not exist/.test(error.message);
  return cannotOpen ? Object.assign(error, { code: "SQLITE_CANTOPEN" }) : error;
}

// better-sqlite3-multiple-ciphers: MIT, Node 22.14 and later

interface BetterStatement {
  reader: boolean;
  raw(on: boolean): BetterStatement;
  safeIntegers(on: boolean): BetterStatement;
  run(...values: unknown[]): { changes: number; lastInsertRowid: number | bigint };
  all(...values: unknown[]): unknown[];
  get(...values: unknown[]): unknown;
  iterate(...values: unknown[]): IterableIterator<unknown>;
}

interface BetterDatabase {
  open: boolean;
  inTransaction: boolean;
  exec(sql: string): unknown;
  prepare(sql: string): BetterStatement;
  pragma(text: string): unknown;
  unsafeMode(on: boolean): unknown;
  close(): unknown;
}

type Better = new (file: string, options: { readonly: boolean; timeout: number }) => BetterDatabase;

function fromMultipleCiphers(Database: Better): Engine {
  const opened = ({ file, key, readOnly, timeout }: Opening) => {
    const db = new Database(file, { readonly: readOnly, timeout });
    if (key !== null) unlock(db, key);
    // Or nothing else could be done while rows are read one by one. It takes the defence of shadow tables with it.
    db.unsafeMode(true);
    return db;
  };
  const unlock = (db: BetterDatabase, key: string) => {
    db.pragma("cipher = 'sqlcipher'");
    db.pragma("legacy = 4");
    db.pragma(`key = ${rawKey(key)}`);
  };
  return {
    open(opening) {
      const db = named(() => opened(opening));
      return {
        prepare: (sql) => named(() => betterStatement(db.prepare(sql))),
        exec: (sql) => void named(() => db.exec(sql)),
        get isTransaction() {
          return db.inTransaction;
        },
        get isOpen() {
          return db.open;
        },
        close: () => void db.close(),
        enableDefensive: () => {},
      };
    },
    copy(opening, target, key) {
      // The copy has the key of its original; only then it gets its own.
      copyWith(opened(opening), target);
      const copy = opened({ ...opening, file: target, readOnly: false });
      try {
        if (key !== null) {
          copy.pragma("cipher = 'sqlcipher'");
          copy.pragma("legacy = 4");
        }
        copy.pragma(`rekey = ${key === null ? "''" : rawKey(key)}`);
      } finally {
        copy.close();
      }
    },
  };
}

function copyWith(db: BetterDatabase, target: string): void {
  try {
    db.prepare("VACUUM INTO ?").run(target);
  } finally {
    db.close();
  }
}

function betterStatement(statement: BetterStatement): DriverStatement {
  const row = (values: unknown): unknown =>
    Array.isArray(values)
      ? values.map(given)
      : Object.fromEntries(Object.entries(values as object).map(([name, value]) => [name, given(value)]));
  const all = (...values: unknown[]) => {
    if (statement.reader) return named(() => statement.all(...values)).map(row);
    named(() => statement.run(...values));
    return [];
  };
  return {
    run: (...values: unknown[]) => {
      const { changes, lastInsertRowid } = named(() => statement.run(...values));
      return { changes, lastInsertRowid };
    },
    all,
    get: (...values: unknown[]) => {
      if (!statement.reader) return all(...values)[0];
      const found = named(() => statement.get(...values));
      return found === undefined ? undefined : row(found);
    },
    *iterate(...values: unknown[]) {
      const rows = named(() => statement.iterate(...values));
      try {
        for (let next = named(() => rows.next()); !next.done; next = named(() => rows.next()))
          yield row(next.value);
      } finally {
        rows.return?.();
      }
    },
    setReadBigInts: (on: boolean) => void statement.safeIntegers(on),
    setReturnArrays: (on: boolean) => void statement.raw(on),
  } as unknown as DriverStatement;
}

// @signalapp/sqlcipher: AGPL-3.0, also Node 20

interface SignalStatement {
  run(values?: unknown): { changes: number; lastInsertRowid: number };
  all(values?: unknown): Record<string, unknown>[];
  close(): void;
}

interface SignalDatabase {
  exec(sql: string): void;
  prepare(sql: string, options?: { bigint?: boolean }): SignalStatement;
  close(): void;
}

interface SignalModule {
  default: new (file: string) => SignalDatabase;
}

function fromSqlcipher({ default: Database }: SignalModule): Engine {
  const opened = ({ file, key, readOnly, timeout }: Opening) => {
    const db = new Database(file);
    // Or it would print on stderr that a key does not fit.
    db.exec(`PRAGMA cipher_log_level = NONE; PRAGMA busy_timeout = ${timeout}`);
    if (key !== null) db.exec(`PRAGMA key = ${rawKey(key)}`);
    // It cannot open a file to read only.
    if (readOnly) db.exec("PRAGMA query_only = ON");
    return db;
  };
  return {
    open: (opening) => named(() => signalDriver(opened(opening), opening.readOnly)),
    copy(opening, target, key) {
      const db = opened({ ...opening, readOnly: false });
      try {
        const one = (name: string) => Object.values(db.prepare(`PRAGMA ${name}`).all()[0] ?? {})[0];
        const [version, vacuum] = [one("user_version"), one("auto_vacuum")];
        const quoted = `'${target.replaceAll("'", "''")}'`;
        db.exec(`ATTACH ${quoted} AS copy KEY ${key === null ? "''" : rawKey(key)}`);
        db.exec(`PRAGMA copy.auto_vacuum = ${vacuum}`);
        db.prepare("SELECT sqlcipher_export('copy')").all();
        db.exec(`PRAGMA copy.user_version = ${version}`);
        db.exec("DETACH copy");
      } finally {
        db.close();
      }
    },
  };
}

function signalDriver(db: SignalDatabase, readOnly: boolean): Driver {
  let isOpen = true;
  return {
    prepare: (sql) => named(() => signalStatement(db, sql, readOnly)),
    exec: (sql) => named(() => asReadOnly(db, sql, readOnly, () => db.exec(sql))),
    /** Nothing says so but an attempt: what begins a transaction fails within one. */
    get isTransaction() {
      try {
        db.exec("BEGIN");
      } catch {
        return true;
      }
      db.exec("ROLLBACK");
      return false;
    },
    get isOpen() {
      return isOpen;
    },
    close() {
      isOpen = false;
      db.close();
    },
    // It has no such defence.
    enableDefensive: () => {},
  };
}

/** To read only, it refuses as well what a file that is open to read only allows: copies of it, and temporary tables. */
function asReadOnly<T>(db: SignalDatabase, sql: string, readOnly: boolean, work: () => T): T {
  if (!readOnly || !/^VACUUM INTO|\btemp\./.test(sql)) return work();
  db.exec("PRAGMA query_only = OFF");
  try {
    return work();
  } finally {
    db.exec("PRAGMA query_only = ON");
  }
}

function signalStatement(db: SignalDatabase, sql: string, readOnly: boolean): DriverStatement {
  const statement = db.prepare(sql);
  let readsBigInts = false;
  let givesArrays = false;
  /** What the statement itself cannot do is done by one that is made for it. */
  const use = <T>(values: unknown[], work: (statement: SignalStatement, bound: unknown) => T): T =>
    named(() => {
      const literal = withEmptyBlobs(sql, values);
      const one = literal === null ? statement : db.prepare(literal.sql);
      try {
        return asReadOnly(db, sql, readOnly, () => work(one, parameters(sql, literal?.values ?? values)));
      } finally {
        if (one !== statement) one.close();
      }
    });
  const rows = (values: unknown[]) =>
    use(values, (one, bound) => one.all(bound)).map((row) => {
      if (readsBigInts) return givesArrays ? Object.values(row) : row;
      if (givesArrays) return Object.values(row).map(given);
      return Object.fromEntries(Object.entries(row).map(([name, value]) => [name, given(value)]));
    });
  return {
    run: (...values: unknown[]) => use(values, (one, bound) => one.run(bound)),
    all: (...values: unknown[]) => rows(values),
    get: (...values: unknown[]) => rows(values)[0],
    *iterate(...values: unknown[]) {
      yield* rows(values);
    },
    setReadBigInts(on: boolean) {
      readsBigInts = on;
    },
    setReturnArrays(on: boolean) {
      givesArrays = on;
    },
  } as unknown as DriverStatement;
}

/** A parameter, or text between quotes, which holds none. */
const parameterPattern = /'(?:[^']|'')*'|"(?:[^"]|"")*"|\?|[@:$](\w+)/g;

function parameters(sql: string, values: readonly unknown[]): unknown {
  if (!isNamed(values)) return values.map(bound);
  const names = [...sql.matchAll(parameterPattern)].flatMap(([, name]) => name ?? []);
  if (names.length === 0) return [];
  const [record] = values;
  return Object.fromEntries(names.map((name) => [name, bound(record[name] ?? null)]));
}

/** It stores larger integers as floating-point numbers. */
function bound(value: unknown): unknown {
  const isLarge = typeof value === "number" && Number.isSafeInteger(value) && Math.abs(value) >= 2 ** 31;
  return isLarge ? BigInt(value) : value;
}

const isEmptyBlob = (value: unknown) => ArrayBuffer.isView(value) && value.byteLength === 0;

/** It stores an empty blob as NULL: it is written into the statement instead. null where there is none. */
function withEmptyBlobs(
  sql: string,
  values: readonly unknown[],
): { sql: string; values: readonly unknown[] } | null {
  const record = isNamed(values) ? values[0] : null;
  if (!(record ? Object.values(record) : values).some(isEmptyBlob)) return null;
  let at = 0;
  const literal = sql.replace(parameterPattern, (whole, name?: string) => {
    if (name !== undefined) return isEmptyBlob(record?.[name]) ? "x''" : whole;
    return whole === "?" && isEmptyBlob(values[at++]) ? "x''" : whole;
  });
  return { sql: literal, values: record ? values : values.filter((value) => !isEmptyBlob(value)) };
}
