import type { Level } from "../../base/levels.ts";
import type { Logger } from "../../base/log.ts";
import type { HeldWord } from "../../base/text/tokens.ts";
import type { StoreCheck } from "../sqlite/database.ts";
import type {
  FileStamp,
  FileVectors,
  IndexedChange,
  IndexedCommit,
  IndexedFile,
  SkippedFile,
  SkipReason,
} from "./records.ts";

/**
 * The index port: all that search, the indexer, the daemon and status ask of a code index, whatever engine it lies in.
 * Ranking stands above it and is the same for every driver. How to add a driver: CONTRIBUTING.md.
 *
 * Every method may reject with a PommelError: `index_corrupt` where the index is damaged, `unreadable` where it cannot be
 * reached, `disk_full` where a change does not fit; a change that fails leaves everything as it was.
 */

declare const chunkBrand: unique symbol;
declare const fileBrand: unique symbol;

/**
 * Names a chunk for as long as `revision` stays the same: which number it is, is the driver's business. To be compared by
 * `===` and handed back to the index that it came from, nothing else.
 */
export type ChunkId = number & { readonly [chunkBrand]: true };
/** Names an indexed file, as `ChunkId` a chunk. */
export type FileId = number & { readonly [fileBrand]: true };

/** For drivers: the ids of what they number. */
export const toChunkId = (number: number): ChunkId => number as ChunkId;
export const toFileId = (number: number): FileId => number as FileId;

/** Where to look; null means everywhere. */
export interface SearchScope {
  files: readonly FileId[] | null;
  levels: readonly Level[] | null;
}

/** The weight of a token by its place in a chunk. */
export interface FieldWeights {
  name: number;
  path: number;
  head: number;
  body: number;
}

/** A chunk that was found; higher scores are better, and comparable within one answer. */
export interface ChunkMatch {
  id: ChunkId;
  score: number;
}

/** A vector and the model it is of; only vectors of one model can be compared. */
export interface QueryVector {
  model: string;
  vector: Int8Array;
}

export interface Definition {
  id: ChunkId;
  /** As `nameKey` makes it of `name`. */
  key: string;
  name: string;
  kind: string;
}

export interface Frequencies {
  /** How many chunks there are. */
  chunks: number;
  /** How many of them hold a token; tokens that none holds are missing. */
  holding: ReadonlyMap<string, number>;
}

/** What ranking needs of a chunk. */
export interface ChunkOutline {
  id: ChunkId;
  file: FileId;
  path: string;
  level: Level;
  name: string;
  parentName: string | null;
  /** 1-based, inclusive. */
  startLine: number;
  endLine: number;
  /** SimHash of its code: of copies few bits differ. 0 where there is too little of it to compare. */
  fingerprint: number;
  /** 1: a compiler or a bundler wrote its file. */
  built: number;
}

/** All of a chunk that is stored besides its words. */
export interface StoredChunk extends ChunkOutline {
  /** `ChunkRecord.id`: the same in every index of the same code. */
  uid: string;
  parentUid: string | null;
  /** Of the file as it was indexed: bytes, and milliseconds since the epoch. */
  size: number;
  mtimeMs: number;
  language: string;
  kind: string;
  signature: string;
}

export interface IndexEntry {
  id: FileId;
  path: string;
  language: string;
}

/** What shows whether a file has changed. */
export interface KnownFile extends FileStamp {
  /** null for a skipped file. */
  hash: string | null;
}

export interface IndexCounts {
  files: number;
  chunks: number;
  skipped: number;
  languages: Record<string, { files: number; chunks: number }>;
  skippedByReason: Partial<Record<SkipReason, number>>;
  /** Files of which the grammar could not read a part. */
  syntaxErrors: number;
  /** The size of the stored terms. Bytes. */
  termBytes: number;
}

/** Totals of one model in an index, by the length of its vectors. */
export interface VectorCounts {
  model: string;
  dimensions: number;
  /** Chunks that were embedded, or found to have no vector. */
  chunks: number;
  /** Those of them that have none. */
  missing: number;
}

