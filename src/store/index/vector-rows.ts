import { levels as allLevels, type Level } from "../../project/levels.ts";
import type { Statement } from "../sqlite/sqlite.ts";

/** Vectors of one file's chunks, in the order of its chunks; null where there is none. */
export interface FileVectors {
  model: string;
  dimensions: number;
  vectors: readonly (Int8Array | null)[];
}

interface ChunkSpan {
  fileId: number;
  firstChunk: number;
  levels: readonly Level[];
}

/** Adds a model's vectors of a file; to be called in the transaction that makes sure of its chunks. */
export function insertVectors(
  index: { prepare(sql: string): Statement },
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
