import type { Connection } from "../../sqlite/connection.ts";
import {
  isLate,
  marked,
  type StoredSegment,
  toMerge,
  type WorthMerging,
  worthMerging,
} from "../words/loaded-segments.ts";
import type { Postings } from "../words/postings.ts";
import { decodeChunks, encodeChunks, placeOf, type SegmentChunks, SegmentMerge } from "../words/segment.ts";
import { insertPostings, listOf, type PostingsRow, placesOf, postingsColumns } from "./stored-postings.ts";

/** The segments as they are stored: what their postings count, their chunks, and merging them (docs/decisions/0014-own-postings.md). */

/** A segment is in use, or being made of others, or was merged into another and is to be deleted. */
type State = "used" | "made" | "merged";

/** @returns its id */
export function insertSegment(
  db: Connection,
  state: State,
  chunks: SegmentChunks,
  { first, last }: Pick<StoredSegment, "first" | "last">,
): number {
  const { lastInsertRowid } = db
    .prepare("INSERT INTO word_segments (state, chunks, first_chunk, last_chunk) VALUES (?, ?, ?, ?)")
    .run(state, chunks.ids.length, first, last);
  const id = Number(lastInsertRowid);
  db.prepare("INSERT INTO segment_chunks (segment, data) VALUES (?, ?)").run(id, encodeChunks(chunks));
  return id;
}

/** The segments in use, in the order of their chunks. */
export function usedSegments(db: Connection): StoredSegment[] {
  return db
    .prepare(
      `SELECT id, chunks, gone, first_chunk AS first, last_chunk AS last FROM word_segments
       WHERE state = 'used' ORDER BY first_chunk`,
    )
    .all() as StoredSegment[];
}

export function chunksOf(db: Connection, { id, chunks }: StoredSegment): SegmentChunks {
  const data = db.prepare("SELECT data FROM segment_chunks WHERE segment = ?").pluck().get(id);
  return decodeChunks(data as Uint8Array, chunks);
}

/** All words of a segment, ascending, each with a line end before and behind it. */
export function wordsOf(db: Connection, segment: number): string {
  const words = db
    .prepare("SELECT group_concat(word, char(10)) FROM postings WHERE segment = ?")
    .pluck()
    .get(segment) as string | null;
  return `\n${words ?? ""}\n`;
}

/** For each chunk of a segment whether it is gone; null for none. */
export function goneOf(
  db: Connection,
  { ids }: SegmentChunks,
  { gone, first, last }: StoredSegment,
): Uint8Array | null {
  return gone === 0 ? null : marked(ids, goneBetween(db, first, last));
}

function goneBetween(db: Connection, first: number, last: number): number[] {
  return db
    .prepare("SELECT chunk FROM gone_chunks WHERE chunk BETWEEN ? AND ?")
    .pluck()
    .all(first, last) as number[];
}

/** All of its chunks are gone: it is dropped, and not written again. */
const isEmpty = ({ chunks, gone }: StoredSegment) => gone >= chunks;

/** Words of the largest segment that one step merges. */
const wordsPerStep = 100;
/** Words that one step deletes. */
const deletedPerStep = 1000;

interface Merge {
  target: number;
  sources: readonly StoredSegment[];
  /** The id of the largest of them. */
  largest: number;
  merge: SegmentMerge;
  /** Words up to this one are done. */
  after: string;
}

export interface Merging {
  /** A transaction after which the same is found as before. */
  inMerge<T>(work: () => T): T;
}

/**
 * Merges segments step by step, each of a few milliseconds. Until a merge is done its sources are searched; where a process
 * ends in the middle, the next one removes what it made.
 */
export class SegmentMerges {
  private running: Merge | null = null;
  private isClean = false;

  constructor(private readonly db: Connection & Merging) {}

  /**
   * @param atRest more is worth merging then
   * @returns whether there was something to do
   */
  step(atRest: boolean): boolean {
    const by = atRest ? worthMerging.atRest : worthMerging.whileWriting;
    if (this.running === null && this.isClean && !this.isDue(by)) return false;
    return this.db.inMerge(() => {
      if (!this.isClean) {
        this.db.prepare("UPDATE word_segments SET state = 'merged' WHERE state = 'made'").run();
        this.isClean = true;
      }
      if (this.running !== null && !this.isCurrent(this.running)) this.abandon(this.running);
      if (this.running === null && (this.removeMerged() || this.dropEmpty())) return true;
      this.running ??= this.begin(by);
      if (this.running === null) return false;
      if (!this.mergeWords(this.running)) this.finish(this.running);
      return true;
    });
  }

  isLate(): boolean {
    return isLate(usedSegments(this.db));
  }

  private isDue(by: WorthMerging): boolean {
    if (this.merged() !== null) return true;
    const used = usedSegments(this.db);
    return used.some(isEmpty) || toMerge(used, by) !== null;
  }

