import type { Memory } from "../memory.ts";
import type { PassageVectors } from "../memory-records.ts";

/** A model's vectors of a chunk's passages, as stored. */
export interface SessionVectorRow {
  id: number;
  sessionId: number;
  /** Row of `chunks`. */
  chunkId: number;
  dimensions: number;
  /** int8, side by side. */
  data: Uint8Array;
}

/** Adds the vectors of a chunk's passages. To be called in the transaction that makes sure of it. */
export function insertVector(
  memory: Memory,
  chunk: { id: number; sessionId: number },
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
  vectors: ReadonlyMap<number, PassageVectors>,
): void {
  memory.inTransaction(() => {
    const session = memory.prepare("SELECT session_id AS sessionId FROM chunks WHERE id = ?");
    for (const [id, passages] of vectors) {
      const chunk = session.get(id) as { sessionId: number } | undefined;
      if (chunk) insertVector(memory, { id, ...chunk }, model, passages);
    }
  });
}

/** Of each model, how many chunks it has seen, and of how many it has no vector. */
export function sessionVectorCounts(memory: Memory): { model: string; chunks: number; missing: number }[] {
  return memory
    .prepare(
      `SELECT model, count(*) AS chunks, sum(dimensions = 0) AS missing FROM vectors GROUP BY model ORDER BY model`,
    )
    .all() as { model: string; chunks: number; missing: number }[];
}

/** Forgets the vectors of all models but these. */
export function keepSessionModels(memory: Memory, models: readonly string[]): void {
  // Asked often: this jumps from model to model in an index, and reads no vectors.
  const rows = memory
    .prepare(
      `WITH RECURSIVE known (model) AS (SELECT min(model) FROM vectors UNION ALL
         SELECT (SELECT min(model) FROM vectors WHERE model > known.model) FROM known WHERE model IS NOT NULL)
       SELECT model FROM known WHERE model IS NOT NULL`,
    )
    .all() as { model: string }[];
  const others = rows.map(({ model }) => model).filter((model) => !models.includes(model));
  if (others.length === 0) return;
  memory.inTransaction(() => {
    for (const model of others) memory.prepare("DELETE FROM vectors WHERE model = ?").run(model);
  });
}

/** Ids of all rows of a model that hold a vector, ascending. */
export function sessionVectorIds(memory: Memory, model: string): number[] {
  const ids = memory.prepare("SELECT id FROM vectors WHERE model = ? AND dimensions > 0 ORDER BY id").pluck();
  return ids.all(model) as number[];
}

/** Rows of a model that hold a vector with an id beyond `after`, ascending, one at a time. */
export function sessionVectorsAfter(
  memory: Memory,
  model: string,
  after: number,
): IterableIterator<SessionVectorRow> {
  return memory
    .prepare(
      `SELECT id, session_id AS sessionId, chunk_id AS chunkId, dimensions, data
       FROM vectors WHERE model = ? AND id > ? AND dimensions > 0 ORDER BY id`,
    )
    .iterate(model, after) as IterableIterator<SessionVectorRow>;
}
