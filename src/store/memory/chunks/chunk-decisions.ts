import type { Memory } from "../memory.ts";
import type { ChunkDecision } from "../memory-records.ts";

/** Writes only what changed. */
export function saveChunkDecisions(
  memory: Memory,
  chunkId: number,
  decisions: readonly ChunkDecision[],
): void {
  memory
    .prepare(
      `INSERT INTO chunk_decisions (chunk_id, decisions) VALUES (?, ?)
       ON CONFLICT DO UPDATE SET decisions = excluded.decisions WHERE decisions <> excluded.decisions`,
    )
    .run(chunkId, JSON.stringify(decisions));
}

/** Chunks of conversation that contain decisions, or are unchecked: those come with their text. */
export interface DecidingChunk {
  id: number;
  uid: string;
  sessionId: number;
  firstTurn: number;
  startedAt: number | null;
  endedAt: number | null;
  branch: string | null;
  files: string[];
  /** Null: not looked at. */
  decisions: ChunkDecision[] | null;
  /** "" for those that were looked at. */
  text: string;
}

/** All of them, in the order they happened, without those of abandoned branches. */
export function decidingChunks(memory: Memory): DecidingChunk[] {
  const rows = memory
    .prepare(
      `SELECT id, uid, session_id AS sessionId, first_turn AS firstTurn, started_at AS startedAt, ended_at AS endedAt,
         branch, files, decisions, CASE WHEN decisions IS NULL THEN text ELSE '' END AS text
       FROM chunks LEFT JOIN chunk_decisions ON chunk_id = chunks.id
       WHERE type = 'raw' AND NOT abandoned AND coalesce(decisions, '') <> '[]'
       ORDER BY coalesce(started_at, 0), id`,
    )
    .all() as (Omit<DecidingChunk, "files" | "decisions"> & { files: string; decisions: string | null })[];
  return rows.map((row) => ({
    ...row,
    files: JSON.parse(row.files),
    decisions: row.decisions === null ? null : JSON.parse(row.decisions),
  }));
}
