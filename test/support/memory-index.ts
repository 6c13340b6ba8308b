import { PommelError } from "../../src/base/errors.ts";
import { makeTokenStream, nameKey } from "../../src/base/text/tokens.ts";
import {
  type ChunkId,
  type ChunkMatch,
  type ChunkOutline,
  type CodeIndex,
  type CommitIndex,
  type CommitWeights,
  type Definition,
  type FieldWeights,
  type FileId,
  type Frequencies,
  type IndexCounts,
  type IndexDriver,
  type IndexEntry,
  type KnownFile,
  type QueryVector,
  type SearchScope,
  type StoredChunk,
  toChunkId,
  toFileId,
  type VectorCounts,
  type Within,
} from "../../src/store/index/port.ts";
import type {
  ChunkRecord,
  FileStamp,
  FileVectors,
  IndexedChange,
  IndexedCommit,
  IndexedFile,
  SkippedFile,
  Terms,
} from "../../src/store/index/records.ts";

interface StoredFile {
  id: FileId;
  record: IndexedFile | SkippedFile;
  chunks: { id: ChunkId; record: ChunkRecord; tokens: Record<keyof FieldWeights, string[]> }[];
  vectors: Map<string, FileVectors>;
}

class MemoryCommits implements CommitIndex {
  private readonly byHash = new Map<string, IndexedCommit>();

  async add(commits: readonly IndexedCommit[]) {
    for (const commit of commits) if (!this.byHash.has(commit.hash)) this.byHash.set(commit.hash, commit);
  }

  async remove(hashes: readonly string[]) {
    for (const hash of hashes) this.byHash.delete(hash);
  }

  async listHashes() {
    return [...this.byHash.keys()];
  }

  async lexical(
    tokens: readonly string[],
    weights: CommitWeights,
    k: number,
    { since, until }: Within,
  ): Promise<{ hash: string; score: number }[]> {
    const found = [...this.byHash.values()]
      .filter(({ authoredAt }) => authoredAt >= (since ?? authoredAt) && authoredAt <= (until ?? authoredAt))
      .map(({ hash, ...commit }) => {
        const score = Object.entries(weights).reduce((sum, [field, weight]) => {
          const words = streamOf(commit[field as keyof CommitWeights]);
          return sum + weight * tokens.filter((token) => words.includes(` ${token} `)).length;
        }, 0);
        return { hash, score };
      });
    return found
      .filter(({ score }) => score > 0)
      .sort((a, b) => b.score - a.score)
      .slice(0, k);
  }

  async countFrequencies(tokens: readonly string[]): Promise<Frequencies> {
    const all = [...this.byHash.values()].map(({ subject, body, files, author }) =>
      [subject, body, files, author].map(streamOf).join(),
    );
    const counts = tokens.map(
      (token) => [token, all.filter((words) => words.includes(` ${token} `)).length] as const,
    );
    return { chunks: all.length, holding: new Map(counts.filter(([, count]) => count > 0)) };
  }

  async get(hashes: readonly string[]) {
    return hashes.flatMap((hash) => this.byHash.get(hash) ?? []);
  }

  async listHashesByPrefix(prefix: string, limit: number) {
    return [...this.byHash.keys()].filter((hash) => hash.startsWith(prefix)).slice(0, limit);
  }
}

const streamOf = (text: string | readonly string[]) => ` ${makeTokenStream([text].flat().join(" "))} `;

/** For tests: a code index in plain memory, with ids that number nothing one after the other. Shows that search needs the port and nothing else. */
class MemoryIndex implements CodeIndex {
  readonly commits = new MemoryCommits();
  private readonly byPath = new Map<string, StoredFile>();
  private readonly notes = new Map<string, string>();
  private changes = 0;
  private indexedAt: number | null = null;

  async revision() {
    return String(this.changes);
  }

  async lexical(
    tokens: readonly string[],
    weights: FieldWeights,
    k: number,
    scope: SearchScope,
  ): Promise<ChunkMatch[]> {
    const { chunks: total, holding } = await this.countFrequencies(tokens);
    const found = this.all(scope).flatMap(({ chunk }) => {
      let score = 0;
      for (const token of tokens) {
        const idf = Math.log(1 + total / (holding.get(token) ?? total));
        for (const [field, words] of Object.entries(chunk.tokens)) {
          const times = words.filter((word) => word === token).length;
          score += weights[field as keyof FieldWeights] * (times / (times + 1)) * idf;
        }
      }
      return score > 0 ? [{ id: chunk.id, score }] : [];
    });
    return found.sort((a, b) => b.score - a.score).slice(0, k);
  }

