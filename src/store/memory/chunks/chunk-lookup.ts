import { toFtsPhrase } from "../../../base/text/tokens.ts";
import { countRowsByToken, scoreRows, selectBestRows } from "../../sqlite/full-text.ts";
import type { Memory } from "../memory.ts";
import type { SessionChunkId } from "../memory-records.ts";
import { findTurn } from "../sessions/turns.ts";
import { type ChunkFilter, findFilterScope } from "./chunk-filter.ts";
import { countSessionChunks, readChunksByIds, type StoredSessionChunk } from "./chunks.ts";

/** A chunk that matched, and how well: higher is better, comparable within one call. */
export interface SessionMatch {
  id: SessionChunkId;
  score: number;
}

/** Weights of the columns of the full-text index. */
export interface TermWeights {
  prompt: number;
  answer: number;
  actions: number;
  errors: number;
}

/** BM25 gives a token of more than half of the chunks no weight, but its list is the longest to read. */
const commonShare = 0.5;
/** With fewer chunks it costs little, and chunks that contain nothing else are found as well. */
const manyChunks = 1000;

/** The tokens that are not common; all of them where all are. */
export function chooseRareTokens(memory: Memory, tokens: readonly string[]): readonly string[] {
  const chunks = countSessionChunks(memory);
  if (chunks < manyChunks) return tokens;
  const holding = countRowsByToken(memory, "chunk_terms", tokens);
  const rare = tokens.filter((token) => (holding.get(token) ?? 0) <= commonShare * chunks);
  return rare.length > 0 ? rare : tokens;
}

/** The best `limit` chunks that hold any of the tokens, by BM25 over weighted columns; as `matchTokens` for code. */
export function matchSessionTokens(
  memory: Memory,
  tokens: readonly string[],
  { prompt, answer, actions, errors }: TermWeights,
  limit: number,
  filter: ChunkFilter,
): SessionMatch[] {
  if (tokens.length === 0) return [];
  const scope = findFilterScope(memory, filter) as ReadonlySet<number> | null;
  const scores = scoreRows(memory, "chunk_terms", tokens, { prompt, answer, actions, errors });
  return selectBestRows(scores, limit, scope).map(({ row, score }) => ({ id: row as SessionChunkId, score }));
}

/** A line of a turn. */
interface TurnLine {
  sessionId: number;
  /** Of the turn. */
  number: number;
  seq: number;
}

/** The chunk that shows a line; where none is kept, the turn as one. */
export function findChunkAround(memory: Memory, { sessionId, number, seq }: TurnLine): StoredSessionChunk {
  const id = memory.readValue<SessionChunkId | null>(
    `SELECT id FROM chunks WHERE session_id = @sessionId AND type = 'raw' AND first_seq <= @seq AND last_seq >= @seq
     ORDER BY position LIMIT 1`,
    { sessionId, seq },
  );
  const chunk = id === null ? undefined : readChunksByIds(memory, [id]).get(id);
  if (chunk) return chunk;
  const turn = findTurn(memory, sessionId, number);
  const session = memory.readValue<string>("SELECT uid FROM sessions WHERE id = ?", sessionId);
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

/** How common words are among sessions: the topic of a whole session occurs in its every chunk. */

/** A token in more chunks than this is common, whatever sessions they are of, and not counted further. */
const maxCounted = 1000;

/** Chunks by uid, in the order given; null for one that is gone. */
export function findChunksByUids(memory: Memory, uids: readonly string[]): (SessionChunkId | null)[] {
  const rows = memory.all<{ id: SessionChunkId; uid: string }>(
    "SELECT id, uid FROM chunks WHERE uid IN (SELECT value FROM json_each(?))",
    uids,
  );
  const byUid = new Map(rows.map(({ id, uid }) => [uid, id]));
  return uids.map((uid) => byUid.get(uid) ?? null);
}

/** Which of some few chunks hold a token (as `analyseQuery` makes them). */
export function findChunksWithToken(
  memory: Memory,
  token: string,
  chunks: readonly SessionChunkId[],
): Set<SessionChunkId> {
  const found = memory.all<{ id: SessionChunkId }>(
    `SELECT rowid AS id FROM chunk_terms
     WHERE chunk_terms MATCH ? AND rowid IN (SELECT value FROM json_each(?))`,
    toFtsPhrase(token),
    chunks,
  );
  return new Set(found.map(({ id }) => id));
}

/** Subagents are at the same work as the session that sent them, and count as one with it. */
const work = "coalesce(s.parent_id, s.id)";

/** How many sessions contain a token in chunks up to a time; infinity for more than `most`, which are not counted further. */
export function countSessionsWithToken(
  memory: Memory,
  token: string,
  { until, most }: { until: number | null; most: number },
): number {
  if ((countRowsByToken(memory, "chunk_terms", [token]).get(token) ?? 0) > maxCounted) return Infinity;
  const sessions = memory.readValue<number>(
    `SELECT count(*) FROM (SELECT DISTINCT ${work} FROM (SELECT rowid AS id FROM chunk_terms WHERE chunk_terms MATCH @words) f
     JOIN chunks c ON c.id = f.id JOIN sessions s ON s.id = c.session_id
     WHERE @until IS NULL OR c.started_at <= @until LIMIT @most + 1)`,
    { words: toFtsPhrase(token), until, most: Math.floor(most) },
  );
  return sessions > most ? Infinity : sessions;
}

/** How many sessions have chunks up to a time. */
export function countSessionsWithChunks(memory: Memory, until: number | null): number {
  return memory.readValue<number>(
    `SELECT count(DISTINCT ${work}) AS n FROM sessions s WHERE EXISTS (
     SELECT 1 FROM chunks WHERE session_id = s.id AND (@until IS NULL OR started_at <= @until))`,
    { until },
  );
}
