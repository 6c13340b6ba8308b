import type { FileId, StoredChunk } from "../port.ts";
import type { IndexedFile } from "../records.ts";
import { type ChunkRow, chunkId, type chunkRows, type SymbolRow } from "../stored-rows.ts";
import type { State } from "./state.ts";
import type { Opened } from "./store.ts";

/** Chunks that are remembered, as searches meet the same again and again. They take about 20 MB. */
const maxRemembered = 50_000;

/** The JSON of a chunk's row. */
type StoredRow = Omit<ChunkRow, "id"> & {
  symbols: Pick<SymbolRow, "name" | "kind">[];
  /** Of the file, with its first chunk: Base64. */
  graph?: string;
};
type Remembered = StoredRow & { id: number; file: number };

/** Rows of chunks, each with its symbols; those that were asked for last are remembered. */
export class LanceChunks {
  private readonly remembered = new Map<number, Remembered>();

  /** Those that there are, by their ids. */
  async rows({ tables }: Opened, ids: readonly number[]): Promise<Map<number, Remembered>> {
    const found = new Map<number, Remembered>();
    const unknown: number[] = [];
    for (const id of ids) {
      const known = this.remembered.get(id);
      if (known) found.set(id, known);
      else unknown.push(id);
    }
    if (unknown.length === 0) return found;
    if (this.remembered.size > maxRemembered) this.remembered.clear();
    for (const { id, file, content } of await tables.chunks.among(["id", "file", "content"], "id", unknown)) {
      const row = { id, file, ...(JSON.parse(content) as StoredRow) };
      found.set(id, row);
      this.remembered.set(id, row);
    }
    return found;
  }

  release(): void {
    this.remembered.clear();
  }
}

/** What is stored of a file's chunks. */
export function storedRows(
  file: number,
  { chunks, symbols }: ReturnType<typeof chunkRows>,
  graph: IndexedFile["graph"],
) {
  const symbolsOf = new Map<number, StoredRow["symbols"]>(chunks.map(({ id }) => [id, []]));
  for (const { chunk, name, kind } of symbols) symbolsOf.get(chunk)!.push({ name, kind });
  return chunks.map(({ id, ...chunk }, i) => ({
    ...{ id, file },
    content: JSON.stringify({
      ...{ ...chunk, symbols: symbolsOf.get(id)! },
      ...(i === 0 && graph && { graph: Buffer.from(graph).toString("base64") }),
    } satisfies StoredRow),
  }));
}

/** null for one that is gone. */
export function storedChunk({ byId }: State, row: Remembered | undefined): StoredChunk | null {
  const file = row && byId.get(row.file);
  if (!file) return null;
  const { id, symbols: _, graph: __, ...chunk } = row;
  const { path, size, mtimeMs, language } = file;
  return {
    ...chunk,
    id: chunkId(id),
    file: file.id as unknown as FileId,
    path,
    size,
    mtimeMs,
    language: language!,
  };
}
