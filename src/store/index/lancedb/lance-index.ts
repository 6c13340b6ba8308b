import type {
  ChunkId,
  ChunkOutline,
  CodeIndex,
  Definition,
  FieldWeights,
  FileId,
  Frequencies,
  IndexCounts,
  IndexEntry,
  KnownFile,
  Match,
  QueryVector,
  Scope,
  StoredChunk,
  VectorCounts,
} from "../port.ts";
import type { FileChange, FileVectors, IndexedFile, SkippedFile, SkipReason } from "../records.ts";
import { chunkId, chunkRows, countsOf, type FileTotals } from "../stored-rows.ts";
import { scopeFilter, type WorthMerging, worthMerging } from "../words/loaded-segments.ts";
import { SegmentBuilder } from "../words/segment.ts";
import { definitionsByKey } from "../words/stored-words.ts";
import { LanceChunks, storedChunk, storedRows } from "./chunks.ts";
import { LanceCommits } from "./commits.ts";
import type { FileEntry, State, StateChange } from "./state.ts";
import { identity, type LanceStore } from "./store.ts";
import { LanceVectors } from "./vectors.ts";
import { LanceWords } from "./words.ts";

/** Segments of saves are merged when there is time; those of a pass at once. */
const fewChunks = 64;
/** A project's code index in tables of LanceDB. */
export class LanceIndex implements CodeIndex {
  readonly commits: LanceCommits;
  private readonly stored = new LanceChunks();
  private readonly words = new LanceWords("chunks");
  private readonly wordsOfCommits = new LanceWords("commits");
  private readonly vectors = new LanceVectors();

  /** @param store belongs to the index from now on, which closes it */
  constructor(private readonly store: LanceStore) {
    this.commits = new LanceCommits(store, this.wordsOfCommits);
  }

  // Searching

  revision(): Promise<string> {
    return this.store.read(({ state, revision }) => `${state.meta.get(identity)}.${revision}`);
  }

  lexical(tokens: readonly string[], weights: FieldWeights, k: number, scope: Scope): Promise<Match[]> {
    return this.store.read(async (opened) => {
      const inScope = scopeFilter(scope.levels, scope.files && chunksIn(opened.state, scope.files));
      const words = tokens.filter((token) => !token.includes(" "));
      const best = await (await this.words.at(opened)).best(words, weights, k, inScope);
      return best.map(({ row, score }) => ({ id: chunkId(row), score }));
    });
  }

  nearest(query: QueryVector, k: number, scope: Scope): Promise<Match[]> {
    return this.store.read((opened) => this.vectors.nearest(opened, query, k, scope));
  }

  similarities(query: QueryVector, ids: readonly ChunkId[]): Promise<Float64Array> {
    return this.store.read((opened) => this.vectors.similarities(opened, query, ids));
  }

  definitions(keys: readonly string[], limit: number): Promise<Definition[]> {
    return this.store.read(async (opened) => {
      const definers = await (await this.words.at(opened)).definers(keys, limit);
      const ids = [...new Set(definers.flat())].sort((a, b) => a - b);
      const rows = await this.stored.rows(opened, ids);
      const symbols = ids.flatMap((id) =>
        (rows.get(id)?.symbols ?? []).map(({ name, kind }) => ({ id: chunkId(id), name, kind })),
      );
      return definitionsByKey(keys, symbols, limit);
    });
  }

  frequencies(tokens: readonly string[]): Promise<Frequencies> {
    return this.store.read(async (opened) => (await this.words.at(opened)).frequencies(tokens));
  }

  phrases(phrases: readonly string[], limit: number): Promise<ChunkId[][]> {
    return this.store.read(async (opened) => {
      const holders = await (await this.words.at(opened)).holders(phrases, limit);
      return holders.map((ids) => ids.map(chunkId));
    });
  }

  async outlines(ids: readonly ChunkId[]): Promise<ChunkOutline[]> {
    return this.chunks(ids);
  }

  chunks(ids: readonly ChunkId[]): Promise<StoredChunk[]> {
    return this.store.read(async (opened) => {
      const rows = await this.stored.rows(opened, ids as unknown as number[]);
      return ids.flatMap((id) => storedChunk(opened.state, rows.get(Number(id))) ?? []);
    });
  }

