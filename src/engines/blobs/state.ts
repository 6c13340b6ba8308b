import * as z from "zod/mini";
import type { SkipReason } from "../../store/index/records.ts";
import type { StoredSegment } from "../../store/index/words/loaded-segments.ts";

/**
 * All of an index but its bulk: files, segments of words, which commits there are, counters. It is held in memory, and stored
 * as a journal of changes (store.ts). Blobs never change; they count from when a change names them on, and until one says
 * that they are dead.
 */

const count = z.int().check(z.minimum(0));
const numbers = z.array(count);

const collection = z.enum(["chunks", "commits"]);
/** Whose words segments hold. */
export type Collection = z.infer<typeof collection>;

const embedding = z.object({
  model: z.string(),
  dimensions: count,
  /** The number of the blob. */
  vectors: count,
  /** How many of the chunks have none. */
  missing: count,
});
const file = z.object({
  /** The number of its blobs, too. */
  id: count,
  path: z.string(),
  size: z.number(),
  mtimeMs: z.number(),
  /** null: it is indexed. */
  reason: z.nullable(z.string()),
  hash: z.nullable(z.string()),
  language: z.nullable(z.string()),
  /** Its chunks have consecutive ids. */
  firstChunk: count,
  chunks: count,
  /** Its grammar could not read a part of it. */
  hasSyntaxErrors: z.boolean(),
  indexedAt: z.number(),
  embedded: z.array(embedding),
});
export type FileEntry = Omit<z.infer<typeof file>, "reason"> & { reason: SkipReason | null };

const segment = z.object({
  /** The number of its blob, too. */
  id: count,
  holds: collection,
  chunks: count,
  gone: count,
  first: count,
  last: count,
  /** What its postings take. */
  bytes: count,
  /** The number of its first block of words; so many follow each other. */
  block: count,
  blocks: count,
});
export type SegmentEntry = z.infer<typeof segment> & StoredSegment;

/** `id` is one of the numbers of chunks, and that of its blob. */
const commit = z.object({ id: count, hash: z.string(), authoredAt: z.number() });
export type CommitEntry = z.infer<typeof commit>;

/** Numbers that come next; none ever comes back. */
const next = z.object({ file: count, chunk: count, segment: count, words: count, vectors: count });
export type Next = z.infer<typeof next>;

/** Numbers of blobs that nothing names any more. */
const dead = z.object({
  file: numbers,
  segment: numbers,
  words: numbers,
  vectors: numbers,
  commit: numbers,
});
export type Dead = z.infer<typeof dead>;

const parts = {
  files: z.array(file),
  meta: z.record(z.string(), z.string()),
  segments: z.array(segment),
  commits: z.array(commit),
  next,
};
export const wholeState = z.object({
  ...parts,
  /** Chunks, and commits, that are gone from segments. */
  gone: z.object({ chunks: numbers, commits: numbers }),
  dead,
});
/** What changes, in this order. */
export const stateChange = z.object({
  /** Paths. */
  removed: z.optional(z.array(z.string())),
  /** Hashes. */
  removedCommits: z.optional(z.array(z.string())),
  /** Vectors of other models are forgotten. */
  keptModels: z.optional(z.array(z.string())),
  /** Segments that one of the added ones takes the place of. */
  merged: z.optional(numbers),
  files: z.optional(parts.files),
  meta: z.optional(parts.meta),
  segments: z.optional(parts.segments),
  commits: z.optional(parts.commits),
  /** What was dead is removed by now. */
  swept: z.optional(z.boolean()),
  next: z.optional(next),
});
export type StateChange = Omit<z.infer<typeof stateChange>, "files"> & { files?: FileEntry[] };

export class IndexState {
  /** By their paths, and by their ids. */
  readonly files = new Map<string, FileEntry>();
  readonly byId = new Map<number, FileEntry>();
  readonly meta = new Map<string, string>();
  /** By their hashes, and by their ids. */
  readonly commits = new Map<string, CommitEntry>();
  readonly commitsById = new Map<number, CommitEntry>();
  private segments: SegmentEntry[] = [];
  readonly gone = { chunks: new Set<number>(), commits: new Set<number>() };
  dead = createEmptyDead();
  next: Next = { file: 1, chunk: 1, segment: 1, words: 1, vectors: 1 };

