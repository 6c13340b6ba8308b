import { homedir } from "node:os";
import { join } from "node:path";
import * as z from "zod/mini";
import { PommelError } from "../../base/errors.ts";
import { isValidAs } from "../../protocol/outside.ts";
import type { ForeignDatabase } from "../../store/sqlite/open-to-read.ts";

/**
 * The database of Aline (also ReAlign, OneContext), a tool that remembers sessions of agents, as its schemas 2 to 21
 * have it: `sessions` with where each transcript was and what it is called, `turns` of them with what was asked and a
 * summary of the answer, `turn_content` with the lines of the transcript that a turn is made of (JSONL, byte for byte
 * for Claude Code and Codex), `events` with `event_sessions` and `event_commits`. The version is in `schema_version`.
 */

/** The newest supported schema. */
export const knownSchema = 21;

/** Fields of a row: "" and missing ones are null. */
const text = z.string();
const textOrNull = z.pipe(
  z.catch(z.nullable(z.optional(z.string())), null),
  z.transform((written) => written?.trim() || null),
);
const time = z.pipe(
  textOrNull,
  z.transform((written: string | null) => parseAlineTime(written)),
);
const commit = z.pipe(textOrNull, z.transform(parseCommitHash));

const sessionShape = z.object({
  // Used as session id and file name.
  id: text.check(z.refine((id) => isValidAs("uid", id))),
  /** The transcript's path, which may no longer exist. */
  file: text,
  /** claude, codex, gemini, antigravity. */
  agent: z.catch(text.check(z.refine((name) => isValidAs("agent", name))), "unknown"),
  /** The launch directory, if known. */
  workspace: textOrNull,
  startedAt: time,
  lastAt: time,
  title: textOrNull,
  summary: textOrNull,
});
export type AlineSession = z.infer<typeof sessionShape>;

const turnShape = z.object({
  id: text,
  number: z.int(),
  asked: textOrNull,
  /** A summary of the answer, or its beginning. */
  answered: textOrNull,
  title: textOrNull,
  at: time,
  commit,
  /** Lines of the transcript; null without any. */
  content: z.catch(z.nullable(text), null),
});
export type AlineTurn = z.infer<typeof turnShape>;

const eventShape = z.object({
  id: text,
  title: text,
  description: textOrNull,
  type: textOrNull,
  status: textOrNull,
  startsAt: time,
  endsAt: time,
  createdAt: time,
  updatedAt: time,
});
const eventSessionShape = z.object({ id: text, addedAt: time });
const eventCommitShape = z.object({ commit });

export interface AlineEvent extends z.infer<typeof eventShape> {
  sessions: z.infer<typeof eventSessionShape>[];
  commits: string[];
}

export interface AlineDatabase {
  /** null when missing. */
  schema: number | null;
  sessions(): AlineSession[];
  /** Lazily: turns hold whole transcripts. */
  turns(session: string): Generator<AlineTurn>;
  events(): AlineEvent[];
}

/** `~/.aline/db/aline.db` */
export function locateAlineDatabase(env: NodeJS.ProcessEnv = process.env): string {
  return join(env.HOME || homedir(), ".aline", "db", "aline.db");
}

const needed = {
  sessions: ["id", "session_file_path", "session_type", "started_at"],
  turns: ["id", "session_id", "turn_number", "user_message", "timestamp"],
} as const;

/**
 * Omits invalid rows.
 * @throws PommelError `unreadable` when the schema is not recognised
 */