  chunksOf(files: readonly FileId[]): Promise<StoredChunk[]> {
    return this.store.read(async (opened) => {
      const rows = await this.stored.rows(opened, [...chunksIn(opened.state, files)]);
      return [...rows.values()].flatMap((row) => storedChunk(opened.state, row) ?? []);
    });
  }

  graphs(files: readonly FileId[]): Promise<ReadonlyMap<FileId, Uint8Array>> {
    return this.store.read(async (opened) => {
      const firsts = files.flatMap((file) => opened.state.byId.get(Number(file))?.firstChunk ?? []);
      const rows = await this.stored.rows(opened, firsts);
      return new Map(
        [...rows.values()].flatMap(({ file, graph }) =>
          graph === undefined ? [] : [[file as unknown as FileId, Buffer.from(graph, "base64")]],
        ),
      );
    });
  }

  files(): Promise<IndexEntry[]> {
    return this.store.read(({ state }) =>
      indexed(state).map(({ id, path, language }) => ({
        id: id as unknown as FileId,
        path,
        language: language!,
      })),
    );
  }

  vectorCounts(): Promise<VectorCounts[]> {
    return this.store.read(({ state }) => this.vectors.counts(state));
  }

  async release(): Promise<void> {
    this.words.release();
    this.wordsOfCommits.release();
    this.vectors.release();
    this.stored.release();
  }

  // Writing

  known(below?: string): Promise<Map<string, KnownFile>> {
    return this.store.read(({ state }) => {
      const isWanted = (path: string) =>
        below === undefined || path === below || path.startsWith(`${below}/`);
      const known = [...state.files.values()].filter(({ path }) => isWanted(path));
      return new Map(known.map(({ path, size, mtimeMs, hash }) => [path, { path, size, mtimeMs, hash }]));
    });
  }

  replace(file: IndexedFile | SkippedFile, vectors?: FileVectors): Promise<void> {
    return this.write([file.status === "skipped" ? file : { ...file, ...(vectors && { vectors }) }]);
  }

  async write(changes: readonly FileChange[]): Promise<void> {
    const added = changes.reduce((sum, one) => sum + (one.status === "indexed" ? one.chunks.length : 0), 0);
    await this.store.write(async (opened, next) => {
      const { state, tables } = opened;
      const words = new SegmentBuilder(next.chunk);
      const rows: Parameters<typeof tables.chunks.add>[0][number][] = [];
      const embedded: Parameters<LanceVectors["add"]>[2][number][] = [];
      const entries: FileEntry[] = [];
      for (const file of changes) {
        if (file.status === "gone") continue;
        const { path, size, mtimeMs } = file;
        if (file.status === "unchanged") {
          const known = state.files.get(path);
          if (known) entries.push({ ...known, size, mtimeMs });
          continue;
        }
        const isIndexed = file.status === "indexed";
        const entry: FileEntry = {
          ...{ id: next.file++, path, size, mtimeMs },
          reason: isIndexed ? null : file.reason,
          hash: isIndexed ? file.hash : null,
          language: isIndexed ? file.language : null,
          ...{ firstChunk: words.next, chunks: isIndexed ? file.chunks.length : 0 },
          ...{ indexedAt: Date.now(), embedded: [] },
        };
        entries.push(entry);
        if (!isIndexed) continue;
        rows.push(...storedRows(entry.id, chunkRows(file, words), file.graph));
        const levels = file.chunks.map(({ level }) => level);
        if (file.vectors) embedded.push({ entry, levels, given: file.vectors });
      }
      // What does not fit is found out here, before anything is added.
      const spaces = await this.vectors.add(opened, next, embedded);
      await tables.chunks.add(rows);
      const segment = await this.words.add(opened, next, words);
      next.chunk = words.next;
      return {
        removed: changes.flatMap(({ status, path }) => (status === "unchanged" ? [] : [path])),
        ...{ files: entries, spaces, segments: segment === null ? [] : [segment] },
      };
    });
    if (added >= fewChunks || (await this.store.read((opened) => this.words.isLate(opened))))
      await this.merge(this.words, worthMerging.whileWriting);
  }

  async remove(paths: readonly string[]): Promise<void> {
    if (paths.length === 0) return;
    await this.store.write(async ({ state }) => {
      const removed = paths.filter((path) => state.files.has(path));
      return removed.length === 0 ? null : { removed };
    });
  }

