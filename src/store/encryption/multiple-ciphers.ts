import {
  type DriverStatement,
  formatRawKey,
  type OpenRequest,
  type SqlEngine,
  toNodeValue,
  withPrimaryCodes,
} from "./engine.ts";

/** better-sqlite3-multiple-ciphers: MIT, Node 22.14 and later. */

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

export function createMultipleCiphersEngine(Database: Better): SqlEngine {
  const opened = ({ file, key, readOnly, timeout }: OpenRequest) => {
    const db = new Database(file, { readonly: readOnly, timeout });
    if (key !== null) unlock(db, key);
    return db;
  };
  const unlock = (db: BetterDatabase, key: string) => {
    db.pragma("cipher = 'sqlcipher'");
    db.pragma("legacy = 4");
    db.pragma(`key = ${formatRawKey(key)}`);
  };
  return {
    open(opening) {
      const db = withPrimaryCodes(() => opened(opening));
      const defence = new Defence(db);
      return {
        prepare: (sql) => withPrimaryCodes(() => wrapBetterStatement(db.prepare(sql), defence)),
        exec: (sql) => void withPrimaryCodes(() => db.exec(sql)),
        get isTransaction() {
          return db.inTransaction;
        },
        get isOpen() {
          return db.open;
        },
        close: () => void db.close(),
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
        copy.pragma(`rekey = ${key === null ? "''" : formatRawKey(key)}`);
      } finally {
        copy.close();
      }
    },
  };
}

/**
 * Nothing else can be done while rows are read one by one, except in a mode that takes SQLite's defence of shadow tables
 * with it: it is on only so long.
 */
class Defence {
  private lifted = 0;

  constructor(private readonly db: BetterDatabase) {}

  lift(by: 1 | -1): void {
    this.lifted += by;
    if (this.db.open) this.db.unsafeMode(this.lifted > 0);
  }
}

function copyWith(db: BetterDatabase, target: string): void {
  try {
    db.prepare("VACUUM INTO ?").run(target);
  } finally {
    db.close();
  }
}

function wrapBetterStatement(statement: BetterStatement, defence: Defence): DriverStatement {
  const row = (values: unknown): unknown =>
    Array.isArray(values)
      ? values.map(toNodeValue)
      : Object.fromEntries(
          Object.entries(values as object).map(([name, value]) => [name, toNodeValue(value)]),
        );
  const all = (...values: unknown[]) => {
    if (statement.reader) return withPrimaryCodes(() => statement.all(...values)).map(row);
    withPrimaryCodes(() => statement.run(...values));
    return [];
  };
  return {
    run: (...values: unknown[]) => {
      const { changes, lastInsertRowid } = withPrimaryCodes(() => statement.run(...values));
      return { changes, lastInsertRowid };
    },
    all,
    get: (...values: unknown[]) => {
      if (!statement.reader) return all(...values)[0];
      const found = withPrimaryCodes(() => statement.get(...values));
      return found === undefined ? undefined : row(found);
    },
    *iterate(...values: unknown[]) {
      defence.lift(1);
      let rows: IterableIterator<unknown> | undefined;
      try {
        rows = withPrimaryCodes(() => statement.iterate(...values));
        const each = rows;
        for (
          let next = withPrimaryCodes(() => each.next());
          !next.done;
          next = withPrimaryCodes(() => each.next())
        )
          yield row(next.value);
      } finally {
        rows?.return?.();
        defence.lift(-1);
      }
    },
    setReadBigInts: (on: boolean) => void statement.safeIntegers(on),
    setReturnArrays: (on: boolean) => void statement.raw(on),
  } as unknown as DriverStatement;
}
