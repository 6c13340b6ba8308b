import type { ChunkFilter } from "../chunks/chunk-filter.ts";
import type { Memory } from "../memory.ts";

/** A turn whose archived lines may be searched. */
export interface ArchivedTurn {
  /** Its row. */
  id: number;
  sessionId: number;
  number: number;
  startedAt: number | null;
}

/** The turns that a filter lets through; what it says of chunks alone (types, kinds) is left aside. */
type TurnFilter = Omit<ChunkFilter, "types" | "kinds" | "eventTypes" | "abandoned">;

/** Turns, the newest first; by session: those of the newest session first. */
export function archivedTurns(
  memory: Memory,
  filter: TurnFilter,
  { bySession }: { bySession: boolean },
): ArchivedTurn[] {
  const { sessionIds, withheld, files, turns, since, until, branch, agent } = filter;
  const order = bySession ? "s.last_at DESC, s.id DESC, t.number DESC" : "t.started_at DESC, t.id DESC";
  return memory
    .prepare(
      `SELECT t.id, t.session_id AS sessionId, t.number, t.started_at AS startedAt
       FROM turns t JOIN sessions s ON s.id = t.session_id
       WHERE (@sessionIds IS NULL OR s.id IN (SELECT value FROM json_each(@sessionIds)))
         AND (@withheld IS NULL OR s.id NOT IN (SELECT value FROM json_each(@withheld)))
         AND (@since IS NULL OR coalesce(t.ended_at, t.started_at) >= @since)
         AND (@until IS NULL OR t.started_at <= @until)
         AND (@branch IS NULL OR t.branch = @branch) AND (@agent IS NULL OR s.agent = @agent)
         AND (@files IS NULL OR EXISTS (SELECT 1 FROM turn_files f WHERE f.turn_id = t.id
           AND f.path IN (SELECT value FROM json_each(@files))))
         AND (@turns IS NULL OR EXISTS (SELECT 1 FROM json_each(@turns) w
           WHERE w.value ->> 'sessionId' = s.id AND coalesce(w.value ->> 'turn' = t.number, TRUE)))
       ORDER BY ${order}`,
    )
    .all({
      ...{ since, until, branch, agent },
      sessionIds: sessionIds && JSON.stringify(sessionIds),
      withheld: withheld && JSON.stringify(withheld),
      files: files && JSON.stringify(files),
      turns: turns && JSON.stringify(turns),
    }) as ArchivedTurn[];
}

/** The packed lines of a turn by its row; null when it is gone. */
export function archivedContent(memory: Memory, turnId: number): Uint8Array | null {
  const content = memory.prepare("SELECT content FROM turns WHERE id = ?").pluck().get(turnId);
  return (content as Uint8Array | undefined) ?? null;
}
