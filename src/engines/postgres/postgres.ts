import { getErrorCode, PommelError } from "../../base/errors.ts";
import type { IndexDriver } from "../../store/index/port.ts";
import type { ServerSettings } from "../../store/postgres/connection-options.ts";
import {
  connectTo,
  formatServerAddress,
  runInTransaction,
  type Sql,
  toServerError,
} from "../../store/postgres/server.ts";
import type { BlobEngine, BlobKind, BlobStore, StoredBlob } from "../blobs/blob-store.ts";
import { createEngineDriver } from "../blobs/engine-driver.ts";
import { CheckoutKey } from "../blobs/place.ts";
import { describeDamage } from "../blobs/store.ts";
import type { EngineSettings } from "../drivers.ts";

/**
 * Tables of all checkouts that use a database. Their layout stands in the schema's name: a Pommel with another one has tables of
 * its own and never touches these, so people who share a server need not update on the same day. Statements name it in full:
 * connections that several share (PgBouncer) have no search path of their own.
 */
const schemaName = "pommel_index_4";

const createTables = `
  CREATE SCHEMA IF NOT EXISTS ${schemaName};
  CREATE TABLE IF NOT EXISTS ${schemaName}.checkouts (
    id      integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    -- What the checkout's own directory says (place.ts).
    key     text NOT NULL UNIQUE,
    -- For people.
    root    text NOT NULL,
    used_at timestamptz NOT NULL DEFAULT now()
  );
  CREATE TABLE IF NOT EXISTS ${schemaName}.blobs (
    checkout integer REFERENCES ${schemaName}.checkouts ON DELETE CASCADE,
    kind     text COLLATE "C",
    number   integer,
    bytes    bytea NOT NULL,
    PRIMARY KEY (checkout, kind, number)
  );
  -- Postings and vectors do not get smaller.
  ALTER TABLE ${schemaName}.blobs ALTER COLUMN bytes SET STORAGE EXTERNAL;
`;

/** The server that a configuration names for the index. */
const indexServer = (config: EngineSettings): ServerSettings => ({
  url: config["index.url"],
  setting: "index.url",
  holds: "index",
  hints: {
    down: "`pm config set index.driver sqlite` keeps the index on this machine.",
    rights: `The user needs CREATE on the database once, or a schema ${schemaName} of their own.`,
  },
  code: "index_unavailable",
  schema: schemaName,
});

/** The code index in a PostgreSQL, which several checkouts and people can share. */
export const createPostgresDriver = (config: EngineSettings): IndexDriver =>
  createEngineDriver(new PostgresEngine(indexServer(config)));

/** The checkout is gone. */
const foreignKeyViolation = "23503";
/** A number of the journal, or of a blob, is taken. */
const uniqueViolation = "23505";

class PostgresEngine implements BlobEngine {
  constructor(private readonly settings: ServerSettings) {}

  async open(file: string, mode: "read" | "write" | "rebuild"): Promise<BlobStore | null> {
    const sql = connectTo(this.settings);
    try {
      const place = new CheckoutKey(file, "postgres");
      const checkout = await (mode === "read" ? findCheckout(sql, place) : claimCheckout(sql, place, mode));
      if (checkout !== null) return new PostgresBlobs(sql, checkout, () => this.describeGone());
    } catch (error) {
      await sql.end({ timeout: 0 });
      throw error;
    }
    await sql.end();
    return null;
  }

  isThere(file: string): boolean {
    return new CheckoutKey(file, "postgres").findIndexKey() !== null;
  }

  async remove(file: string): Promise<void> {
    const place = new CheckoutKey(file, "postgres");
    const sql = connectTo(this.settings);
    try {
      if (await hasTables(sql))
        await sql`DELETE FROM pommel_index_4.checkouts WHERE key = ${place.findIndexKey()}`;
    } finally {
      await sql.end();
      place.forget();
    }
  }

  explain(error: unknown): unknown {
    const code = getErrorCode(error);
    if (code === foreignKeyViolation) return this.describeGone();
    if (code === uniqueViolation) {
      return new PommelError(
        "busy",
        `Another process has changed the index at ${this.describePlace()}.`,
        "Try again; Pommel then reads its changes first.",
        { cause: error },
      );
    }
    return toServerError(error, this.settings);
  }

  describePlace(): string {
    return formatServerAddress(this.settings);
  }

  get place(): string {
    try {
      return formatServerAddress(this.settings);
    } catch {
      return "";
    }
  }

  private describeGone() {
    return describeDamage(this.describePlace(), "it was removed there");
  }
}

async function hasTables(sql: Sql): Promise<boolean> {
  const [found] = await sql<{ isThere: boolean }[]>`
    SELECT to_regclass(${`${schemaName}.blobs`}) IS NOT NULL AS "isThere"`;
  return found!.isThere;
}

async function findCheckout(sql: Sql, place: CheckoutKey): Promise<number | null> {
  const key = place.findIndexKey();
  if (key === null || !(await hasTables(sql))) return null;
  const [found] = await sql<{ id: number }[]>`SELECT id FROM pommel_index_4.checkouts WHERE key = ${key}`;
  return found?.id ?? null;
}

/** Machines that do not last leave their indexes behind: one that was not used for so long is removed when another is made. */
const unusedDays = 30;

