import { levels as allLevels } from "../../../project/levels.ts";
import type { Connection } from "../../sqlite/connection.ts";
import { Best } from "../best.ts";
import type { ChunkId, FieldWeights, Match, Scope } from "../port.ts";
import { chunksWithPhrase } from "../words/holders.ts";
import {
  addScores,
  countPresent,
  FieldSums,
  lengthNorm,
  type Postings,
  PostingsReader,
} from "../words/postings.ts";
import { nameWord, type SegmentBuilder, type SegmentChunks } from "../words/segment.ts";
import {
  chunksOf,
  goneOf,
  insertPostings,
  insertSegment,
  type StoredSegment,
  usedSegments,
} from "./word-segments.ts";

/** A segment in memory: all but its postings. */
interface Segment extends SegmentChunks {
  id: number;
  /** How many of its chunks are gone, and for each whether it is; null for none. */
  gone: number;
  isGone: Uint8Array | null;
  /** Words in those that are there. */
  words: number;
  /** In how many of them a word occurs, where that was asked. */
  holding: Map<string, number>;
  /** What their lengths mean for BM25 at an average length. */
  norms: Float32Array;
  normsAt: number;
}

/** What a segment has of a word. */
type Found = Pick<Postings, "chunks" | "list">;
type WithPlaces = Pick<Postings, "list" | "places">;

/** Words whose frequencies a segment remembers. */
const maxRemembered = 50_000;

/**
 * The words of the chunks: which hold one, where, and how well they match several, by BM25. The words of chunks that were
 * written together are a segment, which never changes (docs/decisions/0014-own-postings.md); what follows the segments in
 * memory costs as much as what changed.
 */
export class WordIndex {
  private segments: Segment[] = [];
  private version = "";
  private scores = new Float32Array(0);

  constructor(private readonly db: Connection) {}

  // Writing, all of it in the transaction that writes the chunks

  /** The id for the next chunk: one that none ever had. */
  nextChunk(): number {
    return this.db
      .prepare(
        "SELECT 1 + max((SELECT coalesce(max(id), 0) FROM chunks), (SELECT coalesce(max(last_chunk), 0) FROM word_segments))",
      )
      .pluck()
      .get() as number;
  }

  add(segment: SegmentBuilder): void {
    const chunks = segment.chunks();
    if (chunks.ids.length === 0) return;
    const id = insertSegment(this.db, "used", chunks, { first: chunks.ids[0]!, last: chunks.ids.at(-1)! });
    insertPostings(this.db, id, segment.postings());
  }

  /** @param ids chunks of one file, ascending, which are about to go */
  remove(ids: readonly number[]): void {
    if (ids.length === 0) return;
    const { changes } = this.db
      .prepare(
        "UPDATE word_segments SET gone = gone + @n WHERE state = 'used' AND first_chunk <= @id AND last_chunk >= @id",
      )
      .run({ n: ids.length, id: ids[0] });
    // What was written before there were segments is in none.
    if (changes === 0) return;
    const insert = this.db.prepare("INSERT INTO gone_chunks (chunk) VALUES (?)");
    for (const id of ids) insert.run(id);
  }

  // Reading, in one snapshot each

  /** Scores fit together within one answer; where chunks are equally good, the older is first. */
  best(tokens: readonly string[], weights: FieldWeights, k: number, scope: Scope): Match[] {
    if (tokens.length === 0 || k < 1) return [];
    const segments = this.refreshed();
    const total = segments.reduce((sum, { ids, gone }) => sum + ids.length - gone, 0);
    const words = segments.reduce((sum, segment) => sum + segment.words, 0);
    const found = this.lists(tokens);
    const idfs = tokens.map((token, i) => idf(total, this.holdingOf(token, found[i]!)));
    const sums = new FieldSums(weights);
    const inScope = scopeFilter(this.db, scope);
    const best = new Best(k);
    for (const segment of segments) {
      const lists = found.map((ofSegment) => ofSegment.get(segment.id)?.list);
      if (lists.every((list) => list === undefined)) continue;
      const scores = this.cleared(segment.ids.length);
      const norms = normsOf(segment, words / total);
      lists.forEach((list, i) => {
        if (list !== undefined) addScores(list, sums, idfs[i]!, norms, scores);
      });
      const { ids, isGone } = segment;
      for (let i = 0; i < scores.length; i++) {
        const score = scores[i]!;
        if (score > 0 && score >= best.least && !isGone?.[i] && inScope(segment, i))
          best.offer(ids[i]!, score);
      }
    }
    return best.sorted().map(({ row, score }) => ({ id: row as unknown as ChunkId, score }));
  }

  /** In how many chunks each token occurs; absent tokens are missing. */
  frequencies(tokens: readonly string[]): Map<string, number> {
    this.refreshed();
    const counts = new Map<string, number>();
    for (const token of tokens) {
      const count = this.holdingOf(token, null);
      if (count > 0) counts.set(token, count);
    }
    return counts;
  }

