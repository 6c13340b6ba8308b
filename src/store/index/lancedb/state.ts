import * as z from "zod/mini";
import type { SkipReason } from "../records.ts";
import type { StoredSegment } from "../words/loaded-segments.ts";

/**
 * All of an index but its bulk: files, segments of words, counters. It is held in memory, and stored as a journal of changes
 * (store.ts). Chunks, postings, vectors and commits are rows of tables that never change; they count from when a change
 * names them on, and until one says that they are dead.
 */

const count = z.int().check(z.minimum(0));
const ids = z.array(count);

const collection = z.enum(["chunks", "commits"]);
/** Whose words segments hold. */
export type Collection = z.infer<typeof collection>;

const embedded = z.object({
  space: count,
  /** Its vectors' number, in the space's table. */
  of: count,
  missing: count,
});
const file = z.object({
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
  indexedAt: z.number(),
  embedded: z.array(embedded),
});
export type FileEntry = Omit<z.infer<typeof file>, "reason"> & { reason: SkipReason | null };

const space = z.object({ id: count, model: z.string(), dimensions: count });
/** Vectors of one model and length; they have a table of their own. */
export type Space = z.infer<typeof space>;

const segment = z.object({
  id: count,
  holds: collection,
  ...{ chunks: count, gone: count, first: count, last: count },
  /** What its postings take. */
  bytes: count,
  /** Its rows in the table of words: `blocks` of them from `block` on. */
  ...{ block: count, blocks: count },
});
export type SegmentEntry = z.infer<typeof segment> & StoredSegment;

/** Numbers that come next; none ever comes back. */
const next = z.object({
  ...{ file: count, chunk: count, segment: count, block: count, space: count, embedded: count },
});
export type Next = z.infer<typeof next>;

const dead = z.object({
  /** Files with chunks. */
  files: ids,
  /** Numbers of vectors, by space. */
  embedded: z.array(z.object({ space: count, of: count })),
  spaces: ids,
  blocks: z.array(z.object({ block: count, blocks: count })),
  commits: ids,
});

const parts = {
  /** By their paths. */
  files: z.array(file),
  meta: z.record(z.string(), z.string()),
  spaces: z.array(space),
  segments: z.array(segment),
  next,
};
/** All of it, in the journal. */
export const wholeState = z.object({
  ...parts,
  /** Chunks, and commits, that are gone from segments. */
  gone: z.object({ chunks: ids, commits: ids }),
  dead,
});
/** What changes, in this order. */
export const stateChange = z.object({
  /** Paths. */
  removed: z.optional(z.array(z.string())),
  removedCommits: z.optional(ids),
  removedSpaces: z.optional(ids),
  /** Segments that one of the added ones takes the place of. */
  merged: z.optional(ids),
  files: z.optional(parts.files),
  meta: z.optional(parts.meta),
  spaces: z.optional(parts.spaces),
  segments: z.optional(parts.segments),
  /** What was dead is removed by now. */
  swept: z.optional(z.boolean()),
  next: z.optional(next),
});
export type StateChange = Omit<z.infer<typeof stateChange>, "files"> & { files?: FileEntry[] };

export class State {
  files = new Map<string, FileEntry>();
  readonly byId = new Map<number, FileEntry>();
  readonly meta = new Map<string, string>();
  spaces: Space[] = [];
  segments: SegmentEntry[] = [];
  readonly gone = { chunks: new Set<number>(), commits: new Set<number>() };
  dead: z.infer<typeof dead> = { files: [], embedded: [], spaces: [], blocks: [], commits: [] };
  next: Next = { file: 1, chunk: 1, segment: 1, block: 1, space: 1, embedded: 1 };

  constructor(stored?: z.infer<typeof wholeState>) {
    if (stored === undefined) return;
    const { gone, dead, ...change } = stored;
    this.apply(change as StateChange);
    for (const holds of ["chunks", "commits"] as const) this.gone[holds] = new Set(gone[holds]);
    this.dead = dead;
  }

