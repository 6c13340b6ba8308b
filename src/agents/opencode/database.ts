import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import * as z from "zod/mini";
import type { ForeignDatabase } from "../../store/sqlite/open-to-read.ts";
import type { TranscriptFile } from "../agent.ts";
import { bounds } from "../reading/bounds.ts";
import { openClientDatabase, withClientDatabase } from "../reading/client-database.ts";
import {
  anything,
  count,
  flag,
  makeLenientParser,
  orNull,
  type Parsed,
  text,
  time,
} from "../reading/json.ts";

/** The parsed fields of the database's rows and of the JSON in them. */

const asSession = makeLenientParser(
  z.object({
    id: z.string(),
    parent_id: text,
    directory: z.string(),
    title: text,
    agent: text,
    time_created: time,
    time_updated: time,
  }),
);
export type SessionRow = Parsed<typeof asSession>;

const asSize = makeLenientParser(z.object({ id: z.string(), size: z.int(), time_updated: z.int() }));

const asMessageRow = makeLenientParser(z.object({ id: z.string(), time_updated: z.int(), data: z.string() }));
export type MessageRow = Parsed<typeof asMessageRow>;

const asPartRow = makeLenientParser(z.object({ data: z.nullable(z.string()) }));

const tokens = z.object({
  input: count,
  output: count,
  reasoning: count,
  cache: orNull(z.object({ read: count, write: count })),
});

export const asMessage = makeLenientParser(
  z.object({
    role: text,
    time: orNull(z.object({ created: time, completed: time })),
    parentID: text,
    modelID: text,
    path: orNull(z.object({ cwd: text })),
    tokens: orNull(tokens),
    /** An assistant's message that sums up the session. */
    summary: anything,
    error: orNull(z.object({ name: text, data: orNull(z.object({ message: text })) })),
  }),
);
export type MessageData = Parsed<typeof asMessage>;

const span = orNull(z.object({ start: time, end: time }));

export const asPart = makeLenientParser(
  z.object({
    type: text,
    text,
    time: span,
    /** Added by the client, not by the human. */
    synthetic: flag,
    /** Shown, but not sent to the model. */
    ignored: flag,
    mime: text,
    tool: text,
    callID: text,
    state: orNull(
      z.object({ status: text, input: anything, output: text, error: text, metadata: anything, time: span }),
    ),
    auto: flag,
    prompt: text,
    command: text,
  }),
);
export type PartData = Parsed<typeof asPart>;

/** What a tool says about its call, without the diagnostics and the files' contents. */
export const asMetadata = makeLenientParser(
  z.object({
    diff: text,
    filepath: text,
    exit: count,
    sessionId: text,
    files: anything,
  }),
);
export const asPatchedFile = makeLenientParser(
  z.object({ filePath: text, movePath: text, type: text, patch: text }),
);

/**
 * The client's SQLite database, as clients from 1.2 to 1.18 write it: `session`, `message` (a session's messages,
 * ordered by time and id) and `part` (a message's parts, ordered by id), with the content as JSON in `data`.
 */

/** `opencode.db`; `opencode-dev.db` and the like for other release channels. */
const databaseNamePattern = /^opencode(?:-[\w.]+)?\.db$/;
/** Not `-shm`, which readers change as well. */
const companion = /-wal$/;

export interface SessionPlace {
  /** The database's file. */
  file: string;
  session: string;
}

/** The database and session in a transcript's path; null for other paths. */
export function parseSessionPath(path: string): SessionPlace | null {
  const [file, session] = [dirname(path), basename(path)];
  return isDatabase(file) && /^ses_\w+$/.test(session) ? { file, session } : null;
}

const isDatabase = (path: string) => databaseNamePattern.test(basename(path));

/** The database that a changed file is part of; null for other files. */
export function findDatabase(path: string): string | null {
  const file = path.replace(companion, "");
  return isDatabase(file) ? file : null;
}

export const openDatabase = (file: string) => openClientDatabase(file, isOurs);

/** Runs `work` on an open database; null when there is none. */
export const withDatabase = <T>(file: string, work: (db: ForeignDatabase) => T) =>
  withClientDatabase(file, isOurs, work);

