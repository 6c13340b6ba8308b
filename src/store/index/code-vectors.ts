import type { CodeIndex } from "./code-index.ts";
import type { IndexedFile } from "./records.ts";
import { type FileVectors, insertVectors } from "./vector-rows.ts";

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

/** What an index holds of one model. */
export interface VectorCounts {
  model: string;
  dimensions: number;
  /** Chunks that were embedded, or found to have no vector. */
  chunks: number;
  /** Those of them that have none. */
  missing: number;
}

/**
 * Adds a model's vectors for a file that is indexed already, or puts them in place of the model's earlier ones.
 * @returns false, and nothing is stored, when the index holds another version of the file by now
 */
export function storeVectors(
  index: CodeIndex,
  { path, hash, chunks }: IndexedFile,
  given: FileVectors,
): boolean {
  return index.inTransaction(() => {
    const stored = index
      .prepare(
        `SELECT c.id, c.uid, c.file_id AS fileId FROM chunks c JOIN files f ON f.id = c.file_id
         WHERE f.path = ? AND f.hash = ? ORDER BY c.id`,
      )
      .all(path, hash) as { id: number; uid: string; fileId: number }[];
    const first = stored[0];
    const isSame = stored.length === chunks.length && stored.every(({ uid }, i) => uid === chunks[i]!.id);
    if (!first || !isSame) return false;
    index.prepare("DELETE FROM vectors WHERE file_id = ? AND model = ?").run(first.fileId, given.model);
    const levels = chunks.map((chunk) => chunk.level);
    insertVectors(index, { fileId: first.fileId, firstChunk: first.id, levels }, given);
    return true;
  });
}

/** Paths of files some of whose chunks a model has not seen yet, those indexed last first. */
export function pathsWithoutVectors(
  index: CodeIndex,
  { model, dimensions }: Pick<FileVectors, "model" | "dimensions">,
): string[] {
  const rows = index
    .prepare(
      `SELECT path FROM files f WHERE EXISTS (SELECT 1 FROM chunks WHERE file_id = f.id) AND NOT EXISTS (
         SELECT 1 FROM vectors WHERE file_id = f.id AND model = ? AND dimensions = ?) ORDER BY id DESC`,
    )
    .all(model, dimensions);
  return (rows as { path: string }[]).map(({ path }) => path);
}

/** What the index holds of each model; of one with vectors of several lengths, of each length. */
export function vectorCounts(index: CodeIndex): VectorCounts[] {
  return index
    .prepare(
      `SELECT model, dimensions, sum(length(levels)) AS chunks, sum(missing) AS missing
       FROM vectors GROUP BY model, dimensions`,
    )
    .all() as VectorCounts[];
}

/** Forgets the vectors of all models but these. */
export function keepModels(index: CodeIndex, models: readonly string[]): void {
  // Asked after every change: this reads an index, and no vectors.
  const rows = index.prepare("SELECT DISTINCT model FROM vectors").all() as { model: string }[];
  const others = rows.map(({ model }) => model).filter((model) => !models.includes(model));
  if (others.length === 0) return;
  index.inTransaction(() => {
    for (const model of others) index.prepare("DELETE FROM vectors WHERE model = ?").run(model);
  });
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