  async findNearest(query: QueryVector, k: number, scope: SearchScope): Promise<ChunkMatch[]> {
    const found = this.all(scope).flatMap(({ file, chunk }) => {
      const score = cosine(query.vector, vectorOf(file, chunk.id, query.model));
      return Number.isNaN(score) ? [] : [{ id: chunk.id, score }];
    });
    return found.sort((a, b) => b.score - a.score).slice(0, k);
  }

  async measureSimilarities(query: QueryVector, ids: readonly ChunkId[]): Promise<Float64Array> {
    const known = new Map(this.all().map((one) => [one.chunk.id, one]));
    return Float64Array.from(ids, (id) => {
      const one = known.get(id);
      return one ? cosine(query.vector, vectorOf(one.file, id, query.model)) : Number.NaN;
    });
  }

  async findDefinitions(keys: readonly string[], limit: number): Promise<Definition[]> {
    const all = [...this.byPath.values()].flatMap(({ record, chunks }) =>
      record.status === "skipped"
        ? []
        : record.symbols.flatMap(({ name, kind, chunkId }) => {
            const chunk = chunks.find((one) => one.record.id === chunkId);
            return chunk ? [{ id: chunk.id, key: nameKey(name), name, kind }] : [];
          }),
    );
    return keys.flatMap((key) => all.filter((one) => one.key === key).slice(0, limit));
  }

  async countFrequencies(tokens: readonly string[]): Promise<Frequencies> {
    const chunks = this.all().map(({ chunk }) => new Set(Object.values(chunk.tokens).flat()));
    const counts = tokens.map((token) => [token, chunks.filter((words) => words.has(token)).length] as const);
    return { chunks: chunks.length, holding: new Map(counts.filter(([, count]) => count > 0)) };
  }

  async findPhrases(phrases: readonly string[], limit: number): Promise<ChunkId[][]> {
    return phrases.map((phrase) =>
      this.all()
        .filter(({ chunk }) =>
          Object.values(chunk.tokens).some((words) => ` ${words.join(" ")} `.includes(` ${phrase} `)),
        )
        .map(({ chunk }) => chunk.id)
        .slice(0, limit),
    );
  }

  readOutlines(ids: readonly ChunkId[]): Promise<ChunkOutline[]> {
    return this.readChunks(ids);
  }

  async readChunks(ids: readonly ChunkId[]): Promise<StoredChunk[]> {
    const known = new Map(this.all().map((one) => [one.chunk.id, one]));
    return ids.flatMap((id) => {
      const one = known.get(id);
      return one ? [storedChunk(one.file, id, one.chunk.record)] : [];
    });
  }

  async readChunksOfFiles(files: readonly FileId[]): Promise<StoredChunk[]> {
    return this.all({ files, levels: null }).map(({ file, chunk }) =>
      storedChunk(file, chunk.id, chunk.record),
    );
  }

  async files(): Promise<IndexEntry[]> {
    return [...this.byPath.values()].flatMap(({ id, record }) =>
      record.status === "indexed" ? [{ id, path: record.path, language: record.language }] : [],
    );
  }

  async readGraphs(files: readonly FileId[]): Promise<ReadonlyMap<FileId, Uint8Array>> {
    return new Map(
      [...this.byPath.values()].flatMap(({ id, record }) =>
        record.status === "indexed" && record.graph && files.includes(id) ? [[id, record.graph]] : [],
      ),
    );
  }

  async readVectorCounts(): Promise<VectorCounts[]> {
    const counts = new Map<string, VectorCounts>();
    for (const { model, dimensions, vectors } of [...this.byPath.values()].flatMap((f) => [
      ...f.vectors.values(),
    ])) {
      const key = `${model} ${dimensions}`;
      const sum = counts.get(key) ?? { model, dimensions, chunks: 0, missing: 0 };
      sum.chunks += vectors.length;
      sum.missing += vectors.filter((vector) => vector === null).length;
      counts.set(key, sum);
    }
    return [...counts.values()];
  }

