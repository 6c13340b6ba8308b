import type { Connection } from "../../sqlite/connection.ts";
import type { Sqlite } from "../../sqlite/sqlite.ts";
import { removeCopies } from "../backups/put-in-place.ts";
import { forgetInCheckpoints, forgetTurnsInCheckpoints } from "../commits/checkpoints.ts";
import type { Memory } from "../memory.ts";
import { indexAllSessions } from "../sessions/session-index.ts";

/**
 * The one way to remove from the memory. Forgotten data is gone from every table, from the full-text index, from the
 * bytes of the database and of its log, and with its backups: at once, or when it leaves the trash (trashed-rows.ts). Only
 * ids stay, so that a transcript that still holds it does not bring it back.
 */

/** What to forget. */
export interface RowsToForget {
  /** Rows of `sessions`, whole; with them go their subagents' and the notes written in them. */
  sessions: readonly number[];
  /**
   * Turns by session, with the notes written in them. Subagents that they started are sessions of their own: whoever
   * knows which those are names them in `sessions`.
   */
  turns: ReadonlyMap<number, readonly number[]>;
  /** Rows of `annotations`: the notes and their chunks. The words in the prompt stay, unless its turn goes as well. */
  annotations: readonly number[];
}

export const emptyForgetRequest: RowsToForget = { sessions: [], turns: new Map(), annotations: [] };

export interface ForgetCounts {
  sessions: number;
  turns: number;
  chunks: number;
  annotations: number;
  summaries: number;
}

export interface Forgotten extends ForgetCounts {
  /** Rows of sessions that lost turns: the rest of them is to be cut into chunks, summed up and titled again. */
  changed: number[];
  /** false: another process was reading, and the database's log still holds traces until it is emptied. */
  isLogEmpty: boolean;
}

/** The sessions that were forgotten, by their agents' ids. */
export const listForgottenSessions = (memory: Memory): string[] =>
  memory.readColumn<string>("SELECT uid FROM forgotten WHERE kind = 'session'");

/** Whether a session, a line or a note was forgotten. */
export function isForgotten(memory: Memory, uid: string): boolean {
  return memory.has("SELECT 1 FROM forgotten WHERE uid = ?", uid);
}

/** Forgets all of it at once, or nothing, for good. */
export function forget(memory: Memory, request: RowsToForget, now = Date.now()): Forgotten {
  const removed = memory.runInTransaction(() => removeRows(memory, request, now));
  return { ...removed, isLogEmpty: leaveNoTrace(memory) };
}

/** What `forget` would remove. Needs a memory that may be written: it is tried, and taken back. */
export function previewForget(memory: Memory, request: RowsToForget): ForgetCounts {
  let removed: (ForgetCounts & { changed: number[] }) | null = null;
  const takenBack = new Error("Only a preview.");
  try {
    memory.runInTransaction(() => {
      removed = removeRows(memory, request, 0);
      throw takenBack;
    });
  } catch (error) {
    if (error !== takenBack) throw error;
  }
  const { changed: _, ...counts } = removed!;
  return counts;
}

/**
 * Everything in a time, both ends included: turns with any part in it, whole sessions where that is all, notes. A turn without a
 * time may be of any within its session.
 */
export function findRangeToForget(memory: Memory, since: number, until: number): RowsToForget {
  const given = { since, until };
  const touched = memory.all<{ session: number; numbers: string; isAll: number }>(
    `SELECT session_id AS session, json_group_array(number ORDER BY number) AS numbers,
       count(*) = (SELECT count(*) FROM turns t WHERE t.session_id = turns.session_id) AS isAll
     FROM turns JOIN sessions s ON s.id = session_id
     WHERE coalesce(turns.ended_at, turns.started_at, s.last_at) >= @since
       AND coalesce(turns.started_at, s.started_at) <= @until
     GROUP BY session_id`,
    given,
  );
  const sessions: number[] = [];
  const turns = new Map<number, number[]>();
  for (const { session, numbers, isAll } of touched) {
    if (isAll) sessions.push(session);
    else turns.set(session, JSON.parse(numbers));
  }
  return {
    sessions,
    turns,
    annotations: memory.readColumn<number>(
      "SELECT id FROM annotations WHERE at >= @since AND at <= @until",
      given,
    ),
  };
}

