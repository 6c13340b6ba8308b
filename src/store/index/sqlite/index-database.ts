import { Connection } from "../../sqlite/connection.ts";
import { openDatabase } from "../../sqlite/database.ts";
import type {
  ChunkId,
  ChunkOutline,
  FileId,
  IndexCounts,
  IndexEntry,
  KnownFile,
  StoredChunk,
} from "../port.ts";
import type { FileVectors, IndexedChange, IndexedFile, SkippedFile, SkipReason } from "../records.ts";
import { type FileTotals, sumIndexCounts } from "../stored-rows.ts";
import { ByteStrings } from "../words/byte-strings.ts";
import { SegmentBuilder } from "../words/segment.ts";
import { insertIndexed, insertSkipped, updateFileStamp } from "./file-rows.ts";
import { Outlines } from "./outlines.ts";
import { codeSchema } from "./schema.ts";
import { removeVectors } from "./vector-rows.ts";
import { WordIndex } from "./word-index.ts";
import { SegmentMerges } from "./word-segments.ts";

/** Merging words keeps in step with writing: a step for so many chunks. */
const chunksPerStep = 12;

/** Chunks that one transaction writes at most: a segment of so many is only merged with other large ones. */
const maxChunksPerTransaction = 16_384;
/** The same of different words, which are in memory until then and take 100 bytes each or more. Few chunks have so many. */
const maxWordsPerTransaction = 250_000;

/** Saves that never pause leave segments faster than a step for each could merge them. */
const stepsWhenLate = 32;

/** More than a save writes, mostly. */
const fewChunks = 64;

/** Revisions whose removed vectors are remembered; a reader that is further behind reads all ids. */
const revisionsRemembered = 4096;
/**
 * `index.db`: files, their chunks, the full-text rows, symbols and vectors of those. Every change of a file is one
 * transaction, so a reader sees a file as it was or as it is, never half. The port says what the methods do (../port.ts);
 * here they run at once.
 */
export class IndexDatabase extends Connection {
  /** @throws PommelError `not_indexed`, `schema_outdated`, `index_corrupt`, `index_too_new`, `disk_full`, `unreadable` */
  static open(file: string, options: { readonly: boolean }): IndexDatabase {
    return new IndexDatabase(file, openDatabase(file, codeSchema, options));
  }

  readonly words = new WordIndex(this);
  private readonly outlinesKnown = new Outlines(this, this.words);
  private readonly merges = new SegmentMerges(this);

  /** Everything that is written makes another revision, except what keeps what can be found (`runInMerge`). */
  override runInTransaction<T>(work: () => T): T {
    return super.runInTransaction(() => {
      const result = work();
      const now = this.readValue<number>("UPDATE revision SET number = number + 1 RETURNING number");
      this.prepare("DELETE FROM removed_vectors WHERE revision < ?").run(now - revisionsRemembered);
      this.revisionAt = "";
      return result;
    });
  }

  runInMerge<T>(work: () => T): T {
    return super.runInTransaction(work);
  }

  private revisionKnown = 0;
  private revisionAt = "";

  /** Another number whenever something else may be found than before. */
  readRevision(): number {
    return this.readRevisionAt(super.readVersion());
  }

  private readRevisionAt(at: string): number {
    if (at !== this.revisionAt) {
      this.revisionKnown = this.readValue<number>("SELECT number FROM revision");
      this.revisionAt = at;
    }
    return this.revisionKnown;
  }

  override readVersion(): string {
    const at = super.readVersion();
    return `${at}/${this.readRevisionAt(at)}`;
  }

  // Writing

  replace(file: IndexedFile | SkippedFile, vectors?: FileVectors): void {
    this.write([file.status === "skipped" ? file : { ...file, ...(vectors && { vectors }) }]);
  }

  /** A transaction that is still open: the words of its chunks, and the files that it wrote. */
  private unfinished: { words: SegmentBuilder; paths: Set<string> } | null = null;

