import { levels as allLevels, type Level } from "../../../base/levels.ts";
import type { Connection } from "../../sqlite/connection.ts";
import type { VectorRow } from "../../vectors/vector-index.ts";
import type { FileId, VectorCounts } from "../port.ts";
import type { FileVectors, IndexedFile } from "../records.ts";

/** The vectors of one model for one file's chunks, as stored: the rows in `chunks` are `firstId` and those that follow. */
export interface FileVectorRow extends VectorRow {
  file: FileId;
  firstId: number;
  /** For each chunk the place of its level in `levels`. */
  levels: Uint8Array;
}

interface ChunkSpan {
  fileId: number;
  firstChunk: number;
  levels: readonly Level[];
}

/** Adds a model's vectors of a file; to be called in the transaction that makes sure of its chunks. */
export function insertVectors(db: Connection, { fileId, firstChunk, levels }: ChunkSpan, given: FileVectors) {
  const { model, dimensions, vectors } = given;
  if (vectors.length !== levels.length) throw new Error(`${levels.length} chunks, ${vectors.length} vectors`);
  const data = new Int8Array(vectors.length * dimensions);
  vectors.forEach((vector, i) => {
    if (vector === null) return;
    if (vector.length !== dimensions) throw new Error(`${vector.length} dimensions, not ${dimensions}`);
    data.set(vector, i * dimensions);
  });
  db.prepare(
    `INSERT INTO vectors (file_id, model, dimensions, first_chunk, missing, levels, data)
       VALUES (?, ?, ?, ?, ?, ?, ?)`,
  ).run(
    fileId,
    model,
    dimensions,
    firstChunk,
    vectors.filter((vector) => vector === null).length,
    Uint8Array.from(levels, (level) => allLevels.indexOf(level)),
    new Uint8Array(data.buffer),
  );
}

/**
 * Adds a model's vectors for a file that is indexed already, or puts them in place of the model's earlier ones.
 * @returns false, and nothing is stored, when the index holds another version of the file by now
 */
export function storeVectors(
  db: Connection,
  { path, hash, chunks }: IndexedFile,
  given: FileVectors,
): boolean {
  return db.runInTransaction(() => {
    const stored = db.all<{ id: number; uid: string; fileId: number }>(
      `SELECT c.id, c.uid, c.file_id AS fileId FROM chunks c JOIN files f ON f.id = c.file_id
       WHERE f.path = ? AND f.hash = ? ORDER BY c.id`,
      path,
      hash,
    );
    const first = stored[0];
    const isSame = stored.length === chunks.length && stored.every(({ uid }, i) => uid === chunks[i]!.id);
    if (!first || !isSame) return false;
    removeVectors(db, "file_id = ? AND model = ?", [first.fileId, given.model]);
    const levels = chunks.map((chunk) => chunk.level);
    insertVectors(db, { fileId: first.fileId, firstChunk: first.id, levels }, given);
    return true;
  });
}

/** Paths of files some of whose chunks a model has not seen yet, those indexed last first. */
export function listPathsWithoutVectors(
  db: Connection & { countChunks(): number },
  { model, dimensions }: Pick<FileVectors, "model" | "dimensions">,
): string[] {
  // Asked after every change, and mostly there are none.
  const counted = countVectorsByModel(db).find((one) => one.model === model && one.dimensions === dimensions);
  if (counted?.chunks === db.countChunks()) return [];
  return db.readColumn<string>(
    `SELECT path FROM files f WHERE EXISTS (SELECT 1 FROM chunks WHERE file_id = f.id) AND NOT EXISTS (
     SELECT 1 FROM vectors WHERE file_id = f.id AND model = ? AND dimensions = ?) ORDER BY id DESC`,
    model,
    dimensions,
  );
}

export function countVectorsByModel(db: Connection): VectorCounts[] {
  return db.all<VectorCounts>("SELECT model, dimensions, chunks, missing FROM vector_totals WHERE files > 0");
}

/** Forgets the vectors of all models but these. */
export function keepModels(db: Connection, models: readonly string[]): void {
  const others = countVectorsByModel(db).flatMap(({ model }) => (models.includes(model) ? [] : model));
  if (others.length === 0) return;
  db.runInTransaction(() => {
    for (const model of others) removeVectors(db, "model = ?", [model]);
  });
}

/** To be called in a transaction. */
export function removeVectors(db: Connection, which: string, given: readonly unknown[]): void {
  db.prepare(`DELETE FROM vectors WHERE ${which}`).run(...given);
}

/** Ids of the rows of a model, ascending. */
export function listVectorRowIds(db: Connection, model: string): number[] {
  return db.readColumn<number>("SELECT id FROM vectors WHERE model = ? ORDER BY id", model);
}

/** The rows of a model with an id beyond `after`, ascending, one at a time. */
export function readVectorRowsAfter(
  db: Connection,
  model: string,
  after: number,
): IterableIterator<FileVectorRow> {
  return db
    .prepare(
      `SELECT id, file_id AS file, first_chunk AS firstId, dimensions, levels, data
       FROM vectors WHERE model = ? AND id > ? ORDER BY id`,
    )
    .iterate(model, after) as IterableIterator<FileVectorRow>;
}