/** Rows of sessions that have turns and whose last line is older. */
export function listSessionsBefore(memory: Memory, at: number): number[] {
  return memory.readColumn<number>(
    `SELECT id FROM sessions WHERE last_at < ? AND EXISTS (SELECT 1 FROM turns WHERE session_id = sessions.id)
     ORDER BY id`,
    at,
  );
}

/**
 * Removes turns and their chunks of sessions past the retention period. Their notes and summaries stay, with the chunks
 * of both, and so does what they led to: checkpoints and who wrote which lines. Lines stay known, so that neither they
 * nor copies of them are imported again; unlike forgotten sessions, these may go on.
 */
export function expireSessions(memory: Memory, ids: readonly number[]): void {
  memory.runInTransaction(() => {
    for (const id of ids) {
      memory.prepare("UPDATE lines SET turn = -1 - turn WHERE session_id = ? AND turn >= 0").run(id);
      memory.prepare("DELETE FROM chunks WHERE session_id = ? AND type = 'raw'").run(id);
      memory.prepare("DELETE FROM turns WHERE session_id = ?").run(id);
    }
  });
}

/** The part of it that is a transaction. */
export function removeRows(
  memory: Memory,
  { sessions, turns, annotations }: RowsToForget,
  now: number,
): ForgetCounts & { changed: number[] } {
  const before = countAll(memory);
  const whole = withSubagents(memory, sessions);
  for (const id of whole) forgetSession(memory, id, now);
  const changed = [...turns]
    .filter(([id, numbers]) => !whole.includes(id) && forgetTurns(memory, id, numbers, now))
    .map(([id]) => id);
  for (const id of annotations) forgetNotes(memory, "id = @id", { id }, now);
  const after = countAll(memory);
  return {
    sessions: before.sessions - after.sessions,
    turns: before.turns - after.turns,
    chunks: before.chunks - after.chunks,
    annotations: before.annotations - after.annotations,
    summaries: before.summaries - after.summaries,
    changed,
  };
}

function countAll(memory: Memory): ForgetCounts {
  const n = (table: string) => `(SELECT count(*) FROM ${table})`;
  return memory.get<ForgetCounts>(`SELECT ${n("sessions")} AS sessions, ${n("turns")} AS turns, ${n("chunks")} AS chunks,
    ${n("annotations")} AS annotations, ${n("summaries")} AS summaries`);
}

/** Sessions and those that they started, those started last first. */
export function withSubagents(memory: Memory, ids: readonly number[]): number[] {
  return memory.readColumn<number>(
    `WITH RECURSIVE gone (id) AS (SELECT id FROM sessions WHERE id IN (SELECT value FROM json_each(?))
       UNION SELECT sessions.id FROM sessions JOIN gone ON sessions.parent_id = gone.id)
     SELECT id FROM gone ORDER BY id DESC`,
    ids,
  );
}

const remember = "INSERT INTO forgotten (uid, kind, at) SELECT uid, @kind, @now";
const once = "ON CONFLICT (uid) DO NOTHING";

function forgetSession(memory: Memory, id: number, now: number): void {
  const given = { id, now };
  memory.prepare(`${remember} FROM sessions WHERE id = @id ${once}`).run({ ...given, kind: "session" });
  // A fork repeats them, and would bring them back.
  memory.prepare(`${remember} FROM lines WHERE session_id = @id ${once}`).run({ ...given, kind: "line" });
  const uid = "(SELECT uid FROM sessions WHERE id = @id)";
  forgetNotes(memory, `session_uid = ${uid}`, { id }, now);
  const subjects = `subject = ${uid} OR subject IN (SELECT path FROM transcripts WHERE session_id = @id)`;
  for (const table of ["jobs", "activity"]) {
    memory.prepare(`DELETE FROM ${table} WHERE ${subjects}`).run({ id });
  }
  const session = memory.readValue<string | null>("SELECT uid FROM sessions WHERE id = ?", id);
  if (session !== null) forgetInCheckpoints(memory, session);
  memory.prepare("DELETE FROM sessions WHERE id = ?").run(id);
}