  private begin(by: WorthMerging): Merge | null {
    const sources = toMerge(usedSegments(this.db), by);
    if (sources === null) return null;
    const merge = new SegmentMerge(
      sources.map((source) => {
        const chunks = chunksOf(this.db, source);
        return { chunks, isGone: goneOf(this.db, chunks, source) };
      }),
    );
    const span = { first: sources[0]!.first, last: sources.at(-1)!.last };
    const target = insertSegment(this.db, "made", merge.chunks, span);
    const largest = sources.reduce((one, other) => (other.chunks > one.chunks ? other : one)).id;
    return { target, sources, largest, merge, after: "" };
  }

  /** Of segments without chunks nothing is found any more. @returns whether there were any */
  private dropEmpty(): boolean {
    const forget = this.db.prepare("DELETE FROM gone_chunks WHERE chunk BETWEEN ? AND ?");
    const drop = this.db.prepare("UPDATE word_segments SET state = 'merged' WHERE id = ?");
    const empty = usedSegments(this.db).filter(isEmpty);
    for (const { id, first, last } of empty) {
      forget.run(first, last);
      drop.run(id);
    }
    return empty.length > 0;
  }

  /** Another process may have merged them meanwhile, or a transaction that began it was undone. */
  private isCurrent({ target, sources }: Merge): boolean {
    const used = new Set(usedSegments(this.db).map(({ id }) => id));
    const state = this.db.prepare("SELECT state FROM word_segments WHERE id = ?").pluck().get(target);
    return state === "made" && sources.every(({ id }) => used.has(id));
  }

  private abandon({ target }: Merge): void {
    this.db.prepare("UPDATE word_segments SET state = 'merged' WHERE id = ? AND state = 'made'").run(target);
    this.running = null;
  }

  /** @returns whether there are more */
  private mergeWords(running: Merge): boolean {
    const { target, sources, largest, merge, after } = running;
    const end = this.db
      .prepare("SELECT word FROM postings WHERE segment = ? AND word > ? ORDER BY word LIMIT 1 OFFSET ?")
      .pluck()
      .get(largest, after, wordsPerStep) as string | undefined;
    const rows = this.db.prepare(
      `SELECT word, ${postingsColumns} FROM postings WHERE segment = ? AND word > ?
       ${end === undefined ? "" : "AND word <= ?"}`,
    );
    const parts = new Map<string, { source: number; postings: Postings }[]>();
    sources.forEach(({ id }, source) => {
      const found = end === undefined ? rows.all(id, after) : rows.all(id, after, end);
      for (const row of found as (PostingsRow & { word: string })[]) {
        const { word, chunks } = row;
        const postings = { chunks, list: listOf(this.db, row), places: placesOf(this.db, row) };
        const known = parts.get(word);
        if (known) known.push({ source, postings });
        else parts.set(word, [{ source, postings }]);
      }
    });
    const merged = [...parts.keys()]
      .sort()
      .map((word): [string, Postings] => [word, merge.merged(parts.get(word)!)])
      .filter(([, { chunks }]) => chunks > 0);
    insertPostings(this.db, target, merged);
    if (end !== undefined) running.after = end;
    return end !== undefined;
  }

  /** What was removed meanwhile is gone from the new segment as well; the rest need not be remembered any more. */
  private finish({ target, sources, merge }: Merge): void {
    const [first, last] = [sources[0]!.first, sources.at(-1)!.last];
    let gone = 0;
    const forget = this.db.prepare("DELETE FROM gone_chunks WHERE chunk = ?");
    for (const chunk of goneBetween(this.db, first, last)) {
      if (placeOf(merge.chunks.ids, chunk) >= 0) gone++;
      else forget.run(chunk);
    }
    const become = this.db.prepare("UPDATE word_segments SET state = ? WHERE id = ?");
    for (const { id } of sources) become.run("merged", id);
    become.run("used", target);
    this.db.prepare("UPDATE word_segments SET gone = ? WHERE id = ?").run(gone, target);
    this.running = null;
  }

  private merged(): number | null {
    const id = this.db.prepare("SELECT id FROM word_segments WHERE state = 'merged' LIMIT 1").pluck().get();
    return (id as number | undefined) ?? null;
  }

  /** @returns whether there was anything to remove */
  private removeMerged(): boolean {
    const id = this.merged();
    if (id === null) return false;
    const { changes } = this.db
      .prepare(
        `DELETE FROM postings WHERE segment = @id AND word <= coalesce(
           (SELECT word FROM postings WHERE segment = @id ORDER BY word LIMIT 1 OFFSET @n),
           (SELECT max(word) FROM postings WHERE segment = @id))`,
      )
      .run({ id, n: deletedPerStep });
    if (changes === 0) {
      this.db.prepare("DELETE FROM segment_chunks WHERE segment = ?").run(id);
      this.db.prepare("DELETE FROM word_segments WHERE id = ?").run(id);
    }
    return true;
  }
}
