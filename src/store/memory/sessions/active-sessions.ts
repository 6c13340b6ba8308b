import type { Memory } from "../memory.ts";

/** A session that may still be at work. */
export interface ActiveSession {
  uid: string;
  /** When the last thing that is known of it happened. Milliseconds since the epoch. */
  lastAt: number;
  /** Its transcripts. */
  paths: string[];
}

/** Sessions of which something is known since a time, and no end; those of subagents as well. */
export function activeSessions(memory: Memory, since: number): ActiveSession[] {
  const rows = memory
    .prepare(
      `SELECT uid, last_at AS lastAt,
         (SELECT json_group_array(path) FROM transcripts WHERE session_id = sessions.id) AS paths
       FROM sessions WHERE last_at >= ? AND ended_at IS NULL ORDER BY uid`,
    )
    .all(since) as { uid: string; lastAt: number; paths: string }[];
  return rows.map(({ paths, ...session }) => ({ ...session, paths: JSON.parse(paths) as string[] }));
}
