import { PommelError } from "../../../project/errors.ts";
import {
  connectTo,
  explained,
  inTransaction,
  placeOf,
  type Queryable,
  type ServerSettings,
  type Sql,
} from "../../postgres/server.ts";
import { EngineConnection, type Place } from "../remote-engine.ts";
import { contentFormat, createTables, schemaName } from "./schema.ts";

/** A project's rows at one time. */
export interface Snapshot {
  sql: Queryable;
  project: number;
  /** Changes with each change of the rows; that of another project is another one. */
  revision: string;
  /** Whether all of it surely is of this revision already, not only once the work was done and nothing changed meanwhile. */
  isIsolated: boolean;
}

/** The same for who changes them, and the ids that come next. */
export interface Change extends Snapshot {
  nextFile: number;
  nextChunk: number;
}

interface Opened {
  sql: Sql;
  project: number;
}

class IsolationNeeded extends Error {}

/** To be called before several statements are remembered as those of a revision: outside of a transaction they may be of two. */
export function isolate({ isIsolated }: Snapshot): void {
  if (!isIsolated) throw new IsolationNeeded("a transaction is needed");
}

/**
 * The rows of one project: connects when it is first asked and again after the server was away, and lets nobody see or change
 * the rows of other projects. Only what is done within one call fits together.
 */
export class ProjectRows {
  private sql: Sql | null = null;
  private readonly connection: EngineConnection<Opened>;
  private isClosed = false;
  private asked: Promise<string> | null = null;

  constructor(
    private readonly settings: ServerSettings,
    private readonly place: Place,
    private readonly mode: "read" | "write",
  ) {
    this.connection = new EngineConnection({
      open: () => this.prepare(),
      explained: (error) => explained(error, settings),
      onAway: () => {
        // A connection of postgres.js that was cut while something waited to be sent never sends again.
        void this.sql?.end({ timeout: 0 });
        this.sql = null;
      },
    });
  }

  /**
   * Makes sure of the tables and the project.
   * @throws PommelError `not_indexed` (to read), `index_corrupt` for rows of another format, `index_unavailable`
   */
  async open(): Promise<void> {
    await this.connection.explaining(() => this.project());
  }

  /** The project's revision now; who asks at the same moment shares the answer. */
  revision(): Promise<string> {
    this.asked ??= Promise.resolve().then(() => {
      // It is about to be sent: who comes later may know of a later change.
      this.asked = null;
      return this.ask(async (sql, project) => revisionOf(sql, project, this.settings));
    });
    return this.asked;
  }

  /**
   * Statements that see the same. A transaction costs more than most questions, so the revision is looked at before and after:
   * what needs no statement has cost one then. The work is done again in a transaction if it has changed, or with `isolate`.
   */
  async read<T>(work: (snapshot: Snapshot) => Promise<T>): Promise<T> {
    const quick = await this.readOutside(work);
    return quick === null ? this.readWithin(work) : quick.result;
  }

  private async readOutside<T>(work: (snapshot: Snapshot) => Promise<T>): Promise<{ result: T } | null> {
    const revision = await this.revision();
    let isAsked = false;
    try {
      const result = await this.ask((sql, project) =>
        work({
          get sql() {
            isAsked = true;
            return sql;
          },
          ...{ project, revision, isIsolated: false },
        }),
      );
      return !isAsked || (await this.revision()) === revision ? { result } : null;
    } catch (error) {
      if (error instanceof IsolationNeeded) return null;
      throw error;
    }
  }

  private readWithin<T>(work: (snapshot: Snapshot) => Promise<T>): Promise<T> {
    return this.connection.explaining(async () => {
      const { sql, project } = await this.project();
      return inTransaction(sql, "isolation level repeatable read read only", async (sql) => {
        const revision = await revisionOf(sql, project, this.settings);
        return work({ sql, project, revision, isIsolated: true });
      });
    });
  }

  /** One statement. */
  ask<T>(work: (sql: Queryable, project: number) => Promise<T>): Promise<T> {
    return this.connection.explaining(async () => {
      const { sql, project } = await this.project();
      return work(sql, project);
    });
  }

  /**
   * Statements on one connection, outside of a transaction, which may take so much of the server's memory to make an index; more
   * where the server's own setting says so. Bytes.
   */
  withMemory<T>(bytes: number, work: (sql: Queryable) => Promise<T>): Promise<T> {
    return this.connection.explaining(async () => {
      const { sql } = await this.project();
      const connection = await sql.reserve();
      try {
        await connection`SELECT set_config('maintenance_work_mem',
          greatest(pg_size_bytes(current_setting('maintenance_work_mem')), ${Math.ceil(bytes)}::bigint) / 1024 || 'kB', false)`;
        const result = await work(connection);
        // Not after an error: a connection that was cut may never answer.
        await connection`RESET maintenance_work_mem`;
        return result;
      } finally {
        connection.release();
      }
    });
  }

