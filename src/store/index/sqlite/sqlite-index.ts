import { setImmediate as nextTurn } from "node:timers/promises";
import type { HeldWord } from "../../../base/text/tokens.ts";
import type {
  ChunkId,
  ChunkMatch,
  CodeIndex,
  Definition,
  FieldWeights,
  FileId,
  Frequencies,
  QueryVector,
  SearchScope,
  StoredChunk,
} from "../port.ts";
import type { FileVectors, IndexedChange, IndexedFile, SkippedFile } from "../records.ts";
import { groupDefinitionsByKey } from "../words/stored-words.ts";
import { ChunkVectors } from "./chunk-vectors.ts";
import { SqliteCommits } from "./commits.ts";
import { IndexDatabase } from "./index-database.ts";
import { countVectorsByModel, keepModels, listPathsWithoutVectors, storeVectors } from "./vector-rows.ts";

type FoundSymbol = Omit<Definition, "key">;

/** Chunks whose symbols are remembered: some megabytes. */
const maxRemembered = 20_000;

/** The symbols of chunks that define what was asked for. A chunk never changes, and its id never comes back. */
export class SymbolCache {
  private readonly ofChunk = new Map<number, FoundSymbol[]>();

  constructor(private readonly db: IndexDatabase) {}

  /** Chunks that define a symbol with one of the keys, at most `limit` a key. */
  findDefinitions(keys: readonly string[], limit: number): Definition[] {
    const chunks = [...new Set(this.db.words.findDefiners(keys, limit).flat())].sort((a, b) => a - b);
    const { ofChunk } = this;
    if (ofChunk.size > maxRemembered) ofChunk.clear();
    const unknown = chunks.filter((chunk) => !ofChunk.has(chunk));
    if (unknown.length > 0) this.read(unknown);
    return groupDefinitionsByKey(
      keys,
      chunks.flatMap((chunk) => ofChunk.get(chunk) ?? []),
      limit,
    );
  }

  private read(chunks: readonly number[]): void {
    for (const chunk of chunks) this.ofChunk.set(chunk, []);
    const symbols = this.db.all<FoundSymbol>(
      `SELECT s.name, s.kind, s.chunk_id AS id FROM json_each(?) wanted JOIN symbols s ON s.chunk_id = wanted.value
       ORDER BY s.chunk_id, s.rowid`,
      chunks,
    );
    for (const symbol of symbols) this.ofChunk.get(symbol.id)?.push(symbol);
  }
}

/** Files that one transaction forgets: another branch may lack thousands, and questions wait for a transaction. */
const filesPerRemoval = 32;

/**
 * The code index in SQLite: `index.db`, and the vectors of the models that were asked for in memory. Each statement, and
 * each transaction, runs to its end before anything else does.
 */
export class SqliteIndex implements CodeIndex {
  private readonly vectors = new Map<string, ChunkVectors>();

  readonly commits: SqliteCommits;
  private readonly defined: SymbolCache;

  /** @param db belongs to the index from now on, which closes it */
  constructor(private readonly db: IndexDatabase) {
    this.commits = new SqliteCommits(db);
    this.defined = new SymbolCache(db);
  }

  /** @throws PommelError `not_indexed`, `index_corrupt`, `index_too_new`, `disk_full`, `unreadable` */
  static open(file: string, options: { readonly: boolean }): SqliteIndex {
    return new SqliteIndex(IndexDatabase.open(file, options));
  }

  /** One statement, or one transaction. */
  private async run<T>(work: (db: IndexDatabase) => T): Promise<T> {
    return work(this.db);
  }

  /** Several statements that see the same, and so do those of other questions that are asked without waiting in between. */
  private read<T>(work: (db: IndexDatabase) => T): Promise<T> {
    return this.run((db) => db.readInTurnSnapshot(() => work(db)));
  }

  private getModelVectors(model: string): ChunkVectors {
    let vectors = this.vectors.get(model);
    if (vectors === undefined) {
      vectors = new ChunkVectors(this.db, model);
      this.vectors.set(model, vectors);
    }
    return vectors;
  }

  revision() {
    return this.read((db) => String(db.readRevision()));
  }

