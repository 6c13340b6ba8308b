import { setImmediate } from "node:timers";
import type { Sqlite, SqlStatement } from "./sqlite.ts";

/** Entries of a map that `cacheUntilWrite` gives: so many outlines take about 10 MB. */
const maxRemembered = 50_000;

/** An open database: what its repositories are written with. */
export class Connection {
  protected constructor(
    readonly file: string,
    protected readonly db: Sqlite,
  ) {}

  get isEncrypted(): boolean {
    return this.db.key !== null;
  }

  /** Whether a change is being made. */
  get isInTransaction(): boolean {
    return this.db.inTransaction && !this.isOfTurn;
  }

  close(): void {
    this.endTurn();
    this.db.close();
  }

  /** The database's own check; "ok", or what is wrong. Reads the whole file. */
  check(): string {
    try {
      return String(this.db.pragma("quick_check(1)"));
    } catch (error) {
      return String(error);
    }
  }

  /** A statement, compiled once per connection. Also what search's own queries are made with. */
  prepare(sql: string): SqlStatement {
    return this.prepareOnce(this.statements, sql);
  }

  /** One that gives the first column, for good: whoever asks for rows with the same SQL has another. */
  private preparePlucked(sql: string): SqlStatement {
    return this.prepareOnce(this.pluckedStatements, sql).pluck();
  }

  private prepareOnce(known: Map<string, SqlStatement>, sql: string): SqlStatement {
    let statement = known.get(sql);
    if (!statement) {
      statement = this.db.prepare(sql);
      known.set(sql, statement);
    }
    return statement;
  }

  private readonly statements = new Map<string, SqlStatement>();
  private readonly pluckedStatements = new Map<string, SqlStatement>();

  /** The rows of a query. What is given as in `SqlStatement`. */
  all<Row>(sql: string, ...given: unknown[]): Row[] {
    return this.prepare(sql).all(...given) as Row[];
  }

  /** The first row; null without one, which `Row` says where it may be. */
  get<Row>(sql: string, ...given: unknown[]): Row {
    return (this.prepare(sql).get(...given) ?? null) as Row;
  }

  /** The first column of the rows. */
  readColumn<Value>(sql: string, ...given: unknown[]): Value[] {
    return this.preparePlucked(sql).all(...given) as Value[];
  }

  /** The first column of the first row; null without one. */
  readValue<Value>(sql: string, ...given: unknown[]): Value {
    return (this.preparePlucked(sql).get(...given) ?? null) as Value;
  }

  /** Whether there is a row. */
  has(sql: string, ...given: unknown[]): boolean {
    return this.prepare(sql).get(...given) !== undefined;
  }

  /** Runs one statement as a transaction. @returns how many rows it changed */
  change(sql: string, ...given: unknown[]): number {
    return this.runInTransaction(() => this.prepare(sql).run(...given).changes);
  }

  /** Runs SQL that needs no compiled statement (temporary tables). */
  exec(sql: string): void {
    this.db.exec(sql);
  }

  /** Runs all of it or nothing; inside another, as part of that one. What writes goes through here. */
  runInTransaction<T>(work: () => T): T {
    return this.runChange(() => this.db.transaction("immediate", work));
  }

  /** For what changes the file and cannot be part of a transaction. */
  protected runChange<T>(work: () => T): T {
    this.endTurn();
    this.writes++;
    return work();
  }

  /** Reads that belong together: others may write meanwhile, these see nothing of it. */
  readInSnapshot<T>(read: () => T): T {
    if (this.seen !== null) return read();
    return this.db.transaction("deferred", () => {
      try {
        this.seen = this.readForeignChanges();
        return read();
      } finally {
        this.seen = null;
      }
    });
  }

  /**
   * The same for all reads until the event loop turns or this connection writes: a question consists of a dozen, and it takes as
   * long as some of them to begin, to end, and to see whether others have written.
   */
  readInTurnSnapshot<T>(read: () => T): T {
    if (!this.db.inTransaction) {
      this.db.begin("deferred");
      this.seen = this.readForeignChanges();
      this.isOfTurn = true;
      setImmediate(() => this.endTurn());
    }
    return read();
  }

  /** Ends the snapshot of this turn, if there is one. */
  protected endTurn(): void {
    if (!this.isOfTurn) return;
    this.isOfTurn = false;
    this.seen = null;
    this.db.end("COMMIT");
  }

  /** What others have changed, as the open snapshot sees it; null: none is open. It stays the same, so it is asked for once. */
  private seen: number | null = null;
  private isOfTurn = false;
  private writes = 0;

  /** Another text whenever the database may hold something else than before, whoever wrote it. */
  readVersion(): string {
    return `${this.readForeignChanges()}.${this.writes}`;
  }

  /** Another number whenever another connection has changed the database. */
  readForeignChanges(): number {
    return this.seen ?? (this.prepare("PRAGMA data_version").pluck().get() as number);
  }

  /**
   * A map to remember in what was read, as searches meet the same chunks and words again and again. It is empty again
   * as soon as the database may hold something else.
   */
  cacheUntilWrite<K, V>(name: string): Map<K, V> {
    const version = this.readVersion();
    if (version !== this.rememberedVersion) this.remembered.clear();
    this.rememberedVersion = version;
    let map = this.remembered.get(name);
    if (map === undefined || map.size > maxRemembered) {
      map = new Map();
      this.remembered.set(name, map);
    }
    return map as Map<K, V>;
  }

  /** What `read` gives, read once until the database may hold something else. Shared: not to be changed. */
  readOnce<T>(name: string, read: () => T): T {
    const values = this.cacheUntilWrite<string, T>("once");
    const known = values.get(name);
    if (known !== undefined) return known;
    const value = read();
    values.set(name, value);
    return value;
  }

  private readonly remembered = new Map<string, Map<unknown, unknown>>();
  private rememberedVersion = "";

  /** @param value null: it is no longer set */
  setMeta(key: string, value: string | null): void {
    this.runInTransaction(() => {
      if (value === null) {
        this.prepare("DELETE FROM meta WHERE key = ?").run(key);
        return;
      }
      this.prepare(
        "INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value",
      ).run(key, value);
    });
  }

  readMeta(key: string): string | null {
    const row = this.prepare("SELECT value FROM meta WHERE key = ?").get(key) as
      | { value: string }
      | undefined;
    return row?.value ?? null;
  }
}
