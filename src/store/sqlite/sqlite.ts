import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import type * as driver from "@photostructure/sqlite";
import type { StatementSyncInstance } from "@photostructure/sqlite";
import { getErrorCode } from "../../base/errors.ts";
import type { SqlDriver } from "../encryption/engine.ts";
import { findDatabaseKey } from "../encryption/keys.ts";
import { getSealedEngine } from "../encryption/sealed-driver.ts";

/**
 * SQLite as the store uses it: the `node:sqlite` interface, with what it leaves out: transactions that nest, pragmas, single
 * columns, and errors whose `code` is SQLite's own name of them ("SQLITE_BUSY").
 *
 * Blobs are `Uint8Array`s, integers numbers; one beyond `Number.MAX_SAFE_INTEGER` is an error. Text holds no NUL.
 */
export class Sqlite {
  private readonly db: SqlDriver;
  /** What it is encrypted with; null: it is plain. */
  readonly key: string | null;
  private readonly compiled = new Map<string, SqlStatement>();
  /** What is thrown in place of SQLite's errors: they name no file. */
  explain: Explain = (error) => error;

  /**
   * @param mode `create` makes the file where there is none; `write` and `read` want one
   * @param timeoutMs how long a statement waits for another connection's transaction
   * @param key 64 hexadecimal digits, null for a plain one; by default what `encryption.json` beside it says
   * @throws SQLite's errors; PommelError as `findDatabaseKey`
   */
  constructor(
    private readonly file: string,
    {
      mode,
      timeoutMs,
      key = findDatabaseKey(file),
    }: { mode: OpenMode; timeoutMs: number; key?: string | null },
  ) {
    const encrypted = key === null ? null : openEncrypted(file, key, mode, timeoutMs);
    this.db = encrypted ?? openPlain(file, mode, timeoutMs);
    this.key = encrypted && key;
    // What a file's own schema says may call nothing that reaches outside of it. And eight times SQLite's default cache: what
    // a search reads stays in memory.
    this.exec("PRAGMA trusted_schema = OFF; PRAGMA cache_size = -16000");
  }

  prepare(sql: string): SqlStatement {
    return runExplained(() => new SqlStatement(this.db.prepare(sql), this), this.explain);
  }

  exec(sql: string): void {
    runExplained(() => this.db.exec(sql), this.explain);
  }

  /** The first value that a pragma gives; undefined when it gives none. */
  pragma(name: string): unknown {
    return this.prepare(`PRAGMA ${name}`).pluck().get();
  }

  get inTransaction(): boolean {
    return this.db.isTransaction;
  }

  /** Runs all of `work` or nothing. Inside another transaction it is a part of that one, whatever `mode` says. */
  transaction<T>(mode: "deferred" | "immediate" | "exclusive", work: () => T): T {
    const isPart = this.inTransaction;
    this.run(isPart ? "SAVEPOINT part" : `BEGIN ${mode}`);
    try {
      const result = work();
      this.run(isPart ? "RELEASE part" : "COMMIT");
      return result;
    } catch (error) {
      // SQLite has rolled back by itself after some errors, a full disk among them.
      if (this.inTransaction) {
        this.run(isPart ? "ROLLBACK TO part" : "ROLLBACK");
        if (isPart) this.run("RELEASE part");
      }
      throw error;
    }
  }

  /** Begins a transaction that stays open until `end`: what `transaction` does meanwhile is a part of it. */
  begin(mode: "deferred" | "immediate"): void {
    this.run(`BEGIN ${mode}`);
  }

  /** Does nothing where SQLite has undone the transaction by itself. */
  end(how: "COMMIT" | "ROLLBACK"): void {
    if (this.inTransaction) this.run(how);
  }

  /** Writes a copy, as one reader sees it now, into an empty file. @param key of the copy; null for a plain one */
  copyTo(target: string, key: string | null): void {
    if (key === this.key) this.prepare("VACUUM INTO ?").run(target);
    else
      getSealedEngine().copy({ file: this.file, key: this.key, readOnly: false, timeout: 5000 }, target, key);
  }

