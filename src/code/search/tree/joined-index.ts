import type { HeldWord } from "../../../base/text/tokens.ts";
import {
  type ChunkId,
  type ChunkMatch,
  type ChunkOutline,
  type CodeIndex,
  type FieldWeights,
  type FileId,
  type IndexEntry,
  type QueryVector,
  type SearchableIndex,
  type SearchScope,
  type StoredChunk,
  toChunkId,
} from "../../../store/index/port.ts";
import type { TreeIndex } from "./tree-index.ts";

/** Chunks of the tree are told from those of the index by their sign. */
const toTreeChunkId = (id: ChunkId): ChunkId => toChunkId(-id);
const isOfTree = (id: ChunkId): boolean => id < 0;

/**
 * An index that does not have all files yet, and the tree: what the tree has read for the question is as it is there, of all other
 * files counts what the index has. Files are those of the tree.
 */
export class JoinedIndex implements SearchableIndex {
  readonly #index: CodeIndex;
  readonly #tree: TreeIndex;
  /** By the file's id in the tree, and the other way round. */
  readonly #ofIndex: ReadonlyMap<FileId, FileId>;
  readonly #ofTree: ReadonlyMap<FileId, FileId>;

  private constructor(index: CodeIndex, tree: TreeIndex, known: readonly (readonly [FileId, FileId])[]) {
    this.#index = index;
    this.#tree = tree;
    this.#ofIndex = new Map(known);
    this.#ofTree = new Map(known.map(([tree, index]) => [index, tree]));
  }

  static async joinIndexAndTree(index: CodeIndex, tree: TreeIndex): Promise<JoinedIndex> {
    const ids = new Map((await tree.files()).map(({ path, id }) => [path, id]));
    const known = (await index.files()).flatMap(({ path, id }) => {
      const inTree = ids.get(path);
      return inTree === undefined ? [] : [[inTree, id] as const];
    });
    return new JoinedIndex(index, tree, known);
  }

  get commits() {
    return this.#index.commits;
  }

  /** The same for the one question: an index that is being filled changes all the time, and mostly only has more. */
  async revision() {
    return "joined";
  }

