import type { HeldWord } from "../../../base/text/tokens.ts";
import type { Connection } from "../../sqlite/connection.ts";
import {
  type ChunkId,
  type ChunkMatch,
  type FieldWeights,
  type FileId,
  type IndexEntry,
  type SearchScope,
  toChunkId,
} from "../port.ts";
import { createScopeFilter, LoadedSegments } from "../words/loaded-segments.ts";
import { PostingsReader } from "../words/postings.ts";
import { PostingsRoom, type SegmentBuilder, toNameWord } from "../words/segment.ts";
import { findDefiningChunks } from "../words/stored-words.ts";
import {
  insertPostings,
  type PostingsRow,
  ReadPostings,
  readPostingsList,
  rowsPerInsert,
} from "./stored-postings.ts";
import {
  insertSegment,
  listUsedSegments,
  readGoneMarks,
  readSegmentChunks,
  readSegmentWords,
} from "./word-segments.ts";

/**
 * The words of the chunks: which hold one, where, and how well they match several, by BM25. The words of chunks that were
 * written together are a segment, which never changes (docs/decisions/0014-own-postings.md); what follows the segments in
 * memory costs as much as what changed.
 */
export class WordIndex {
  private segments = new LoadedSegments();
  private version = "";

  private readonly postings: ReadPostings;

  constructor(private readonly db: Connection) {
    this.postings = new ReadPostings(db);
  }

  // Writing, all of it in the transaction that writes the chunks

  /** The id for the next chunk: one that none ever had. */
  findNextChunkId(): number {
    return this.db.readValue<number>(
      "SELECT 1 + max((SELECT coalesce(max(id), 0) FROM chunks), (SELECT coalesce(max(last_chunk), 0) FROM word_segments))",
    );
  }