  /** May be called again. */
  close(): void {
    if (this.db.isOpen) this.db.close();
  }

  private run(sql: string): void {
    let statement = this.compiled.get(sql);
    if (!statement) {
      statement = this.prepare(sql);
      this.compiled.set(sql, statement);
    }
    statement.run();
  }
}

/** A compiled statement. Parameters are values in order, or one object of named ones; lists among them become JSON. */
export class SqlStatement {
  private isPlucked = false;
  private readsBigInts = false;

  constructor(
    private readonly statement: StatementSyncInstance,
    private readonly db: Sqlite,
  ) {}

  run(...given: unknown[]): { changes: number; lastInsertRowid: number } {
    // A deletion in FTS5 leaves a row id that is no safe number, which would fail after the deletion.
    this.readBigInts(true);
    const { changes, lastInsertRowid } = runExplained(
      () => this.statement.run(...toBoundValues(given)),
      this.db.explain,
    );
    return { changes: Number(changes), lastInsertRowid: Number(lastInsertRowid) };
  }

  /** The first row, or undefined. */
  get(...given: unknown[]): unknown {
    this.readBigInts(false);
    const row: unknown = runExplained(() => this.statement.get(...toBoundValues(given)), this.db.explain);
    return this.isPlucked && row !== undefined ? (row as unknown[])[0] : row;
  }

  all(...given: unknown[]): unknown[] {
    this.readBigInts(false);
    const rows: unknown[] = runExplained(() => this.statement.all(...toBoundValues(given)), this.db.explain);
    return this.isPlucked ? (rows as unknown[][]).map((row) => row[0]) : rows;
  }

  /** Row by row. The same statement must not run again before the end. */
  *iterate(...given: unknown[]): IterableIterator<unknown> {
    this.readBigInts(false);
    const rows = runExplained(() => this.statement.iterate(...toBoundValues(given)), this.db.explain);
    try {
      for (const row of rows) yield this.isPlucked ? row[0] : row;
    } catch (error) {
      throw this.db.explain(withSqliteCode(error));
    }
  }

  private readBigInts(on: boolean): void {
    if (this.readsBigInts === on) return;
    this.statement.setReadBigInts(on);
    this.readsBigInts = on;
  }

  /** From now on gives the first column in place of rows. */
  pluck(): this {
    this.statement.setReturnArrays(true);
    this.isPlucked = true;
    return this;
  }
}

/**
 * Values as SQLite takes them. Lists become JSON, for `json_each`. The interface would cut text at its first NUL, which occurs
 * in terminal output now and then: U+FFFD replaces it, as in HTML and CommonMark.
 */
function toBoundValues(given: unknown[]): unknown[] {
  return given.some(isToBeChanged) ? given.map(toSqliteValue) : given;
}

function isToBeChanged(value: unknown): boolean {
  if (typeof value === "string") return value.includes("\0");
  return Array.isArray(value) || (isNamed(value) && Object.values(value).some(isToBeChanged));
}

function toSqliteValue(value: unknown): unknown {
  if (typeof value === "string") return value.replaceAll("\0", "\uFFFD");
  if (Array.isArray(value)) return JSON.stringify(value);
  if (!isNamed(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, toSqliteValue(one)]));
}

const isNamed = (value: unknown): value is object =>
  typeof value === "object" && value !== null && !ArrayBuffer.isView(value);

type OpenMode = "create" | "write" | "read";
type Explain = (error: unknown) => unknown;

function openPlain(file: string, mode: OpenMode, timeoutMs: number): SqlDriver {
  return runExplained(
    () =>
      new DatabaseSync(mode === "write" ? toExistingFileUrl(file) : file, {
        readOnly: mode === "read",
        timeout: timeoutMs,
        // SQL does not get at the shadow tables of virtual tables, nor at the schema's text.
        defensive: true,
        // One object of parameters serves several statements.
        allowUnknownNamedParameters: true,
      }),
  );
}