  /** For each phrase, tokens with blanks between them, the chunks that hold it, at most so many. */
  holders(phrases: readonly string[], limit: number): ChunkId[][] {
    const wanted = phrases.map((phrase) => ({ tokens: phrase.split(" "), ids: [] as number[] }));
    const select = this.db.prepare("SELECT list, places FROM postings WHERE segment = ? AND word = ?");
    for (const { id, ids: chunks, isGone } of this.refreshed()) {
      // Neighbouring phrases share their words.
      const read = new Map<string, WithPlaces | undefined>();
      const lookUp = (token: string) => {
        if (!read.has(token)) read.set(token, select.get(id, token) as WithPlaces | undefined);
        return read.get(token);
      };
      for (const { tokens, ids } of wanted) {
        if (ids.length >= limit) continue;
        const words: WithPlaces[] = [];
        for (const token of tokens) {
          const word = lookUp(token);
          if (word === undefined) break;
          words.push(word);
        }
        if (words.length < tokens.length) continue;
        for (const chunk of chunksWithPhrase(words)) {
          if (isGone?.[chunk]) continue;
          ids.push(chunks[chunk]!);
          if (ids.length >= limit) break;
        }
      }
    }
    return wanted.map(({ ids }) => ids as unknown as ChunkId[]);
  }

  /** For each name the chunks that define it, ascending, at most so many. @param keys `nameKey` of the names */
  definers(keys: readonly string[], limit: number): number[][] {
    const segments = this.refreshed();
    return this.lists(keys.map(nameWord)).map((lists) => {
      const chunks: number[] = [];
      for (const { id, ids, isGone } of lists.size === 0 ? [] : segments) {
        const found = lists.get(id);
        if (found === undefined) continue;
        const reader = new PostingsReader(found.list);
        while (chunks.length < limit && reader.next()) {
          if (!isGone?.[reader.chunk]) chunks.push(ids[reader.chunk]!);
        }
      }
      return chunks;
    });
  }

  /** For each word what each segment has of it. */
  private lists(words: readonly string[]): ReadonlyMap<number, Found>[] {
    const lists = words.map(() => new Map<number, Found>());
    const rows = this.db
      .prepare(
        `SELECT w.key AS place, p.segment, p.chunks, p.list FROM json_each(?) w
         CROSS JOIN word_segments s CROSS JOIN postings p ON p.segment = s.id AND p.word = w.value
         WHERE s.state = 'used'`,
      )
      .all(JSON.stringify(words)) as (Found & { place: number; segment: number })[];
    for (const row of rows) lists[row.place]!.set(row.segment, row);
    return lists;
  }

  /** In how many chunks a word occurs. @param lists what the segments have of it, where that was read */
  private holdingOf(token: string, lists: ReadonlyMap<number, Found> | null): number {
    let sum = 0;
    for (const segment of this.segments) {
      let count = segment.holding.get(token);
      if (count === undefined) {
        const found = lists === null ? this.listIn(segment, token) : lists.get(segment.id);
        count =
          found === undefined ? 0 : segment.isGone ? countPresent(found.list, segment.isGone) : found.chunks;
        if (segment.holding.size >= maxRemembered) segment.holding.clear();
        segment.holding.set(token, count);
      }
      sum += count;
    }
    return sum;
  }

  private listIn({ id, isGone }: Segment, token: string): Found | undefined {
    const columns = isGone === null ? "chunks" : "chunks, list";
    return this.db.prepare(`SELECT ${columns} FROM postings WHERE segment = ? AND word = ?`).get(id, token) as
      | Found
      | undefined;
  }

  private cleared(size: number): Float32Array {
    if (this.scores.length < size) this.scores = new Float32Array(size);
    return this.scores.subarray(0, size).fill(0);
  }

  /** The segments of now: those that are new are read, and which chunks of the others are gone. */
  private refreshed(): readonly Segment[] {
    const version = this.db.version();
    if (version === this.version) return this.segments;
    const known = new Map(this.segments.map((segment) => [segment.id, segment]));
    this.segments = usedSegments(this.db).map((one) => {
      const segment = known.get(one.id);
      return segment?.gone === one.gone ? segment : this.loaded(one, segment);
    });
    this.version = version;
    return this.segments;
  }

  /** @param known as it was, when only others of its chunks are gone now */
  private loaded(stored: StoredSegment, known: Segment | undefined): Segment {
    const { id, gone } = stored;
    const { ids, lengths, levels } = known ?? chunksOf(this.db, stored);
    const isGone = goneOf(this.db, { ids, lengths, levels }, stored);
    const words = lengths.reduce((sum, length, i) => sum + (isGone?.[i] ? 0 : length), 0);
    const { norms, normsAt } = known ?? { norms: new Float32Array(ids.length), normsAt: Number.NaN };
    return { id, ids, lengths, levels, gone, isGone, words, norms, normsAt, holding: new Map() };
  }
}

/** As FTS5 has it: a word in more than half of all chunks counts next to nothing. */
const idf = (total: number, holding: number) =>
  Math.max(Math.log((total - holding + 0.5) / (holding + 0.5)), 1e-6);

function normsOf(segment: Segment, average: number): Float32Array {
  const { norms, lengths } = segment;
  if (segment.normsAt !== average) {
    for (let i = 0; i < norms.length; i++) norms[i] = lengthNorm(lengths[i]!, average);
    segment.normsAt = average;
  }
  return norms;
}

/** Whether a chunk of a segment is in the scope. */
function scopeFilter(db: Connection, { files, levels }: Scope): (segment: Segment, place: number) => boolean {
  const isWanted = allLevels.map((level) => levels === null || levels.includes(level));
  if (files === null) return (segment, place) => isWanted[segment.levels[place]!]!;
  const rows = db
    .prepare("SELECT id FROM chunks WHERE file_id IN (SELECT value FROM json_each(?))")
    .pluck()
    .all(JSON.stringify(files)) as number[];
  const ids = new Set(rows);
  return (segment, place) => isWanted[segment.levels[place]!]! && ids.has(segment.ids[place]!);
}
