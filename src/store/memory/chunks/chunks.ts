import type { ChunkType } from "../../../protocol/values.ts";
import { chunks } from "../../tables/chunks.ts";
import { readRow, selectColumns } from "../../tables/statements.ts";
import type { Memory } from "../memory.ts";
import type { ChunkToStore, SessionChunk, SessionChunkId } from "../memory-records.ts";
import { type ChunkCondition, putChunks } from "./put-chunks.ts";

/** A chunk as it is stored: its row, and that of its session. */
export type StoredSessionChunk = SessionChunk & { id: SessionChunkId; sessionId: number };

/** All of a chunk but its texts. */
export type SessionChunkOutline = Omit<StoredSessionChunk, "text" | "files">;

const outlineColumns = selectColumns(chunks, { except: ["text", "files"] });
const columns = selectColumns(chunks);

const readOutlineRow = (row: object): SessionChunkOutline => readRow(chunks, row);
const readChunkRow = (row: object): StoredSessionChunk => readRow(chunks, row);

/** The chunks of a session and type from a position on. */
export const selectChunksFrom = (sessionId: number, type: ChunkType, from: number): ChunkCondition => ({
  where: "session_id = @sessionId AND type = @type AND position >= @from",
  given: { sessionId, type, from },
});

/** The chunk of a note. */
export const selectChunkOfNote = (annotationId: number): ChunkCondition => ({
  where: "annotation_id = @annotationId",
  given: { annotationId },
});

/**
 * Puts chunks in place of those of the session and type from a position on; with them go their terms and vectors. Those
 * that are the same stay.
 * @returns their ids, in order
 */
export function replaceChunks(
  memory: Memory,
  sessionId: number,
  { type, from, reindex = false }: { type: ChunkType; from: number; reindex?: boolean },
  cut: readonly ChunkToStore[],
): SessionChunkId[] {
  return memory.runInTransaction(() =>
    putChunks(memory, sessionId, selectChunksFrom(sessionId, type, from), cut, { reindex }),
  );
}

/** Puts the chunk of a note in the place of the one it had. */
export function replaceNoteChunk(
  memory: Memory,
  sessionId: number,
  chunk: ChunkToStore & { annotationId: number },
  { reindex = false } = {},
): void {
  memory.runInTransaction(() => {
    putChunks(memory, sessionId, selectChunkOfNote(chunk.annotationId), [chunk], { reindex });
  });
}

/** Forgets all raw chunks of a session but the newest `most`; its turns stay. */
export function keepNewestChunks(memory: Memory, sessionId: number, most: number): void {
  memory.change(
    `DELETE FROM chunks WHERE session_id = @sessionId AND type = 'raw' AND position <=
     (SELECT max(position) FROM chunks WHERE session_id = @sessionId AND type = 'raw') - @most`,
    { sessionId, most },
  );
}

/** Pages of the full-text index that one step of merging writes: some milliseconds. */
const pagesAtOnce = 64;

/**
 * Merges parts of the full-text indexes where FTS5 has left four or more of about the same size: each of them costs every
 * search. A step of it, in a transaction of its own.
 * @returns whether there was something to merge
 */
export function mergeTerms(memory: Memory): boolean {
  const changes = memory.prepare("SELECT total_changes()").pluck();
  return ["chunk_terms", "session_terms"].some((table) => {
    const before = changes.get() as number;
    memory.runInTransaction(() =>
      memory.exec(`INSERT INTO ${table} (${table}, rank) VALUES ('merge', ${pagesAtOnce})`),
    );
    // The command itself counts as one.
    return (changes.get() as number) - before > 1;
  });
}

/** How many chunks there are: of all sessions, or of those with these uids. */
export function countSessionChunks(memory: Memory, sessionUids?: readonly string[]): number {
  if (sessionUids === undefined) {
    return memory.readOnce("chunk count", () => memory.readValue<number>("SELECT count(*) FROM chunks"));
  }
  return memory.readValue<number>(
    `SELECT count(*) FROM chunks JOIN sessions ON sessions.id = session_id
     WHERE sessions.uid IN (SELECT value FROM json_each(?))`,
    sessionUids,
  );
}