/** null: while a project is being encrypted, or after that was interrupted, some of its databases are still plain. */
function openEncrypted(file: string, key: string, mode: OpenMode, timeoutMs: number): SqlDriver | null {
  return runExplained(() => {
    // One of the packages makes what is not there.
    if (mode !== "create" && !existsSync(file)) {
      throw Object.assign(new Error("unable to open database file"), { errcode: 14 });
    }
    const db = getSealedEngine().open({ file, key, readOnly: mode === "read", timeout: timeoutMs });
    try {
      db.prepare("SELECT count(*) FROM sqlite_schema").get();
      return db;
    } catch (error) {
      db.close();
      if (getErrorCode(error) !== "SQLITE_NOTADB") throw error;
      return null;
    }
  });
}

/** A string names a file that SQLite would make. */
function toExistingFileUrl(file: string): URL {
  const url = pathToFileURL(file);
  url.searchParams.set("mode", "rw");
  return url;
}

function runExplained<T>(work: () => T, explain: Explain = (error) => error): T {
  try {
    return work();
  } catch (error) {
    throw explain(withSqliteCode(error));
  }
}

/** SQLite's primary result codes by their number. https://www.sqlite.org/rescode.html */
const codes = [
  "OK",
  "ERROR",
  "INTERNAL",
  "PERM",
  "ABORT",
  "BUSY",
  "LOCKED",
  "NOMEM",
  "READONLY",
  "INTERRUPT",
  "IOERR",
  "CORRUPT",
  "NOTFOUND",
  "FULL",
  "CANTOPEN",
  "PROTOCOL",
  "EMPTY",
  "SCHEMA",
  "TOOBIG",
  "CONSTRAINT",
  "MISMATCH",
  "MISUSE",
  "NOLFS",
  "AUTH",
  "FORMAT",
  "RANGE",
  "NOTADB",
];

/** The interface's code is the same for all errors of SQLite; `errcode` may be an extended one. */
function withSqliteCode(error: unknown): unknown {
  if (error instanceof Error && "errcode" in error && typeof error.errcode === "number") {
    // The only extended code that matters: a truncated file.
    const name = error.errcode === 522 ? "IOERR_SHORT_READ" : codes[error.errcode & 0xff];
    if (name !== undefined) Object.assign(error, { code: `SQLITE_${name}` });
  }
  return error;
}

/** The version of the SQLite that Pommel brings along. */
export function querySqliteVersion(): string {
  const db = new Sqlite(":memory:", { mode: "create", timeoutMs: 0 });
  try {
    return String(db.prepare("SELECT sqlite_version()").pluck().get());
  } finally {
    db.close();
  }
}

/**
 * Node's own SQLite where it has what the store needs and prints no warning, which is from Node 24.12 on: it is up to twice
 * as fast as @photostructure/sqlite. That has the same interface on every Node, and is loaded only where it is needed.
 */
export const { DatabaseSync } = findBuiltinDriver() ?? loadPackagedDriver();

function findBuiltinDriver(): typeof driver | null {
  // Older ones warn that it is experimental as soon as it is loaded.
  if (Number.parseInt(process.versions.node, 10) < 24) return null;
  // Absent where Node was built without it.
  const own = process.getBuiltinModule("node:sqlite") as unknown as typeof driver | undefined;
  return own && "enableDefensive" in own.DatabaseSync.prototype ? own : null;
}

function loadPackagedDriver(): typeof driver {
  // The bundler includes the package that this `require` names; the sources themselves are modules, without `require`.
  if (typeof require === "function") return require("@photostructure/sqlite") as typeof driver;
  return createRequire(import.meta.url)("@photostructure/sqlite") as typeof driver;
}