export function readAline(db: ForeignDatabase, file: string): AlineDatabase {
  const columns = new Map(
    [
      "schema_version",
      "sessions",
      "turns",
      "turn_content",
      "projects",
      "events",
      "event_sessions",
      "event_commits",
    ].map((table) => [table, new Set(db.columns(table))]),
  );
  const has = (table: string, column: string) => columns.get(table)?.has(column) ?? false;
  const schema = has("schema_version", "version") ? readSchemaVersion(db) : null;
  const missing = Object.entries(needed).flatMap(([table, names]) =>
    names.filter((name) => !has(table, name)).map((name) => `${table}.${name}`),
  );
  if (missing.length > 0) {
    throw new PommelError(
      "unreadable",
      `Cannot read ${file} as an Aline database: ${missing.join(", ")} is missing${
        schema === null ? "" : ` (schema ${schema}; supported: 2 to ${knownSchema})`
      }.`,
      "Check the path. If Aline was updated, update Pommel too.",
    );
  }
  const pick = (table: string, column: string, as: string, alias = table) =>
    has(table, column) ? `${alias}.${column} AS ${as}` : `NULL AS ${as}`;
  return { schema, sessions: readSessions, turns: readTurns, events: readEvents };

  function readSessions(): AlineSession[] {
    // The first schema had projects instead of workspaces.
    const isOld =
      !has("sessions", "workspace_path") && has("sessions", "project_id") && has("projects", "path");
    const rows = db.rows(
      `SELECT sessions.id, session_file_path AS file, session_type AS agent,
         ${isOld ? "projects.path AS workspace" : pick("sessions", "workspace_path", "workspace")},
         sessions.started_at AS startedAt, ${pick("sessions", "last_activity_at", "lastAt")},
         ${pick("sessions", "session_title", "title")}, ${pick("sessions", "session_summary", "summary")}
       FROM sessions ${isOld ? "LEFT JOIN projects ON projects.id = sessions.project_id" : ""}
       ORDER BY sessions.started_at, sessions.id`,
    );
    return parseRows(sessionShape, rows);
  }

  function* readTurns(session: string): Generator<AlineTurn> {
    const withContent = has("turn_content", "content") && has("turn_content", "turn_id");
    const rows = db.rows(
      `SELECT turns.id, turn_number AS number, user_message AS asked, ${pick("turns", "assistant_summary", "answered")},
         ${pick("turns", "llm_title", "title")}, timestamp AS at, ${pick("turns", "git_commit_hash", '"commit"')},
         ${withContent ? "content" : "NULL AS content"}
       FROM turns ${withContent ? "LEFT JOIN turn_content ON turn_id = turns.id" : ""}
       WHERE session_id = ? ORDER BY turn_number`,
      session,
    );
    for (const row of rows) {
      const { data } = turnShape.safeParse(row);
      if (data) yield { ...data, answered: data.answered ?? data.title, content: data.content || null };
    }
  }

  function readEvents(): AlineEvent[] {
    if (!has("events", "id") || !has("events", "title")) return [];
    const columns = {
      description: "description",
      event_type: "type",
      status: "status",
      start_timestamp: "startsAt",
      end_timestamp: "endsAt",
      created_at: "createdAt",
      updated_at: "updatedAt",
    };
    const picked = Object.entries(columns).map(([column, as]) => pick("events", column, as));
    const rows = db.rows(`SELECT id, title, ${picked.join(", ")} FROM events ORDER BY id`);
    return parseRows(eventShape, rows).map((event) => ({
      ...event,
      sessions: has("event_sessions", "session_id") ? listEventSessions(event.id) : [],
      commits: has("event_commits", "commit_hash") ? listEventCommits(event.id) : [],
    }));
  }

  function listEventSessions(event: string) {
    const rows = db.rows(
      `SELECT session_id AS id, ${pick("event_sessions", "added_at", "addedAt")} FROM event_sessions
       WHERE event_id = ? ORDER BY session_id`,
      event,
    );
    return parseRows(eventSessionShape, rows);
  }

  function listEventCommits(event: string): string[] {
    const rows = db.rows(
      'SELECT commit_hash AS "commit" FROM event_commits WHERE event_id = ? ORDER BY 1',
      event,
    );
    return parseRows(eventCommitShape, rows).flatMap(({ commit }) => commit ?? []);
  }
}

function readSchemaVersion(db: ForeignDatabase): number | null {
  const [row] = db.rows("SELECT max(version) AS version FROM schema_version");
  return z.object({ version: z.int() }).safeParse(row).data?.version ?? null;
}

function parseRows<T>(shape: z.ZodMiniType<T>, rows: Iterable<unknown>): T[] {
  return [...rows].flatMap((row) => shape.safeParse(row).data ?? []);
}

function parseCommitHash(text: string | null): string | null {
  const hash = text?.toLowerCase() ?? "";
  return /^[0-9a-f]{7,64}$/.test(hash) ? hash : null;
}

/**
 * A time as Aline writes it: with its zone; else with fractions of a second in local time (Python's datetime), without
 * in UTC (SQLite's datetime('now')).
 */
export function parseAlineTime(text: string | null | undefined): number | null {
  const [, day, time, fraction, zone] =
    /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2}:\d{2})(\.\d+)?(Z|[+-]\d{2}:?\d{2})?$/.exec(text?.trim() ?? "") ??
    [];
  if (day === undefined || time === undefined) return null;
  const at = Date.parse(`${day}T${time}${fraction?.slice(0, 4) ?? ""}${zone ?? (fraction ? "" : "Z")}`);
  return Number.isNaN(at) ? null : at;
}