/** What searching needs of an index. */
export interface SearchableIndex {
  /**
   * Changes whenever the index may hold something else than before, whoever changed it. Answers to several questions fit
   * together when it is the same before and after.
   */
  revision(): Promise<string>;
  /** The best `k` chunks of the scope that hold any of the tokens (`tokenStream`), best first, by weighted BM25. */
  lexical(
    tokens: readonly string[],
    weights: FieldWeights,
    k: number,
    scope: SearchScope,
  ): Promise<ChunkMatch[]>;
  /**
   * The `k` chunks of the scope nearest to a vector, best first; the score is the cosine, -1 to 1. None where the index has
   * no vectors of that model and length.
   */
  findNearest(query: QueryVector, k: number, scope: SearchScope): Promise<ChunkMatch[]>;
  /** Cosines of these chunks with a vector, in their order; NaN for one that is gone or has no vector. */
  measureSimilarities(query: QueryVector, ids: readonly ChunkId[]): Promise<Float64Array>;
  /** Definitions of each name (`nameKey`), at most `limit` of each, in the order of the names. */
  findDefinitions(keys: readonly string[], limit: number): Promise<Definition[]>;
  countFrequencies(tokens: readonly string[]): Promise<Frequencies>;
  /** For each phrase (consecutive tokens, with blanks between them) the chunks that hold it, at most `limit` of each. */
  findPhrases(phrases: readonly string[], limit: number): Promise<ChunkId[][]>;
  /**
   * Files that hold all of these words, one at least, in any order, and maybe a few others. Absent where an engine cannot say:
   * all files are to be looked into then.
   */
  findFilesHolding?(words: readonly HeldWord[]): Promise<IndexEntry[]>;
  /** Outlines in no particular order; those of chunks that are gone are missing. Shared: not to be changed. */
  readOutlines(ids: readonly ChunkId[]): Promise<ChunkOutline[]>;
  /** Whole chunks in the order of the ids; those that are gone are missing. */
  readChunks(ids: readonly ChunkId[]): Promise<StoredChunk[]>;
  /** All chunks of these files, in no particular order. */
  readChunksOfFiles(files: readonly FileId[]): Promise<StoredChunk[]>;
  /** Every indexed file. */
  files(): Promise<IndexEntry[]>;
  /** What these files define, import and refer to (`IndexedFile.graph`); those without it are missing. */
  readGraphs(files: readonly FileId[]): Promise<ReadonlyMap<FileId, Uint8Array>>;
  /** Totals of each model. Fast while nothing changes. */
  readVectorCounts(): Promise<VectorCounts[]>;
  /** Commits of the project's history; absent where none is indexed. */
  readonly commits?: CommitIndex;
  /** Gives back the memory that searching took; the next search takes it again. */
  release(): Promise<void>;
}

/** The weight of a token by its place in a commit. */
export interface CommitWeights {
  subject: number;
  body: number;
  files: number;
  author: number;
}

/** Times that a commit was authored within, both ends included. Milliseconds since the epoch; null: unbounded. */
export interface Within {
  since: number | null;
  until: number | null;
}

/** Commits, found by their words. */
export interface CommitIndex {
  /** Adds commits; those that are there stay. All or nothing. */
  add(commits: readonly IndexedCommit[]): Promise<void>;
  /** Forgets commits. All or nothing. */
  remove(hashes: readonly string[]): Promise<void>;
  /** All of them, in no particular order. */
  listHashes(): Promise<string[]>;
  /** The best `k` commits that hold any of the tokens (or phrases of them), best first, by weighted BM25. */
  lexical(
    tokens: readonly string[],
    weights: CommitWeights,
    k: number,
    within: Within,
  ): Promise<{ hash: string; score: number }[]>;
  /** As of chunks. */
  countFrequencies(tokens: readonly string[]): Promise<Frequencies>;
  /** Whole commits in the order of the hashes; those that are not there are missing. */
  get(hashes: readonly string[]): Promise<IndexedCommit[]>;
  /** Hashes that begin so, at most `limit`. */
  listHashesByPrefix(prefix: string, limit: number): Promise<string[]>;
}

