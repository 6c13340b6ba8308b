import { createHash } from "node:crypto";
import { insertTexts, removeTexts } from "../../sqlite/full-text.ts";
import { chunks } from "../../tables/chunks.ts";
import { buildSameColumns, insertInto, setColumns, storeRow } from "../../tables/statements.ts";
import type { Memory } from "../memory.ts";
import type { ChunkDecision, ChunkTerms, ChunkToStore, SessionChunkId } from "../memory-records.ts";
import { insertVector } from "./vectors.ts";

/**
 * Puts chunks in place of others. Of those that are the same, the rows stay, and with them their words and vectors: a
 * session that is cut again is mostly cut as before, and vectors are expensive.
 */

/** The chunks to replace: a condition on `chunks`, and its parameters. */
export interface ChunkCondition {
  where: string;
  given: Record<string, string | number>;
}

interface StoredChunkRow {
  id: SessionChunkId;
  position: number;
  hash: string;
}

type Replacement = Pick<ChunkToStore, "terms" | "position">;

const hashTerms = ({ prompt, answer, actions, errors }: ChunkTerms) =>
  createHash("sha256")
    .update(JSON.stringify([prompt, answer, actions, errors]))
    .digest()
    .subarray(0, 16);

/** Which of these chunks a model already has vectors for, as what they are made of has not changed. */
export function checkForVectors(
  memory: Memory,
  place: ChunkCondition,
  chunks: readonly Replacement[],
  model: string,
): boolean[] {
  const known = memory.prepare("SELECT 1 FROM vectors WHERE chunk_id = ? AND model = ?");
  return matchRows(listRowsAt(memory, place), chunks).map(
    (row) => row !== null && known.get(row.id, model) !== undefined,
  );
}

/**
 * To be called in a transaction.
 * @param reindex the words of chunks that stay are written again, as the rules for words may have changed
 */
export function putChunks(
  memory: Memory,
  sessionId: number,
  place: ChunkCondition,
  cut: readonly ChunkToStore[],
  { reindex = false } = {},
): SessionChunkId[] {
  const stored = listRowsAt(memory, place);
  const rows = matchRows(stored, cut);
  const kept = new Set(rows.flatMap((row) => row?.id ?? []));
  const remove = memory.prepare("DELETE FROM chunks WHERE id = ?");
  for (const { id } of stored) if (!kept.has(id)) remove.run(id);
  // A uid names a place, which another row may still have.
  const leave = memory.prepare("UPDATE chunks SET uid = '#' || id WHERE id = ?");
  rows.forEach((row, i) => {
    if (row !== null && row.position !== cut[i]!.position) leave.run(row.id);
  });
  return cut.map((chunk, i) => {
    const row = rows[i] ?? null;
    if (row === null) return insertChunk(memory, sessionId, chunk);
    updateChunk(memory, sessionId, row, chunk, reindex);
    return row.id;
  });
}

function listRowsAt(memory: Memory, { where, given }: ChunkCondition): StoredChunkRow[] {
  return memory.all<StoredChunkRow>(
    `SELECT id, position, hex(hash) AS hash FROM chunks JOIN chunk_sources ON chunk_id = id
     WHERE ${where} ORDER BY position`,
    given,
  );
}

/** The stored row of each chunk: one that was made of the same, at the same place if there is one. */
function matchRows(
  stored: readonly StoredChunkRow[],
  chunks: readonly Replacement[],
): (StoredChunkRow | null)[] {
  const free = new Set(stored);
  const hashes = chunks.map(({ terms }) => hashTerms(terms).toString("hex").toUpperCase());
  const isSame = (row: StoredChunkRow, i: number) => row.hash === hashes[i];
  const take = (row: StoredChunkRow | undefined): StoredChunkRow | null => {
    if (row === undefined) return null;
    free.delete(row);
    return row;
  };
  const byPosition = new Map(stored.map((row) => [row.position, row]));
  const inPlace = chunks.map(({ position }, i) => {
    const row = byPosition.get(position);
    return row !== undefined && free.has(row) && isSame(row, i) ? take(row) : null;
  });
  return inPlace.map((row, i) => row ?? take([...free].find((other) => isSame(other, i))));
}

const insertion = insertInto(chunks);
const update = `UPDATE chunks SET ${setColumns(chunks)} WHERE id = @id AND NOT (${buildSameColumns(chunks)})`;

function insertChunk(memory: Memory, sessionId: number, chunk: ChunkToStore): SessionChunkId {
  const { lastInsertRowid } = memory.prepare(insertion).run(storeRow(chunks, { ...chunk, sessionId }));
  const id = Number(lastInsertRowid) as SessionChunkId;
  insertTerms(memory, id, chunk.terms);
  if (chunk.decisions !== undefined) saveChunkDecisions(memory, id, chunk.decisions);
  for (const [model, passages] of chunk.vectors) insertVector(memory, { id, sessionId }, model, passages);
  return id;
}

function insertTerms(memory: Memory, id: SessionChunkId, terms: ChunkTerms): void {
  const { prompt, answer, actions, errors } = terms;
  insertTexts(memory, "chunk_terms", id, [prompt, answer, actions, errors]);
  memory.prepare("INSERT INTO chunk_sources (chunk_id, hash) VALUES (?, ?)").run(id, hashTerms(terms));
}

function updateChunk(
  memory: Memory,
  sessionId: number,
  { id }: StoredChunkRow,
  chunk: ChunkToStore,
  reindex: boolean,
): void {
  memory.prepare(update).run({ ...storeRow(chunks, { ...chunk, sessionId }), id });
  if (reindex) {
    removeTexts(memory, "chunk_terms", id);
    memory.prepare("DELETE FROM chunk_sources WHERE chunk_id = ?").run(id);
    insertTerms(memory, id, chunk.terms);
  }
  if (chunk.decisions !== undefined) saveChunkDecisions(memory, id, chunk.decisions);
  for (const [model, passages] of chunk.vectors) {
    const { data } = passages;
    const bytes = new Uint8Array(data.buffer, data.byteOffset, data.length);
    memory
      .prepare("DELETE FROM vectors WHERE chunk_id = ? AND model = ? AND data <> ?")
      .run(id, model, bytes);
    insertVector(memory, { id, sessionId }, model, passages);
  }
}

/** Writes only what changed. */
function saveChunkDecisions(memory: Memory, chunkId: number, decisions: readonly ChunkDecision[]): void {
  memory
    .prepare(
      `INSERT INTO chunk_decisions (chunk_id, decisions) VALUES (?, ?)
       ON CONFLICT DO UPDATE SET decisions = excluded.decisions WHERE decisions <> excluded.decisions`,
    )
    .run(chunkId, decisions);
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
export function listDecidingChunks(memory: Memory): DecidingChunk[] {
  const rows = memory.all<
    Omit<DecidingChunk, "files" | "decisions"> & { files: string; decisions: string }
  >(`SELECT uid, session_id AS sessionId, started_at AS startedAt, ended_at AS endedAt, branch, files, decisions
    FROM chunks JOIN chunk_decisions ON chunk_id = chunks.id
    WHERE type = 'raw' AND NOT abandoned AND decisions <> '[]'
    ORDER BY coalesce(started_at, 0), id`);
  return rows.map((row) => ({ ...row, files: JSON.parse(row.files), decisions: JSON.parse(row.decisions) }));
}
