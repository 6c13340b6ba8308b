import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { messageOf, PommelError } from "../../../project/errors.ts";

/**
 * LanceDB, a package of 160 MB that a user installs beside Pommel (docs/decisions/0008-index-port.md): what the index uses of it,
 * with rows as objects instead of Arrow's columns.
 */

/** The versions after it ask for more packages, or for a newer Node. */
const installed = "@lancedb/lancedb@0.30 apache-arrow@18.1";

/** How a column is stored; `{ vector }` holds so many int8 components as half-precision numbers, which is exact. */
type Column = "integer" | "number" | "text" | "bytes" | { vector: number };
export type Layout = Readonly<Record<string, Column>>;

type Value<C extends Column> = C extends "integer" | "number"
  ? number
  : C extends "text"
    ? string
    : C extends "bytes"
      ? Uint8Array
      : Int8Array;
export type Row<L extends Layout> = { [K in keyof L]: Value<L[K]> };

interface ArrowVector extends Iterable<unknown> {
  data: readonly { length: number; stride: number; children: readonly { values: Uint16Array }[] }[];
}

interface ArrowTable {
  numRows: number;
  getChild(name: string): ArrowVector | null;
}

interface LanceQuery extends AsyncIterable<ArrowTable> {
  where(filter: string): LanceQuery;
  select(columns: string[]): LanceQuery;
  toArrow(): Promise<ArrowTable>;
}

interface LanceTable {
  add(data: unknown, options?: { mode: "append" | "overwrite" }): Promise<unknown>;
  delete(where: string): Promise<unknown>;
  query(): LanceQuery;
  countRows(filter?: string): Promise<number>;
  optimize(options: { cleanupOlderThan: Date }): Promise<unknown>;
  stats(): Promise<{ totalBytes: number }>;
  version(): Promise<number>;
  close(): void;
}

interface LanceConnection {
  openTable(name: string): Promise<LanceTable>;
  createEmptyTable(name: string, schema: unknown, options: { mode: "overwrite" }): Promise<LanceTable>;
  dropTable(name: string): Promise<void>;
  dropAllTables(): Promise<void>;
  close(): void;
}

interface LanceModule {
  connect(
    uri: string,
    options: { readConsistencyInterval?: number; storageOptions: Record<string, string> },
  ): Promise<LanceConnection>;
}

/** What is used of `apache-arrow`. */
interface ArrowModule {
  Schema: new (fields: unknown[]) => { fields: unknown[] };
  Field: new (name: string, type: unknown, nullable: boolean) => { type: unknown };
  Int32: new () => unknown;
  Float64: new () => unknown;
  Utf8: new () => unknown;
  Binary: new () => unknown;
  Float16: new () => unknown;
  FixedSizeList: new (size: number, item: unknown) => unknown;
  Struct: new (fields: unknown[]) => unknown;
  Table: new (schema: unknown, batches: unknown[]) => unknown;
  RecordBatch: new (schema: unknown, data: unknown) => unknown;
  makeData(of: object): unknown;
  vectorFromArray(values: readonly unknown[], type: unknown): { data: unknown[] };
}

interface Engine {
  lance: LanceModule;
  arrow: ArrowModule;
}

const name = "@lancedb/lancedb";
const load = createRequire(import.meta.url);
let loaded: Engine | null = null;

/** @throws PommelError `index_unavailable` when the package is not installed, or cannot be loaded */
function engine(): Engine {
  if (loaded !== null) return loaded;
  if (!isInstalled()) throw unavailable("index.driver = lancedb needs a package that is not installed.");
  // It would write on stderr that it makes what is not there.
  process.env.LANCEDB_LOG ??= "error";
  try {
    // Its own Arrow, wherever that was installed.
    const arrow = createRequire(load.resolve(name))("apache-arrow") as ArrowModule;
    loaded = { lance: load(name) as LanceModule, arrow };
    return loaded;
  } catch (error) {
    const [why] = messageOf(error).split("\n");
    throw unavailable(`The package ${name} cannot be loaded: ${why}`, error);
  }
}

/** Node remembers what it did not find, and a daemon is not to be restarted for it. */
const isInstalled = () => (load.resolve.paths(name) ?? []).some((dir) => existsSync(join(dir, name)));