/** Whole chunks by id; those that are gone are missing. */
export function readChunksByIds(
  memory: Memory,
  ids: readonly SessionChunkId[],
): Map<SessionChunkId, StoredSessionChunk> {
  const rows = memory.all<object>(
    `SELECT ${columns} FROM chunks WHERE id IN (SELECT value FROM json_each(?))`,
    ids,
  );
  return new Map(rows.map(readChunkRow).map((chunk) => [chunk.id, chunk]));
}

/** What ranking needs of chunks, by id; those that are gone are missing. Remembered and shared: not to be changed. */
export function readChunkOutlines(
  memory: Memory,
  ids: readonly SessionChunkId[],
): Map<SessionChunkId, SessionChunkOutline> {
  return readRemembered(memory, "session chunk outlines", ids, (unknown) =>
    memory
      .all<object>(
        `SELECT ${outlineColumns} FROM chunks WHERE id IN (SELECT value FROM json_each(?))`,
        unknown,
      )
      .map(readOutlineRow)
      .map((outline) => [outline.id, outline]),
  );
}

/** What is remembered of chunks until the memory is written, read where it is not; those that are gone are missing. */
function readRemembered<T>(
  memory: Memory,
  name: string,
  ids: readonly SessionChunkId[],
  read: (unknown: readonly SessionChunkId[]) => [SessionChunkId, T][],
): Map<SessionChunkId, T> {
  const remembered = memory.cacheUntilWrite<SessionChunkId, T>(name);
  const unknown = ids.filter((id) => !remembered.has(id));
  if (unknown.length > 0) for (const [id, value] of read(unknown)) remembered.set(id, value);
  const found = new Map<SessionChunkId, T>();
  for (const id of ids) {
    const value = remembered.get(id);
    if (value !== undefined) found.set(id, value);
  }
  return found;
}

export function findChunkByUid(memory: Memory, uid: string): StoredSessionChunk | null {
  const row = memory.prepare(`SELECT ${columns} FROM chunks WHERE uid = ?`).get(uid);
  return row ? readChunkRow(row) : null;
}

/** Chunks of a session, of one type or of all, in order; from a position on. */
export function listChunksOfSession(
  memory: Memory,
  sessionId: number,
  { type = null, from = 0 }: { type?: ChunkType | null; from?: number } = {},
): StoredSessionChunk[] {
  return memory
    .all<object>(
      `SELECT ${columns} FROM chunks
       WHERE session_id = @sessionId AND (@type IS NULL OR type = @type) AND position >= @from
       ORDER BY type, position`,
      { sessionId, type, from },
    )
    .map(readChunkRow);
}

/** The position of the first chunk of a type that covers a turn or a later one; the next free one when none does. */
export function findPositionOfTurn(memory: Memory, sessionId: number, type: ChunkType, turn: number): number {
  return memory.readValue<number>(
    `SELECT coalesce(min(position) FILTER (WHERE last_turn >= ?), max(position) + 1, 0) AS at
     FROM chunks WHERE session_id = ? AND type = ?`,
    turn,
    sessionId,
    type,
  );
}

/** By memory and id: a chunk stays in its session, and no id is given twice. */
const knownSessions = new WeakMap<Memory, number[]>();

/** The row of each chunk's session, in the order given; 0 for a chunk that is gone. */
export function findSessionsOfChunks(memory: Memory, ids: readonly SessionChunkId[]): number[] {
  const known = knownSessions.get(memory) ?? [];
  knownSessions.set(memory, known);
  const unknown = ids.filter((id) => known[id] === undefined);
  if (unknown.length > 0) {
    const rows = memory.all<{ id: SessionChunkId; sessionId: number }>(
      "SELECT id, session_id AS sessionId FROM chunks WHERE id IN (SELECT value FROM json_each(?))",
      unknown,
    );
    for (const { id, sessionId } of rows) known[id] = sessionId;
  }
  return ids.map((id) => known[id] ?? 0);
}

/** Rows of the chunks that a model has not seen yet, the newest first. */
export function listChunksWithoutVector(memory: Memory, model: string): SessionChunkId[] {
  return memory.readColumn<SessionChunkId>(
    `SELECT id FROM chunks c WHERE NOT EXISTS (SELECT 1 FROM vectors WHERE chunk_id = c.id AND model = ?)
     ORDER BY id DESC`,
    model,
  );
}