  toJSON(): z.infer<typeof wholeState> {
    const { spaces, segments, dead, next } = this;
    return {
      files: [...this.files.values()],
      meta: Object.fromEntries(this.meta),
      gone: { chunks: [...this.gone.chunks], commits: [...this.gone.commits] },
      ...{ spaces, segments, dead, next },
    };
  }

  /** In the order of their chunks. */
  segmentsOf(holds: Collection): SegmentEntry[] {
    return this.segments.filter((one) => one.holds === holds);
  }

  apply(change: StateChange): void {
    for (const path of change.removed ?? []) this.removeFile(path);
    for (const id of change.removedCommits ?? []) this.removeCommit(id);
    if (change.removedSpaces) this.removeSpaces(new Set(change.removedSpaces));
    if (change.merged) this.removeSegments(new Set(change.merged));
    this.spaces.push(...(change.spaces ?? []));
    for (const entry of change.files ?? []) this.setFile(entry);
    for (const [key, value] of Object.entries(change.meta ?? {})) this.meta.set(key, value);
    if (change.segments) {
      this.segments = [...this.segments, ...change.segments].sort((a, b) => a.first - b.first);
    }
    if (change.swept) this.dead = { files: [], embedded: [], spaces: [], blocks: [], commits: [] };
    if (change.next) this.next = change.next;
  }

  private setFile(entry: FileEntry): void {
    const before = this.byId.get(entry.id);
    const kept = new Set(entry.embedded.map(({ of }) => of));
    for (const { space, of } of before?.embedded ?? [])
      if (!kept.has(of)) this.dead.embedded.push({ space, of });
    this.files.set(entry.path, entry);
    this.byId.set(entry.id, entry);
  }

  private removeFile(path: string): void {
    const entry = this.files.get(path);
    if (entry === undefined) return;
    this.files.delete(path);
    this.byId.delete(entry.id);
    if (entry.chunks === 0) return;
    this.dead.files.push(entry.id);
    this.dead.embedded.push(...entry.embedded.map(({ space, of }) => ({ space, of })));
    for (let i = 0; i < entry.chunks; i++) this.removeWords("chunks", entry.firstChunk + i);
  }

  private removeCommit(id: number): void {
    this.dead.commits.push(id);
    this.removeWords("commits", id);
  }

  private removeWords(holds: Collection, id: number): void {
    const at = this.segments.findIndex((one) => one.holds === holds && one.first <= id && id <= one.last);
    const found = this.segments[at];
    if (found === undefined) return;
    this.gone[holds].add(id);
    this.segments[at] = { ...found, gone: found.gone + 1 };
  }

  private removeSpaces(ids: ReadonlySet<number>): void {
    this.spaces = this.spaces.filter(({ id }) => !ids.has(id));
    this.dead.spaces.push(...ids);
    this.dead.embedded = this.dead.embedded.filter(({ space }) => !ids.has(space));
    for (const entry of this.files.values()) {
      if (!entry.embedded.some(({ space }) => ids.has(space))) continue;
      const embedded = entry.embedded.filter(({ space }) => !ids.has(space));
      const kept = { ...entry, embedded };
      this.files.set(entry.path, kept);
      this.byId.set(entry.id, kept);
    }
  }

  /** Segments of one collection, which were merged: the new one has none that is gone. */
  private removeSegments(ids: ReadonlySet<number>): void {
    for (const { id, holds, first, last, gone, block, blocks } of this.segments) {
      if (!ids.has(id)) continue;
      this.dead.blocks.push({ block, blocks });
      if (gone === 0) continue;
      for (const chunk of this.gone[holds])
        if (chunk >= first && chunk <= last) this.gone[holds].delete(chunk);
    }
    this.segments = this.segments.filter(({ id }) => !ids.has(id));
  }
}
