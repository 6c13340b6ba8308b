import {
  type ChunkId,
  type ChunkMatch,
  type ChunkOutline,
  type CodeIndex,
  type Definition,
  type FieldWeights,
  type FileId,
  type Frequencies,
  type IndexCounts,
  type IndexEntry,
  type KnownFile,
  type QueryVector,
  type SearchScope,
  type StoredChunk,
  toChunkId,
  toFileId,
  type VectorCounts,
} from "../../store/index/port.ts";
import type {
  FileVectors,
  IndexedChange,
  IndexedFile,
  SkippedFile,
  SkipReason,
} from "../../store/index/records.ts";
import { buildChunkRows, type FileTotals, sumIndexCounts } from "../../store/index/stored-rows.ts";
import {
  createScopeFilter,
  type WorthMerging,
  worthMerging,
} from "../../store/index/words/loaded-segments.ts";
import { SegmentBuilder } from "../../store/index/words/segment.ts";
import { groupDefinitionsByKey } from "../../store/index/words/stored-words.ts";
import type { StoredBlob } from "./blob-store.ts";
import { BlobChunks, buildFile } from "./chunks.ts";
import { BlobCommits } from "./commits.ts";
import type { FileEntry, IndexState, Next } from "./state.ts";
import { type IndexStore, identity, type WrittenChange } from "./store.ts";
import { BlobVectors, buildVectors, countVectors } from "./vectors.ts";
import { BlobWords } from "./words.ts";

/** Segments of saves are merged when there is time; those of a pass at once. */
const fewChunks = 64;

/** A code index in the blobs of an engine. */
export class BlobIndex implements CodeIndex {
  readonly commits: BlobCommits;
  private readonly stored = new BlobChunks();
  private readonly words = new BlobWords("chunks");
  private readonly wordsOfCommits = new BlobWords("commits");
  private readonly vectors = new BlobVectors();

  /** @param store belongs to the index from now on, which closes it */
  constructor(private readonly store: IndexStore) {
    this.commits = new BlobCommits(store, this.wordsOfCommits);
  }

  // Searching

  revision(): Promise<string> {
    return this.store.read(({ state, revision }) => `${state.meta.get(identity)}.${revision}`);
  }

  lexical(
    tokens: readonly string[],
    weights: FieldWeights,
    k: number,
    scope: SearchScope,
  ): Promise<ChunkMatch[]> {
    return this.store.read(async (opened) => {
      const inScope = createScopeFilter(scope.levels, scope.files && listChunks(opened.state, scope.files));
      const words = tokens.filter((token) => !token.includes(" "));
      const best = await (await this.words.openWords(opened)).findBest(words, weights, k, inScope);
      return best.map(({ row, score }) => ({ id: toChunkId(row), score }));
    });
  }

  findNearest(query: QueryVector, k: number, scope: SearchScope): Promise<ChunkMatch[]> {
    return this.store.read((opened) => this.vectors.findNearest(opened, query, k, scope));
  }

  measureSimilarities(query: QueryVector, ids: readonly ChunkId[]): Promise<Float64Array> {
    return this.store.read((opened) => this.vectors.measureSimilarities(opened, query, ids));
  }

  findDefinitions(keys: readonly string[], limit: number): Promise<Definition[]> {
    return this.store.read(async (opened) => {
      const definers = await (await this.words.openWords(opened)).findDefiners(keys, limit);
      const ids = [...new Set(definers.flat())].sort((a, b) => a - b);
      const known = await this.stored.get(opened, ids);
      const symbols = [...known.values()].flatMap(({ chunk: { id }, symbols }) =>
        symbols.map(({ name, kind }) => ({ id, name, kind })),
      );
      return groupDefinitionsByKey(keys, symbols, limit);
    });
  }

  countFrequencies(tokens: readonly string[]): Promise<Frequencies> {
    return this.store.read(async (opened) => (await this.words.openWords(opened)).countFrequencies(tokens));
  }

  findPhrases(phrases: readonly string[], limit: number): Promise<ChunkId[][]> {
    return this.store.read(async (opened) =>
      (await this.words.openWords(opened)).findPhraseHolders(phrases, limit),
    );
  }

  readOutlines(ids: readonly ChunkId[]): Promise<ChunkOutline[]> {
    return this.readChunks(ids);
  }