  /**
   * One transaction for all.
   * @param more others follow: they become part of it, until they are many
   * @returns how many steps of merging (`mergeStep`) keep up with it
   */
  write(changes: readonly IndexedChange[], more = false): number {
    // The words of a file that is replaced must be stored to be known as gone.
    if (changes.some(({ path }) => this.unfinished?.paths.has(path))) this.finish();
    if (!more && this.unfinished === null)
      return this.runInTransaction(() => this.writeAll(changes, this.createSegmentBuilder()));
    return this.undoOnError(() => {
      const { words, paths } = this.ensureBegun();
      this.runInTransaction(() => {
        for (const change of changes) this.apply(change, words);
      });
      for (const { path } of changes) paths.add(path);
      const isFull = words.count >= maxChunksPerTransaction || words.different >= maxWordsPerTransaction;
      return more && !isFull ? 0 : this.finish();
    });
  }

  private createSegmentBuilder(bytes?: ByteStrings): SegmentBuilder {
    return new SegmentBuilder(this.words.findNextChunkId(), bytes);
  }

  /** For the words of one open transaction after the other. */
  private bytesOfWords = new ByteStrings();

  private ensureBegun() {
    if (this.unfinished === null) {
      this.runChange(() => this.db.begin("immediate"));
      this.bytesOfWords.clear();
      this.unfinished = { words: this.createSegmentBuilder(this.bytesOfWords), paths: new Set() };
    }
    return this.unfinished;
  }

  /** Ends the transaction that `write` left open, if there is one. @returns as `write` */
  finish(): number {
    const { unfinished } = this;
    if (unfinished === null) return 0;
    return this.undoOnError(() => {
      const steps = this.runInTransaction(() => this.writeAll([], unfinished.words));
      this.runChange(() => this.db.end("COMMIT"));
      this.unfinished = null;
      return steps;
    });
  }