/** Whether it has the tables that are read. */
function isOurs(db: ForeignDatabase): boolean {
  const has = (table: string, names: readonly string[]) => {
    const columns = new Set(db.columns(table));
    return names.every((name) => columns.has(name));
  };
  return (
    has("session", ["id", "parent_id", "directory", "title", "time_created", "time_updated"]) &&
    has("message", ["id", "session_id", "time_created", "time_updated", "data"]) &&
    has("part", ["id", "message_id", "session_id", "data"])
  );
}

/** The databases at or under a path, in order of path. */
export async function listDatabases(path: string): Promise<string[]> {
  const own = findDatabase(path);
  if (own !== null) return existsSync(own) ? [own] : [];
  const names = await readdir(path).catch(() => []);
  return names
    .filter((name) => databaseNamePattern.test(name))
    .sort()
    .map((name) => join(path, name));
}

/** Sizes of sessions that nobody works on, by path and last change: adding them up takes a look at every part. */
const sizes = new Map<string, { changed: number; size: number }>();
/** Milliseconds. */
const idleAfterMs = 60_000;

/**
 * A database's sessions, or one of them, the oldest first: a fork is then read after its origin, whose lines it copies.
 * Their size is that of all their parts. Bytes.
 */
export function listTranscripts(db: ForeignDatabase, file: string, only?: string): TranscriptFile[] {
  const rows = only
    ? db.rows("SELECT id, time_updated, 0 AS size FROM session WHERE id = ?", only)
    : db.rows("SELECT id, time_updated, 0 AS size FROM session ORDER BY time_created, id");
  return [...rows].flatMap((row) => {
    const session = asSize(row);
    if (!session) return [];
    const path = join(file, session.id);
    const changed = session.time_updated;
    const before = sizes.get(path);
    if (before?.changed === changed) return [{ path, size: before.size, mtimeMs: changed }];
    const size = measureSession(db, session.id);
    if (Date.now() - changed > idleAfterMs) sizes.set(path, { changed, size });
    return [{ path, size, mtimeMs: changed }];
  });
}

function measureSession(db: ForeignDatabase, session: string): number {
  const [row] = db.rows(
    `SELECT ? AS id, 0 AS time_updated, coalesce(sum(octet_length(data)), 0) AS size
     FROM part WHERE session_id = ?`,
    session,
    session,
  );
  return asSize(row)?.size ?? 0;
}

export function readSession(db: ForeignDatabase, id: string): SessionRow | null {
  const agent = db.columns("session").includes("agent") ? "agent" : "NULL AS agent";
  const [row] = db.rows(
    `SELECT id, parent_id, directory, title, ${agent}, time_created, time_updated FROM session WHERE id = ?`,
    id,
  );
  return asSession(row);
}

/** A session's messages, in order. */
export function readMessages(db: ForeignDatabase, session: string): MessageRow[] {
  const rows = db.rows(
    "SELECT id, time_updated, data FROM message WHERE session_id = ? ORDER BY time_created, id",
    session,
  );
  return [...rows].flatMap((row) => asMessageRow(row) ?? []);
}

/** The size of the parts of each of a session's messages. Bytes. */
export function measureParts(db: ForeignDatabase, session: string): Map<string, number> {
  const rows = db.rows(
    `SELECT message_id AS id, 0 AS time_updated, sum(octet_length(data)) AS size FROM part WHERE session_id = ?
     GROUP BY message_id`,
    session,
  );
  return new Map([...rows].flatMap((row) => asSize(row) ?? []).map(({ id, size }) => [id, size]));
}

/** A message's parts, in order; without the data of those that are too long. */
export function readParts(db: ForeignDatabase, message: string): { data: string | null }[] {
  const rows = db.rows(
    `SELECT CASE WHEN octet_length(data) <= ? THEN data END AS data FROM part WHERE message_id = ? ORDER BY id`,
    bounds.line,
    message,
  );
  return [...rows].flatMap((row) => asPartRow(row) ?? []);
}