/** A checkout that is new begins with the index of the one of its project that was used last, unless it is to be rebuilt. */
async function claimCheckout(sql: Sql, place: CheckoutKey, mode: "write" | "rebuild"): Promise<number> {
  if (!(await hasTables(sql))) {
    // Two that make the tables at once would fail each other.
    await runInTransaction(sql, "", async (within) => {
      await within`SELECT pg_advisory_xact_lock(hashtext(${schemaName}))`;
      await within.unsafe(createTables);
    });
  }
  const key = place.claimIndexKey();
  const [root, prefix] = [place.describeRoot(), place.findProjectPrefix()];
  return runInTransaction(sql, "", async (within) => {
    const [known] = await within<{ id: number }[]>`
      UPDATE pommel_index_4.checkouts SET root = ${root}, used_at = now()
      WHERE key = ${key} RETURNING id`;
    if (known !== undefined) return known.id;
    const [added] = await within<{ id: number }[]>`
      INSERT INTO pommel_index_4.checkouts (key, root) VALUES (${key}, ${root}) RETURNING id`;
    const { id } = added!;
    await within`DELETE FROM pommel_index_4.checkouts WHERE used_at < now() - ${unusedDays} * interval '1 day'`;
    if (mode === "write" && prefix !== null) {
      await within`
        INSERT INTO pommel_index_4.blobs SELECT ${id}, kind, number, bytes FROM pommel_index_4.blobs
        WHERE checkout = (SELECT id FROM pommel_index_4.checkouts WHERE starts_with(key, ${prefix}) AND id <> ${id}
          ORDER BY used_at DESC LIMIT 1)`;
    }
    return id;
  });
}

/** Blobs that are read together. */
const blobsPerRead = 500;

class PostgresBlobs implements BlobStore {
  constructor(
    private readonly sql: Sql,
    private readonly checkout: number,
    private readonly describeGone: () => Error,
  ) {}

  async readVersion(): Promise<number> {
    const [found] = await this.sql<{ version: number | null }[]>`
      SELECT (SELECT max(number) FROM pommel_index_4.blobs WHERE checkout = id AND kind = 'journal') AS version
      FROM pommel_index_4.checkouts WHERE id = ${this.checkout}`;
    if (found === undefined) throw this.describeGone();
    return found.version ?? -1;
  }

  /** In one statement: the bytes one after the other, and for each blob where its own are. */
  async add(blobs: readonly StoredBlob[]): Promise<void> {
    let from = 1;
    const rows = blobs.map(({ kind, number, bytes: { length } }) => {
      const row = { kind, number, from, length };
      from += length;
      return row;
    });
    const bytes = Buffer.concat(blobs.map((blob) => blob.bytes));
    await this.sql`
      INSERT INTO pommel_index_4.blobs SELECT ${this.checkout}, kind, number, substring(bytes FROM "from" FOR length)
      FROM json_to_recordset(${JSON.stringify(rows)}::text::json) AS r (kind text, number integer, "from" integer, length integer),
        (SELECT ${bytes}::bytea AS bytes) AS all_bytes`;
  }

  async read(kind: BlobKind, numbers: readonly number[]): Promise<Map<number, Uint8Array>> {
    if (numbers.length === 0) return new Map();
    const rows = await this.sql<{ number: number; bytes: Uint8Array }[]>`
      SELECT number, bytes FROM pommel_index_4.blobs
      WHERE checkout = ${this.checkout} AND kind = ${kind} AND number = ANY(${[...numbers]}::integer[])`;
    return new Map(rows.map(({ number, bytes }) => [number, bytes]));
  }

  async *readFrom(kind: BlobKind, first: number): AsyncGenerator<Map<number, Uint8Array>> {
    for (let from = first; ; ) {
      const rows = await this.sql<{ number: number; bytes: Uint8Array }[]>`
        SELECT number, bytes FROM pommel_index_4.blobs
        WHERE checkout = ${this.checkout} AND kind = ${kind} AND number >= ${from} ORDER BY number LIMIT ${blobsPerRead}`;
      yield new Map(rows.map(({ number, bytes }) => [number, bytes]));
      if (rows.length < blobsPerRead) return;
      from = rows.at(-1)!.number + 1;
    }
  }

  async remove(kind: BlobKind, numbers: readonly number[]): Promise<void> {
    if (numbers.length === 0) return;
    await this.sql`
      DELETE FROM pommel_index_4.blobs
      WHERE checkout = ${this.checkout} AND kind = ${kind} AND number = ANY(${[...numbers]}::integer[])`;
  }

  async removeFrom(kind: BlobKind, first: number): Promise<void> {
    await this.sql`
      DELETE FROM pommel_index_4.blobs WHERE checkout = ${this.checkout} AND kind = ${kind} AND number >= ${first}`;
  }

  /** The server gives back room by itself. */
  async compact(): Promise<void> {
    await this.sql`UPDATE pommel_index_4.checkouts SET used_at = now() WHERE id = ${this.checkout}`;
  }

  async countBytes(): Promise<number> {
    const [found] = await this.sql<{ bytes: number }[]>`
      SELECT coalesce(sum(length(bytes)), 0)::bigint AS bytes FROM pommel_index_4.blobs WHERE checkout = ${this.checkout}`;
    return found!.bytes;
  }

  async close(): Promise<void> {
    await this.sql.end({ timeout: 2 });
  }
}