const unavailable = (message: string, cause?: unknown) =>
  new PommelError(
    "index_unavailable",
    message,
    `Install it where Pommel is: \`npm install -g --ignore-scripts ${installed}\`. \`pm config set index.driver sqlite\` does without.`,
    { cause },
  );

/** Whether the package can be loaded, and why not; for tests that need it. */
export function whyUnavailable(): string | null {
  try {
    engine();
    return null;
  } catch (error) {
    return messageOf(error);
  }
}

/** A search should not wait long for storage that is down. */
const storageOptions = {
  connect_timeout: "3s",
  timeout: "20s",
  client_max_retries: "2",
  client_retry_timeout: "5",
};

/** Tables at one address. */
export class Database {
  private constructor(private readonly connection: LanceConnection) {}

  /** @param isShared others may write meanwhile: each question looks for what is new */
  static async connect(uri: string, isShared: boolean): Promise<Database> {
    const { lance } = engine();
    const options = { storageOptions, ...(isShared && { readConsistencyInterval: 0 }) };
    return new Database(await lance.connect(uri, options));
  }

  /** @returns null where there is none; asked for by name, as to list what is there takes rights of its own */
  async open<L extends Layout>(name: string, layout: L): Promise<Table<L> | null> {
    try {
      return new Table(await this.connection.openTable(name), layout);
    } catch (error) {
      if (/was not found/.test(messageOf(error))) return null;
      throw error;
    }
  }

  /** In the place of one that is there. */
  async create<L extends Layout>(name: string, layout: L): Promise<Table<L>> {
    const schema = schemaOf(layout);
    return new Table(await this.connection.createEmptyTable(name, schema, { mode: "overwrite" }), layout);
  }

  async drop(name: string): Promise<void> {
    if ((await this.open(name, {})) !== null) await this.connection.dropTable(name);
  }

  dropAll(): Promise<void> {
    return this.connection.dropAllTables();
  }

  close(): void {
    this.connection.close();
  }
}

/** Versions of a table that are this old are no longer read by anyone. Milliseconds. */
const keptMs = 10_000;
/** Ids in one condition. */
const maxListed = 5000;

export class Table<L extends Layout> {
  constructor(
    private readonly table: LanceTable,
    private readonly layout: L,
  ) {}

  /** All of them, or none. @param mode `overwrite`: they take the place of all others */
  async add(rows: readonly Row<L>[], mode: "append" | "overwrite" = "append"): Promise<void> {
    if (rows.length > 0) await this.table.add(arrowTable(this.layout, rows), { mode });
  }

  /** Rows that meet a condition; null: all of them. */
  async rows<K extends keyof L & string>(
    columns: readonly K[],
    where: string | null,
  ): Promise<Pick<Row<L>, K>[]> {
    return this.decoded(columns, await this.query(columns, where).toArrow());
  }

  /** The same in parts, so that all of them are never in memory. */
  async *parts<K extends keyof L & string>(
    columns: readonly K[],
    where: string | null,
  ): AsyncGenerator<Pick<Row<L>, K>[]> {
    for await (const part of this.query(columns, where)) yield this.decoded(columns, part);
  }

  private query(columns: readonly string[], where: string | null): LanceQuery {
    const query = this.table.query().select([...columns]);
    return where === null ? query : query.where(where);
  }

  /** Rows that have one of many values, in no particular order. */
  async among<K extends keyof L & string>(
    columns: readonly K[],
    column: string,
    values: readonly (number | string)[],
  ): Promise<Pick<Row<L>, K>[]> {
    const parts: Pick<Row<L>, K>[][] = [];
    for (const where of conditions(column, values)) parts.push(await this.rows(columns, where));
    return parts.flat();
  }

  async remove(column: string, values: readonly (number | string)[]): Promise<void> {
    for (const where of conditions(column, values)) await this.table.delete(where);
  }

  /** Removes rows from a number on. */
  async removeFrom(column: string, first: number): Promise<void> {
    const where = `${column} >= ${first}`;
    if ((await this.table.countRows(where)) > 0) await this.table.delete(where);
  }

