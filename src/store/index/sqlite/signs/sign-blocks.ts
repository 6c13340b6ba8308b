import type { Connection } from "../../../sqlite/connection.ts";
import { Signs } from "../../../vectors/signs.ts";
import type { VectorCounts } from "../../port.ts";
import { type FileVectorRow, vectorCounts, vectorRowIds, vectorRowsAfter } from "../vector-rows.ts";
import type { Merging } from "../word-segments.ts";

/**
 * The signs of many vectors, stored together beside them: `vectors` holds eight times as much, and reading a block takes no
 * longer than reading one of its rows (docs/decisions/0014-own-postings.md). What is in no block yet are the rows that were
 * written last.
 */
export interface SignBlock {
  /** For each row of `vectors` four numbers: its id, its file, its first chunk, and how many chunks it has. */
  rows: Uint32Array;
  /** For each of these chunks a byte with the bit of its level (`levelFlag`), 0 where it has no vector. */
  flags: Uint8Array;
  /** For each of these chunks the signs of its vector, side by side. */
  signs: Uint8Array;
}

/** Numbers of a row in `rows`. */
export const rowLength = 4;

/** @param level a place in levels.ts */
export const levelFlag = (level: number) => 1 << level;

export function signBlock(given: readonly FileVectorRow[], signs: Signs): SignBlock {
  const { dimensions } = signs;
  const rows = given.flatMap(({ id, file, firstId, levels }) => [id, file, firstId, levels.length]);
  const chunks = given.reduce((sum, { levels }) => sum + levels.length, 0);
  const block = {
    rows: Uint32Array.from(rows),
    flags: new Uint8Array(chunks),
    signs: new Uint8Array(chunks * signs.bytes),
  };
  let next = 0;
  for (const { levels, data } of given) {
    block.signs.set(signs.of(data), next * signs.bytes);
    levels.forEach((level, i) => {
      const vector = data.subarray(i * dimensions, (i + 1) * dimensions);
      if (vector.some((component) => component !== 0)) block.flags[next + i] = levelFlag(level);
    });
    next += levels.length;
  }
  return block;
}

type Space = Pick<VectorCounts, "model" | "dimensions">;

/** How many chunks the blocks of a model have, gone ones among them, and the last row of `vectors` that is in one. */
export function stored(db: Connection, { model, dimensions }: Space): { chunks: number; last: number } {
  return db.get<{ chunks: number; last: number }>(
    `SELECT coalesce(sum(chunks), 0) AS chunks, coalesce(max(last_row), 0) AS last FROM sign_blocks
     WHERE model = ? AND dimensions = ?`,
    model,
    dimensions,
  );
}

/** Blocks of a model, in the order of their rows. @param after what ends with this row of `vectors` or before is left out */
export function* signBlocks(
  db: Connection,
  { model, dimensions }: Space,
  after = 0,
): Generator<SignBlock & { id: number }> {
  const blocks = db
    .prepare(
      `SELECT id, rows, flags, signs FROM sign_blocks WHERE model = ? AND dimensions = ? AND last_row > ?
       ORDER BY last_row`,
    )
    .iterate(model, dimensions, after) as IterableIterator<
    Record<keyof SignBlock, Uint8Array> & { id: number }
  >;
  // In this machine's byte order, as it is this machine's index.
  for (const { id, rows, flags, signs } of blocks)
    yield { id, rows: new Uint32Array(Uint8Array.from(rows).buffer), flags, signs };
}

/** The id of the last row of a block. */
const lastRow = ({ rows }: Pick<SignBlock, "rows">) => rows.at(-rowLength)!;

/** What is left of a block. @param bytes of the signs of a vector */
function presentRows(db: Connection, { model }: Space, block: SignBlock, bytes: number): SignBlock {
  const { rows, flags, signs } = block;
  const present = new Set(vectorRowIds(db, model, { from: rows[0]!, to: lastRow(block) }));
  const left: SignBlock[] = [];
  let at = 0;
  for (let i = 0; i < rows.length; i += rowLength) {
    const end = at + rows[i + 3]!;
    if (present.has(rows[i]!)) {
      left.push({
        rows: rows.subarray(i, i + rowLength),
        flags: flags.subarray(at, end),
        signs: signs.subarray(at * bytes, end * bytes),
      });
    }
    at = end;
  }
  return joined(left);
}

/** Blocks that follow each other as one. */
const joined = (blocks: readonly SignBlock[]): SignBlock => ({
  rows: Uint32Array.from(blocks.flatMap(({ rows }) => [...rows])),
  flags: Buffer.concat(blocks.map(({ flags }) => flags)),
  signs: Buffer.concat(blocks.map(({ signs }) => signs)),
});

