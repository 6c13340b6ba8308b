import type { VectorRow, VectorSource } from "../../vectors/vector-index.ts";
import type { Memory } from "../memory.ts";
import type { PassageVectors, SessionChunkId } from "../memory-records.ts";

/** A model's vectors of a chunk's passages, as stored. */
export interface PassageRow extends VectorRow {
  chunkId: SessionChunkId;
}

/** Adds the vectors of a chunk's passages. To be called in the transaction that makes sure of it. */
export function insertVector(
  memory: Memory,
  chunk: { id: SessionChunkId; sessionId: number },
  model: string,
  { dimensions, data }: PassageVectors,
): void {
  if (data.length > 0 && data.length % dimensions !== 0) {
    throw new Error(`${data.length} bytes are no vectors of ${dimensions} dimensions`);
  }
  memory
    .prepare(
      `INSERT INTO vectors (session_id, model, dimensions, chunk_id, data) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT (chunk_id, model) DO NOTHING`,
    )
    .run(
      chunk.sessionId,
      model,
      data.length > 0 ? dimensions : 0,
      chunk.id,
      new Uint8Array(data.buffer, data.byteOffset, data.length),
    );
}

/** Adds vectors of a model by chunk; those of chunks that are gone by now are left out. */
export function storeSessionVectors(
  memory: Memory,
  model: string,
  vectors: ReadonlyMap<SessionChunkId, PassageVectors>,
): void {
  memory.runInTransaction(() => {
    const session = memory.prepare("SELECT session_id AS sessionId FROM chunks WHERE id = ?");
    for (const [id, passages] of vectors) {
      const chunk = session.get(id) as { sessionId: number } | undefined;
      if (chunk) insertVector(memory, { id, ...chunk }, model, passages);
    }
  });
}

/** Of each model, how many chunks it has seen, and of how many it has no vector. */
export function countSessionVectors(memory: Memory): { model: string; chunks: number; missing: number }[] {
  return memory.all<{ model: string; chunks: number; missing: number }>(
    `SELECT model, count(*) AS chunks, sum(dimensions = 0) AS missing FROM vectors GROUP BY model ORDER BY model`,
  );
}

/** Forgets the vectors of all models but these. */
export function keepSessionModels(memory: Memory, models: readonly string[]): void {
  // Asked often: this jumps from model to model in an index, and reads no vectors.
  const rows = memory.all<{
    model: string;
  }>(`WITH RECURSIVE known (model) AS (SELECT min(model) FROM vectors UNION ALL
      SELECT (SELECT min(model) FROM vectors WHERE model > known.model) FROM known WHERE model IS NOT NULL)
    SELECT model FROM known WHERE model IS NOT NULL`);
  const others = rows.map(({ model }) => model).filter((model) => !models.includes(model));
  if (others.length === 0) return;
  memory.runInTransaction(() => {
    for (const model of others) memory.prepare("DELETE FROM vectors WHERE model = ?").run(model);
  });
}

/** The vectors in a memory: rows of chunks that a model found nothing in are left out. */
export function createPassageSource(memory: Memory): VectorSource<PassageRow> {
  const rows = "FROM vectors WHERE model = ? AND dimensions > 0";
  return {
    version: () => memory.readVersion(),
    count: (model) =>
      memory.readValue<number>(`SELECT coalesce(sum(length(data) / dimensions), 0) ${rows}`, model),
    rowsAfter: (model, id) =>
      memory
        .prepare(`SELECT id, chunk_id AS chunkId, dimensions, data ${rows} AND id > ? ORDER BY id`)
        .iterate(model, id) as IterableIterator<PassageRow>,
    rowIds: (model) => memory.readColumn<number>(`SELECT id ${rows} ORDER BY id`, model),
  };
}