  add(segment: SegmentBuilder): void {
    const chunks = segment.buildSegmentChunks();
    if (chunks.ids.length === 0) return;
    const id = insertSegment(this.db, "used", chunks, { first: chunks.ids[0]!, last: chunks.ids.at(-1)! });
    insertPostings(this.db, id, segment.buildPostings(new PostingsRoom(rowsPerInsert)));
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

  findBest(tokens: readonly string[], weights: FieldWeights, k: number, scope: SearchScope): ChunkMatch[] {
    if (tokens.length === 0 || k < 1) return [];
    const segments = this.refreshSegments();
    const found = this.postings.findPostings(tokens);
    const inScope = createScopeFilter(scope.levels, scope.files && this.findChunkIdsInFiles(scope.files));
    const best = segments.findBest(tokens, found, weights, k, inScope);
    return best.map(({ row, score }) => ({ id: toChunkId(row), score }));
  }

  /** In how many chunks each token occurs; absent tokens are missing. */
  countChunksByToken(tokens: readonly string[]): Map<string, number> {
    const segments = this.refreshSegments();
    const unknown = tokens.filter((token) => segments.all.some(({ holding }) => !holding.has(token)));
    const found = this.postings.findPostings(unknown);
    const lists = new Map(unknown.map((token, i) => [token, found[i]!]));
    const counts = new Map<string, number>();
    for (const token of tokens) {
      const count = segments.countHolding(token, ({ id }) => lists.get(token)?.get(id));
      if (count > 0) counts.set(token, count);
    }
    return counts;
  }

  /** The chunks that are there; what was written before there were segments is not among them. */
  getPresentChunks(): Pick<LoadedSegments, "has"> {
    return this.refreshSegments();
  }

  /** For each phrase, tokens with blanks between them, the chunks that hold it, at most so many. */
  findPhraseHolders(phrases: readonly string[], limit: number): ChunkId[][] {
    const segments = this.refreshSegments();
    const words = [...new Set(phrases.flatMap((phrase) => phrase.split(" ")))];
    const found = this.postings.findPostings(words);
    const ofWord = new Map(words.map((word, i) => [word, found[i]!]));
    return segments.findPhraseHolders(phrases, limit, (word, { id }) => ofWord.get(word)!.get(id));
  }

  /**
   * Files that hold all of the words; null where these are in nearly all. Where some words are whole or begin so, those that are a
   * part of others are not looked at: to find them all words are read.
   */
  findFilesHolding(words: readonly HeldWord[]): IndexEntry[] | null {
    const segments = this.refreshSegments();
    const telling = words.filter(({ is }) => is !== "part");
    if (telling.length === 0 && words.every(({ text }) => text.length < minPart)) return null;
    const chunksOfEach = (telling.length > 0 ? telling : words)
      .map((word) => this.findChunksHolding(word, segments))
      .sort((a, b) => a.length - b.length);
    return this.listFilesOfChunks(chunksOfEach[0] ?? [])
      .filter(({ first, last }) => chunksOfEach.every((chunks) => isAnyBetween(chunks, first, last)))
      .map(({ id, path, language }) => ({ id, path, language }));
  }

  /** Ids, ascending. */
  private findChunksHolding(word: HeldWord, segments: LoadedSegments): Uint32Array {
    const found = new Uint32Array(segments.total);
    let count = 0;
    for (const { id, ids, isGone } of segments.all) {
      const holds = new Uint8Array(ids.length);
      for (const list of this.readPostingsLists(word, id)) {
        const reader = new PostingsReader(list);
        while (reader.next()) holds[reader.chunk] = 1;
      }
      for (let i = 0; i < ids.length; i++) if (holds[i] === 1 && !isGone?.[i]) found[count++] = ids[i]!;
    }
    return found.slice(0, count);
  }

  private readPostingsLists({ text, is }: HeldWord, segment: number): Uint8Array[] {
    const of = "SELECT list, long FROM postings WHERE segment = ? AND word";
    const all = (sql: string, ...given: string[]) => {
      const rows = this.db.all<Pick<PostingsRow, "list" | "long">>(sql, segment, ...given);
      return rows.map((row) => readPostingsList(this.db, row));
    };
    if (is === "whole") return all(`${of} = ?`, text);
    if (is === "beginning") return all(`${of} BETWEEN ? AND ? || char(1114111)`, text, text);
    const words = readSegmentWords(this.db, segment);
    const holding: string[] = [];
    for (let at = words.indexOf(text); at >= 0; ) {
      const end = words.indexOf("\n", at);
      holding.push(words.slice(words.lastIndexOf("\n", at) + 1, end));
      at = words.indexOf(text, end);
    }
    return all(`${of} IN (SELECT value FROM json_each(?))`, JSON.stringify(holding));
  }

  /** The files of chunks, with their first and last chunks. @param chunks ascending */
  private listFilesOfChunks(chunks: ArrayLike<number>): (IndexEntry & { first: number; last: number })[] {
    const fileOf = this.db.prepare(
      `SELECT f.id, f.path, f.language, f.chunks, (SELECT max(id) FROM chunks WHERE file_id = f.id) AS last
       FROM chunks c JOIN files f ON f.id = c.file_id WHERE c.id = ?`,
    );
    const files: (IndexEntry & { first: number; last: number })[] = [];
    let last = -1;
    for (let i = 0; i < chunks.length; i++) {
      // Chunks of a file have consecutive ids.
      if (chunks[i]! <= last) continue;
      const file = fileOf.get(chunks[i]!) as (IndexEntry & { chunks: number; last: number }) | undefined;
      if (file === undefined) continue;
      last = file.last;
      files.push({ ...file, first: last - file.chunks + 1 });
    }
    return files;
  }

  /** For each name the chunks that define it, ascending, at most so many. @param keys `nameKey` of the names */
  findDefiners(keys: readonly string[], limit: number): number[][] {
    const segments = this.refreshSegments();
    return this.postings
      .findPostings(keys.map(toNameWord))
      .map((lists) => findDefiningChunks(segments, lists, limit));
  }

  /** Gives back the memory of what was read of words. */
  release(): void {
    this.postings.release();
  }

  private findChunkIdsInFiles(files: readonly FileId[]): Set<number> {
    const rows = this.db.readColumn<number>(
      "SELECT id FROM chunks WHERE file_id IN (SELECT value FROM json_each(?))",
      files,
    );
    return new Set(rows);
  }

  /** The segments of now: those that are new are read, and which chunks of the others are gone. */
  private refreshSegments(): LoadedSegments {
    const version = this.db.readVersion();
    if (version !== this.version) {
      this.segments = this.segments.loadCurrent(listUsedSegments(this.db), (stored, known) => {
        const chunks = known ?? readSegmentChunks(this.db, stored);
        return { chunks, isGone: readGoneMarks(this.db, chunks, stored) };
      });
      this.postings.follow(this.segments);
      this.version = version;
    }
    return this.segments;
  }
}

/** Shorter parts are in too many words. */
const minPart = 3;

/** @param ids ascending */
function isAnyBetween(ids: Uint32Array, first: number, last: number): boolean {
  let [from, to] = [0, ids.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if (ids[middle]! < first) from = middle + 1;
    else to = middle;
  }
  return from < ids.length && ids[from]! <= last;
}
