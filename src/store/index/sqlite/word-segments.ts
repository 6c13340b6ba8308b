import type { Connection } from "../../sqlite/connection.ts";
import {
  isLate,
  markGoneChunks,
  type StoredSegment,
  toMerge,
  type WorthMerging,
  worthMerging,
} from "../words/loaded-segments.ts";
import type { Postings } from "../words/postings.ts";
import {
  decodeChunks,
  encodeChunks,
  findChunkPlace,
  type SegmentChunks,
  SegmentMerge,
} from "../words/segment.ts";
import {
  insertPostings,
  type PostingsRow,
  postingsColumns,
  readPostingsList,
  readPostingsPlaces,
} from "./stored-postings.ts";

/** The segments as they are stored: what their postings count, their chunks, and merging them (docs/decisions/0014-own-postings.md). */

/** A segment is in use, or being made of others, or was merged into another and is to be deleted. */
type SegmentState = "used" | "made" | "merged";

/** @returns its id */
export function insertSegment(
  db: Connection,
  state: SegmentState,
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
export function listUsedSegments(db: Connection): StoredSegment[] {
  return db.all<StoredSegment>(`SELECT id, chunks, gone, first_chunk AS first, last_chunk AS last FROM word_segments
    WHERE state = 'used' ORDER BY first_chunk`);
}

export function readSegmentChunks(db: Connection, { id, chunks }: StoredSegment): SegmentChunks {
  const data = db.readValue<Uint8Array>("SELECT data FROM segment_chunks WHERE segment = ?", id);
  return decodeChunks(data, chunks);
}

/** All words of a segment, ascending, each with a line end before and behind it. */
export function readSegmentWords(db: Connection, segment: number): string {
  const words = db.readValue<string | null>(
    "SELECT group_concat(word, char(10)) FROM postings WHERE segment = ?",
    segment,
  );
  return `\n${words ?? ""}\n`;
}

/** For each chunk of a segment whether it is gone; null for none. */
export function readGoneMarks(
  db: Connection,
  { ids }: SegmentChunks,
  { gone, first, last }: StoredSegment,
): Uint8Array | null {
  return gone === 0 ? null : markGoneChunks(ids, listGoneBetween(db, first, last));
}

function listGoneBetween(db: Connection, first: number, last: number): number[] {
  return db.readColumn<number>("SELECT chunk FROM gone_chunks WHERE chunk BETWEEN ? AND ?", first, last);
}

/** All of its chunks are gone: it is dropped, and not written again. */
const isEmpty = ({ chunks, gone }: StoredSegment) => gone >= chunks;

/**
 * What one step merges at most: words, and the bytes of their postings. Each step is a transaction, which writes some pages again;
 * a save waits for it, a question does not.
 */
const wordsPerStep = 2000;
const bytesPerStep = 1_000_000;
/** Words that one step deletes. */
const deletedPerStep = 1000;

interface MergeStep {
  target: number;
  sources: readonly StoredSegment[];
  merge: SegmentMerge;
  /** The words that are left. */
  words: WordQueue;
}

export interface SegmentMerger {
  /** A transaction after which the same is found as before. */
  runInMerge<T>(work: () => T): T;
}

/**
 * Merges segments step by step, each of some ten milliseconds. Until a merge is done its sources are searched; where a process
 * ends in the middle, the next one removes what it made.
 */
export class SegmentMerges {
  private running: MergeStep | null = null;
  private isClean = false;

  constructor(private readonly db: Connection & SegmentMerger) {}

  /**
   * @param atRest more is worth merging then
   * @returns whether there was something to do
   */
  step(atRest: boolean): boolean {
    const by = atRest ? worthMerging.atRest : worthMerging.whileWriting;
    if (this.running === null && this.isClean && !this.isDue(by)) return false;
    try {
      return this.db.runInMerge(() => this.stepOnce(by));
    } catch (error) {
      // What this step wrote is undone, and its words are not in the queue any more.
      this.running = null;
      this.isClean = false;
      throw error;
    }
  }

  private stepOnce(by: WorthMerging): boolean {
    if (!this.isClean) {
      this.db.prepare("UPDATE word_segments SET state = 'merged' WHERE state = 'made'").run();
      this.isClean = true;
    }
    if (this.running !== null && !this.isCurrent(this.running)) this.abandonMerge(this.running);
    if (this.running === null && (this.removeMerged() || this.dropEmpty())) return true;
    this.running ??= this.begin(by);
    if (this.running === null) return false;
    if (!this.mergeWords(this.running)) this.finish(this.running);
    return true;
  }

  isLate(): boolean {
    return isLate(listUsedSegments(this.db));
  }

  private isDue(by: WorthMerging): boolean {
    if (this.findMergedSegment() !== null) return true;
    const used = listUsedSegments(this.db);
    return used.some(isEmpty) || toMerge(used, by) !== null;
  }

  private begin(by: WorthMerging): MergeStep | null {
    const sources = toMerge(listUsedSegments(this.db), by);
    if (sources === null) return null;
    const merge = new SegmentMerge(
      sources.map((source) => {
        const chunks = readSegmentChunks(this.db, source);
        return { chunks, isGone: readGoneMarks(this.db, chunks, source) };
      }),
    );
    const span = { first: sources[0]!.first, last: sources.at(-1)!.last };
    const target = insertSegment(this.db, "made", merge.chunks, span);
    return { target, sources, merge, words: new WordQueue(this.db, sources) };
  }

  /** Of segments without chunks nothing is found any more. @returns whether there were any */
  private dropEmpty(): boolean {
    const forget = this.db.prepare("DELETE FROM gone_chunks WHERE chunk BETWEEN ? AND ?");
    const drop = this.db.prepare("UPDATE word_segments SET state = 'merged' WHERE id = ?");
    const empty = listUsedSegments(this.db).filter(isEmpty);
    for (const { id, first, last } of empty) {
      forget.run(first, last);
      drop.run(id);
    }
    return empty.length > 0;
  }

  /** Another process may have merged them meanwhile, or a transaction that began it was undone. */
  private isCurrent({ target, sources }: MergeStep): boolean {
    const used = new Set(listUsedSegments(this.db).map(({ id }) => id));
    const state = this.db.readValue<string | null>("SELECT state FROM word_segments WHERE id = ?", target);
    return state === "made" && sources.every(({ id }) => used.has(id));
  }

  private abandonMerge({ target }: MergeStep): void {
    this.db.prepare("UPDATE word_segments SET state = 'merged' WHERE id = ? AND state = 'made'").run(target);
    this.running = null;
  }

  /** @returns whether there are more */
  private mergeWords({ target, merge, words }: MergeStep): boolean {
    const merged: [string, Postings][] = [];
    let count = 0;
    let bytes = 0;
    for (; count < wordsPerStep && bytes < bytesPerStep; count++) {
      const next = words.take();
      if (next === null) break;
      const postings = merge.mergePostings(next.parts);
      bytes += postings.list.length + postings.places.length;
      if (postings.chunks > 0) merged.push([next.word, postings]);
    }
    insertPostings(this.db, target, merged);
    return count > 0;
  }

  /** What was removed meanwhile is gone from the new segment as well; the rest need not be remembered any more. */
  private finish({ target, sources, merge }: MergeStep): void {
    const [first, last] = [sources[0]!.first, sources.at(-1)!.last];
    let gone = 0;
    const forget = this.db.prepare("DELETE FROM gone_chunks WHERE chunk = ?");
    for (const chunk of listGoneBetween(this.db, first, last)) {
      if (findChunkPlace(merge.chunks.ids, chunk) >= 0) gone++;
      else forget.run(chunk);
    }
    const become = this.db.prepare("UPDATE word_segments SET state = ? WHERE id = ?");
    for (const { id } of sources) become.run("merged", id);
    become.run("used", target);
    this.db.prepare("UPDATE word_segments SET gone = ? WHERE id = ?").run(gone, target);
    this.running = null;
  }

  private findMergedSegment(): number | null {
    return this.db.readValue<number | null>("SELECT id FROM word_segments WHERE state = 'merged' LIMIT 1");
  }

  /** @returns whether there was anything to remove */
  private removeMerged(): boolean {
    const id = this.findMergedSegment();
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

type WordRow = PostingsRow & { word: string };

/** Rows that are read at once. Short postings are in them; long ones are read when their word is merged. */
const rowsPerRead = 100;

/** The words of a segment in their order. */
class WordReader {
  private rows: WordRow[] = [];
  private at = 0;

  constructor(
    private readonly db: Connection,
    private readonly segment: number,
    readonly source: number,
  ) {}

  get word(): string {
    return this.rows[this.at]!.word;
  }

  readPostings(): Postings {
    const row = this.rows[this.at]!;
    return {
      chunks: row.chunks,
      list: readPostingsList(this.db, row),
      places: readPostingsPlaces(this.db, row),
    };
  }

  /** Goes to the next word; false when there is none. */
  next(): boolean {
    if (++this.at < this.rows.length) return true;
    const after = this.rows.at(-1)?.word ?? "";
    this.rows = this.db.all<WordRow>(
      `SELECT word, ${postingsColumns} FROM postings WHERE segment = ? AND word > ? ORDER BY word LIMIT ${rowsPerRead}`,
      this.segment,
      after,
    );
    this.at = 0;
    return this.rows.length > 0;
  }
}

/** The words of several segments in their order, each with what every segment has of it. */
class WordQueue {
  /** By the word they are at; of those at the same word the earlier source is first. */
  private readonly readers: WordReader[] = [];

  constructor(db: Connection, segments: readonly StoredSegment[]) {
    segments.forEach(({ id }, source) => {
      this.queue(new WordReader(db, id, source));
    });
  }

  /** The next word; null when there is none. */
  take(): { word: string; parts: { source: number; postings: Postings }[] } | null {
    const first = this.readers[0];
    if (first === undefined) return null;
    const { word } = first;
    const parts: { source: number; postings: Postings }[] = [];
    while (this.readers[0]?.word === word) {
      const reader = this.readers.shift()!;
      parts.push({ source: reader.source, postings: reader.readPostings() });
      this.queue(reader);
    }
    return { word, parts };
  }

  private queue(reader: WordReader): void {
    if (!reader.next()) return;
    const { readers } = this;
    let [from, to] = [0, readers.length];
    while (from < to) {
      const middle = (from + to) >> 1;
      const order =
        compareWords(readers[middle]!.word, reader.word) || readers[middle]!.source - reader.source;
      if (order < 0) from = middle + 1;
      else to = middle;
    }
    readers.splice(from, 0, reader);
  }
}

/** As SQLite orders them: by code points, while JavaScript compares what UTF-16 has for them. */
function compareWords(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const [x, y] = [a.charCodeAt(i), b.charCodeAt(i)];
    if (x !== y) return toCodePointOrder(x) - toCodePointOrder(y);
  }
  return a.length - b.length;
}

/** Halves of a pair, which stands for a code point beyond all others, are not the largest numbers. */
const toCodePointOrder = (unit: number) => (unit < 0xd800 ? unit : unit < 0xe000 ? unit + 0x10000 : unit);
