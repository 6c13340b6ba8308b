import { codeOf, messageOf } from "../../../project/errors.ts";
import type { Schema } from "../../sqlite/schema.ts";
import { schemaByTables } from "../../sqlite/schema-problem.ts";
import { Sqlite } from "../../sqlite/sqlite.ts";
import { ordinaryTables } from "../backups/backup-content.ts";

/** What can be read of a damaged database, whatever its tables hold. */

export type Row = Record<string, unknown>;

/** Reads through one connection: one that is encrypted gives nothing more after a page that cannot be decrypted, so it is replaced. */
export class DamagedDatabase {
  private db: Sqlite;

  constructor(private readonly file: string) {
    this.db = this.open();
  }

  *rows(sql: string, ...given: unknown[]): IterableIterator<unknown> {
    try {
      yield* this.db.prepare(sql).iterate(...given);
    } catch (error) {
      if (this.db.key !== null) {
        this.db.close();
        this.db = this.open();
      }
      throw error;
    }
  }

  tables(): string[] {
    return ordinaryTables(this.db);
  }

  /** By its tables: the number itself may be what is damaged. */
  version(schema: Schema): number {
    return schemaByTables(this.db, schema);
  }

  close(): void {
    this.db.close();
  }

  private open(): Sqlite {
    return new Sqlite(this.file, { mode: "read", timeoutMs: 5000 });
  }
}

interface CopiedTable {
  /** Rows that were read. */
  saved: number;
  /** Rows that are known to be lost. */
  lost: number;
  /** Whether there may be others that are lost. */
  isIncomplete: boolean;
}

/** Reads one table, around its damaged pages. */
export class TableCopy {
  /** Columns of the primary key: `rowid` where the table has one. */
  private readonly key: readonly string[];
  private readonly insert: (row: Row) => void;
  private readonly seen = new Set<string>();
  private saved = 0;
  private lost = 0;
  /** Nobody can say how much is missing. */
  private isIncomplete = false;

  /** @param isWhole damage can leave rows that SQLite reads and nobody else */
  constructor(
    private readonly from: DamagedDatabase,
    into: Sqlite,
    private readonly table: string,
    isWhole: (table: string, row: Row) => boolean,
  ) {
    const columns = "SELECT name, pk FROM pragma_table_info(?)";
    const stored = new Set([...from.rows(columns, table)].map((column) => (column as { name: string }).name));
    const known = into.prepare(columns).all(table) as { name: string; pk: number }[];
    const shared = known.filter(({ name }) => stored.has(name));
    const keys = shared.filter(({ pk }) => pk > 0).sort((a, b) => a.pk - b.pk);
    this.key = keys.map(({ name }) => name);
    const names = shared.map(({ name }) => `"${name}"`);
    const statement = into.prepare(
      `INSERT OR IGNORE INTO "${table}" (${names.join(", ")}) VALUES (${names.map(() => "?").join(", ")})`,
    );
    this.insert = (row) => {
      const id = this.idOf(row);
      if (this.seen.has(id)) return;
      this.seen.add(id);
      if (!isWhole(table, row)) {
        this.lost++;
        return;
      }
      try {
        this.saved += statement.run(...shared.map(({ name }) => row[name])).changes;
      } catch (error) {
        // What page damage turned into a value of another type.
        if (!codeOf(error).startsWith("SQLITE_CONSTRAINT") && codeOf(error) !== "SQLITE_MISMATCH")
          throw error;
        this.lost++;
      }
    };
  }

  run(): CopiedTable {
    if (!this.readFrom("ASC")) {
      // From the other end, up to the same damage.
      this.readFrom("DESC");
      const known = this.keysOfIndexes();
      for (const key of known) if (!this.seen.has(key)) this.readOne(JSON.parse(key) as unknown[]);
      if (known.size === 0) this.probe();
    }
    const { saved, lost, isIncomplete } = this;
    return { saved, lost, isIncomplete };
  }

  private readonly idOf = (row: Row) => JSON.stringify(this.key.map((name) => row[name]));

  /**
   * Reads in the order of the key, up to the first row that cannot be read. In steps, which get smaller before the damage:
   * not every driver gives the rows before it.
   * @returns whether it came to the end
   */
  private readFrom(direction: "ASC" | "DESC"): boolean {
    const names = this.key.map((name) => `"${name}"`);
    const order = names.map((name) => `${name} ${direction}`).join(", ");
    const beyond = `(${names.join(", ")}) ${direction === "ASC" ? ">" : "<"} (${names.map(() => "?").join(", ")})`;
    let last: unknown[] | null = null;
    for (let most = 1000; most >= 1; ) {
      const where = last === null ? "" : `WHERE ${beyond}`;
      let count = 0;
      const isRead = this.read(`${where} ORDER BY ${order} LIMIT ${most}`, last ?? [], (row) => {
        last = this.key.map((name) => row[name]);
        count++;
      });
      if (!isRead) most = Math.floor(most / 2);
      else if (count < most) return true;
    }
    return false;
  }

  /** @returns whether it came to the end */
  private read(how: string, given: readonly unknown[], onRow: (row: Row) => void = () => {}): boolean {
    try {
      for (const row of this.from.rows(`SELECT * FROM "${this.table}" NOT INDEXED ${how}`, ...given)) {
        this.insert(row as Row);
        onRow(row as Row);
      }
      return true;
    } catch (error) {
      if (isUnreadable(error)) return false;
      throw error;
    }
  }

  private readOne(key: unknown[]): void {
    const condition = this.key.map((name) => `"${name}" = ?`).join(" AND ");
    if (!this.read(`WHERE ${condition}`, key)) this.lost++;
  }

  /** Keys of all rows, as far as the table's own indexes, which lie on other pages, still name them. */
  private keysOfIndexes(): Set<string> {
    const keys = new Set<string>();
    const indexes = "SELECT name FROM pragma_index_list(?) WHERE partial = 0 AND origin <> 'pk'";
    const names = [...this.from.rows(indexes, this.table)];
    for (const { name } of names as { name: string }[]) {
      try {
        const columns = this.key.map((column) => `"${column}"`).join(", ");
        const rows = this.from.rows(`SELECT ${columns} FROM "${this.table}" INDEXED BY "${name}"`);
        for (const row of rows) keys.add(this.idOf(row as Row));
      } catch (error) {
        if (!isUnreadable(error) && codeOf(error) !== "SQLITE_ERROR") throw error;
      }
    }
    return keys;
  }

  /** Without an index the gap is halved, as far as its key is a number, until what is readable in it is read. */
  private probe(): void {
    const [first] = this.key;
    this.isIncomplete = true;
    const numbers = [...this.seen].map((id) => (JSON.parse(id) as unknown[])[0]);
    if (first === undefined || !numbers.every((one) => Number.isSafeInteger(one)) || numbers.length < 2)
      return;
    let [least, most] = [Number.POSITIVE_INFINITY, 0];
    for (const one of numbers as number[]) [least, most] = [Math.min(least, one), Math.max(most, one)];
    const ranges: [number, number][] = [[least, most]];
    for (let range = ranges.pop(); range; range = ranges.pop()) {
      const [from, to] = range;
      if (this.read(`WHERE "${first}" BETWEEN ? AND ?`, [from, to]) || from === to) continue;
      const middle = Math.floor((from + to) / 2);
      ranges.push([from, middle], [middle + 1, to]);
    }
  }
}

const isUnreadable = (error: unknown) =>
  /^SQLITE_(?:CORRUPT|NOTADB|IOERR|TOOBIG)/.test(codeOf(error)) ||
  /malformed|safe integer/i.test(messageOf(error));