/** A code index: files, their chunks, and the words, names and vectors of those. Has one writer at a time. */
export interface CodeIndex extends SearchableIndex {
  // Files. Each change is all or nothing, and readers see it as such.

  /** Everything known, indexed and skipped, by path: of the whole project, or of a path and what lies below it. */
  readKnownFiles(below?: string): Promise<Map<string, KnownFile>>;
  /** Replaces a file's record: its chunks, with a model's vectors of them, or why it has none. */
  replace(file: IndexedFile | SkippedFile, vectors?: FileVectors): Promise<void>;
  /**
   * Several changes as one, which costs less than one after the other. A file occurs once.
   * @param more others follow, and nobody waits for these: an engine may store them together. If that fails, both are lost
   */
  write(changes: readonly IndexedChange[], more?: boolean): Promise<void>;
  /** Forgets files. */
  remove(paths: readonly string[]): Promise<void>;
  /** Brings together what many changes left apart, so that searching costs no more than in a rebuilt index. May take long. */
  settle(): Promise<void>;

  // Vectors that are made after a file was indexed

  /**
   * Adds a model's vectors of an indexed file, or puts them in place of its earlier ones.
   * @returns false, and nothing is stored, when the index holds another version of the file by now
   */
  addVectors(file: IndexedFile, vectors: FileVectors): Promise<boolean>;
  /** Paths of files with chunks that a model has not seen, those indexed last first. */
  listPathsWithoutVectors(model: Pick<FileVectors, "model" | "dimensions">): Promise<string[]>;
  /** Forgets the vectors of all models but these. */
  keepModels(models: readonly string[]): Promise<void>;

  readonly commits: CommitIndex;

  // The index itself

  readIndexCounts(): Promise<IndexCounts>;
  skipped(): Promise<{ path: string; reason: SkipReason; size: number }[]>;
  /** When a file was last indexed, milliseconds since the epoch; null for an empty index. */
  lastIndexedAt(): Promise<number | null>;
  /** What the indexer wrote down for itself; null for nothing. */
  meta(key: string): Promise<string | null>;
  setMeta(key: string, value: string): Promise<void>;
  /** May be called again. */
  close(): Promise<void>;
}

/** Key of `meta`: when the index was last in step with the files. Milliseconds since the epoch. */
export const reconciledAt = "reconciled_at";

/** A way to keep a code index; `index.driver` names it. How to add one: CONTRIBUTING.md. */
export interface IndexDriver {
  /**
   * Opens an index to write; where there is none, an empty one. One that is damaged or cannot be opened is moved aside, and
   * an empty one takes its place: it is disposable, and rebuilding it is better than not working. One on a server that is
   * down, or in an engine that is not installed, is opened all the same: it fails with `index_unavailable` until the server is back.
   * @param file `index.db` of the project: where it is, or what the driver names it by
   * @returns the index, and a note for people when it had to be rebuilt
   * @throws PommelError `index_too_new`, `disk_full`; `unreadable` where it cannot be moved aside
   */
  openToWrite(file: string, log: Logger): Promise<{ index: CodeIndex; note: string | null }>;
  /**
   * Opens an index that is open to write once more, in the thread that writes it from now on. Left out by engines whose
   * index one thread has to itself.
   * @throws PommelError `index_corrupt`, `unreadable`
   */
  openBeside?(file: string): CodeIndex;
  /**
   * Opens an existing index for reading, and closes it. Works beside a writer and on read-only media.
   * @throws PommelError `not_indexed`, `index_corrupt`, `index_too_new`, `unreadable`, `index_unavailable`; what `use` throws
   */
  read<T>(file: string, use: (index: CodeIndex) => Promise<T>): Promise<T>;
  /**
   * Moves a damaged index aside, which must not be open; keeps only the newest of several. What is on a server is removed.
   * @returns a message for people
   */
  moveAside(file: string, why: string, log: Logger): Promise<string>;
  /** Whether an index is sound and of a format that this Pommel knows. May read all of it. */
  check(file: string): Promise<StoreCheck>;
  /** What an index takes. Bytes. */
  countBytes(file: string): Promise<number>;
  /** Where indexes are, for people: an address without a password; "" for the project's own directory. */
  readonly place: string;
}
