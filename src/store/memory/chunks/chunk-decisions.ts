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

/** A chunk of conversation that contains decisions. */
export interface DecidingChunk {
  uid: string;
  sessionId: number;
  startedAt: number | null;
  endedAt: number | null;
  branch: string | null;
  files: string[];
  decisions: ChunkDecision[];
}

/** All of them, in the order they happened, without those of abandoned branches. */
export function decidingChunks(memory: Memory): DecidingChunk[] {
  const rows = memory
    .prepare(
      `SELECT uid, session_id AS sessionId, started_at AS startedAt, ended_at AS endedAt, branch, files, decisions
       FROM chunks JOIN chunk_decisions ON chunk_id = chunks.id
       WHERE type = 'raw' AND NOT abandoned AND decisions <> '[]'
       ORDER BY coalesce(started_at, 0), id`,
    )
    .all() as (Omit<DecidingChunk, "files" | "decisions"> & { files: string; decisions: string })[];
  return rows.map((row) => ({ ...row, files: JSON.parse(row.files), decisions: JSON.parse(row.decisions) }));
}
