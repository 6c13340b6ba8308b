import type { ChunkRecord, IndexedFile } from "../../src/store/index/records.ts";

/** For tests: a chunk that says nothing but its id. */
export function chunkRecord(id: string, more: Partial<ChunkRecord> = {}): ChunkRecord {
  return {
    id,
    parentId: null,
    level: "method",
    kind: "function",
    name: id,
    signature: "",
    startLine: 1,
    endLine: 1,
    terms: { name: id, head: "", body: "" },
    text: id,
    docs: [],
    ...more,
  };
}

/** For tests: a file that holds these chunks and no symbols. */
export function indexedFile(path: string, chunks: ChunkRecord[]): IndexedFile {
  return {
    status: "indexed",
    path,
    size: 1,
    mtimeMs: 1,
    hash: `hash of ${path}`,
    language: "typescript",
    lines: 1,
    hasSyntaxErrors: false,
    chunks,
    symbols: [],
  };
}