/** Rows of a model that are in no block yet, ascending. */
export function* rowsBeyond(
  db: Connection,
  { model, dimensions }: Space,
  after: number,
): Generator<FileVectorRow> {
  for (const row of vectorRowsAfter(db, model, after)) if (row.dimensions === dimensions) yield row;
}

/** Chunks of a block, which is loaded in a tenth of a millisecond; what is in none yet is less than one. */
const chunksPerBlock = 512;

/** Stores the signs of vectors, block by block. */
export class SignPacking {
  private readonly signs = new Map<number, Signs>();
  /** The last row of `vectors`, and how many there are, when there was nothing to do. */
  private doneAt = "";
  /** The last row in the blocks that were written again. */
  private rewritten = 0;

  /** @param from fewer vectors of a model are sooner compared as they are: their signs are not stored */
  constructor(
    private readonly db: Connection & Merging,
    private readonly from: number,
  ) {}

  /** One block, some milliseconds. @returns whether there was something to do */
  step(): boolean {
    const counts = vectorCounts(this.db);
    const last = this.db.value<number | null>("SELECT max(id) FROM vectors");
    const now = `${last} ${JSON.stringify(counts)}`;
    if (now === this.doneAt) return false;
    if (counts.some((space) => this.stepOf(space)) || this.removeOthers(counts)) return true;
    this.doneAt = now;
    return false;
  }

  private stepOf(space: VectorCounts): boolean {
    const { chunks, last } = stored(this.db, space);
    // Half as many, so that one that comes and goes does not change it each time.
    if (chunks > 0 && space.chunks < this.from / 2) {
      this.db.inMerge(() =>
        this.db
          .prepare("DELETE FROM sign_blocks WHERE model = ? AND dimensions = ?")
          .run(space.model, space.dimensions),
      );
      return true;
    }
    if (space.chunks >= this.from && this.pack(space, last)) return true;
    // A quarter of what is in blocks is gone.
    const isWorn = chunks * 3 > space.chunks * 4;
    if (isWorn) this.rewrite(space);
    return isWorn;
  }

  private pack(space: VectorCounts, last: number): boolean {
    const rows: FileVectorRow[] = [];
    let chunks = 0;
    for (const row of rowsBeyond(this.db, space, last)) {
      rows.push(row);
      chunks += row.levels.length;
      if (chunks >= chunksPerBlock) break;
    }
    if (chunks < chunksPerBlock) return false;
    const block = signBlock(rows, this.signsOf(space.dimensions));
    this.db.inMerge(() => this.insert(space, block));
    return true;
  }

  /** Writes the next blocks again as one, without what is gone; after the last ones the first. */
  private rewrite(space: Space): void {
    const { db } = this;
    const { bytes } = this.signsOf(space.dimensions);
    const read: number[] = [];
    const left: SignBlock[] = [];
    let [chunks, goneChunks, last] = [0, 0, 0];
    for (const { id, ...block } of signBlocks(db, space, this.rewritten)) {
      const present = presentRows(db, space, block, bytes);
      read.push(id);
      left.push(present);
      chunks += present.flags.length;
      goneChunks += block.flags.length - present.flags.length;
      last = lastRow(block);
      if (chunks >= chunksPerBlock) break;
    }
    this.rewritten = chunks < chunksPerBlock ? 0 : last;
    if (goneChunks === 0) return;
    db.inMerge(() => {
      db.prepare("DELETE FROM sign_blocks WHERE id IN (SELECT value FROM json_each(?))").run(
        JSON.stringify(read),
      );
      if (chunks > 0) this.insert(space, joined(left));
    });
  }

  private insert({ model, dimensions }: Space, { rows, flags, signs }: SignBlock): void {
    this.db
      .prepare(
        `INSERT INTO sign_blocks (model, dimensions, last_row, chunks, rows, flags, signs)
         VALUES (?, ?, ?, ?, ?, ?, ?)`,
      )
      .run(model, dimensions, lastRow({ rows }), flags.length, new Uint8Array(rows.buffer), flags, signs);
  }

  private removeOthers(counts: readonly VectorCounts[]): boolean {
    const known = JSON.stringify(counts.map(({ model, dimensions }) => `${dimensions} ${model}`));
    const others = "dimensions || ' ' || model NOT IN (SELECT value FROM json_each(?))";
    if (!this.db.prepare(`SELECT 1 FROM sign_blocks WHERE ${others} LIMIT 1`).get(known)) return false;
    this.db.inMerge(() => this.db.prepare(`DELETE FROM sign_blocks WHERE ${others}`).run(known));
    return true;
  }

  private signsOf(dimensions: number): Signs {
    let signs = this.signs.get(dimensions);
    if (signs === undefined) {
      signs = new Signs(dimensions);
      this.signs.set(dimensions, signs);
    }
    return signs;
  }
}
