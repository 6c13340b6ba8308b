import { levels as allLevels } from "../../../../project/levels.ts";
import { Best, type Scored } from "../../../best.ts";
import type { Connection } from "../../../sqlite/connection.ts";
import { Signs } from "../../../vectors/signs.ts";
import { blockSize, createKernel, type VectorKernel } from "../../../vectors/vector-kernel.ts";
import type { Scope } from "../../port.ts";
import { rowCount, vectorsAt } from "../vector-rows.ts";
import { levelFlag, rowsBeyond, type SignBlock, signBlock, signBlocks, stored } from "./sign-blocks.ts";
import { type ChunkPlace, SignedRows } from "./signed-rows.ts";

export interface Candidates {
  /** So many that differ from the query in the fewest signs. */
  bySigns: number;
  /** So many of these are compared by their int8 vectors. */
  byShares: number;
}

/** Recall at 10 is .995 or more with these (docs/benchmarks.md#growth). */
const usually: Candidates = { bySigns: 8000, byShares: 600 };

/** Vectors that were read and are kept: some 9 MB of 256 dimensions. A question reads about a thousand. */
const kept = 32_768;

/**
 * Which of many vectors are near to a query: their signs are in memory and say which may be, the vectors themselves are read of
 * these alone. All cosines that it gives are exact.
 */
export class VectorsBySigns {
  private readonly signs: Signs;
  private readonly known: SignedRows;
  private readonly read: VectorKernel;
  /** For chunks whose vectors were read, their places in `read`. */
  private readonly placesRead = new Map<number, number>();
  private version = "";

  constructor(
    private readonly db: Connection,
    private readonly space: { model: string; dimensions: number },
    private readonly source: {
      /** Of all rows of the model, ascending. */
      rowIds(): readonly number[];
      removedSince(version: string): Iterable<number> | null;
    },
    private readonly candidates: Candidates = usually,
  ) {
    this.signs = new Signs(space.dimensions);
    this.known = new SignedRows(this.signs.bytes);
    this.read = createKernel(space.dimensions);
  }

  /** Follows the database. @returns false when so much is gone that it should be loaded anew */
  refresh(version: string): boolean {
    const { known, db, space } = this;
    if (version === this.version) return true;
    const isNew = this.version === "";
    if (isNew) this.load();
    const removed = isNew ? null : this.source.removedSince(this.version);
    for (const id of removed ?? []) this.remove(id);
    const beyond: SignBlock[] = [];
    for (const row of rowsBeyond(db, space, known.newest)) beyond.push(signBlock([row], this.signs));
    for (const block of beyond) known.add(block);
    if (removed === null && known.present !== rowCount(db, space)) {
      for (const id of this.missing()) this.remove(id);
    }
    this.version = version;
    return known.size().vectors * 2 > known.slots;
  }

  size(): { vectors: number; bytes: number } {
    const { vectors, bytes } = this.known.size();
    return { vectors, bytes: bytes + this.read.bytes() };
  }

  get dimensions(): number {
    return this.space.dimensions;
  }

  /** The `k` chunks of the scope that are nearest to the query, best first; ties by chunk. */
  nearest(query: Int8Array, k: number, { files, levels }: Scope): Scored[] {
    if (query.length !== this.dimensions) return [];
    const wanted =
      levels === null ? ~0 : levels.reduce((all, one) => all | levelFlag(allLevels.indexOf(one)), 0);
    const asked = { signs: this.signs.of(bytesOf(query)), shares: this.signs.shares(query) };
    const { bySigns, byShares } = this.candidates;
    const counts = { bySigns: Math.max(bySigns, 8 * k), byShares: Math.max(byShares, 3 * k) };
    const places = this.known.probable(asked, counts, files as readonly number[] | null, wanted);
    const best = new Best(k);
    this.compare(query, places, (chunk, cosine) => {
      // Not so for NaN.
      if (cosine >= best.least) best.offer(chunk, cosine);
    });
    return best.sorted();
  }

  /** The cosines of given chunks, in their order; NaN for one without a vector. */
  similarities(query: Int8Array, chunks: readonly number[]): Float64Array {
    const cosines = new Map<number, number>();
    const places =
      query.length === this.dimensions ? chunks.flatMap((chunk) => this.known.find(chunk) ?? []) : [];
    this.compare(query, places, (chunk, cosine) => cosines.set(chunk, cosine));
    return Float64Array.from(chunks, (chunk) => cosines.get(chunk) ?? Number.NaN);
  }

  private compare(
    query: Int8Array,
    places: readonly ChunkPlace[],
    use: (chunk: number, cosine: number) => void,
  ): void {
    for (let start = 0; start < places.length; start += blockSize) {
      const part = places.slice(start, start + blockSize);
      this.readVectors(part);
      if (!this.read.ask(query)) return;
      this.read.list().set(part.map(({ chunk }) => this.placesRead.get(chunk)!));
      this.read.measure(part.length);
      const cosines = this.read.cosines();
      part.forEach(({ chunk }, i) => {
        use(chunk, cosines[i]!);
      });
    }
  }

  /** Makes sure that the vectors of so many places are in `read`, `blockSize` at most. */
  private readVectors(places: readonly ChunkPlace[]): void {
    const { read, placesRead, space } = this;
    const isUnread = ({ chunk }: ChunkPlace) => !placesRead.has(chunk);
    if (this.nextRead + places.length > kept) {
      placesRead.clear();
      this.nextRead = 0;
    }
    const unread = places.filter(isUnread);
    if (unread.length === 0) return;
    const vectors = new Uint8Array(unread.length * space.dimensions);
    vectorsAt(this.db, space.dimensions, unread).forEach((vector, i) => {
      vectors.set(vector, i * space.dimensions);
    });
    const first = this.nextRead;
    read.reserve(Math.min(first + blockSize, kept));
    read.put(first, 0, vectors);
    unread.forEach(({ chunk }, i) => {
      placesRead.set(chunk, first + i);
    });
    this.nextRead += unread.length;
  }

  private nextRead = 0;

  private load(): void {
    const { db, space, known } = this;
    const { chunks } = stored(db, space);
    known.reserve(chunks / 8, chunks + blockSize);
    for (const block of signBlocks(db, space)) known.add(block);
  }

  /** Rows that are known and no longer there. Reads all ids, which takes its time where there are many. */
  private missing(): number[] {
    const present = this.source.rowIds();
    let next = 0;
    return [...this.known.presentIds()].filter((id) => {
      while (present[next]! < id) next++;
      return present[next] !== id;
    });
  }

  private remove(id: number): void {
    for (const chunk of this.known.remove(id)) this.placesRead.delete(chunk);
  }
}

const bytesOf = ({ buffer, byteOffset, length }: Int8Array) => new Uint8Array(buffer, byteOffset, length);
