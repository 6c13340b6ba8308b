import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { brotliCompress, brotliDecompress, constants } from "node:zlib";
import type { Config } from "../../base/config/settings.ts";
import { PommelError } from "../../base/errors.ts";
import type { ServerSettings } from "../postgres/connection-options.ts";
import { connectTo, formatServerAddress, type Sql, toServerError } from "../postgres/server.ts";
import { createTeamTables, teamSchema } from "./schema.ts";

/** What a member shares. */
export interface TeamRecord {
  kind: string;
  id: string;
  /** null: it is withdrawn. */
  text: string | null;
}

/** What the server has, in the order of changes. */
export interface StoredTeamRecord extends TeamRecord {
  author: string;
  seq: number;
  digest: string;
}

export interface TeamMember {
  role: string;
  isOwner: boolean;
}

/** A project at the server, as a member sees it. */
export interface TeamProject {
  /** Another one when the project was made again. */
  epoch: string;
  isOwner: boolean;
}

/** The server that a configuration names for the team. */
export const buildTeamServerSettings = (config: Pick<Config, "memory.share">): ServerSettings => ({
  url: config["memory.share"],
  setting: "memory.share",
  holds: "team's memory",
  hints: {
    down: "what is new is shared when it is back.",
    rights: "The first to share needs CREATE on the database once, to make the tables.",
  },
  code: "share_unavailable",
  schema: teamSchema,
});

export const computeTextDigest = (text: string) => createHash("sha256").update(text).digest("hex");

const [compress, decompress] = [promisify(brotliCompress), promisify(brotliDecompress)];
/** Fast, and half of what gzip leaves of transcripts' repetitions. */
const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } };
/** No text of a colleague may fill the memory. Bytes. */
const maxTextBytes = 512 * 1024 * 1024;

/**
 * The memories that teams share, in a PostgreSQL. Connects when it is first asked. Each change is one statement, and needs no
 * transaction: the client cannot roll one back whose connection was cut (postgres.js 3.4 then throws where nobody can catch it).
 */
export class TeamServer {
  private readonly sql: Sql;
  /** Without a password: for people. */
  readonly place: string;

  /** @throws PommelError `share_unavailable` for settings that cannot be used */
  constructor(private readonly settings: ServerSettings) {
    this.place = formatServerAddress(settings);
    this.sql = connectTo(settings);
  }

  /**
   * Makes sure of the tables, the project and the author's name. The first to name a project begins it.
   * @throws PommelError `share_refused` for one who is no member, or a name that is another's; `share_unavailable`
   */
  join(project: string, author: string): Promise<TeamProject> {
    return this.explainErrors(async () => {
      await this.prepare();
      const { sql } = this;
      await sql`INSERT INTO pommel_team_1.projects (key) VALUES (${project}) ON CONFLICT DO NOTHING`;
      const [known] = await sql<
        (TeamProject & { isMember: boolean })[]
      >`SELECT epoch, owner = current_user AS "isOwner",
          EXISTS (SELECT 1 FROM pommel_team_1.members WHERE project = key AND pommel_team_1.is_me(role)) AS "isMember"
        FROM pommel_team_1.projects WHERE key = ${project}`;
      if (known === undefined) {
        const [me] = await sql<{ role: string }[]>`SELECT current_user AS role`;
        throw makeRefusedError(
          `${me?.role} is no member of the project ${project} at ${this.place}.`,
          `Ask whoever shared it first to run \`pm share team members --add ${me?.role}\`.`,
        );
      }
      if (!known.isMember) {
        await sql`INSERT INTO pommel_team_1.members (project, role) VALUES (${project}, current_user) ON CONFLICT DO NOTHING`;
      }
      await sql`INSERT INTO pommel_team_1.authors (project, author) VALUES (${project}, ${author}) ON CONFLICT DO NOTHING`;
      const [name] = await sql<
        { isMine: boolean }[]
      >`SELECT role = current_user AS "isMine" FROM pommel_team_1.authors WHERE project = ${project} AND author = ${author}`;
      if (name?.isMine !== true) {
        throw makeRefusedError(
          `Somebody else shares this project as ${author}.`,
          "Choose another address: `git config user.email ADDRESS`.",
        );
      }
      return { epoch: known.epoch, isOwner: known.isOwner };
    });
  }