  /** What fails takes with it all that is not finished. */
  private undoOnError<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      this.unfinished = null;
      this.db.end("ROLLBACK");
      throw error;
    }
  }

  private writeAll(changes: readonly IndexedChange[], words: SegmentBuilder): number {
    for (const change of changes) this.apply(change, words);
    this.words.add(words);
    // After a save a search should not have to wait: what it leaves is merged when there is time (`settle`).
    const isLate = this.merges.isLate();
    if (words.count < fewChunks && !isLate) return 0;
    return Math.max(Math.ceil((words.count + 1) / chunksPerStep), isLate ? stepsWhenLate : 0);
  }

  override close(): void {
    try {
      this.finish();
    } finally {
      super.close();
    }
  }

  private apply(change: IndexedChange, words: SegmentBuilder): void {
    if (change.status === "unchanged") {
      updateFileStamp(this, change);
      return;
    }
    this.forget(change.path);
    if (change.status === "skipped") insertSkipped(this, change);
    else if (change.status === "indexed") insertIndexed(this, change, words, change.vectors);
  }

  /** One transaction for all. */
  remove(paths: readonly string[]): void {
    if (paths.length === 0) return;
    this.finish();
    this.runInTransaction(() => {
      for (const path of paths) this.forget(path);
    });
  }

  private forget(path: string): void {
    const known = this.get<{ id: number } | null>("SELECT id FROM files WHERE path = ?", path);
    if (!known) return;
    const chunks = this.listIds("SELECT id FROM chunks WHERE file_id = ? ORDER BY id", known.id);
    removeVectors(this, "file_id = ?", [known.id]);
    this.words.remove(chunks);
    this.prepare("DELETE FROM files WHERE id = ?").run(known.id);
  }

  private listIds(sql: string, of: number): number[] {
    return this.readColumn<number>(sql, of);
  }

  settle(): void {
    this.finish();
    this.bytesOfWords = new ByteStrings();
  }

  /** Moves the log into the database as far as nobody reads it: at rest it would only take up room. Never within a transaction. */
  emptyLog(): void {
    this.endTurn();
    this.db.pragma("wal_checkpoint(TRUNCATE)");
  }

  /**
   * Does a little of what is left to do about words.
   * @param atRest nothing waits for it
   * @returns whether there was anything
   */
  mergeStep(atRest = false): boolean {
    return this.merges.step(atRest);
  }

  // Reading

  readKnownFiles(below?: string): Map<string, KnownFile> {
    const where =
      below === undefined ? "" : "WHERE path = @below OR (path > @below || '/' AND path < @below || '0')";
    const rows = this.all<KnownFile>(
      `SELECT path, size, mtime_ms AS mtimeMs, hash FROM files ${where}`,
      below === undefined ? {} : { below },
    );
    return new Map(rows.map((row) => [row.path, row]));
  }

  readIndexCounts(): IndexCounts {
    const rows = this.all<FileTotals>(
      "SELECT language, skip_reason AS reason, files, chunks, syntax_errors AS syntaxErrors FROM file_totals WHERE files > 0",
    );
    return sumIndexCounts(
      rows,
      this.readValue<number>("SELECT coalesce(sum(bytes), 0) FROM word_segments WHERE state = 'used'"),
    );
  }

  countChunks(): number {
    return this.readOnce("chunks", () =>
      this.readValue<number>("SELECT coalesce(sum(chunks), 0) FROM file_totals"),
    );
  }

  listIndexedFiles(): IndexEntry[] {
    return this.all<IndexEntry>("SELECT id, path, language FROM files WHERE skip_reason IS NULL");
  }

  listSkipped(): { path: string; reason: SkipReason; size: number }[] {
    return this.all<{ path: string; reason: SkipReason; size: number }>(
      "SELECT path, skip_reason AS reason, size FROM files WHERE skip_reason IS NOT NULL ORDER BY path",
    );
  }

  findLastIndexedAt(): number | null {
    // The ids ascend with time.
    return this.readValue<number | null>("SELECT indexed_at FROM files ORDER BY id DESC LIMIT 1");
  }

  readOutlines(ids: readonly ChunkId[]): ChunkOutline[] {
    return this.outlinesKnown.readOutlines(ids);
  }

  /** Rows of `vectors` that have gone since a version, of all models; null where that is not known. */
  listVectorsRemovedSince(version: string): readonly number[] | null {
    const since = Number(version.split("/")[1]);
    if (!(since >= this.readRevision() - revisionsRemembered)) return null;
    return this.readColumn<number>("SELECT id FROM removed_vectors WHERE revision >= ?", since);
  }

  readChunks(ids: readonly ChunkId[]): StoredChunk[] {
    const rows = this.selectStoredChunks("json_each(?) wanted JOIN chunks c ON c.id = wanted.value", ids);
    const byId = new Map(rows.map((row) => [row.id, row]));
    return ids.flatMap((id) => byId.get(id) ?? []);
  }

  readChunksOfFiles(files: readonly FileId[]): StoredChunk[] {
    return this.selectStoredChunks("json_each(?) wanted JOIN chunks c ON c.file_id = wanted.value", files);
  }

  readGraphs(files: readonly FileId[]): Map<FileId, Uint8Array> {
    const rows = this.all<{ file: FileId; data: Uint8Array }>(
      "SELECT g.file_id AS file, g.data FROM json_each(?) wanted JOIN graphs g ON g.file_id = wanted.value",
      files,
    );
    return new Map(rows.map(({ file, data }) => [file, data]));
  }

  private selectStoredChunks(from: string, wanted: readonly (ChunkId | FileId)[]): StoredChunk[] {
    return this.all<StoredChunk>(
      `SELECT c.id, c.uid, c.file_id AS file, f.path, f.size, f.mtime_ms AS mtimeMs, f.language,
         c.parent_uid AS parentUid, c.parent_name AS parentName, c.level, c.kind, c.name, c.signature,
         c.start_line AS startLine, c.end_line AS endLine, c.fingerprint, c.built
       FROM ${from} JOIN files f ON f.id = c.file_id`,
      wanted,
    );
  }
}
