import { randomUUID } from "node:crypto";
import { existsSync, rmSync } from "node:fs";
import pLimit from "p-limit";
import * as z from "zod/mini";
import { messageOf, PommelError } from "../../../project/errors.ts";
import { makeDirectory } from "../../../project/home.ts";
import { envelopeFor } from "../../encryption/envelope.ts";
import { EngineConnection, type Place } from "../remote-engine.ts";
import { Database, type Layout, type Table } from "./engine.ts";
import { type Next, State, type StateChange, stateChange, wholeState } from "./state.ts";

/** What is inside the rows. An index with another one is made again. */
const format = 1;

export const layouts = {
  /** A row for each change (`StateChange`), after one with all that was before (`wholeState`). */
  journal: { seq: "integer", format: "integer", is_whole: "integer", content: "text" },
  /** A chunk is JSON: `StoredRow` of chunks.ts. */
  chunks: { id: "integer", file: "integer", content: "text" },
  /** Words in blocks: word-blocks.ts. */
  words: { block: "integer", first: "text", words: "text", sizes: "bytes", lists: "bytes", places: "bytes" },
  /** A commit is JSON. */
  commits: { id: "integer", hash: "text", authored_at: "number", content: "text" },
} as const satisfies Record<string, Layout>;

export const vectorLayout = (dimensions: number) =>
  ({ id: "integer", of: "integer", level: "integer", vector: { vector: dimensions } }) as const;
export type VectorTable = Table<ReturnType<typeof vectorLayout>>;

type Tables = { [Name in keyof typeof layouts]: Table<(typeof layouts)[Name]> };

/** Where an index is: in a folder of this machine, or in a bucket of object storage at a key of the project. */
export interface Location {
  /** The folder; null for object storage. */
  dir: string | null;
  /** Of the bucket, without the project's key; for people. */
  address: string;
  place: Place;
}

/** An index that is open. */
export interface Opened {
  db: Database;
  tables: Tables;
  state: State;
  /** Changes whenever the state does. */
  revision: number;
  /** The version of the journal that was read last. */
  version: number;
}

/** What a question met is no longer there: it is asked again. */
export class Outdated extends Error {}

/** Key of `meta`. */
export const identity = "identity";

/** Changes in the journal that reading it may go through. */
const maxChanges = 500;

/**
 * The tables of an index. LanceDB makes each change of a table a version of it, and has no transactions over several. So the
 * journal decides: rows are added first, and count once a change in the journal names them. Rows that no change names, as
 * the program ended too early, have numbers that were not given out, and are removed before the next change.
 */
export class LanceStore {
  private readonly connection: EngineConnection<Opened>;
  private isClosed = false;
  /** Rows may have been added that nothing names. */
  private isDirty = false;
  private readonly oneByOne = pLimit(1);

  constructor(
    private readonly location: Location,
    private readonly mode: "read" | "write",
  ) {
    this.connection = new EngineConnection({
      open: () => (mode === "write" ? this.openToWrite() : this.openToRead()),
      explained: (error) => explained(error, location),
    });
  }

  /** @throws PommelError `not_indexed` (to read), `index_corrupt`, `index_unavailable` */
  async open(): Promise<void> {
    await this.connection.explaining(() => this.current());
  }

  /** A question; it sees the last change that was done. */
  read<T>(ask: (opened: Opened) => Promise<T> | T): Promise<T> {
    return this.connection.explaining(async () => {
      for (let tries = 1; ; tries++) {
        try {
          return await ask(await this.current());
        } catch (error) {
          if (tries === 3 || !isOutdated(error)) throw error;
        }
      }
    });
  }

  /**
   * One change, after those that began before it.
   * @param change adds rows, with numbers of `next`, and returns what becomes of the state; null for nothing
   */
  write(change: (opened: Opened, next: Next) => Promise<StateChange | null>): Promise<void> {
    return this.connection.explaining(() =>
      this.oneByOne(async () => {
        if (this.isDirty) await this.restore();
        const opened = await this.current();
        const next = { ...opened.state.next };
        this.isDirty = true;
        const result = await change(opened, next);
        if (result !== null) await this.append(opened, { ...result, next });
        this.isDirty = false;
      }),
    );
  }

