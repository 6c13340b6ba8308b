import { phraseOf } from "../../../text/tokens.ts";
import { frequenciesIn } from "../../sqlite/full-text-scores.ts";
import type { Memory } from "../memory.ts";
import type { SessionChunkId } from "../memory-records.ts";

/** How common words are among sessions: the topic of a whole session occurs in its every chunk. */

/** A token in more chunks than this is common, whatever sessions they are of, and not counted further. */
const maxCounted = 1000;

/** Chunks by uid, in the order given; null for one that is gone. */
export function chunksByUids(memory: Memory, uids: readonly string[]): (SessionChunkId | null)[] {
  const rows = memory
    .prepare("SELECT id, uid FROM chunks WHERE uid IN (SELECT value FROM json_each(?))")
    .all(JSON.stringify(uids)) as { id: SessionChunkId; uid: string }[];
  const byUid = new Map(rows.map(({ id, uid }) => [uid, id]));
  return uids.map((uid) => byUid.get(uid) ?? null);
}

/** Which of some few chunks hold a token (as `analyseQuery` makes them). */
export function chunksWithToken(
  memory: Memory,
  token: string,
  chunks: readonly SessionChunkId[],
): Set<SessionChunkId> {
  const found = memory
    .prepare(
      `SELECT rowid AS id FROM chunk_terms
       WHERE chunk_terms MATCH ? AND rowid IN (SELECT value FROM json_each(?))`,
    )
    .all(phraseOf(token), JSON.stringify(chunks)) as { id: SessionChunkId }[];
  return new Set(found.map(({ id }) => id));
}

/** Subagents are at the same work as the session that sent them, and count as one with it. */
const work = "coalesce(s.parent_id, s.id)";

/** How many sessions contain a token in chunks up to a time; infinity for more than `most`, which are not counted further. */
export function sessionsWithToken(
  memory: Memory,
  token: string,
  { until, most }: { until: number | null; most: number },
): number {
  if ((frequenciesIn(memory, "chunk_terms", [token]).get(token) ?? 0) > maxCounted) return Infinity;
  const sessions = memory
    .prepare(
      `SELECT count(*) FROM (SELECT DISTINCT ${work} FROM (SELECT rowid AS id FROM chunk_terms WHERE chunk_terms MATCH @words) f
       JOIN chunks c ON c.id = f.id JOIN sessions s ON s.id = c.session_id
       WHERE @until IS NULL OR c.started_at <= @until LIMIT @most + 1)`,
    )
    .pluck()
    .get({ words: phraseOf(token), until, most: Math.floor(most) }) as number;
  return sessions > most ? Infinity : sessions;
}

/** How many sessions have chunks up to a time. */
export function sessionsWithChunks(memory: Memory, until: number | null): number {
  const row = memory
    .prepare(
      `SELECT count(DISTINCT ${work}) AS n FROM sessions s WHERE EXISTS (
         SELECT 1 FROM chunks WHERE session_id = s.id AND (@until IS NULL OR started_at <= @until))`,
    )
    .get({ until });
  return (row as { n: number }).n;
}
