import { createRequire } from "node:module";
import type { DatabaseSyncInstance } from "@photostructure/sqlite";
import { codeOf, messageOf, PommelError } from "../../project/errors.ts";

/**
 * Encrypted databases, through `libsql`: SQLite with SQLite3 Multiple Ciphers, as a binary that npm installs without a
 * compiler (docs/decisions/0020-encryption-at-rest.md). It offers the interface of better-sqlite3; here it gets the part of
 * `node:sqlite`'s that the store uses, so that the same code runs on both.
 */

/** Installed by who encrypts, beside Pommel: with it, Pommel would need twice its room. */
const packageName = "libsql";

type Row = unknown[];

interface LibsqlStatement {
  raw(on: boolean): LibsqlStatement;
  safeIntegers(on: boolean): LibsqlStatement;
  columns(): { name: string }[];
  run(given: object): { changes: number; lastInsertRowid: number };
  iterate(given: object): IterableIterator<Row>;
}

interface LibsqlDatabase {
  readonly inTransaction: boolean;
  prepare(sql: string): LibsqlStatement;
  exec(sql: string): void;
  close(): void;
}

type Libsql = new (file: string, options: { encryptionKey?: string; timeout: number }) => LibsqlDatabase;

let libsql: Libsql | undefined;

/** @throws PommelError `encryption_unavailable` when the package is not installed, or not for this system */
export function loadSealedDriver(): Libsql {
  try {
    libsql ??= createRequire(import.meta.url)(packageName) as Libsql;
    return libsql;
  } catch (error) {
    const isAbsent = codeOf(error) === "MODULE_NOT_FOUND";
    throw new PommelError(
      "encryption_unavailable",
      isAbsent
        ? "Encryption needs the package libsql, which is not installed."
        : `The package libsql cannot be loaded: ${messageOf(error)}.`,
      "Install it where Pommel is: `npm install -g libsql`.",
      { cause: error },
    );
  }
}

/** What the store uses of `node:sqlite`'s database. */
export type Driver = Pick<
  DatabaseSyncInstance,
  "prepare" | "exec" | "isTransaction" | "isOpen" | "close" | "enableDefensive"
>;

/**
 * Opens a database, an encrypted one with its key (64 hexadecimal digits), a plain one without.
 * @throws SQLite's errors with their `errcode`, as `node:sqlite`
 */
export function openSealed(
  file: string,
  key: string | null,
  { readOnly, timeout }: { readOnly: boolean; timeout: number },
): Driver {
  const Database = loadSealedDriver();
  const options = { timeout: timeout / 1000, ...(key !== null && { encryptionKey: key }) };
  const db = withErrcode(() => new Database(file, options));
  // There is no option to open a file to read only, and a URI cannot name every path.
  if (readOnly) db.exec("PRAGMA query_only = ON");
  let isOpen = true;
  return {
    prepare: (sql) => withErrcode(() => sealedStatement(db.prepare(sql))),
    exec: (sql) => withErrcode(() => db.exec(sql)),
    get isTransaction() {
      return db.inTransaction;
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

function sealedStatement(statement: LibsqlStatement): ReturnType<Driver["prepare"]> {
  let readsBigInts = false;
  let givesArrays = false;
  let columns: string[] | undefined;
  const rowsOf = (given: readonly unknown[]) =>
    withErrcode(() => statement.raw(true).safeIntegers(readsBigInts).iterate(parameters(given)));
  const rowFrom = (row: Row): unknown => {
    const values = row.map((value) => (readsBigInts ? value : fromLibsql(value)));
    if (givesArrays) return values;
    columns ??= statement.columns().map(({ name }) => name);
    return Object.fromEntries(columns.map((name, i) => [name, values[i]]));
  };
  const all = (...given: unknown[]) => withErrcode(() => [...rowsOf(given)].map(rowFrom));
  return {
    all,
    // Its own `get` leaves the statement open after the first row, and with it a reading transaction.
    get: (...given: unknown[]) => all(...given)[0],
    run: (...given: unknown[]) => withErrcode(() => statement.run(parameters(given))),
    *iterate(...given: unknown[]) {
      const rows = rowsOf(given);
      for (let next = withErrcode(() => rows.next()); !next.done; next = withErrcode(() => rows.next()))
        yield rowFrom(next.value);
    },
    setReadBigInts(on: boolean) {
      readsBigInts = on;
    },
    setReturnArrays(on: boolean) {
      givesArrays = on;
    },
  } as unknown as ReturnType<Driver["prepare"]>;
}

/** A value of another type would end the process. */
function parameters(given: readonly unknown[]): object {
  const [only] = given;
  const isNamed = given.length === 1 && isRecord(only);
  return isNamed
    ? Object.fromEntries(Object.entries(only).map(([name, value]) => [name, toLibsql(value)]))
    : given.map(toLibsql);
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !ArrayBuffer.isView(value);

function toLibsql(value: unknown): unknown {
  if (ArrayBuffer.isView(value)) return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  if (value === null || ["string", "number", "bigint"].includes(typeof value)) return value;
  throw new TypeError(`Provided value cannot be bound to a SQLite parameter: ${typeof value}`);
}

function fromLibsql(value: unknown): unknown {
  if (typeof value === "number") {
    // SQLite's integers end at 2^63; larger ones are floating-point numbers.
    if (Number.isInteger(value) && !Number.isSafeInteger(value) && Math.abs(value) <= 2 ** 63) {
      throw new RangeError(`Value is too large to be represented as a JavaScript number: ${value}`);
    }
    return value;
  }
  if (value instanceof ArrayBuffer) return new Uint8Array(value);
  if (Buffer.isBuffer(value)) return new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
  return value;
}

/** Its errors carry SQLite's number as `rawCode`, or in their text when the file could not be opened. */
function withErrcode<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof Error && !("errcode" in error)) {
      const raw: unknown = "rawCode" in error ? error.rawCode : undefined;
      const errcode = raw ?? /ConnectionFailed\(.*: (\d+)"?\)/.exec(error.message)?.[1];
      if (errcode !== undefined) Object.assign(error, { errcode: Number(errcode) });
    }
    throw error;
  }
}