  private async append(opened: Opened, change: StateChange): Promise<void> {
    const { tables, state } = opened;
    const seq = opened.revision + 1;
    const row = { seq, format, is_whole: 0, content: JSON.stringify(change) };
    await tables.journal.add([row]);
    state.apply(change);
    opened.revision = seq;
    if (seq % maxChanges === 0) await writeWhole(opened);
  }

  /** Puts together what many changes left apart, in these tables and those of all indexes. Nothing changes by it. */
  compact(others: (opened: Opened) => Promise<readonly Pick<Table<Layout>, "compact">[]>): Promise<void> {
    return this.connection.explaining(() =>
      this.oneByOne(async () => {
        const opened = await this.current();
        await writeWhole(opened);
        for (const table of [...Object.values(opened.tables), ...(await others(opened))])
          await table.compact();
      }),
    );
  }

  /** Removes all. */
  async remove(): Promise<void> {
    const { dir, place } = this.location;
    if (dir !== null) rmSync(dir, { recursive: true, force: true });
    else if (place.key() !== null) {
      await this.connection.explaining(async () => {
        const db = await Database.connect(this.uri(), false);
        await db.dropAll();
        db.close();
      });
    }
  }

  async close(): Promise<void> {
    this.isClosed = true;
    await this.oneByOne(() => {});
    (await this.connection.end())?.db.close();
  }

  private uri(): string {
    const { dir, address, place } = this.location;
    return dir ?? `${address.replace(/\/$/, "")}/${place.key()}`;
  }

  private async current(): Promise<Opened> {
    if (this.isClosed) throw new Error("The index is closed.");
    const { dir } = this.location;
    if (dir !== null && envelopeFor(dir) !== null) throw notEncrypted();
    const opened = await this.connection.current();
    if (this.mode === "read") await follow(opened);
    return opened;
  }

  private async openToRead(): Promise<Opened> {
    const { dir, place, address } = this.location;
    if (dir === null ? place.key() === null : !existsSync(dir)) throw notIndexed(address);
    const db = await Database.connect(this.uri(), true);
    if ((await db.open("journal", layouts.journal)) === null) throw notIndexed(address);
    return openTables(db);
  }

  private async openToWrite(): Promise<Opened> {
    const { dir, place } = this.location;
    if (dir !== null) makeDirectory(dir);
    else place.claim();
    const db = await Database.connect(this.uri(), false);
    // It is made last.
    if ((await db.open("journal", layouts.journal)) === null) {
      for (const [name, layout] of Object.entries(layouts).reverse()) await db.create(name, layout);
      const opened = { db, tables: await tablesOf(db), state: new State(), revision: 0, version: 0 };
      // Or revisions of an index that was made again would be those of the one before.
      opened.state.meta.set(identity, randomUUID());
      await writeWhole(opened);
      return opened;
    }
    const opened = await openTables(db);
    await removeUnnamed(opened);
    return opened;
  }

  /** What a change that failed left is not known: it is read anew, and rows that nothing names are removed. */
  private async restore(): Promise<void> {
    const opened = await this.current();
    await follow(opened);
    await removeUnnamed(opened);
    this.isDirty = false;
  }
}

async function tablesOf(db: Database): Promise<Tables> {
  const opened = await Promise.all(
    Object.entries(layouts).map(async ([name, layout]) => [name, await tableIn(db, name, layout)]),
  );
  return Object.fromEntries(opened) as Tables;
}

/** A table that has to be there. */
export async function tableIn<L extends Layout>(db: Database, name: string, layout: L): Promise<Table<L>> {
  const table = await db.open(name, layout);
  if (table === null) throw new Damage(`its table ${name} is missing`);
  return table;
}

async function openTables(db: Database): Promise<Opened> {
  const opened = { db, tables: await tablesOf(db), state: new State(), revision: -1, version: -1 };
  await follow(opened);
  if (opened.revision < 0) throw new Damage("its journal is empty");
  return opened;
}

