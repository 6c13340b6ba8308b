import type { Memory } from "../memory.ts";
import type { SessionChunkId } from "../memory-records.ts";
import { turnOf } from "../sessions/turns.ts";
import { chunksByIds, type StoredSessionChunk } from "./chunks.ts";

/** A line of a turn. */
interface Place {
  sessionId: number;
  /** Of the turn. */
  number: number;
  seq: number;
}

/** The chunk that shows a line; where none is kept, the turn as one. */
export function chunkAround(memory: Memory, { sessionId, number, seq }: Place): StoredSessionChunk {
  const id = memory
    .prepare(
      `SELECT id FROM chunks WHERE session_id = @sessionId AND type = 'raw' AND first_seq <= @seq AND last_seq >= @seq
       ORDER BY position LIMIT 1`,
    )
    .pluck()
    .get({ sessionId, seq }) as SessionChunkId | undefined;
  const chunk = id === undefined ? undefined : chunksByIds(memory, [id]).get(id);
  if (chunk) return chunk;
  const turn = turnOf(memory, sessionId, number);
  const session = memory.prepare("SELECT uid FROM sessions WHERE id = ?").pluck().get(sessionId) as string;
  return {
    id: 0 as SessionChunkId,
    uid: `${session}:turn:${number}`,
    sessionId,
    position: 0,
    firstTurn: number,
    lastTurn: number,
    firstSeq: seq,
    lastSeq: seq,
    type: "raw",
    kind: "conversation",
    eventType: "mixed",
    abandoned: turn?.abandoned ?? false,
    branch: turn?.branch ?? null,
    startedAt: turn?.startedAt ?? null,
    endedAt: turn?.endedAt ?? null,
    annotationId: null,
    text: turn?.prompt ?? "",
    files: turn?.files.map(({ path }) => path) ?? [],
  };
}
