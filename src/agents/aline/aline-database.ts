import { homedir } from "node:os";
import { join } from "node:path";
import * as z from "zod/mini";
import { PommelError } from "../../project/errors.ts";
import type { ForeignDatabase } from "../../store/sqlite/open-to-read.ts";

/**
 * The database of Aline (also ReAlign, OneContext), a tool that remembers sessions of agents, as its schemas 2 to 21
 * have it: `sessions` with where each transcript was and what it is called, `turns` of them with what was asked and a
 * summary of the answer, `turn_content` with the lines of the transcript that a turn is made of (JSONL, byte for byte
 * for Claude Code and Codex), `events` with `event_sessions` and `event_commits`. The version is in `schema_version`.
 */

/** The newest supported schema. */
export const knownSchema = 21;

const text = z.string();
const textOrNull = z.catch(z.nullable(z.optional(z.string())), null);

const sessionShape = z.object({
  // Used as session id and file name.
  id: text.check(z.regex(/^[\w.-]{1,200}$/)),
  file: text,
  type: z.catch(text.check(z.regex(/^[a-z][a-z0-9_-]{0,30}$/)), "unknown"),
  workspace: textOrNull,
  started_at: textOrNull,
  last_at: textOrNull,
  title: textOrNull,
  summary: textOrNull,
});

const turnShape = z.object({
  id: text,
  number: z.int(),
  asked: textOrNull,
  answered: textOrNull,
  title: textOrNull,
  at: textOrNull,
  commit_hash: textOrNull,
  content: textOrNull,
});

const eventShape = z.object({
  id: text,
  title: text,
  description: textOrNull,
  type: textOrNull,
  status: textOrNull,
  starts_at: textOrNull,
  ends_at: textOrNull,
  created_at: textOrNull,
  updated_at: textOrNull,
});

export interface AlineSession {
  id: string;
  /** The transcript's path, which may no longer exist. */
  file: string;
  /** claude, codex, gemini, antigravity. */
  agent: string;
  /** The launch directory, if known. */
  workspace: string | null;
  startedAt: number | null;
  lastAt: number | null;
  title: string | null;
  summary: string | null;
}

export interface AlineTurn {
  id: string;
  number: number;
  asked: string | null;
  /** A summary of the answer, or its beginning. */
  answered: string | null;
  at: number | null;
  commit: string | null;
  /** Lines of the transcript; null without any. */
  content: string | null;
}