/** Brings the state up to date with the journal. */
async function follow(opened: Opened): Promise<void> {
  const { journal } = opened.tables;
  const version = await journal.version();
  if (version === opened.version) return;
  const rows = await journal.rows(["seq", "format", "is_whole", "content"], `seq > ${opened.revision}`);
  // All that was before is in the last one that is whole.
  rows.sort((a, b) => a.seq - b.seq || b.is_whole - a.is_whole);
  for (const row of rows.slice(
    Math.max(
      0,
      rows.findLastIndex(({ is_whole }) => is_whole === 1),
    ),
  )) {
    if (row.format !== format) throw new Damage(`its format ${row.format} is unknown`);
    const content: unknown = JSON.parse(row.content);
    if (row.is_whole) opened.state = new State(wholeState.parse(content));
    else opened.state.apply(stateChange.parse(content) as StateChange);
    opened.revision = row.seq;
  }
  opened.version = version;
}

async function writeWhole({ tables, state, revision }: Opened): Promise<void> {
  const row = { seq: revision, format, is_whole: 1, content: JSON.stringify(state) };
  await tables.journal.add([row], "overwrite");
}

async function removeUnnamed({ db, tables, state }: Opened): Promise<void> {
  const { next, spaces } = state;
  await tables.chunks.removeFrom("id", next.chunk);
  await tables.commits.removeFrom("id", next.chunk);
  await tables.words.removeFrom("block", next.block);
  for (const space of spaces) {
    const table = await tableIn(db, vectorTableName(space.id), vectorLayout(space.dimensions));
    await table.removeFrom("of", next.embedded);
  }
}

export const vectorTableName = (space: number) => `vectors_${space}`;

// What goes wrong

/** Rows that cannot be what was written. */
class Damage extends Error {}

/** Tables that were compacted, or removed, while they were read. */
const isOutdated = (error: unknown) =>
  error instanceof Outdated ||
  (error instanceof Error &&
    /not found|no such file/i.test(error.message) &&
    !(error instanceof PommelError));

function explained(error: unknown, { dir, address }: Location): unknown {
  if (error instanceof PommelError) return error;
  const why = messageOf(error)
    .split(/[\n,]? *Caused by|, \/\S+\.rs:/)[0]!
    .replace(/^.*LanceError\(\w+\): /s, "");
  if (
    error instanceof Damage ||
    error instanceof SyntaxError ||
    error instanceof Outdated ||
    error instanceof z.core.$ZodError
  )
    return damaged(address, why);
  if (!(error instanceof Error) || !/GenericFailure|lance|table|object store/i.test(messageOf(error)))
    return error;
  if (dir === null) {
    return new PommelError(
      "index_unavailable",
      `The index at ${address} cannot be reached or used: ${why}.`,
      "Check index.url, the network, and the variables with the storage's keys; `pm config set index.driver sqlite` keeps the index on this machine.",
      { cause: error },
    );
  }
  if (/No space left|ENOSPC/i.test(error.message)) {
    return new PommelError("disk_full", `The disk of ${dir} is full.`, "Make room on it.", { cause: error });
  }
  if (/Permission denied|EACCES|Read-only/i.test(error.message)) {
    return new PommelError("unreadable", `${dir} cannot be used: ${why}`, "Check who owns it.", {
      cause: error,
    });
  }
  return damaged(address, why, error);
}

const damaged = (address: string, why: string, cause?: unknown) =>
  new PommelError(
    "index_corrupt",
    `The index at ${address} is damaged: ${why}.`,
    "Run `pm daemon reindex`: it is made again.",
    { cause },
  );

const notEncrypted = () =>
  new PommelError(
    "index_unavailable",
    "index.driver = lancedb stores the index plain, and this project is encrypted.",
    "`pm config set index.driver sqlite` keeps the index encrypted.",
  );

const notIndexed = (address: string) =>
  new PommelError(
    "not_indexed",
    `This project is not indexed at ${address}.`,
    "Run `pm daemon start` or `pm daemon reindex`.",
  );
