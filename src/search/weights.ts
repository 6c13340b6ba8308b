import type { ColumnWeights } from "../store/code-lookup.ts";
import type { PathRole } from "./path-role.ts";

/**
 * Every number that ranking depends on. Signals are 0 to 1 and added up with these weights; penalties multiply
 * the sum. Chosen on one half of the benchmark's repositories and confirmed on the other (docs/benchmarks.md).
 */
export const weights = {
  /** Columns of the full-text index. */
  columns: { name: 8, path: 4, head: 2, body: 1 } satisfies ColumnWeights,
  /** Chunks that the full-text index hands to ranking. */
  candidates: 300,
  /** Chunks added for each name the query may be speaking of. */
  definitionsPerName: 20,

  lexical: 1,
  /** The file's other matching chunks. */
  coherence: 0.4,
  /** Query words in the file's name. */
  fileName: 0.5,
  /** Query words in the names of its directories. */
  directories: 0.15,
  /** Query words in the chunk's own name. */
  name: 0.3,
  /** The chunk defines the very name that the query holds. */
  definition: 0.6,

  /** Each further chunk of a file counts this much of the one before. */
  saturation: 0.5,
  /** What files of a role keep of their score when the query does not ask for them. */
  roles: {
    source: 1,
    test: 0.3,
    example: 0.4,
    docs: 0.6,
    legacy: 0.5,
    generated: 0.4,
    barrel: 0.7,
    types: 0.7,
  } satisfies Record<PathRole, number>,
};

export type Weights = typeof weights;