  async release() {}

  async readKnownFiles(below?: string): Promise<Map<string, KnownFile>> {
    const known = [...this.byPath.values()].map(({ record }): [string, KnownFile] => {
      const { path, size, mtimeMs } = record;
      return [path, { path, size, mtimeMs, hash: record.status === "indexed" ? record.hash : null }];
    });
    return new Map(
      known.filter(([path]) => below === undefined || path === below || path.startsWith(`${below}/`)),
    );
  }

  async replace(record: IndexedFile | SkippedFile, vectors?: FileVectors): Promise<void> {
    const { chunks, words = [] } = record.status === "indexed" ? record : { chunks: [] };
    const spelled = (terms: Terms) =>
      typeof terms === "string" ? terms.split(" ") : [...terms].map((word) => words[word]!);
    if (vectors) mustFit(vectors, chunks.length);
    this.changes++;
    this.indexedAt = Date.now();
    // What was indexed last stands last.
    this.byPath.delete(record.path);
    this.byPath.set(record.path, {
      id: toFileId(-this.changes),
      record: structuredClone(record),
      chunks: chunks.map((chunk, i) => ({
        id: toChunkId(-this.changes - i / 1000),
        record: chunk,
        tokens: {
          name: spelled(chunk.terms.name),
          path: makeTokenStream(record.path).split(" "),
          head: spelled(chunk.terms.head),
          body: spelled(chunk.terms.body),
        },
      })),
      vectors: new Map(vectors && [[vectors.model, vectors]]),
    });
  }

  async write(changes: readonly IndexedChange[]): Promise<void> {
    for (const change of changes) {
      if (change.status === "indexed" && change.vectors) mustFit(change.vectors, change.chunks.length);
    }
    for (const change of changes) {
      if (change.status === "gone") await this.remove([change.path]);
      else if (change.status === "unchanged") this.restamp(change);
      else await this.replace(change, change.status === "indexed" ? change.vectors : undefined);
    }
  }

  private restamp({ path, size, mtimeMs }: FileStamp): void {
    this.changes++;
    const file = this.byPath.get(path);
    if (file) Object.assign(file.record, { size, mtimeMs });
  }

  async remove(paths: readonly string[]): Promise<void> {
    for (const path of paths) if (this.byPath.delete(path)) this.changes++;
  }

  async settle() {}

  async addVectors({ path, hash, chunks }: IndexedFile, vectors: FileVectors): Promise<boolean> {
    const file = this.byPath.get(path);
    const uids = file?.chunks.map(({ record }) => record.id).join();
    if (file?.record.status !== "indexed" || file.record.hash !== hash) return false;
    if (uids !== chunks.map(({ id }) => id).join()) return false;
    mustFit(vectors, chunks.length);
    this.changes++;
    file.vectors.set(vectors.model, vectors);
    return true;
  }

  async listPathsWithoutVectors({
    model,
    dimensions,
  }: {
    model: string;
    dimensions: number;
  }): Promise<string[]> {
    return [...this.byPath]
      .filter(([, { chunks, vectors }]) => chunks.length > 0 && vectors.get(model)?.dimensions !== dimensions)
      .map(([path]) => path)
      .reverse();
  }

  async keepModels(models: readonly string[]): Promise<void> {
    this.changes++;
    for (const { vectors } of this.byPath.values()) {
      for (const model of vectors.keys()) if (!models.includes(model)) vectors.delete(model);
    }
  }

  async readIndexCounts(): Promise<IndexCounts> {
    const languages: IndexCounts["languages"] = {};
    const skippedByReason: IndexCounts["skippedByReason"] = {};
    let syntaxErrors = 0;
    for (const { record, chunks } of this.byPath.values()) {
      if (record.status === "skipped") {
        skippedByReason[record.reason] = (skippedByReason[record.reason] ?? 0) + 1;
        continue;
      }
      if (record.hasSyntaxErrors) syntaxErrors++;
      const before = languages[record.language] ?? { files: 0, chunks: 0 };
      languages[record.language] = { files: before.files + 1, chunks: before.chunks + chunks.length };
    }
    const sums = Object.values(languages);
    return {
      files: sums.reduce((sum, { files }) => sum + files, 0),
      chunks: sums.reduce((sum, { chunks }) => sum + chunks, 0),
      skipped: Object.values(skippedByReason).reduce((sum, n) => sum + n, 0),
      languages,
      skippedByReason,
      syntaxErrors,
      termBytes: 0,
    };
  }