  /** One transaction; others that change these rows wait for it. */
  write<T>(work: (change: Change) => Promise<T>): Promise<T> {
    return this.connection.explaining(async () => {
      const { sql, project } = await this.project();
      return inTransaction(sql, "", async (sql) => {
        const [row] = await sql<(Pick<Change, "nextFile" | "nextChunk"> & { revision: number })[]>`
          UPDATE pommel_index_3.projects SET revision = revision + 1, used_at = now() WHERE id = ${project}
          RETURNING revision, next_file AS "nextFile", next_chunk AS "nextChunk"`;
        if (row === undefined) throw gone(this.settings);
        const change = { ...row, sql, project, revision: named(project, row.revision), isIsolated: true };
        const { nextFile, nextChunk } = change;
        const result = await work(change);
        if (change.nextFile !== nextFile || change.nextChunk !== nextChunk) {
          await sql`UPDATE pommel_index_3.projects SET next_file = ${change.nextFile}, next_chunk = ${change.nextChunk}
            WHERE id = ${project}`;
        }
        return result;
      });
    });
  }

  /** Removes the project's rows, and those alone. */
  async remove(): Promise<void> {
    const key = this.place.key();
    if (key === null) return;
    await this.connection.explaining(async () => {
      this.sql ??= connectTo(this.settings);
      await inTransaction(this.sql, "", async (sql) => {
        const [row] = await sql<
          { id: number }[]
        >`SELECT id FROM pommel_index_3.projects WHERE key = ${key} FOR UPDATE`;
        if (row === undefined) return;
        await sql`DELETE FROM pommel_index_3.postings WHERE segment IN (SELECT id FROM pommel_index_3.word_segments WHERE project = ${row.id})`;
        for (const table of ["vectors", "embedded_files"]) {
          await sql`DELETE FROM ${sql(`${schemaName}.${table}`)} WHERE space IN (SELECT id FROM pommel_index_3.spaces WHERE project = ${row.id})`;
        }
        const tables = [
          "word_segments",
          "gone_chunks",
          "spaces",
          "symbols",
          "graphs",
          "chunks",
          "files",
          "commits",
          "meta",
        ];
        for (const table of tables)
          await sql`DELETE FROM ${sql(`${schemaName}.${table}`)} WHERE project = ${row.id}`;
        await sql`DELETE FROM pommel_index_3.projects WHERE id = ${row.id}`;
      });
    });
  }

  async close(): Promise<void> {
    this.isClosed = true;
    await this.sql?.end({ timeout: 2 });
  }

  private project(): Promise<Opened> {
    if (this.isClosed) throw new Error("The index is closed.");
    return this.connection.current();
  }

  private async prepare(): Promise<Opened> {
    this.sql ??= connectTo(this.settings);
    const { sql, mode } = this;
    const [found] = await sql<
      { exists: boolean }[]
    >`SELECT to_regclass(${`${schemaName}.commits`}) IS NOT NULL AS exists`;
    if (mode === "read") {
      const key = this.place.key();
      const rows =
        found?.exists && key !== null
          ? await sql<
              { id: number; format: number }[]
            >`SELECT id, format FROM pommel_index_3.projects WHERE key = ${key}`
          : [];
      if (rows[0] === undefined) throw notIndexed(this.settings);
      return { sql, project: checked(rows[0], this.settings) };
    }
    if (!found?.exists) {
      // Two that make the tables at once would fail each other.
      await inTransaction(sql, "", async (tx) => {
        await tx`SELECT pg_advisory_xact_lock(hashtext(${schemaName}))`;
        await tx.unsafe(createTables);
      });
    }
    const key = this.place.claim();
    await sql`INSERT INTO pommel_index_3.projects (key, root, format) VALUES (${key}, ${this.place.root}, ${contentFormat})
      ON CONFLICT (key) DO NOTHING`;
    const [row] = await sql<
      { id: number; format: number }[]
    >`SELECT id, format FROM pommel_index_3.projects WHERE key = ${key}`;
    return { sql, project: checked(row!, this.settings) };
  }
}

const named = (project: number, revision: number) => `${project}.${revision}`;

async function revisionOf(sql: Queryable, project: number, settings: ServerSettings): Promise<string> {
  const [row] = await sql<
    { revision: number }[]
  >`SELECT revision FROM pommel_index_3.projects WHERE id = ${project}`;
  if (row === undefined) throw gone(settings);
  return named(project, row.revision);
}

function checked({ id, format }: { id: number; format: number }, settings: ServerSettings): number {
  if (format === contentFormat) return id;
  throw new PommelError(
    "index_corrupt",
    `The index of this project at ${placeOf(settings)} has the unknown format ${format}.`,
    "Run `pm daemon reindex`: it is made again; other projects are not touched.",
  );
}

const gone = (settings: ServerSettings) =>
  new PommelError(
    "index_corrupt",
    `The index of this project is gone from ${placeOf(settings)}.`,
    "Run `pm daemon reindex`: it is made again.",
  );

const notIndexed = (settings: ServerSettings) =>
  new PommelError(
    "not_indexed",
    `This project is not indexed at ${placeOf(settings)}.`,
    "Run `pm daemon start` or `pm daemon reindex`.",
  );

/** Rows for `json_to_recordset`. The server's texts hold neither NUL nor half a character. */
export function jsonRows(rows: readonly object[]): string {
  return JSON.stringify(rows, (_, value: unknown) =>
    typeof value === "string" ? value.replaceAll("\0", "").replace(/\p{Surrogate}/gu, "\uFFFD") : value,
  );
}
