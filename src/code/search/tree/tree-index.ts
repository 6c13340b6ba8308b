import { join } from "node:path";
import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";
import type { Config } from "../../../base/config/settings.ts";
import { addTo } from "../../../base/multimap.ts";
import type { Project } from "../../../base/paths.ts";
import { type HeldWord, isAscii } from "../../../base/text/tokens.ts";
import {
  type ChunkId,
  type ChunkMatch,
  type Definition,
  type FieldWeights,
  type FileId,
  type IndexEntry,
  type QueryVector,
  type SearchableIndex,
  type SearchScope,
  type StoredChunk,
  toChunkId,
  toFileId,
} from "../../../store/index/port.ts";
import type { FileVectors, IndexedFile } from "../../../store/index/records.ts";
import { buildChunkRows } from "../../../store/index/stored-rows.ts";
import { findChunksWithPhrase } from "../../../store/index/words/holders.ts";
import {
  createScopeFilter,
  type FoundList,
  LoadedSegments,
} from "../../../store/index/words/loaded-segments.ts";
import type { Postings } from "../../../store/index/words/postings.ts";
import { SegmentBuilder } from "../../../store/index/words/segment.ts";
import { chunkSource } from "../../chunk/chunk.ts";
import { readSource } from "../../files/read-source.ts";
import type { CachingParser } from "../../index/caching-parser.ts";
import { detectLanguage } from "../../languages/index.ts";
import { analyseQuery } from "../query.ts";
import { findFilesInScope } from "../scope.ts";
import type { CodeQuery } from "../types.ts";
import { cosineSimilarity } from "../vectors/cosine.ts";
import type { SoughtPart } from "../verbatim/part-counts.ts";
import { estimateFrequencies, rankBestFiles } from "./best-files.ts";
import type { ScannedTree } from "./scan-tree.ts";

/**
 * So many files, of those whose words fit a question best, are ranked for it: with twice as many the right one is among the first
 * ten no more often (`npm run bench:first`).
 */
const filesRanked = 20;
/** The first of them are parsed, so many and of so many bytes; the others are cut by lines, which is done before a thread has begun. */
const maxParsed = { files: 8, bytes: 250_000 };
/** The one segment. */
const segment = 1;

interface ParsedFile extends IndexedFile {
  vectors?: FileVectors;
  /** It was not parsed, as the index will: its stretches of lines have no ids there. */
  isCut?: boolean;
}

interface TreeWords {
  /** How many chunks they are of. */
  chunks: number;
  segments: LoadedSegments;
  postings: ReadonlyMap<string, Postings>;
}

export interface TreeIndexOptions {
  project: Project;
  config: Config;
  parser: Pick<CachingParser, "parse">;
  /** What is not parsed by then is cut by lines: a time of `performance.now()`. */
  parsedUntil: number;
  scanned: ScannedTree;
  /** The question, which limits what is looked at. */
  request: CodeQuery;
  /** The words that were looked for, and how they look in a text. */
  words: string;
  sought: readonly SoughtPart[];
}

/**
 * A project's files as they are on disk, for one question: the words of all of them, and the chunks, names and vectors of those
 * that fit it best, as the index will have them. Ranking is the usual one.
 */
export class TreeIndex implements SearchableIndex {
  readonly #options: TreeIndexOptions;
  readonly #tokens: readonly string[];
  readonly #frequencies: ReturnType<typeof estimateFrequencies>;
  readonly #builder = new SegmentBuilder(1);
  /** Of each chunk, from 1 on. */
  readonly #chunks: StoredChunk[] = [];
  readonly #chunksOf = new Map<FileId, ChunkId[]>();
  readonly #definitions = new Map<string, Definition[]>();
  readonly #graphs = new Map<FileId, Uint8Array>();
  readonly #vectors = new Map<ChunkId, Int8Array>();
  #model: Pick<FileVectors, "model" | "dimensions"> | null = null;
  #words: TreeWords | null = null;
  /** What parses, one after the other. */
  #work: Promise<void> = Promise.resolve();
  #prepared: Promise<void> | null = null;

  constructor(options: TreeIndexOptions) {
    this.#options = options;
    this.#tokens = analyseQuery(options.words).tokens;
    this.#frequencies = estimateFrequencies(options.scanned, this.#tokens);
  }

  /** The paths of the files that fit the question best, best first. */
  async rankBestPaths(): Promise<string[]> {
    const { project, scanned, request, words } = this.#options;
    const { paths, languages } = request;
    const isLimited = paths.length > 0 || languages.length > 0 || request.package !== undefined;
    const wanted = isLimited
      ? new Set((await findFilesInScope(this, project.root, request)).map(({ path }) => path))
      : null;
    const best = rankBestFiles(scanned, analyseQuery(words), ({ path }) => wanted?.has(path) ?? true);
    return best.slice(0, filesRanked).map(({ path }) => path);
  }

