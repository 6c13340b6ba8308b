import { dayMs } from "../../../base/text/day.ts";
import type { Memory } from "../memory.ts";

/** The sessions without stored turns: other machines', forgotten and expired ones. */
export function findSessionsWithoutTurns(memory: Memory, uids: readonly (string | null)[]): Set<string> {
  const named = [...new Set(uids.filter((uid) => uid !== null))];
  if (named.length === 0) return new Set();
  return new Set(
    memory.readColumn<string>(
      `SELECT value FROM json_each(?) WHERE NOT EXISTS (
       SELECT 1 FROM turns JOIN sessions ON sessions.id = session_id WHERE sessions.uid = value)`,
      named,
    ),
  );
}

/** When the first session began of which anything is stored; null in an empty memory. Milliseconds since the epoch. */
function findFirstSessionAt(memory: Memory): number | null {
  return memory.readValue<number | null>("SELECT min(started_at) FROM sessions");
}

/**
 * No remembered session can have led to an earlier commit; with a day to spare. Milliseconds since the epoch; null in
 * an empty memory.
 */
export function findHistoryStart(memory: Memory): number | null {
  const first = findFirstSessionAt(memory);
  return first === null ? null : first - dayMs;
}

/** The last row of turns that was ever written; 0 before the first. */
export function findLastTurnRow(memory: Memory): number {
  return memory.readValue<number | null>("SELECT max(id) FROM turns") ?? 0;
}

/** When the turns were that were added after a row; null when there are none. Milliseconds since the epoch. */
export function findSpanOfTurnsSince(memory: Memory, row: number): { from: number; to: number } | null {
  const times = memory.get<{ first: number | null; last: number | null }>(
    "SELECT min(started_at) AS first, max(coalesce(ended_at, started_at)) AS last FROM turns WHERE id > ?",
    row,
  );
  return times.first === null || times.last === null ? null : { from: times.first, to: times.last };
}

/** Sessions that checkpoints name and that begin so, at most four. */
export function listBoundSessions(memory: Memory, beginning: string): string[] {
  return memory.readColumn<string>(
    `SELECT DISTINCT session_uid FROM checkpoint_sessions
     WHERE substr(session_uid, 1, length(@beginning)) = @beginning
       AND (instr(session_uid, '/') = 0 OR instr(@beginning, '/') > 0) ORDER BY session_uid LIMIT 4`,
    { beginning },
  );
}

/** A session that may still be at work. */
export interface ActiveSession {
  uid: string;
  /** When its last recorded activity happened. Milliseconds since the epoch. */
  lastAt: number;
  /** Its transcripts. */
  paths: string[];
}

/** Sessions of which something is known since a time, and no end; those of subagents as well. */
export function listActiveSessions(memory: Memory, since: number): ActiveSession[] {
  const rows = memory.all<{ uid: string; lastAt: number; paths: string }>(
    `SELECT uid, last_at AS lastAt,
       (SELECT json_group_array(path) FROM transcripts WHERE session_id = sessions.id) AS paths
     FROM sessions WHERE last_at >= ? AND ended_at IS NULL ORDER BY uid`,
    since,
  );
  return rows.map(({ paths, ...session }) => ({ ...session, paths: JSON.parse(paths) as string[] }));
}
