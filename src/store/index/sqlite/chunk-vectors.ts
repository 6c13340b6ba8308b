import { VectorIndex } from "../../vectors/vector-index.ts";
import type { VectorKernel } from "../../vectors/vector-kernel.ts";
import { ExactVectors, type FileSpan } from "../exact-vectors.ts";
import type { ChunkId, Match, Scope } from "../port.ts";
import { chunkId } from "../stored-rows.ts";
import type { IndexDatabase } from "./index-database.ts";
import { stored } from "./signs/sign-blocks.ts";
import { type Candidates, VectorsBySigns } from "./signs/vectors-by-signs.ts";
import { type FileVectorRow, vectorCounts, vectorRowIds, vectorRowsAfter } from "./vector-rows.ts";

interface Options {
  /** Makes the kernel that compares all vectors. */
  create?: (dimensions: number) => VectorKernel;
  /** How many are compared where signs say which; "all": every one, whatever is stored. */
  candidates?: Candidates | "all";
}

/**
 * Which chunks are near to a query for one model. All vectors are in memory and compared, up to a size: beyond, only their
 * signs are, and the vectors of the likeliest are read (docs/decisions/0014-own-postings.md).
 */
export class ChunkVectors {
  private readonly vectors: VectorIndex<FileVectorRow, FileSpan>;
  private readonly exact: ExactVectors;
  private bySigns: VectorsBySigns | null = null;
  private version = "";

  constructor(
    private readonly db: IndexDatabase,
    private readonly model: string,
    private readonly options: Options = {},
  ) {
    const source = {
      version: () => db.version(),
      count: () => db.chunkCount(),
      rowsAfter: (model: string, id: number) => vectorRowsAfter(db, model, id),
      rowIds: (model: string) => vectorRowIds(db, model),
      removedSince: (version: string) => db.vectorsRemovedSince(version),
    };
    const describe = ({ file, firstId, levels }: FileVectorRow) => ({ file, firstId, levels });
    this.vectors = new VectorIndex(source, model, describe, options.create);
    this.exact = new ExactVectors(this.vectors);
  }

  /** How many chunks it knows, with or without a vector, and how many bytes they take. */
  size(): { vectors: number; bytes: number } {
    return (this.signs() ?? this.vectors).size();
  }

  /** Those that signs find, brought up to date; null where all vectors are to be compared. */
  private signs(): VectorsBySigns | null {
    const version = this.db.version();
    if (version !== this.version) {
      this.version = version;
      this.follow(version);
    }
    return this.bySigns;
  }

  /** Where most of a model's signs are stored, they are used; it is `SignPacking` that decides. */
  private follow(version: string): void {
    const { db, model } = this;
    const counts = vectorCounts(db).filter((counted) => counted.model === model);
    const space = counts.sort((a, b) => b.chunks - a.chunks)[0];
    const isStored =
      space !== undefined && this.options.candidates !== "all" && stored(db, space).chunks * 2 > space.chunks;
    if (!isStored || this.bySigns?.dimensions !== space.dimensions) this.bySigns = null;
    if (!isStored) return;
    this.vectors.release();
    this.bySigns ??= this.open(space.dimensions);
    if (this.bySigns.refresh(version)) return;
    this.bySigns = this.open(space.dimensions);
    this.bySigns.refresh(version);
  }

  private open(dimensions: number): VectorsBySigns {
    const { db, model } = this;
    const source = {
      rowIds: () => vectorRowIds(db, model),
      removedSince: (version: string) => db.vectorsRemovedSince(version),
    };
    const { candidates } = this.options;
    return new VectorsBySigns(
      db,
      { model, dimensions },
      source,
      candidates === "all" ? undefined : candidates,
    );
  }

  /** The `k` chunks of the scope that are nearest to the query, best first; ties by row. */
  nearest(query: Int8Array, k: number, scope: Scope): Match[] {
    const found = k < 1 ? [] : (this.signs() ?? this.exact).nearest(query, k, scope);
    return found.map(({ row, score }) => ({ id: chunkId(row), score }));
  }

  /** The cosines of given chunks, in their order; NaN for one without a vector. */
  similarities(query: Int8Array, ids: readonly ChunkId[]): Float64Array {
    return (this.signs() ?? this.exact).similarities(query, ids.map(Number));
  }

  release(): void {
    this.bySigns = null;
    this.version = "";
    this.vectors.release();
  }
}