export interface AlineEvent {
  id: string;
  title: string;
  description: string;
  type: string | null;
  status: string | null;
  startsAt: number | null;
  endsAt: number | null;
  createdAt: number | null;
  updatedAt: number | null;
  sessions: { id: string; addedAt: number | null }[];
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
export function alineFile(env: NodeJS.ProcessEnv = process.env): string {
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
  const schema = has("schema_version", "version") ? schemaIn(db) : null;
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
      `SELECT sessions.id, session_file_path AS file, session_type AS type,
         ${isOld ? "projects.path AS workspace" : pick("sessions", "workspace_path", "workspace")},
         sessions.started_at AS started_at, ${pick("sessions", "last_activity_at", "last_at")},
         ${pick("sessions", "session_title", "title")}, ${pick("sessions", "session_summary", "summary")}
       FROM sessions ${isOld ? "LEFT JOIN projects ON projects.id = sessions.project_id" : ""}
       ORDER BY sessions.started_at, sessions.id`,
    );
    return parsed(sessionShape, rows).map(({ type, started_at, last_at, ...row }) => ({
      id: row.id,
      file: row.file,
      agent: type,
      workspace: row.workspace || null,
      startedAt: timeOf(started_at),
      lastAt: timeOf(last_at),
      title: row.title?.trim() || null,
      summary: row.summary?.trim() || null,
    }));
  }

  function* readTurns(session: string): Generator<AlineTurn> {
    const withContent = has("turn_content", "content") && has("turn_content", "turn_id");
    const rows = db.rows(
      `SELECT turns.id, turn_number AS number, user_message AS asked, ${pick("turns", "assistant_summary", "answered")},
         ${pick("turns", "llm_title", "title")}, timestamp AS at, ${pick("turns", "git_commit_hash", "commit_hash")},
         ${withContent ? "content" : "NULL AS content"}
       FROM turns ${withContent ? "LEFT JOIN turn_content ON turn_id = turns.id" : ""}
       WHERE session_id = ? ORDER BY turn_number`,
      session,
    );
    for (const row of rows) {
      const { data } = turnShape.safeParse(row);
      if (!data) continue;
      yield {
        id: data.id,
        number: data.number,
        asked: data.asked?.trim() || null,
        answered: data.answered?.trim() || data.title?.trim() || null,
        at: timeOf(data.at),
        commit: hashOf(data.commit_hash),
        content: data.content || null,
      };
    }
  }

  function readEvents(): AlineEvent[] {
    if (!has("events", "id") || !has("events", "title")) return [];
    const names = ["description", "created_at", "updated_at"].map((name) => pick("events", name, name));
    const rows = db.rows(
      `SELECT id, title, ${names.join(", ")}, ${pick("events", "event_type", "type")},
         ${pick("events", "status", "status")}, ${pick("events", "start_timestamp", "starts_at")},
         ${pick("events", "end_timestamp", "ends_at")}
       FROM events ORDER BY id`,
    );
    return parsed(eventShape, rows).map((row) => ({
      id: row.id,
      title: row.title,
      description: row.description ?? "",
      type: row.type ?? null,
      status: row.status ?? null,
      startsAt: timeOf(row.starts_at),
      endsAt: timeOf(row.ends_at),
      createdAt: timeOf(row.created_at),
      updatedAt: timeOf(row.updated_at),
      sessions: has("event_sessions", "session_id") ? sessionsOf(row.id) : [],
      commits: has("event_commits", "commit_hash") ? commitsOf(row.id) : [],
    }));
  }

  function sessionsOf(event: string) {
    const shape = z.object({ id: text, at: textOrNull });
    const rows = db.rows(
      `SELECT session_id AS id, ${pick("event_sessions", "added_at", "at")} FROM event_sessions
       WHERE event_id = ? ORDER BY session_id`,
      event,
    );
    return parsed(shape, rows).map(({ id, at }) => ({ id, addedAt: timeOf(at) }));
  }

  function commitsOf(event: string): string[] {
    const shape = z.object({ hash: text });
    const rows = db.rows(
      "SELECT commit_hash AS hash FROM event_commits WHERE event_id = ? ORDER BY 1",
      event,
    );
    return parsed(shape, rows).flatMap(({ hash }) => hashOf(hash) ?? []);
  }
}

function schemaIn(db: ForeignDatabase): number | null {
  const [row] = db.rows("SELECT max(version) AS version FROM schema_version");
  return z.object({ version: z.int() }).safeParse(row).data?.version ?? null;
}

function parsed<T>(shape: z.ZodMiniType<T>, rows: Iterable<unknown>): T[] {
  return [...rows].flatMap((row) => shape.safeParse(row).data ?? []);
}

function hashOf(text: string | null | undefined): string | null {
  const hash = text?.trim().toLowerCase() ?? "";
  return /^[0-9a-f]{7,64}$/.test(hash) ? hash : null;
}

/**
 * A time as Aline writes it: with its zone; else with fractions of a second in local time (Python's datetime), without
 * in UTC (SQLite's datetime('now')).
 */
export function timeOf(text: string | null | undefined): number | null {
  const [, day, time, fraction, zone] =
    /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2}:\d{2})(\.\d+)?(Z|[+-]\d{2}:?\d{2})?$/.exec(text?.trim() ?? "") ??
    [];
  if (day === undefined || time === undefined) return null;
  const at = Date.parse(`${day}T${time}${fraction?.slice(0, 4) ?? ""}${zone ?? (fraction ? "" : "Z")}`);
  return Number.isNaN(at) ? null : at;
}
