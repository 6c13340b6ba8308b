import {
  type DriverStatement,
  formatRawKey,
  type OpenRequest,
  type SqlDriver,
  type SqlEngine,
  toNodeValue,
  withPrimaryCodes,
} from "./engine.ts";

/** @signalapp/sqlcipher: AGPL-3.0, also Node 20. */

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

export function createSqlcipherEngine({ default: Database }: SignalModule): SqlEngine {
  const opened = ({ file, key, readOnly, timeout }: OpenRequest) => {
    const db = new Database(file);
    // Or it would print on stderr that a key does not fit.
    db.exec(`PRAGMA cipher_log_level = NONE; PRAGMA busy_timeout = ${timeout}`);
    if (key !== null) db.exec(`PRAGMA key = ${formatRawKey(key)}`);
    // It cannot open a file to read only.
    if (readOnly) db.exec("PRAGMA query_only = ON");
    return db;
  };
  return {
    open: (opening) => withPrimaryCodes(() => wrapSignalDatabase(opened(opening), opening.readOnly)),
    copy(opening, target, key) {
      const db = opened({ ...opening, readOnly: false });
      try {
        const one = (name: string) => Object.values(db.prepare(`PRAGMA ${name}`).all()[0] ?? {})[0];
        const [version, vacuum] = [one("user_version"), one("auto_vacuum")];
        const quoted = `'${target.replaceAll("'", "''")}'`;
        db.exec(`ATTACH ${quoted} AS copy KEY ${key === null ? "''" : formatRawKey(key)}`);
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

function wrapSignalDatabase(db: SignalDatabase, readOnly: boolean): SqlDriver {
  let isOpen = true;
  return {
    prepare: (sql) => withPrimaryCodes(() => wrapSignalStatement(db, sql, readOnly)),
    exec: (sql) => withPrimaryCodes(() => runAsReadOnly(db, sql, readOnly, () => db.exec(sql))),
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
  };
}

/** To read only, it refuses as well what a file that is open to read only allows: copies of it, and temporary tables. */
function runAsReadOnly<T>(db: SignalDatabase, sql: string, readOnly: boolean, work: () => T): T {
  if (!readOnly || !/^VACUUM INTO|\btemp\./.test(sql)) return work();
  db.exec("PRAGMA query_only = OFF");
  try {
    return work();
  } finally {
    db.exec("PRAGMA query_only = ON");
  }
}

function wrapSignalStatement(db: SignalDatabase, sql: string, readOnly: boolean): DriverStatement {
  const statement = db.prepare(sql);
  let readsBigInts = false;
  let givesArrays = false;
  /** What the statement itself cannot do is done by one that is made for it. */
  const use = <T>(values: unknown[], work: (statement: SignalStatement, bound: unknown) => T): T =>
    withPrimaryCodes(() => {
      const literal = withEmptyBlobs(sql, values);
      const one = literal === null ? statement : db.prepare(literal.sql);
      try {
        return runAsReadOnly(db, sql, readOnly, () =>
          work(one, toParameters(sql, literal?.values ?? values)),
        );
      } finally {
        if (one !== statement) one.close();
      }
    });
  const rows = (values: unknown[]) =>
    use(values, (one, bound) => one.all(bound)).map((row) => {
      if (readsBigInts) return givesArrays ? Object.values(row) : row;
      if (givesArrays) return Object.values(row).map(toNodeValue);
      return Object.fromEntries(Object.entries(row).map(([name, value]) => [name, toNodeValue(value)]));
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

const isNamed = (values: readonly unknown[]): values is [Record<string, unknown>] =>
  values.length === 1 &&
  typeof values[0] === "object" &&
  values[0] !== null &&
  !ArrayBuffer.isView(values[0]);

/** A parameter, or text between quotes, which holds none. */
const parameterPattern = /'(?:[^']|'')*'|"(?:[^"]|"")*"|\?|[@:$](\w+)/g;

function toParameters(sql: string, values: readonly unknown[]): unknown {
  if (!isNamed(values)) return values.map(toBoundValue);
  const names = [...sql.matchAll(parameterPattern)].flatMap(([, name]) => name ?? []);
  if (names.length === 0) return [];
  const [record] = values;
  return Object.fromEntries(names.map((name) => [name, toBoundValue(record[name] ?? null)]));
}

/** It stores larger integers as floating-point numbers. */
function toBoundValue(value: unknown): unknown {
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