/** @returns false when the session has none of the turns */
function forgetTurns(memory: Memory, session: number, numbers: readonly number[], now: number): boolean {
  const given = { session, numbers };
  const wanted = "SELECT value FROM json_each(@numbers)";
  const ofTurns = `session_id = @session AND turn IN (${wanted})`;
  const uid = "(SELECT uid FROM sessions WHERE id = @session)";
  forgetNotes(
    memory,
    `session_uid = ${uid} AND (turn IN (${wanted}) OR line_uid IN (SELECT uid FROM lines WHERE ${ofTurns}))`,
    given,
    now,
  );
  memory
    .prepare(
      `DELETE FROM chunks WHERE session_id = @session AND EXISTS (
         SELECT 1 FROM json_each(@numbers) WHERE value BETWEEN first_turn AND last_turn)`,
    )
    .run(given);
  memory
    .prepare(
      `DELETE FROM summaries WHERE session_id = @session
         AND up_to_turn >= (SELECT min(value) FROM json_each(@numbers))`,
    )
    .run(given);
  memory.prepare(`DELETE FROM usage WHERE ${ofTurns}`).run(given);
  // Known still, so that neither they nor copies of them are stored again.
  memory.prepare(`UPDATE lines SET turn = -1 - turn WHERE ${ofTurns}`).run(given);
  const { changes } = memory
    .prepare(`DELETE FROM turns WHERE session_id = @session AND number IN (${wanted})`)
    .run(given);
  if (changes === 0) return false;
  const forgotten = memory.readValue<string>("SELECT uid FROM sessions WHERE id = ?", session);
  forgetTurnsInCheckpoints(memory, forgotten, numbers);
  // The title may come from forgotten text.
  memory
    .prepare(
      `UPDATE sessions SET title = NULL, title_source = NULL
       WHERE id = ? AND title_source IS NOT NULL AND title_source <> 'user'`,
    )
    .run(session);
  return true;
}

/** Notes with this condition, and their chunks. */
function forgetNotes(memory: Memory, condition: string, given: object, now: number): void {
  memory
    .prepare(`${remember} FROM annotations WHERE ${condition} ${once}`)
    .run({ ...given, now, kind: "annotation" });
  memory.prepare(`DELETE FROM annotations WHERE ${condition}`).run(given);
}

/**
 * Removes deleted text from the files' bytes. SQLite overwrites deleted rows (secure_delete); the full-text index
 * only marks its words as gone until it is merged into one; free pages and the log hold older versions.
 * @param copies whether the copies of the memory go as well, with what of it is in the trash
 * @returns false when another process was reading, and the log could not be emptied
 */
export function leaveNoTrace(memory: Memory, { copies = true } = {}): boolean {
  memory.runInTransaction(() => {
    for (const terms of ["chunk_terms", "session_terms"]) {
      memory.prepare(`INSERT INTO ${terms} (${terms}) VALUES ('optimize')`).run();
    }
    noteForgetting(memory);
  });
  indexAllSessions(memory);
  memory.vacuum();
  if (copies) removeCopies(memory.file);
  return memory.checkpointLog();
}

/**
 * How often something was removed. A backup that began before and ends after would keep it: whoever makes one compares
 * this before and after.
 */

const key = "forgettings";

function noteForgetting(memory: Connection): void {
  memory.setMeta(key, String(Number(memory.readMeta(key) ?? 0) + 1));
}

export function countForgettings(db: Sqlite): number {
  // A memory of any schema is copied.
  const hasMeta = db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'meta'").get() !== undefined;
  return hasMeta ? Number(db.prepare("SELECT value FROM meta WHERE key = ?").pluck().get(key) ?? 0) : 0;
}