  async skipped() {
    return [...this.byPath.values()]
      .flatMap(({ record }) =>
        record.status === "skipped" ? [{ path: record.path, reason: record.reason, size: record.size }] : [],
      )
      .sort((a, b) => (a.path < b.path ? -1 : 1));
  }

  async lastIndexedAt() {
    return this.indexedAt;
  }

  async meta(key: string) {
    return this.notes.get(key) ?? null;
  }

  async setMeta(key: string, value: string) {
    this.changes++;
    this.notes.set(key, value);
  }

  async close() {}

  private all({ files, levels }: SearchScope = { files: null, levels: null }) {
    return [...this.byPath.values()]
      .filter(({ id }) => files === null || files.includes(id))
      .flatMap((file) => file.chunks.map((chunk) => ({ file, chunk })))
      .filter(({ chunk }) => levels === null || levels.includes(chunk.record.level));
  }
}

function mustFit({ dimensions, vectors }: FileVectors, chunks: number): void {
  const isOdd = vectors.some((vector) => vector !== null && vector.length !== dimensions);
  if (isOdd || vectors.length !== chunks) throw new Error("vectors and chunks do not fit together");
}

function vectorOf({ chunks, vectors }: StoredFile, id: ChunkId, model: string): Int8Array | null {
  return vectors.get(model)?.vectors[chunks.findIndex((chunk) => chunk.id === id)] ?? null;
}

function cosine(a: Int8Array, b: Int8Array | null): number {
  if (a.length !== b?.length) return Number.NaN;
  const dot = (x: Int8Array, y: Int8Array) => x.reduce((sum, component, i) => sum + component * y[i]!, 0);
  return dot(a, b) / Math.sqrt(dot(a, a) * dot(b, b));
}

function storedChunk({ id: file, record, chunks }: StoredFile, id: ChunkId, chunk: ChunkRecord): StoredChunk {
  const { path, size, mtimeMs } = record;
  const built = Number(record.status === "indexed" && (record.isBuilt ?? false));
  return {
    id,
    file,
    path,
    size,
    mtimeMs,
    uid: chunk.id,
    parentUid: chunk.parentId,
    language: record.status === "indexed" ? record.language : "",
    parentName: chunks.find((one) => one.record.id === chunk.parentId)?.record.name ?? null,
    level: chunk.level,
    kind: chunk.kind,
    name: chunk.name,
    signature: chunk.signature,
    startLine: chunk.startLine,
    endLine: chunk.endLine,
    fingerprint: chunk.fingerprint ?? 0,
    built,
  };
}

/** For tests: keeps indexes for as long as the process runs; the file is but a name. */
export function memoryDriver(): IndexDriver & { damage(file: string): void } {
  const indexes = new Map<string, MemoryIndex>();
  const damaged = new Set<string>();
  const opened = (file: string) => {
    if (damaged.has(file)) throw new PommelError("index_corrupt", `${file} is damaged.`);
    return indexes.get(file);
  };
  const driver: ReturnType<typeof memoryDriver> = {
    async openToWrite(file, log) {
      const note = damaged.has(file) ? await driver.moveAside(file, "It is damaged.", log) : null;
      const index = opened(file) ?? new MemoryIndex();
      indexes.set(file, index);
      return { index, note };
    },
    async read(file, use) {
      const index = opened(file);
      if (!index) throw new PommelError("not_indexed", `There is no ${file}.`);
      return use(index);
    },
    async moveAside(file) {
      damaged.delete(file);
      indexes.delete(file);
      return "The index was damaged and is being rebuilt.";
    },
    async check(file) {
      if (damaged.has(file)) return { state: "damaged", why: "a test said so" };
      return indexes.has(file) ? { state: "sound", schema: 1, bytes: 1 } : { state: "absent" };
    },
    countBytes: async (file) => (indexes.has(file) ? 1 : 0),
    place: "",
    damage: (file) => damaged.add(file),
  };
  return driver;
}