  /** Whether the chunks of a file are known by now. */
  async has(file: FileId): Promise<boolean> {
    await this.#prepare();
    return this.#chunksOf.has(file);
  }

  #prepare(): Promise<void> {
    this.#prepared ??= this.rankBestPaths().then((paths) => {
      const ids = new Map(this.#options.scanned.files.map(({ path }, i) => [path, toFileId(i)]));
      return this.#read(paths.map((path) => ids.get(path)!));
    });
    return this.#prepared;
  }

  /** Takes in files that are not known yet. */
  #read(files: readonly FileId[]): Promise<void> {
    this.#work = this.#work.then(async () => {
      const missing = files.filter((file) => !this.#chunksOf.has(file));
      const late = new AbortController();
      const limitMs = Math.max(this.#options.parsedUntil - performance.now(), 0);
      const isLate = sleep(limitMs, null, { signal: late.signal }).catch(() => null);
      const parsing = new Map(this.#toParse(missing).map((file) => [file, this.#parse(file, isLate)]));
      const parsed = new Map<FileId, ParsedFile | null>();
      // Between two of them the threads are given their work, and others have their turn.
      for (const file of missing) {
        await nextTurn();
        if (!parsing.has(file)) parsed.set(file, this.#cutByLines(file));
      }
      for (const file of missing) this.#add(file, parsed.get(file) ?? (await parsing.get(file)) ?? null);
      late.abort();
    });
    return this.#work;
  }

  /** The first that are worth it, and are no more than whoever asks has time for. */
  #toParse(files: readonly FileId[]): FileId[] {
    let { bytes } = maxParsed;
    const small = files.filter((file) => {
      const { size } = this.#options.scanned.files[file]!;
      if (size > bytes) return false;
      bytes -= size;
      return true;
    });
    return small.slice(0, maxParsed.files);
  }

  /** @param isLate when it is cut by lines instead */
  async #parse(file: FileId, isLate: Promise<null>): Promise<ParsedFile | null> {
    const stamp = this.#options.scanned.files[file]!;
    const outcome = await Promise.race([
      this.#options.parser.parse(stamp, undefined, false).catch(() => null),
      isLate,
    ]);
    if (outcome === null) return this.#cutByLines(file);
    return outcome.status === "indexed" ? outcome : null;
  }

  #cutByLines(file: FileId): ParsedFile | null {
    const { project, config, scanned } = this.#options;
    const stamp = scanned.files[file]!;
    const source = readSource(join(project.root, stamp.path), stamp, {
      maxFileSize: config["index.max_file_size"],
    });
    if (source.kind !== "text") return null;
    const { text, hash, isBuilt, size, mtimeMs } = source;
    const language = detectLanguage(stamp.path, text.slice(0, 200).split("\n", 1)[0]);
    const options = { levels: new Set(config["index.levels"]), withText: false };
    const chunked = chunkSource({ path: stamp.path, language, text }, null, options);
    const { path } = stamp;
    return { status: "indexed", path, size, mtimeMs, hash, language, isBuilt, ...chunked, isCut: true };
  }

  #add(file: FileId, parsed: ParsedFile | null): void {
    if (parsed === null) {
      this.#chunksOf.set(file, []);
      return;
    }
    const { path, size, mtimeMs, language, graph, vectors } = parsed;
    const { chunks, symbols } = buildChunkRows(parsed, this.#builder);
    const stored = chunks.map((chunk): StoredChunk => {
      const { id, level, startLine, endLine } = chunk;
      // Whoever asks for the chunk later may name it by its place.
      const uid = parsed.isCut && level !== "file" ? `${path}:${startLine}-${endLine}` : chunk.uid;
      return { ...chunk, uid, id: toChunkId(id), file, path, size, mtimeMs, language };
    });
    this.#chunks.push(...stored);
    this.#chunksOf.set(
      file,
      stored.map(({ id }) => id),
    );
    for (const { key, name, kind, chunk } of symbols)
      addTo(this.#definitions, key, { id: toChunkId(chunk), key, name, kind });
    if (graph) this.#graphs.set(file, graph);
    if (vectors === undefined) return;
    this.#model = vectors;
    for (const [i, vector] of vectors.vectors.entries()) if (vector) this.#vectors.set(stored[i]!.id, vector);
  }

  /** The full text of what is known. */
  #known(): TreeWords {
    if (this.#words?.chunks === this.#chunks.length) return this.#words;
    const chunks = this.#builder.buildSegmentChunks();
    const { length } = chunks.ids;
    const stored = { id: segment, chunks: length, gone: 0, first: 1, last: length };
    const segments = new LoadedSegments().loadCurrent([stored], () => ({ chunks, isGone: null }));
    this.#words = { chunks: length, segments, postings: new Map(this.#builder.buildPostings()) };
    return this.#words;
  }

  async revision() {
    return "tree";
  }

  async lexical(
    tokens: readonly string[],
    weights: FieldWeights,
    k: number,
    scope: SearchScope,
  ): Promise<ChunkMatch[]> {
    if (tokens.length === 0 || k < 1) return [];
    await this.#prepare();
    const { segments, postings } = this.#known();
    const found = tokens.map((token) => {
      const list = postings.get(token);
      return new Map<number, FoundList>(list === undefined ? [] : [[segment, list]]);
    });
    const inScope = createScopeFilter(
      scope.levels,
      scope.files && new Set<number>(scope.files.flatMap((file) => this.#chunksOf.get(file) ?? [])),
    );
    // How rare a word is, all files say, and not those alone that were parsed because they have it.
    const best = segments.findBest(tokens, found, weights, k, inScope, await this.countFrequencies(tokens));
    return best.map(({ row, score }) => ({ id: toChunkId(row), score }));
  }

  async findNearest({ model, vector }: QueryVector, k: number, scope: SearchScope): Promise<ChunkMatch[]> {
    await this.#prepare();
    if (this.#model?.model !== model) return [];
    const files = scope.files && new Set(scope.files);
    const near: ChunkMatch[] = [];
    for (const [id, own] of this.#vectors) {
      const { file, level } = this.#chunkAt(id);
      if (files?.has(file) === false || scope.levels?.includes(level) === false) continue;
      near.push({ id, score: cosineSimilarity(vector, own) });
    }
    return near.sort((a, b) => b.score - a.score || a.id - b.id).slice(0, k);
  }

  async measureSimilarities({ model, vector }: QueryVector, ids: readonly ChunkId[]): Promise<Float64Array> {
    return Float64Array.from(ids, (id) => {
      const own = this.#model?.model === model ? this.#vectors.get(id) : undefined;
      return own === undefined ? Number.NaN : cosineSimilarity(vector, own);
    });
  }

  async findDefinitions(keys: readonly string[], limit: number): Promise<Definition[]> {
    await this.#prepare();
    return keys.flatMap((key) => (this.#definitions.get(key) ?? []).slice(0, limit));
  }

  /** Of the question's words in all files; of others in those that were parsed. */
  async countFrequencies(tokens: readonly string[]) {
    const { chunks, holding } = this.#frequencies;
    const asked = new Set(this.#tokens);
    const found = tokens.flatMap((token): [string, number][] => {
      const count = asked.has(token) ? holding.get(token) : this.#known().postings.get(token)?.chunks;
      return count === undefined ? [] : [[token, count]];
    });
    return { chunks, holding: new Map(found) };
  }

  async findPhrases(phrases: readonly string[], limit: number): Promise<ChunkId[][]> {
    await this.#prepare();
    const { postings } = this.#known();
    return phrases.map((phrase) => {
      const words = phrase.split(" ").map((word) => postings.get(word));
      if (words.some((word) => word === undefined)) return [];
      const ids: ChunkId[] = [];
      for (const chunk of findChunksWithPhrase(words as Postings[])) {
        if (ids.length >= limit) break;
        ids.push(toChunkId(chunk + 1));
      }
      return ids;
    });
  }

  async findFilesHolding(words: readonly HeldWord[]): Promise<IndexEntry[]> {
    const files = await this.files();
    const parts = this.#options.sought.filter(({ text }) => text !== "" && isAscii(text));
    const isLookedFor = words.some(({ text }) =>
      parts.some((part) => text.toLowerCase().includes(part.text)),
    );
    return isLookedFor ? files.filter((_, i) => this.#options.scanned.files[i]!.mayHold) : files;
  }

  readOutlines(ids: readonly ChunkId[]): Promise<StoredChunk[]> {
    return this.readChunks(ids);
  }

  async readChunks(ids: readonly ChunkId[]): Promise<StoredChunk[]> {
    return ids.map((id) => this.#chunkAt(id));
  }

  #chunkAt(id: ChunkId): StoredChunk {
    return this.#chunks[id - 1]!;
  }

  async readChunksOfFiles(files: readonly FileId[]): Promise<StoredChunk[]> {
    await this.#read(files);
    return files.flatMap((file) => (this.#chunksOf.get(file) ?? []).map((id) => this.#chunkAt(id)));
  }

  async readGraphs(files: readonly FileId[]): Promise<ReadonlyMap<FileId, Uint8Array>> {
    return new Map([...this.#graphs].filter(([file]) => files.includes(file)));
  }

  async files(): Promise<IndexEntry[]> {
    return this.#options.scanned.files.map(({ path }, i) => ({
      id: toFileId(i),
      path,
      language: detectLanguage(path),
    }));
  }

  async readVectorCounts() {
    if (this.#model === null) return [];
    const { model, dimensions } = this.#model;
    const chunks = this.#chunks.length;
    return [{ model, dimensions, chunks, missing: chunks - this.#vectors.size }];
  }

  async release() {}
}