  readChunks(ids: readonly ChunkId[]): Promise<StoredChunk[]> {
    return this.store.read(async (opened) => {
      const known = await this.stored.get(opened, ids);
      return ids.flatMap((id) => known.get(id)?.chunk ?? []);
    });
  }

  readChunksOfFiles(files: readonly FileId[]): Promise<StoredChunk[]> {
    return this.store.read(async (opened) => {
      const chunks = await this.stored.readChunksByFile(opened, listFiles(opened.state, files));
      return [...chunks.values()].flat().map(({ chunk }) => chunk);
    });
  }

  readGraphs(files: readonly FileId[]): Promise<ReadonlyMap<FileId, Uint8Array>> {
    return this.store.read(async ({ blobs, state }) => {
      const wanted = listFiles(state, files).map(({ id }) => id);
      const graphs = wanted.length === 0 ? [] : await blobs.read("graph", wanted);
      return new Map([...graphs].map(([file, graph]) => [toFileId(file), graph]));
    });
  }

  files(): Promise<IndexEntry[]> {
    return this.store.read(({ state }) =>
      state
        .listIndexedFiles()
        .map(({ id, path, language }) => ({ id: toFileId(id), path, language: language! })),
    );
  }

  readVectorCounts(): Promise<VectorCounts[]> {
    return this.store.read(({ state }) => countVectors(state));
  }

  async release(): Promise<void> {
    this.words.release();
    this.wordsOfCommits.release();
    this.vectors.release();
    this.stored.release();
  }

  // Writing

  readKnownFiles(below?: string): Promise<Map<string, KnownFile>> {
    return this.store.read(({ state }) => {
      const isWanted = (path: string) =>
        below === undefined || path === below || path.startsWith(`${below}/`);
      const known = [...state.files.values()].filter(({ path }) => isWanted(path));
      return new Map(known.map(({ path, size, mtimeMs, hash }) => [path, { path, size, mtimeMs, hash }]));
    });
  }

  replace(file: IndexedFile | SkippedFile, vectors?: FileVectors): Promise<void> {
    return this.write([file.status === "skipped" || !vectors ? file : { ...file, vectors }]);
  }

  async write(changes: readonly IndexedChange[]): Promise<void> {
    await this.store.write(async ({ state }, next) => this.build(state, next, changes));
    const added = changes.reduce((sum, one) => sum + (one.status === "indexed" ? one.chunks.length : 0), 0);
    if (added >= fewChunks || (await this.store.read((opened) => this.words.isLate(opened))))
      await this.merge(this.words, worthMerging.whileWriting);
  }

  private build(state: IndexState, next: Next, changes: readonly IndexedChange[]): WrittenChange {
    const words = new SegmentBuilder(next.chunk);
    const blobs: StoredBlob[] = [];
    const files: FileEntry[] = [];
    const removed: string[] = [];
    for (const change of changes) {
      const { path } = change;
      if (change.status === "unchanged") {
        const known = state.files.get(path);
        if (known) files.push({ ...known, size: change.size, mtimeMs: change.mtimeMs });
        continue;
      }
      removed.push(path);
      if (change.status === "gone") continue;
      const entry = buildEntry(next.file++, words.next, change);
      files.push(entry);
      if (change.status === "skipped") continue;
      blobs.push(...buildFile(entry.id, buildChunkRows(change, words), change.graph));
      const levels = change.chunks.map(({ level }) => level);
      if (change.vectors) blobs.push(buildVectors(next, entry, levels, change.vectors));
    }
    next.chunk = words.next;
    const built = this.words.build(next, words);
    return { change: { removed, files, segments: built.segments }, blobs: [...blobs, ...built.blobs] };
  }

  async remove(paths: readonly string[]): Promise<void> {
    if (paths.length === 0) return;
    await this.store.write(async ({ state }) => {
      const removed = paths.filter((path) => state.files.has(path));
      return removed.length === 0 ? null : { change: { removed } };
    });
  }

  private async merge(words: BlobWords, by: WorthMerging): Promise<void> {
    while (await this.store.read((opened) => words.isDue(opened, by))) {
      await this.store.write((opened, next) => words.merge(opened, next, by));
    }
  }