  lexical(
    tokens: readonly string[],
    weights: FieldWeights,
    k: number,
    scope: SearchScope,
  ): Promise<ChunkMatch[]> {
    return this.read((db) => db.words.findBest(tokens, weights, k, scope));
  }

  findNearest(query: QueryVector, k: number, scope: SearchScope): Promise<ChunkMatch[]> {
    return this.read(() => this.getModelVectors(query.model).findNearest(query.vector, k, scope));
  }

  measureSimilarities(query: QueryVector, ids: readonly ChunkId[]): Promise<Float64Array> {
    return this.read(() => this.getModelVectors(query.model).measureSimilarities(query.vector, ids));
  }

  findDefinitions(keys: readonly string[], limit: number): Promise<Definition[]> {
    return this.read(() => this.defined.findDefinitions(keys, limit));
  }

  countFrequencies(tokens: readonly string[]): Promise<Frequencies> {
    return this.read((db) => ({
      chunks: db.countChunks(),
      holding: db.words.countChunksByToken(tokens),
    }));
  }

  findPhrases(phrases: readonly string[], limit: number): Promise<ChunkId[][]> {
    return this.read((db) => db.words.findPhraseHolders(phrases, limit));
  }

  findFilesHolding(words: readonly HeldWord[]) {
    return this.read((db) => db.words.findFilesHolding(words) ?? db.listIndexedFiles());
  }

  readOutlines(ids: readonly ChunkId[]) {
    return this.read((db) => db.readOutlines(ids));
  }

  readChunks(ids: readonly ChunkId[]): Promise<StoredChunk[]> {
    return this.read((db) => db.readChunks(ids));
  }

  readChunksOfFiles(files: readonly FileId[]): Promise<StoredChunk[]> {
    return this.run((db) => db.readChunksOfFiles(files));
  }

  files() {
    return this.run((db) => db.listIndexedFiles());
  }

  readGraphs(files: readonly FileId[]) {
    return this.run((db) => db.readGraphs(files));
  }

  readVectorCounts() {
    return this.read((db) => countVectorsByModel(db));
  }

  async release(): Promise<void> {
    for (const vectors of this.vectors.values()) vectors.release();
    this.db.words.release();
  }

  readKnownFiles(below?: string) {
    return this.run((db) => db.readKnownFiles(below));
  }

  replace(file: IndexedFile | SkippedFile, vectors?: FileVectors) {
    return this.run((db) => db.replace(file, vectors));
  }

  async write(changes: readonly IndexedChange[], more = false): Promise<void> {
    let steps = await this.run((db) => db.write(changes, more));
    // A search that came meanwhile waits for one step, not for all.
    for (; steps > 0 && (await this.run((db) => db.mergeStep())); steps--) await nextTurn();
  }

  async remove(paths: readonly string[]): Promise<void> {
    for (let start = 0; start < paths.length; start += filesPerRemoval) {
      if (start > 0) await nextTurn();
      await this.run((db) => db.remove(paths.slice(start, start + filesPerRemoval)));
    }
  }

  async settle(): Promise<void> {
    await this.run((db) => db.settle());
    while (await this.run((db) => db.mergeStep(true))) await nextTurn();
    await this.run((db) => db.emptyLog());
  }

  addVectors(file: IndexedFile, vectors: FileVectors): Promise<boolean> {
    return this.run((db) => storeVectors(db, file, vectors));
  }

  listPathsWithoutVectors(model: Pick<FileVectors, "model" | "dimensions">): Promise<string[]> {
    return this.run((db) => listPathsWithoutVectors(db, model));
  }

  keepModels(models: readonly string[]) {
    return this.run((db) => keepModels(db, models));
  }

  readIndexCounts() {
    return this.read((db) => db.readIndexCounts());
  }

  skipped() {
    return this.run((db) => db.listSkipped());
  }

  lastIndexedAt() {
    return this.run((db) => db.findLastIndexedAt());
  }

  meta(key: string) {
    return this.run((db) => db.readMeta(key));
  }

  setMeta(key: string, value: string) {
    return this.run((db) => db.setMeta(key, value));
  }

  async close(): Promise<void> {
    this.vectors.clear();
    this.db.close();
  }
}
