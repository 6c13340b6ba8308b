import { VectorIndex } from "../../vectors/vector-index.ts";
import type { VectorKernel } from "../../vectors/vector-kernel.ts";
import { ExactVectors, type FileSpan } from "../exact-vectors.ts";
import { type ChunkId, type ChunkMatch, type SearchScope, toChunkId } from "../port.ts";
import type { IndexDatabase } from "./index-database.ts";
import { type FileVectorRow, listVectorRowIds, readVectorRowsAfter } from "./vector-rows.ts";

/** Which chunks are near to a query for one model: all its vectors are in memory and compared. */
export class ChunkVectors {
  private readonly vectors: VectorIndex<FileVectorRow, FileSpan>;
  private readonly exact: ExactVectors;

  /** @param create makes the kernel that compares */
  constructor(db: IndexDatabase, model: string, create?: (dimensions: number) => VectorKernel) {
    const source = {
      version: () => db.readVersion(),
      count: () => db.countChunks(),
      rowsAfter: (model: string, id: number) => readVectorRowsAfter(db, model, id),
      rowIds: (model: string) => listVectorRowIds(db, model),
      removedSince: (version: string) => db.listVectorsRemovedSince(version),
    };
    const describe = ({ file, firstId, levels }: FileVectorRow) => ({ file, firstId, levels });
    this.vectors = new VectorIndex(source, model, describe, create);
    this.exact = new ExactVectors(this.vectors);
  }

  /** How many chunks it knows, with or without a vector, and how many bytes they take. */
  measureSize(): { vectors: number; bytes: number } {
    return this.vectors.measureSize();
  }

  /** The `k` chunks of the scope that are nearest to the query, best first; ties by row. */
  findNearest(query: Int8Array, k: number, scope: SearchScope): ChunkMatch[] {
    return this.exact.findNearest(query, k, scope).map(({ row, score }) => ({ id: toChunkId(row), score }));
  }

  /** The cosines of given chunks, in their order; NaN for one without a vector. */
  measureSimilarities(query: Int8Array, ids: readonly ChunkId[]): Float64Array {
    return this.exact.measureSimilarities(query, ids);
  }

  release(): void {
    this.vectors.release();
  }
}