  /** @param stored as `toJSON` makes it; undefined: of an empty index */
  constructor(stored?: z.infer<typeof wholeState>) {
    if (stored === undefined) return;
    const { gone, dead, ...change } = stored;
    this.apply(change as StateChange);
    this.gone = { chunks: new Set(gone.chunks), commits: new Set(gone.commits) };
    this.dead = dead;
  }

  toJSON(): z.infer<typeof wholeState> {
    return {
      files: [...this.files.values()],
      meta: Object.fromEntries(this.meta),
      segments: this.segments,
      commits: [...this.commits.values()],
      next: this.next,
      gone: { chunks: [...this.gone.chunks], commits: [...this.gone.commits] },
      dead: this.dead,
    };
  }

  /** In the order of their chunks. */
  listSegments(holds: Collection): SegmentEntry[] {
    return this.segments.filter((one) => one.holds === holds);
  }

  findSegment(id: number): SegmentEntry | undefined {
    return this.segments.find((one) => one.id === id);
  }

  listIndexedFiles(): FileEntry[] {
    return [...this.files.values()].filter(({ reason }) => reason === null);
  }

  apply(change: StateChange): void {
    for (const path of change.removed ?? []) this.removeFile(path);
    for (const hash of change.removedCommits ?? []) this.removeCommit(hash);
    if (change.keptModels) this.keepModels(new Set(change.keptModels));
    if (change.merged) this.removeSegments(new Set(change.merged));
    for (const entry of change.files ?? []) this.setFile(entry);
    for (const [key, value] of Object.entries(change.meta ?? {})) this.meta.set(key, value);
    if (change.segments) {
      this.segments = [...this.segments, ...change.segments].sort((a, b) => a.first - b.first);
    }
    for (const entry of change.commits ?? []) {
      this.commits.set(entry.hash, entry);
      this.commitsById.set(entry.id, entry);
    }
    if (change.swept) this.dead = createEmptyDead();
    if (change.next) this.next = change.next;
  }

  private setFile(entry: FileEntry): void {
    const kept = new Set(entry.embedded.map(({ vectors }) => vectors));
    for (const { vectors } of this.byId.get(entry.id)?.embedded ?? [])
      if (!kept.has(vectors)) this.dead.vectors.push(vectors);
    this.files.set(entry.path, entry);
    this.byId.set(entry.id, entry);
  }

  private removeFile(path: string): void {
    const entry = this.files.get(path);
    if (entry === undefined) return;
    this.files.delete(path);
    this.byId.delete(entry.id);
    if (entry.reason === null) this.dead.file.push(entry.id);
    for (const { vectors } of entry.embedded) this.dead.vectors.push(vectors);
    for (let i = 0; i < entry.chunks; i++) this.removeWords("chunks", entry.firstChunk + i);
  }

  private removeCommit(hash: string): void {
    const entry = this.commits.get(hash);
    if (entry === undefined) return;
    this.commits.delete(hash);
    this.commitsById.delete(entry.id);
    this.dead.commit.push(entry.id);
    this.removeWords("commits", entry.id);
  }

  private removeWords(holds: Collection, id: number): void {
    const at = this.segments.findIndex((one) => one.holds === holds && one.first <= id && id <= one.last);
    const found = this.segments[at];
    if (found === undefined) return;
    this.gone[holds].add(id);
    this.segments[at] = { ...found, gone: found.gone + 1 };
  }

  private keepModels(models: ReadonlySet<string>): void {
    for (const entry of this.files.values()) {
      const embedded = entry.embedded.filter(({ model }) => models.has(model));
      if (embedded.length < entry.embedded.length) this.setFile({ ...entry, embedded });
    }
  }

  /** Segments of one collection, which were merged: the new one has none that is gone. */
  private removeSegments(ids: ReadonlySet<number>): void {
    for (const { id, holds, first, last, gone, block, blocks } of this.segments) {
      if (!ids.has(id)) continue;
      this.dead.segment.push(id);
      for (let i = 0; i < blocks; i++) this.dead.words.push(block + i);
      if (gone === 0) continue;
      for (const chunk of this.gone[holds])
        if (chunk >= first && chunk <= last) this.gone[holds].delete(chunk);
    }
    this.segments = this.segments.filter(({ id }) => !ids.has(id));
  }
}

const createEmptyDead = (): Dead => ({ file: [], segment: [], words: [], vectors: [], commit: [] });
