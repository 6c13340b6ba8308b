import type { Memory } from "../memory.ts";

/** What a session was cut into chunks by. */
export interface SessionCut {
  /** Version of the adapter that read its transcript. */
  reader: number;
  /** Version of the rules. */
  rules: number;
  /** A hash of the settings. */
  settings: string;
}

/** What sessions are cut by now; readers by agent, 1 for those that are missing. */
export interface CurrentCut extends Omit<SessionCut, "reader"> {
  readers: Readonly<Record<string, number>>;
}

/** What a session was cut by; null: by an older Pommel. */
export function cutOfSession(memory: Memory, sessionId: number): SessionCut | null {
  const row = memory
    .prepare("SELECT reader, rules, settings FROM session_cuts WHERE session_id = ?")
    .get(sessionId);
  return (row as SessionCut | undefined) ?? null;
}

export function saveCut(memory: Memory, sessionId: number, cut: SessionCut): void {
  memory.inTransaction(() => {
    memory
      .prepare(
        `INSERT INTO session_cuts (session_id, reader, rules, settings) VALUES (@sessionId, @reader, @rules, @settings)
         ON CONFLICT DO UPDATE SET (reader, rules, settings) = (@reader, @rules, @settings)`,
      )
      .run({ sessionId, ...cut });
  });
}

const outdated = `FROM sessions s LEFT JOIN session_cuts c ON c.session_id = s.id
  WHERE (c.rules IS NOT @rules OR c.settings IS NOT @settings
    OR c.reader IS NOT coalesce((SELECT value FROM json_each(@readers) WHERE key = s.agent), 1))
  AND EXISTS (SELECT 1 FROM turns WHERE session_id = s.id)`;

const given = ({ rules, settings, readers }: CurrentCut) => ({
  rules,
  settings,
  readers: JSON.stringify(readers),
});

/** Rows of the sessions that were cut by something else and have turns to be cut again, the newest first. */
export function outdatedSessions(memory: Memory, current: CurrentCut): number[] {
  return memory
    .prepare(`SELECT s.id ${outdated} ORDER BY s.last_at DESC, s.id DESC`)
    .pluck()
    .all(given(current)) as number[];
}

/** How many sessions are to be cut again, and how many have turns. */
export function cutCounts(memory: Memory, current: CurrentCut): { outdated: number; all: number } {
  return memory
    .prepare(
      `SELECT (SELECT count(*) ${outdated}) AS outdated, (SELECT count(DISTINCT session_id) FROM turns) AS "all"`,
    )
    .get(given(current)) as { outdated: number; all: number };
}
