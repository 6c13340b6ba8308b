import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { getErrorMessage, PommelError } from "../../base/errors.ts";
import type { BlobKind, BlobStore, StoredBlob } from "../blobs/blob-store.ts";
import { Outdated } from "../blobs/store.ts";

/** LanceDB, a package of 160 MB that a user installs beside Pommel (docs/decisions/0008-index-port.md): what is used of it. */

/** The versions after it ask for more packages, or for a newer Node. */
const installed = "@lancedb/lancedb@0.30 apache-arrow@18.1";

interface ArrowTable {
  numRows: number;
  getChild(name: string): Iterable<unknown> | null;
}

interface LanceQuery extends AsyncIterable<ArrowTable> {
  where(filter: string): LanceQuery;
  select(columns: string[]): LanceQuery;
  toArrow(): Promise<ArrowTable>;
}

interface LanceTable {
  add(data: unknown): Promise<unknown>;
  delete(where: string): Promise<unknown>;
  query(): LanceQuery;
  countRows(filter?: string): Promise<number>;
  optimize(options: { cleanupOlderThan: Date }): Promise<unknown>;
  stats(): Promise<{ totalBytes: number }>;
  version(): Promise<number>;
}

export interface LanceConnection {
  openTable(name: string): Promise<LanceTable>;
  createEmptyTable(name: string, schema: unknown): Promise<LanceTable>;
  dropTable(name: string): Promise<void>;
  /** In their order. */
  tableNames(options: { startAfter: string; limit: number }): Promise<string[]>;
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
  Field: new (name: string, type: unknown, nullable: boolean) => unknown;
  Int32: new () => unknown;
  Utf8: new () => unknown;
  Binary: new () => unknown;
  Struct: new (fields: unknown[]) => unknown;
  Table: new (schema: unknown, batches: unknown[]) => unknown;
  RecordBatch: new (schema: unknown, data: unknown) => unknown;
  makeData(of: object): unknown;
  vectorFromArray(values: readonly unknown[], type: unknown): { data: unknown[] };
}

interface Packages {
  lance: LanceModule;
  arrow: ArrowModule;
}

const name = "@lancedb/lancedb";
const load = createRequire(import.meta.url);
let loaded: Packages | null = null;

/** @throws PommelError `index_unavailable` when the package is not installed, or cannot be loaded */
function loadPackages(): Packages {
  if (loaded !== null) return loaded;
  if (!isInstalled())
    throw makeUnavailableError("index.driver = lancedb needs a package that is not installed.");
  // It would write on stderr that it makes what is not there.
  process.env.LANCEDB_LOG ??= "error";
  try {
    // Its own Arrow, wherever that was installed.
    const arrow = createRequire(load.resolve(name))("apache-arrow") as ArrowModule;
    loaded = { lance: load(name) as LanceModule, arrow };
    return loaded;
  } catch (error) {
    const [why] = getErrorMessage(error).split("\n");
    throw makeUnavailableError(`The package ${name} cannot be loaded: ${why}`, error);
  }
}

/** Node remembers what it did not find, and a daemon is not to be restarted for it. */
const isInstalled = () => (load.resolve.paths(name) ?? []).some((dir) => existsSync(join(dir, name)));

const makeUnavailableError = (message: string, cause?: unknown) =>
  new PommelError(
    "index_unavailable",
    message,
    `Install it where Pommel is: \`npm install -g --ignore-scripts ${installed}\`. \`pm config set index.driver sqlite\` works without it.`,
    { cause },
  );

/** Whether the package can be loaded, and why not. */
export function explainUnavailable(): string | null {
  try {
    loadPackages();
    return null;
  } catch (error) {
    return getErrorMessage(error);
  }
}

/** A search should not wait long for storage that is down. */
const storageOptions = {
  connect_timeout: "3s",
  timeout: "20s",
  client_max_retries: "2",
  client_retry_timeout: "5",
};

/** @param isShared others may write meanwhile: each question looks for what is new */
export function connect(uri: string, isShared: boolean): Promise<LanceConnection> {
  const options = isShared ? { storageOptions, readConsistencyInterval: 0 } : { storageOptions };
  return loadPackages().lance.connect(uri, options);
}

/** Versions of a table that are this old are no longer read by anyone. Milliseconds. */
const keptMs = 10_000;
/** Numbers in one condition. */
const maxListed = 5000;

/** The blobs of an index in one table: each change of it is a version, and is there as a whole or not at all. */
export class LanceBlobs implements BlobStore {
  private constructor(
    private readonly connection: LanceConnection,
    private readonly table: LanceTable,
  ) {}