  private async merge(words: LanceWords, by: WorthMerging): Promise<void> {
    while (await this.store.read((opened) => words.isDue(opened, by))) {
      await this.store.write((opened, next) => words.merge(opened, next, by));
    }
  }

  addVectors({ path, hash, chunks }: IndexedFile, given: FileVectors): Promise<boolean> {
    let isStored = false;
    const write = this.store.write(async (opened, next): Promise<StateChange | null> => {
      const known = opened.state.files.get(path);
      if (known?.hash !== hash || known.chunks !== chunks.length || chunks.length === 0) return null;
      const ids = chunks.map((_, i) => known.firstChunk + i);
      const rows = await this.stored.rows(opened, ids);
      if (!ids.every((id, i) => rows.get(id)?.uid === chunks[i]!.id)) return null;
      const entry = { ...known };
      const levels = chunks.map(({ level }) => level);
      const spaces = await this.vectors.add(opened, next, [{ entry, levels, given }]);
      isStored = true;
      return { files: [entry], spaces };
    });
    return write.then(() => isStored);
  }

  withoutVectors({ model, dimensions }: Pick<FileVectors, "model" | "dimensions">): Promise<string[]> {
    return this.store.read(({ state }) => {
      const space = state.spaces.find((one) => one.model === model && one.dimensions === dimensions);
      return indexed(state)
        .filter(({ chunks, embedded }) => chunks > 0 && !embedded.some((one) => one.space === space?.id))
        .sort((a, b) => b.id - a.id)
        .map(({ path }) => path);
    });
  }

  keepModels(models: readonly string[]): Promise<void> {
    return this.store.write(async ({ state }) => {
      const removedSpaces = state.spaces.filter(({ model }) => !models.includes(model)).map(({ id }) => id);
      return removedSpaces.length === 0 ? null : { removedSpaces };
    });
  }

  async settle(): Promise<void> {
    for (const words of [this.words, this.wordsOfCommits]) await this.merge(words, worthMerging.usually);
    await this.store.write(async (opened) => {
      const { state, tables } = opened;
      const { files, blocks, commits, embedded, spaces } = state.dead;
      if ([files, blocks, commits, embedded, spaces].every((list) => list.length === 0)) return null;
      await tables.chunks.remove("file", files);
      await tables.commits.remove("id", commits);
      const numbers = blocks.flatMap(({ block, blocks }) =>
        Array.from({ length: blocks + 1 }, (_, i) => block + i),
      );
      await tables.words.remove("block", numbers);
      await this.vectors.sweep(opened);
      return { swept: true };
    });
    await this.store.compact((opened) =>
      Promise.all(opened.state.spaces.map((space) => this.vectors.tableOf(opened, space))),
    );
  }

  // The index itself

  counts(): Promise<IndexCounts> {
    return this.store.read(({ state }) => {
      const totals = new Map<string, FileTotals>();
      for (const { language, reason, chunks } of state.files.values()) {
        const key = `${reason} ${language}`;
        const { files: n, chunks: sum } = totals.get(key) ?? { files: 0, chunks: 0 };
        totals.set(key, { language: language ?? "", reason, files: n + 1, chunks: sum + chunks });
      }
      const bytes = state.segmentsOf("chunks").reduce((sum, one) => sum + one.bytes, 0);
      return countsOf([...totals.values()], bytes);
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
    return this.store.write(async () => ({ meta: { [key]: value } }));
  }

  /** Bytes. */
  async bytes(): Promise<number> {
    return this.store.read(async (opened) => {
      const { tables, state } = opened;
      const ofVectors = await Promise.all(state.spaces.map((space) => this.vectors.tableOf(opened, space)));
      const sizes = await Promise.all([...Object.values(tables), ...ofVectors].map((table) => table.bytes()));
      return sizes.reduce((sum, bytes) => sum + bytes, 0);
    });
  }

  /** @throws PommelError as `LanceStore.open` */
  open(): Promise<void> {
    return this.store.open();
  }

  close(): Promise<void> {
    return this.store.close();
  }
}

const indexed = (state: State) => [...state.files.values()].filter(({ reason }) => reason === null);

function chunksIn({ byId }: State, files: readonly FileId[]): Set<number> {
  const ids = new Set<number>();
  for (const file of files) {
    const { firstChunk = 0, chunks = 0 } = byId.get(Number(file)) ?? {};
    for (let i = 0; i < chunks; i++) ids.add(firstChunk + i);
  }
  return ids;
}
