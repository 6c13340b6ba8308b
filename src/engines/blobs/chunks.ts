import { type StoredChunk, toChunkId, toFileId } from "../../store/index/port.ts";
import type { IndexedFile } from "../../store/index/records.ts";
import type { buildChunkRows, ChunkRow, SymbolRow } from "../../store/index/stored-rows.ts";
import { decodeText, encodeText, type StoredBlob } from "./blob-store.ts";
import type { FileEntry, IndexState } from "./state.ts";
import { type OpenedIndex, Outdated } from "./store.ts";

/** Files whose chunks are remembered, as searches meet the same again and again. They take about 20 MB. */
const maxRemembered = 5000;

/** The JSON of a chunk in the blob of its file; its id follows from its place. */
type ChunkJson = Omit<ChunkRow, "id"> & { symbols: Pick<SymbolRow, "name" | "kind">[] };

/** A chunk, and what it defines. */
export interface KnownChunk {
  chunk: StoredChunk;
  symbols: Pick<SymbolRow, "name" | "kind">[];
}

/** The blobs of a file: its chunks with their symbols, and its graph. */
export function buildFile(
  file: number,
  { chunks, symbols }: ReturnType<typeof buildChunkRows>,
  graph: IndexedFile["graph"],
): StoredBlob[] {
  const symbolsOf = new Map<number, ChunkJson["symbols"]>(chunks.map(({ id }) => [id, []]));
  for (const { chunk, name, kind } of symbols) symbolsOf.get(chunk)!.push({ name, kind });
  const json = chunks.map(({ id, ...chunk }): ChunkJson => ({ ...chunk, symbols: symbolsOf.get(id)! }));
  const blobs: StoredBlob[] = [{ kind: "file", number: file, bytes: encodeText(JSON.stringify(json)) }];
  if (graph) blobs.push({ kind: "graph", number: file, bytes: graph });
  return blobs;
}

/** Chunks of files; those of files that were asked for last are remembered. */
export class BlobChunks {
  private readonly remembered = new Map<number, { of: FileEntry; chunks: readonly KnownChunk[] }>();
  /** Files with chunks, in the order of these. */
  private inOrder: { state: IndexState; revision: number; files: FileEntry[] } | null = null;

  /** Those that there are, by their ids. */
  async get(opened: OpenedIndex, ids: readonly number[]): Promise<Map<number, KnownChunk>> {
    const files = new Map<number, FileEntry>();
    const found = new Map<number, KnownChunk>();
    for (const id of ids) {
      const file = this.findFileOfChunk(opened, id);
      if (file !== undefined) files.set(file.id, file);
    }
    const chunks = await this.readChunksByFile(opened, [...files.values()]);
    for (const id of ids) {
      const file = this.findFileOfChunk(opened, id);
      const known = file && chunks.get(file.id)?.[id - file.firstChunk];
      if (known !== undefined) found.set(id, known);
    }
    return found;
  }

  /** All chunks of files, by the files' ids. */
  async readChunksByFile(
    { blobs }: OpenedIndex,
    files: readonly FileEntry[],
  ): Promise<Map<number, readonly KnownChunk[]>> {
    const found = new Map<number, readonly KnownChunk[]>();
    const unknown: FileEntry[] = [];
    for (const file of files) {
      const known = this.remembered.get(file.id);
      if (known?.of === file) found.set(file.id, known.chunks);
      else unknown.push(file);
    }
    if (unknown.length === 0) return found;
    if (this.remembered.size > maxRemembered) this.remembered.clear();
    const stored = await blobs.read(
      "file",
      unknown.map(({ id }) => id),
    );
    for (const file of unknown) {
      const bytes = stored.get(file.id);
      if (bytes === undefined) throw new Outdated("chunks of a file are gone");
      const chunks = decodeFileChunks(file, bytes);
      found.set(file.id, chunks);
      this.remembered.set(file.id, { of: file, chunks });
    }
    return found;
  }

  release(): void {
    this.remembered.clear();
    this.inOrder = null;
  }

  /** The file that has a chunk: the last that begins before it, if that reaches so far. */
  private findFileOfChunk({ state, revision }: OpenedIndex, chunk: number): FileEntry | undefined {
    if (this.inOrder?.state !== state || this.inOrder.revision !== revision) {
      const files = [...state.byId.values()].filter(({ chunks }) => chunks > 0);
      files.sort((a, b) => a.firstChunk - b.firstChunk);
      this.inOrder = { state, revision, files };
    }
    const { files } = this.inOrder;
    let [from, to] = [0, files.length];
    while (from < to) {
      const middle = (from + to) >> 1;
      if (files[middle]!.firstChunk <= chunk) from = middle + 1;
      else to = middle;
    }
    const file = files[from - 1];
    return file !== undefined && chunk < file.firstChunk + file.chunks ? file : undefined;
  }
}

function decodeFileChunks(file: FileEntry, bytes: Uint8Array): KnownChunk[] {
  const json = JSON.parse(decodeText(bytes)) as ChunkJson[];
  const { path, size, mtimeMs } = file;
  return json.map(({ symbols, ...chunk }, i) => ({
    symbols,
    chunk: {
      ...chunk,
      id: toChunkId(file.firstChunk + i),
      file: toFileId(file.id),
      path,
      size,
      mtimeMs,
      language: file.language!,
    },
  }));
}