  async lexical(
    tokens: readonly string[],
    weights: FieldWeights,
    k: number,
    scope: SearchScope,
  ): Promise<ChunkMatch[]> {
    return this.#best(
      k,
      await Promise.all([
        this.#tree.lexical(tokens, weights, k, scope),
        this.#index.lexical(tokens, weights, k, this.#scopeOfIndex(scope)),
      ]),
    );
  }

  async findNearest(query: QueryVector, k: number, scope: SearchScope): Promise<ChunkMatch[]> {
    return this.#best(
      k,
      await Promise.all([
        this.#tree.findNearest(query, k, scope),
        this.#index.findNearest(query, k, this.#scopeOfIndex(scope)),
      ]),
    );
  }

  async #best(k: number, [tree, index]: readonly [ChunkMatch[], ChunkMatch[]]): Promise<ChunkMatch[]> {
    const allowed = await this.#allowed(index.map(({ id }) => id));
    const matches = [
      ...tree.map(({ id, score }) => ({ id: toTreeChunkId(id), score })),
      ...index.filter(({ id }) => allowed.has(id)),
    ];
    return matches.sort((a, b) => b.score - a.score).slice(0, k);
  }

  /** Those of the index that the tree does not have. */
  async #allowed(ids: readonly ChunkId[]): Promise<ReadonlyMap<ChunkId, ChunkOutline>> {
    const allowed = new Map<ChunkId, ChunkOutline>();
    for (const outline of await this.#index.readOutlines(ids)) {
      const file = this.#ofTree.get(outline.file);
      if (file !== undefined && !(await this.#tree.has(file))) allowed.set(outline.id, { ...outline, file });
    }
    return allowed;
  }

  #scopeOfIndex({ files, levels }: SearchScope): SearchScope {
    return { levels, files: files?.flatMap((file) => this.#ofIndex.get(file) ?? []) ?? null };
  }

  async measureSimilarities(query: QueryVector, ids: readonly ChunkId[]): Promise<Float64Array> {
    const [tree, index] = split(ids);
    const [near, others] = await Promise.all([
      this.#tree.measureSimilarities(query, tree),
      this.#index.measureSimilarities(query, index),
    ]);
    let [atTree, atIndex] = [0, 0];
    return Float64Array.from(ids, (id) => (isOfTree(id) ? near[atTree++]! : others[atIndex++]!));
  }

  async findDefinitions(keys: readonly string[], limit: number) {
    const [own, others] = await Promise.all([
      this.#tree.findDefinitions(keys, limit),
      this.#index.findDefinitions(keys, limit),
    ]);
    const allowed = await this.#allowed(others.map(({ id }) => id));
    const all = [
      ...own.map((one) => ({ ...one, id: toTreeChunkId(one.id) })),
      ...others.filter(({ id }) => allowed.has(id)),
    ];
    return keys.flatMap((key) => all.filter((one) => one.key === key).slice(0, limit));
  }

  /** The tree knows all files. */
  countFrequencies(tokens: readonly string[]) {
    return this.#tree.countFrequencies(tokens);
  }

  async findPhrases(phrases: readonly string[], limit: number): Promise<ChunkId[][]> {
    const [own, others] = await Promise.all([
      this.#tree.findPhrases(phrases, limit),
      this.#index.findPhrases(phrases, limit),
    ]);
    const allowed = await this.#allowed(others.flat());
    return phrases.map((_, i) =>
      [...own[i]!.map(toTreeChunkId), ...others[i]!.filter((id) => allowed.has(id))].slice(0, limit),
    );
  }

  findFilesHolding(words: readonly HeldWord[]): Promise<IndexEntry[]> {
    return this.#tree.findFilesHolding(words);
  }

  async readOutlines(ids: readonly ChunkId[]): Promise<ChunkOutline[]> {
    const [tree, index] = split(ids);
    const own = await this.#tree.readOutlines(tree);
    return [...own.map(withTreeId), ...(await this.#allowed(index)).values()];
  }

  async readChunks(ids: readonly ChunkId[]): Promise<StoredChunk[]> {
    const [tree, index] = split(ids);
    const [own, others] = await Promise.all([this.#tree.readChunks(tree), this.#index.readChunks(index)]);
    const byId = new Map(
      [...own.map(withTreeId), ...this.#asOfIndex(others)].map((chunk) => [chunk.id, chunk]),
    );
    return ids.flatMap((id) => byId.get(id) ?? []);
  }

  async readChunksOfFiles(files: readonly FileId[]): Promise<StoredChunk[]> {
    const inIndex: FileId[] = [];
    const inTree: FileId[] = [];
    for (const file of files) {
      const known = this.#ofIndex.get(file);
      if (known === undefined || (await this.#tree.has(file))) inTree.push(file);
      else inIndex.push(known);
    }
    const [own, others] = await Promise.all([
      this.#tree.readChunksOfFiles(inTree),
      this.#index.readChunksOfFiles(inIndex),
    ]);
    return [...own.map(withTreeId), ...this.#asOfIndex(others)];
  }

  #asOfIndex(chunks: readonly StoredChunk[]): StoredChunk[] {
    return chunks.flatMap((chunk) => {
      const file = this.#ofTree.get(chunk.file);
      return file === undefined ? [] : [{ ...chunk, file }];
    });
  }

  async readGraphs(files: readonly FileId[]): Promise<ReadonlyMap<FileId, Uint8Array>> {
    const own = await this.#tree.readGraphs(files);
    const others = await this.#index.readGraphs(
      files.flatMap((file) => (own.has(file) ? [] : (this.#ofIndex.get(file) ?? []))),
    );
    return new Map([
      ...[...others].map(([file, graph]) => [this.#ofTree.get(file)!, graph] as const),
      ...own,
    ]);
  }

  files(): Promise<IndexEntry[]> {
    return this.#tree.files();
  }

  async readVectorCounts() {
    return [...(await this.#index.readVectorCounts()), ...(await this.#tree.readVectorCounts())];
  }

  async release() {
    await this.#index.release();
  }
}

const withTreeId = <C extends ChunkOutline>(chunk: C): C => ({ ...chunk, id: toTreeChunkId(chunk.id) });

function split(ids: readonly ChunkId[]): [tree: ChunkId[], index: ChunkId[]] {
  return [ids.filter(isOfTree).map(toTreeChunkId), ids.filter((id) => !isOfTree(id))];
}
