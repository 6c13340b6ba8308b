import pLimit from "p-limit";
import { levels as allLevels, type Level } from "../../base/levels.ts";
import { ExactVectors, type FileSpan } from "../../store/index/exact-vectors.ts";
import {
  type ChunkMatch,
  type QueryVector,
  type SearchScope,
  toChunkId,
  toFileId,
  type VectorCounts,
} from "../../store/index/port.ts";
import type { FileVectors } from "../../store/index/records.ts";
import { HeldVectors } from "../../store/vectors/vector-index.ts";
import { type BlobStore, joinParts, type StoredBlob, splitParts } from "./blob-store.ts";
import type { FileEntry, IndexState, Next } from "./state.ts";
import { type OpenedIndex, Outdated } from "./store.ts";

/** The blob of a model's vectors of a file; they are noted in the file's entry, in the place of earlier ones of the model. */
export function buildVectors(
  next: Next,
  entry: FileEntry,
  levels: readonly Level[],
  { model, dimensions, vectors }: FileVectors,
): StoredBlob {
  if (vectors.length !== levels.length) throw new Error(`${levels.length} chunks, ${vectors.length} vectors`);
  const data = new Int8Array(vectors.length * dimensions);
  vectors.forEach((vector, i) => {
    if (vector === null) return;
    if (vector.length !== dimensions) throw new Error(`${vector.length} dimensions, not ${dimensions}`);
    data.set(vector, i * dimensions);
  });
  const missing = vectors.filter((vector) => vector === null).length;
  const number = next.vectors++;
  const others = entry.embedded.filter((one) => one.model !== model);
  entry.embedded = [...others, { model, dimensions, vectors: number, missing }];
  const ofLevels = Uint8Array.from(levels, (level) => allLevels.indexOf(level));
  return { kind: "vectors", number, bytes: joinParts(ofLevels, new Uint8Array(data.buffer)) };
}

/** Totals of each model and length. */
export function countVectors({ files }: IndexState): VectorCounts[] {
  const counts = new Map<string, VectorCounts>();
  for (const { chunks, embedded } of files.values()) {
    for (const { model, dimensions, missing } of embedded) {
      const key = buildKey(model, dimensions);
      const sum = counts.get(key) ?? { model, dimensions, chunks: 0, missing: 0 };
      counts.set(key, { model, dimensions, chunks: sum.chunks + chunks, missing: sum.missing + missing });
    }
  }
  return [...counts.values()].filter(({ chunks }) => chunks > 0);
}

const buildKey = (model: string, dimensions: number) => `${dimensions} ${model}`;

/** Vectors of chunks: all of those that are asked for are held in memory and compared, so that the nearest are found. */
export class BlobVectors {
  /** By model and length. */
  private readonly held = new Map<string, HeldModel>();

  async findNearest(
    opened: OpenedIndex,
    query: QueryVector,
    k: number,
    scope: SearchScope,
  ): Promise<ChunkMatch[]> {
    const found = await this.getHeldModel(query).ask(opened, (vectors) =>
      vectors.findNearest(query.vector, k, scope),
    );
    return found.map(({ row, score }) => ({ id: toChunkId(row), score }));
  }

  measureSimilarities(
    opened: OpenedIndex,
    query: QueryVector,
    ids: readonly number[],
  ): Promise<Float64Array> {
    return this.getHeldModel(query).ask(opened, (vectors) => vectors.measureSimilarities(query.vector, ids));
  }

  /** Gives the memory back; the next question loads it again. */
  release(): void {
    this.held.clear();
  }

  private getHeldModel({ model, vector }: QueryVector): HeldModel {
    const key = buildKey(model, vector.length);
    const held = this.held.get(key) ?? new HeldModel(model, vector.length);
    this.held.set(key, held);
    return held;
  }
}

/** The vectors of a model in memory. They follow the journal, so that after a save only the saved files' are read. */
export class HeldModel {
  private readonly vectors = new HeldVectors<FileSpan>();
  private readonly exact = new ExactVectors(this.vectors);
  private readonly oneByOne = pLimit(1);
  /** What they are of: the numbers of another index mean something else. */
  private blobs: BlobStore | null = null;
  private revision = -1;

  constructor(
    private readonly model: string,
    private readonly dimensions: number,
  ) {}

  /** Asks the vectors of now, which nobody sees half loaded. */
  ask<T>(opened: OpenedIndex, use: (vectors: ExactVectors) => T): Promise<T> {
    return this.oneByOne(async () => {
      try {
        await this.follow(opened);
      } catch (error) {
        // Files may lack their vectors.
        this.blobs = null;
        throw error;
      }
      return use(this.exact);
    });
  }

  private async follow({ blobs, state, revision }: OpenedIndex): Promise<void> {
    const { vectors } = this;
    if (blobs !== this.blobs) {
      vectors.release();
      this.revision = -1;
      this.blobs = blobs;
    }
    if (revision === this.revision) return;
    const embedded = this.mapEmbeddedFiles(state);
    for (const number of [...vectors.segments.keys()]) if (!embedded.has(number)) vectors.drop(number);
    if (vectors.isWorn || vectors.isEmpty) vectors.release();
    for (const number of vectors.segments.keys()) embedded.delete(number);
    if (embedded.size > 0) await this.load(blobs, embedded);
    this.revision = revision;
  }

  /** Files by the number of their vectors. */
  private mapEmbeddedFiles({ files }: IndexState): Map<number, FileEntry> {
    const embedded = new Map<number, FileEntry>();
    for (const entry of files.values()) {
      for (const { model, dimensions, vectors } of entry.embedded)
        if (model === this.model && dimensions === this.dimensions) embedded.set(vectors, entry);
    }
    return embedded;
  }

  private async load(blobs: BlobStore, added: Map<number, FileEntry>): Promise<void> {
    const { vectors, dimensions } = this;
    let expected = 0;
    for (const { chunks } of added.values()) expected += chunks;
    const first = [...added.keys()].reduce((least, number) => Math.min(least, number));
    for await (const part of blobs.readFrom("vectors", vectors.segments.size === 0 ? 0 : first)) {
      for (const [number, bytes] of part) {
        const entry = added.get(number);
        // Of a file that is gone, of another model, or of a change that is not finished.
        if (entry === undefined) continue;
        added.delete(number);
        const [levels, data] = splitParts(bytes);
        const span = { file: toFileId(entry.id), firstId: entry.firstChunk, levels: levels! };
        const { first: slot, count } = vectors.add(number, span, dimensions, entry.chunks, () => expected);
        if (count > 0) vectors.put(slot, entry.firstChunk, data!);
      }
    }
    if (added.size > 0) throw new Outdated("vectors are gone");
  }
}