  /** Adds or replaces records, all or none. Those that are there already stay untouched. */
  async push(project: string, author: string, records: readonly TeamRecord[]): Promise<void> {
    if (records.length === 0) return;
    const rows = await Promise.all(
      records.map(async ({ kind, id, text }) => ({
        project,
        author,
        kind,
        id,
        digest: text === null ? "" : computeTextDigest(text),
        payload: text === null ? null : await compress(text, quality),
      })),
    );
    await this.explainErrors(
      () => this.sql`INSERT INTO pommel_team_1.records ${this.sql(rows)}
        ON CONFLICT (project, author, kind, id) DO UPDATE SET digest = excluded.digest, payload = excluded.payload
        WHERE records.digest <> excluded.digest`,
    );
  }

  /** Withdraws all that an author shared. @returns how many records */
  withdraw(project: string, author: string): Promise<number> {
    return this.explainErrors(async () => {
      const { count } = await this.sql`UPDATE pommel_team_1.records SET digest = '', payload = NULL
        WHERE project = ${project} AND author = ${author} AND payload IS NOT NULL`;
      return count;
    });
  }

  /** The next records after a change, withdrawn ones included. */
  pull(project: string, after: number, limit: number): Promise<StoredTeamRecord[]> {
    return this.explainErrors(async () => {
      const rows = await this.sql<
        (Omit<StoredTeamRecord, "text"> & { payload: Uint8Array | null })[]
      >`SELECT author, kind, id, seq, digest, payload FROM pommel_team_1.records
        WHERE project = ${project} AND seq > ${after} ORDER BY seq LIMIT ${limit}`;
      return Promise.all(
        rows.map(async ({ payload, ...row }) => ({
          ...row,
          text: payload && (await decompressText(payload)),
        })),
      );
    });
  }

  /** How many records each author shares. */
  countRecordsByAuthor(project: string): Promise<{ author: string; records: number }[]> {
    return this.explainErrors(
      async () =>
        await this.sql<{ author: string; records: number }[]>`
        SELECT author, count(payload) AS records FROM pommel_team_1.authors
        LEFT JOIN pommel_team_1.records USING (project, author) WHERE project = ${project} GROUP BY author ORDER BY author`,
    );
  }

  listMembers(project: string): Promise<TeamMember[]> {
    return this.explainErrors(
      async () =>
        await this.sql<TeamMember[]>`
        SELECT role, role = owner AS "isOwner" FROM pommel_team_1.members
        JOIN pommel_team_1.projects ON key = project WHERE project = ${project} ORDER BY role`,
    );
  }

  /** Lets roles read and write. @throws PommelError `share_refused` for who does not own the project */
  addMembers(project: string, roles: readonly string[]): Promise<void> {
    return this.runAsOwner(project, async () => {
      for (const role of roles) {
        await this
          .sql`INSERT INTO pommel_team_1.members (project, role) VALUES (${project}, ${role}) ON CONFLICT DO NOTHING`;
      }
    });
  }

  /** What they shared stays. @throws PommelError as `addMembers` */
  removeMembers(project: string, roles: readonly string[]): Promise<void> {
    return this.runAsOwner(project, async () => {
      await this
        .sql`DELETE FROM pommel_team_1.members WHERE project = ${project} AND role = ANY (${[...roles]})`;
    });
  }

  async close(): Promise<void> {
    // All was answered; a connection that was cut would be waited for.
    await this.sql.end({ timeout: 0 });
  }

  private runAsOwner(project: string, work: () => Promise<void>): Promise<void> {
    return this.explainErrors(async () => {
      const [known] = await this.sql<
        { isOwner: boolean; owner: string }[]
      >`SELECT owner = current_user AS "isOwner", owner FROM pommel_team_1.projects WHERE key = ${project}`;
      if (known?.isOwner) return work();
      throw makeRefusedError(
        "Only whoever shared the project first adds and removes members.",
        known === undefined ? "Run `pm share team on` first." : `Ask ${known.owner}.`,
      );
    });
  }

  private async prepare(): Promise<void> {
    const isThere = async () => {
      const [found] = await this.sql`SELECT to_regclass(${`${teamSchema}.records`}) IS NOT NULL AS exists`;
      return found?.exists === true;
    };
    if (await isThere()) return;
    try {
      // Statements sent as one are one transaction.
      await this.sql.unsafe(createTeamTables).simple();
    } catch (error) {
      // Somebody else made them meanwhile.
      if (!(await isThere())) throw error;
    }
  }

  private async explainErrors<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw toServerError(error, this.settings);
    }
  }
}

const makeRefusedError = (message: string, hint: string) => new PommelError("share_refused", message, hint);

async function decompressText(payload: Uint8Array): Promise<string | null> {
  try {
    return (await decompress(payload, { maxOutputLength: maxTextBytes })).toString();
  } catch {
    // Damaged, or no text of ours: like one that holds nothing.
    return "";
  }
}
