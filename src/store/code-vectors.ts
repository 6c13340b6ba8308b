import { levels as allLevels, type Level } from "../project/levels.ts";
import type { CodeIndex } from "./code-index.ts";

/** Vectors of one file's chunks, in the order of its chunks; null where there is none. */
export interface FileVectors {
  model: string;
  dimensions: number;
  vectors: readonly (Int8Array | null)[];
}

/** The vectors of one model for one file's chunks, as stored. */
export interface VectorRow {
  id: number;
  fileId: number;
  /** The rows in `chunks` are this one and those that follow. */
  firstChunk: number;
  dimensions: number;
  /** For each chunk the place of its level in `levels`. */
  levels: Uint8Array;
  /** For each chunk `dimensions` int8; zeros where it has no vector. */
  data: Uint8Array;
}

/** How far the chunks of an index have vectors of one model. */
export interface VectorCounts {
  model: string;
  dimensions: number;
  files: number;
  /** Chunks of those files, with a vector or found to have none. */
  chunks: number;
  /** Those that have none. */
  missing: number;
}

interface ChunkSpan {
  fileId: number;
  firstChunk: number;
  levels: readonly Level[];
}

/** Adds a model's vectors of a file; to be called in the transaction that makes sure of its chunks. */
export function insertVectors(
  index: CodeIndex,
  { fileId, firstChunk, levels }: ChunkSpan,
  given: FileVectors,
) {
  const { model, dimensions, vectors } = given;
  if (vectors.length !== levels.length) throw new Error(`${levels.length} chunks, ${vectors.length} vectors`);
  const data = new Int8Array(vectors.length * dimensions);
  vectors.forEach((vector, i) => {
    if (vector === null) return;
    if (vector.length !== dimensions) throw new Error(`${vector.length} dimensions, not ${dimensions}`);
    data.set(vector, i * dimensions);
  });
  index
    .prepare(
      `INSERT INTO vectors (file_id, model, dimensions, first_chunk, missing, levels, data)
       VALUES (?, ?, ?, ?, ?, ?, ?)`,
    )
    .run(
      fileId,
      model,
      dimensions,
      firstChunk,
      vectors.filter((vector) => vector === null).length,
      Uint8Array.from(levels, (level) => allLevels.indexOf(level)),
      new Uint8Array(data.buffer),
    );
}

/** Ids of all rows of a model, ascending. */
export function vectorRowIds(index: CodeIndex, model: string): number[] {
  const rows = index.prepare("SELECT id FROM vectors WHERE model = ? ORDER BY id").all(model);
  return (rows as { id: number }[]).map(({ id }) => id);
}

/** The rows of a model with an id beyond `after`, ascending, one at a time. */
export function vectorRowsAfter(index: CodeIndex, model: string, after: number): IterableIterator<VectorRow> {
  return index
    .prepare(
      `SELECT id, file_id AS fileId, first_chunk AS firstChunk, dimensions, levels, data
       FROM vectors WHERE model = ? AND id > ? ORDER BY id`,
    )
    .iterate(model, after) as IterableIterator<VectorRow>;
}