  /** null where there is none; asked for by name, as to list what is there takes rights of its own. */
  static async open(connection: LanceConnection, table: string): Promise<LanceBlobs | null> {
    try {
      return new LanceBlobs(connection, await connection.openTable(table));
    } catch (error) {
      if (/was not found/.test(getErrorMessage(error))) return null;
      throw error;
    }
  }

  static async create(connection: LanceConnection, table: string): Promise<LanceBlobs> {
    return new LanceBlobs(connection, await connection.createEmptyTable(table, buildBlobSchema()));
  }

  readVersion(): Promise<number> {
    return this.table.version();
  }

  async add(blobs: readonly StoredBlob[]): Promise<void> {
    if (blobs.length > 0) await this.table.add(buildArrowTable(blobs));
  }

  async read(kind: BlobKind, numbers: readonly number[]): Promise<Map<number, Uint8Array>> {
    const found = new Map<number, Uint8Array>();
    for (const where of buildNumberConditions(kind, numbers)) {
      const part = decode(await rethrowGoneAsOutdated(this.selectBlobs(where).toArrow()));
      for (const [number, bytes] of part) found.set(number, bytes);
    }
    return found;
  }

  async *readFrom(kind: BlobKind, first: number): AsyncGenerator<Map<number, Uint8Array>> {
    const parts = this.selectBlobs(`kind = '${kind}' AND number >= ${first}`)[Symbol.asyncIterator]();
    for (;;) {
      const { done, value } = await rethrowGoneAsOutdated(parts.next());
      if (done) return;
      yield decode(value);
    }
  }

  private selectBlobs(where: string): LanceQuery {
    return this.table.query().select(["number", "bytes"]).where(where);
  }

  async remove(kind: BlobKind, numbers: readonly number[]): Promise<void> {
    for (const where of buildNumberConditions(kind, numbers)) await this.table.delete(where);
  }

  async removeFrom(kind: BlobKind, first: number): Promise<void> {
    const where = `kind = '${kind}' AND number >= ${first}`;
    // A deletion is a version, also of nothing.
    if ((await this.table.countRows(where)) > 0) await this.table.delete(where);
  }

  async compact(): Promise<void> {
    await this.table.optimize({ cleanupOlderThan: new Date(Date.now() - keptMs) });
  }

  async countBytes(): Promise<number> {
    return (await this.table.stats()).totalBytes;
  }

  async close(): Promise<void> {
    this.connection.close();
  }
}

/** What is compacted, or removed, while it is read is asked for again. */
async function rethrowGoneAsOutdated<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    if (/not found|no such file/i.test(getErrorMessage(error))) throw new Outdated(getErrorMessage(error));
    throw error;
  }
}

function buildNumberConditions(kind: BlobKind, numbers: readonly number[]): string[] {
  const parts: string[] = [];
  for (let start = 0; start < numbers.length; start += maxListed)
    parts.push(`kind = '${kind}' AND number IN (${numbers.slice(start, start + maxListed)})`);
  return parts;
}

function buildBlobSchema() {
  const { arrow } = loadPackages();
  return new arrow.Schema([
    new arrow.Field("kind", new arrow.Utf8(), false),
    new arrow.Field("number", new arrow.Int32(), false),
    new arrow.Field("bytes", new arrow.Binary(), false),
  ]);
}

function buildArrowTable(blobs: readonly StoredBlob[]): unknown {
  const { arrow } = loadPackages();
  const schema = buildBlobSchema();
  const columns = [
    arrow.vectorFromArray(
      blobs.map(({ kind }) => kind),
      new arrow.Utf8(),
    ),
    arrow.vectorFromArray(
      blobs.map(({ number }) => number),
      new arrow.Int32(),
    ),
    arrow.vectorFromArray(
      blobs.map(({ bytes }) => bytes),
      new arrow.Binary(),
    ),
  ];
  const children = columns.map(({ data }) => data[0]);
  const struct = { type: new arrow.Struct(schema.fields), length: blobs.length, nullCount: 0, children };
  return new arrow.Table(schema, [new arrow.RecordBatch(schema, arrow.makeData(struct))]);
}

function decode(found: ArrowTable): Map<number, Uint8Array> {
  if (found.numRows === 0) return new Map();
  const bytes = [...found.getChild("bytes")!] as Uint8Array[];
  return new Map(([...found.getChild("number")!] as number[]).map((number, i) => [number, bytes[i]!]));
}
