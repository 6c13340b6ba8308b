import type { LookupScope } from "../../store/index/code-lookup.ts";
import type { VectorIndex } from "./vector-index.ts";

/** What the vectors of one model say about a query. */
export interface VectorEvidence {
  /** Cosines of the nearest chunks in scope by rowid, best first. */
  readonly nearest: ReadonlyMap<number, number>;
  /** Cosines of any chunks, in their order; NaN for one without a vector. -1 to 1. */
  similarities(rowids: readonly number[]): Float64Array;
}

/** What is known of a query by meaning; null for a model that has nothing to say. */
export interface SemanticEvidence {
  /** The model that every chunk has a vector of from the start. */
  first: VectorEvidence | null;
  /** The larger model of the configuration, as far as its vectors are made. */
  second: VectorEvidence | null;
}

export const noEvidence: SemanticEvidence = { first: null, second: null };

/** The evidence of one model for one query. */
export function evidenceOf(
  vectors: VectorIndex,
  query: Int8Array,
  scope: LookupScope,
  k: number,
): VectorEvidence {
  const nearest = vectors.nearest(query, k, scope);
  return {
    nearest: new Map(nearest.map(({ rowid, similarity }) => [rowid, similarity])),
    similarities: (rowids) => vectors.similarities(query, rowids),
  };
}