  /** Puts the parts of many changes together, and removes what no longer is in use. */
  async compact(): Promise<void> {
    await this.table.optimize({ cleanupOlderThan: new Date(Date.now() - keptMs) });
  }

  /** Changes with each change of the table. */
  version(): Promise<number> {
    return this.table.version();
  }

  async bytes(): Promise<number> {
    return (await this.table.stats()).totalBytes;
  }

  private decoded<K extends keyof L & string>(columns: readonly K[], found: ArrowTable): Pick<Row<L>, K>[] {
    if (found.numRows === 0) return [];
    const values = columns.map((name): [K, unknown[]] => {
      const column = found.getChild(name)!;
      return [name, typeof this.layout[name] === "object" ? vectorsIn(column) : [...column]];
    });
    return Array.from({ length: found.numRows }, (_, row) => {
      return Object.fromEntries(values.map(([name, ofColumn]) => [name, ofColumn[row]])) as Pick<Row<L>, K>;
    });
  }
}

export const literal = (value: number | string) =>
  typeof value === "number" ? String(value) : `'${value.replaceAll("'", "''")}'`;

function conditions(column: string, values: readonly (number | string)[]): string[] {
  const parts: string[] = [];
  for (let start = 0; start < values.length; start += maxListed) {
    parts.push(`${column} IN (${values.slice(start, start + maxListed).map(literal)})`);
  }
  return parts;
}

// Arrow

function typeOf(column: Column): unknown {
  const { arrow } = engine();
  if (typeof column === "object") {
    return new arrow.FixedSizeList(column.vector, new arrow.Field("item", new arrow.Float16(), true));
  }
  const types = { integer: arrow.Int32, number: arrow.Float64, text: arrow.Utf8, bytes: arrow.Binary };
  return new types[column]();
}

function schemaOf(layout: Layout) {
  const { arrow } = engine();
  return new arrow.Schema(
    Object.entries(layout).map(([name, column]) => new arrow.Field(name, typeOf(column), false)),
  );
}

function arrowTable(layout: Layout, rows: readonly Record<string, unknown>[]): unknown {
  const { arrow } = engine();
  const schema = schemaOf(layout);
  const children = Object.entries(layout).map(([name, column], i) => {
    const values = rows.map((row) => row[name]);
    const { type } = schema.fields[i] as { type: unknown };
    if (typeof column !== "object") return arrow.vectorFromArray(values, type).data[0];
    const data = new Uint16Array(rows.length * column.vector);
    for (const [row, vector] of values.entries())
      data.set(halvesOf(vector as Int8Array), row * column.vector);
    const child = arrow.makeData({ type: new arrow.Float16(), data });
    return arrow.makeData({ type, length: rows.length, nullCount: 0, child });
  });
  const struct = { type: new arrow.Struct(schema.fields), length: rows.length, nullCount: 0, children };
  return new arrow.Table(schema, [new arrow.RecordBatch(schema, arrow.makeData(struct))]);
}

/** The bits of -128 to 127 as half-precision numbers. */
const halves = Uint16Array.from({ length: 256 }, (_, i) => {
  const value = i - 128;
  if (value === 0) return 0;
  const exponent = Math.floor(Math.log2(Math.abs(value)));
  const fraction = (Math.abs(value) - 2 ** exponent) * 2 ** (10 - exponent);
  return (value < 0 ? 0x8000 : 0) | ((exponent + 15) << 10) | fraction;
});
/** The other way round. */
const bytes = new Int8Array(2 ** 16);
halves.forEach((bits, i) => {
  bytes[bits] = i - 128;
});

const halvesOf = (vector: Int8Array) => Uint16Array.from(vector, (value) => halves[value + 128]!);

function vectorsIn({ data }: ArrowVector): Int8Array[] {
  return data.flatMap(({ length, stride, children: [child] }) => {
    const { values } = child!;
    const all = new Int8Array(values.length);
    // `Int8Array.from` takes ten times as long.
    for (let i = 0; i < values.length; i++) all[i] = bytes[values[i]!]!;
    return Array.from({ length }, (_, row) => all.subarray(row * stride, (row + 1) * stride));
  });
}