  async addVectors({ path, hash, chunks }: IndexedFile, given: FileVectors): Promise<boolean> {
    let isStored = false;
    await this.store.write(async (opened, next) => {
      const known = opened.state.files.get(path);
      if (known?.hash !== hash || known.chunks !== chunks.length || chunks.length === 0) return null;
      const stored = (await this.stored.readChunksByFile(opened, [known])).get(known.id)!;
      if (!stored.every(({ chunk }, i) => chunk.uid === chunks[i]!.id)) return null;
      const entry = { ...known };
      const levels = chunks.map(({ level }) => level);
      const blobs = [buildVectors(next, entry, levels, given)];
      isStored = true;
      return { change: { files: [entry] }, blobs };
    });
    return isStored;
  }

  listPathsWithoutVectors({
    model,
    dimensions,
  }: Pick<FileVectors, "model" | "dimensions">): Promise<string[]> {
    return this.store.read(({ state }) =>
      state
        .listIndexedFiles()
        .filter(
          ({ chunks, embedded }) =>
            chunks > 0 && !embedded.some((one) => one.model === model && one.dimensions === dimensions),
        )
        .sort((a, b) => b.id - a.id)
        .map(({ path }) => path),
    );
  }

  keepModels(models: readonly string[]): Promise<void> {
    return this.store.write(async ({ state }) => {
      const isKept = countVectors(state).every(({ model }) => models.includes(model));
      return isKept ? null : { change: { keptModels: [...models] } };
    });
  }

  async settle(): Promise<void> {
    for (const words of [this.words, this.wordsOfCommits]) await this.merge(words, worthMerging.usually);
    await this.store.compact();
  }

  // The index itself

  readIndexCounts(): Promise<IndexCounts> {
    return this.store.read(({ state }) => {
      const totals = new Map<string, FileTotals>();
      for (const { language, reason, chunks, hasSyntaxErrors } of state.files.values()) {
        const key = `${reason} ${language}`;
        const sum = totals.get(key) ?? {
          language: language ?? "",
          reason,
          files: 0,
          chunks: 0,
          syntaxErrors: 0,
        };
        totals.set(key, {
          ...sum,
          files: sum.files + 1,
          chunks: sum.chunks + chunks,
          syntaxErrors: sum.syntaxErrors + Number(hasSyntaxErrors),
        });
      }
      const bytes = state.listSegments("chunks").reduce((sum, one) => sum + one.bytes, 0);
      return sumIndexCounts([...totals.values()], bytes);
    });
  }

  skipped(): Promise<{ path: string; reason: SkipReason; size: number }[]> {
    return this.store.read(({ state }) =>
      [...state.files.values()]
        .flatMap(({ path, reason, size }) => (reason === null ? [] : [{ path, reason, size }]))
        .sort((a, b) => (a.path < b.path ? -1 : 1)),
    );
  }

  lastIndexedAt(): Promise<number | null> {
    return this.store.read(({ state }) => {
      let last: FileEntry | null = null;
      for (const entry of state.files.values()) if (last === null || entry.id > last.id) last = entry;
      return last?.indexedAt ?? null;
    });
  }

  meta(key: string): Promise<string | null> {
    return this.store.read(({ state }) => state.meta.get(key) ?? null);
  }

  setMeta(key: string, value: string): Promise<void> {
    return this.store.write(async () => ({ change: { meta: { [key]: value } } }));
  }

  countBytes(): Promise<number> {
    return this.store.read(({ blobs }) => blobs.countBytes());
  }

  /** @throws PommelError as `IndexStore.open` */
  open(): Promise<void> {
    return this.store.open();
  }

  close(): Promise<void> {
    return this.store.close();
  }
}

function buildEntry(id: number, firstChunk: number, file: IndexedFile | SkippedFile): FileEntry {
  const { path, size, mtimeMs } = file;
  const common = { id, path, size, mtimeMs, firstChunk, indexedAt: Date.now(), embedded: [] };
  if (file.status === "skipped")
    return { ...common, reason: file.reason, hash: null, language: null, chunks: 0, hasSyntaxErrors: false };
  const { hash, language, chunks, hasSyntaxErrors } = file;
  return { ...common, reason: null, hash, language, chunks: chunks.length, hasSyntaxErrors };
}

const listFiles = ({ byId }: IndexState, files: readonly FileId[]): FileEntry[] =>
  files.flatMap((file) => byId.get(file) ?? []);

function listChunks(state: IndexState, files: readonly FileId[]): Set<number> {
  const ids = new Set<number>();
  for (const { firstChunk, chunks } of listFiles(state, files))
    for (let i = 0; i < chunks; i++) ids.add(firstChunk + i);
  return ids;
}
