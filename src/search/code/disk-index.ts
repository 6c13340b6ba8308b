import { createHash } from "node:crypto";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { IgnoreRules } from "../../code/files/ignore.ts";
import { scanProject } from "../../code/files/scan.ts";
import { languageOf } from "../../code/languages/index.ts";
import type { Level } from "../../project/levels.ts";
import {
  type ChunkId,
  type ChunkOutline,
  chunkId,
  type FieldWeights,
  type FileId,
  type Frequencies,
  fileId,
  type IndexEntry,
  type Match,
  type QueryVector,
  type Scope,
  type SearchableIndex,
  type StoredChunk,
} from "../../store/index/port.ts";
import { chunksWithPhrase } from "../../store/index/words/holders.ts";
import { type FoundList, LoadedSegments, scopeFilter } from "../../store/index/words/loaded-segments.ts";
import type { Postings } from "../../store/index/words/postings.ts";
import { SegmentBuilder } from "../../store/index/words/segment.ts";
import { tokenStream } from "../../text/tokens.ts";
import { readSource } from "./source.ts";

/** Lines of a chunk: about a function. */
const linesTogether = 30;
const level: Level = "lines";
/** Larger projects are read in part: someone waits. */
const limits = { bytes: 64 * 1024 * 1024, ms: 8000 };
/** The one segment. */
const segment = 1;

interface DiskFile extends IndexEntry {
  size: number;
  mtimeMs: number;
  /** Its first chunk, and the lines at which its chunks begin. */
  first: number;
  starts: number[];
  lines: number;
}

/**
 * The words of the files as they are on disk, for when the index cannot be asked: made at once in memory, by lines, without
 * definitions and meaning. Ranking is the usual one.
 */
export class DiskIndex implements SearchableIndex {
  private constructor(
    private readonly indexed: readonly DiskFile[],
    private readonly segments: LoadedSegments,
    private readonly postings: ReadonlyMap<string, Postings>,
    /** Not all files could be read in time. */
    readonly isCut: boolean,
  ) {}

  /** @param maxFileSize larger files are skipped. Bytes */
  static async of(root: string, rules: IgnoreRules, maxFileSize: number): Promise<DiskIndex> {
    const words = new SegmentBuilder(1);
    const files: DiskFile[] = [];
    const ends = performance.now() + limits.ms;
    let [bytes, isCut] = [0, false];
    for await (const item of scanProject(root, rules)) {
      if (item.kind !== "file" || item.stamp.size > maxFileSize) continue;
      if (bytes > limits.bytes || performance.now() > ends) {
        isCut = true;
        break;
      }
      const { path, size, mtimeMs } = item.stamp;
      const text = readSource(root, path)?.text;
      if (text === undefined) continue;
      bytes += size;
      files.push({
        id: fileId(files.length),
        path,
        size,
        mtimeMs,
        language: languageOf(path),
        first: words.next,
        ...addLines(words, path, text),
      });
      await nextTurn();
    }
    const chunks = words.chunks();
    const stored = { id: segment, chunks: chunks.ids.length, gone: 0, first: 1, last: chunks.ids.length };
    const segments = new LoadedSegments().following([stored], () => ({ chunks, isGone: null }));
    return new DiskIndex(files, segments, new Map(words.postings()), isCut);
  }

  async revision() {
    return "disk";
  }

  async lexical(tokens: readonly string[], weights: FieldWeights, k: number, scope: Scope): Promise<Match[]> {
    if (tokens.length === 0 || k < 1) return [];
    const found = tokens.map((token) => new Map<number, FoundList>(this.listOf(token)));
    const inScope = scopeFilter(
      scope.levels,
      scope.files && new Set<number>(scope.files.flatMap((id) => this.chunksIn(id))),
    );
    const best = this.segments.best(tokens, found, weights, k, inScope);
    return best.map(({ row, score }) => ({ id: chunkId(row), score }));
  }

  private listOf(token: string): [number, FoundList][] {
    const list = this.postings.get(token);
    return list === undefined ? [] : [[segment, list]];
  }

  async nearest(): Promise<Match[]> {
    return [];
  }

  async similarities(_: QueryVector, ids: readonly ChunkId[]) {
    return new Float64Array(ids.length).fill(Number.NaN);
  }

  async definitions() {
    return [];
  }

  async frequencies(tokens: readonly string[]): Promise<Frequencies> {
    const holding = tokens.flatMap((token): [string, number][] => {
      const list = this.postings.get(token);
      return list === undefined ? [] : [[token, list.chunks]];
    });
    return { chunks: this.segments.total, holding: new Map(holding) };
  }

  async phrases(phrases: readonly string[], limit: number): Promise<ChunkId[][]> {
    return phrases.map((phrase) => {
      const words = phrase.split(" ").map((word) => this.postings.get(word));
      if (words.some((word) => word === undefined)) return [];
      const ids: ChunkId[] = [];
      for (const chunk of chunksWithPhrase(words as Postings[])) {
        if (ids.length >= limit) break;
        ids.push(chunkId(chunk + 1));
      }
      return ids;
    });
  }

  async outlines(ids: readonly ChunkId[]): Promise<ChunkOutline[]> {
    return this.chunks(ids);
  }

  async chunks(ids: readonly ChunkId[]): Promise<StoredChunk[]> {
    return ids.map((id) => this.chunkAt(id));
  }

  async chunksOf(files: readonly FileId[]): Promise<StoredChunk[]> {
    return files.flatMap((file) => this.chunksIn(file).map((id) => this.chunkAt(id)));
  }

  async graphs(): Promise<ReadonlyMap<FileId, Uint8Array>> {
    return new Map();
  }

  async files(): Promise<IndexEntry[]> {
    return [...this.indexed];
  }

  async vectorCounts() {
    return [];
  }

  async release() {}

  private chunksIn(file: FileId): ChunkId[] {
    const { first, starts } = this.indexed[file]!;
    return starts.map((_, i) => chunkId(first + i));
  }

  private chunkAt(id: ChunkId): StoredChunk {
    const file = this.indexed.findLast(({ first, starts }) => first <= id && starts.length > 0)!;
    const at = id - file.first;
    const startLine = file.starts[at]!;
    return {
      id,
      uid: createHash("sha256").update(`${file.path}:${startLine}`).digest("hex").slice(0, 16),
      parentUid: null,
      parentName: null,
      file: file.id,
      path: file.path,
      size: file.size,
      mtimeMs: file.mtimeMs,
      language: file.language,
      level,
      kind: "",
      name: "",
      signature: "",
      startLine,
      endLine: (file.starts[at + 1] ?? file.lines + 1) - 1,
      fingerprint: 0,
      built: 0,
    };
  }
}

function addLines(words: SegmentBuilder, path: string, text: string): { starts: number[]; lines: number } {
  const lines = text.replace(/\n$/, "").split("\n");
  const pathTerms = tokenStream(path);
  const starts: number[] = [];
  for (let at = 0; at < lines.length; at += linesTogether) {
    starts.push(at + 1);
    words.add(level, ["", pathTerms, "", tokenStream(lines.slice(at, at + linesTogether).join("\n"))], []);
  }
  return { starts, lines: lines.length };
}
