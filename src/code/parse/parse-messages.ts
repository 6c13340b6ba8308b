import type { Level } from "../../base/levels.ts";
import type { FileStamp, FileVectors, IndexedChange, IndexedFile } from "../../store/index/records.ts";
import type { LanguageId } from "../languages/index.ts";

/** Messages between the pool and its workers. */

/** `tookMs`: how long its worker was at it, without waiting. */
export type ParseOutcome = (ParsedFile | Exclude<IndexedChange, IndexedFile>) & { tookMs?: number };

export interface ParsedFile extends IndexedFile {
  /** From the bundled model; absent if it failed or was not used. */
  vectors?: FileVectors;
  /** Why it could not be used. */
  vectorProblem?: string;
}

/** Its bytes are those of a version that the asker knows: it was not parsed. */
export interface CachedFile extends FileStamp {
  status: "cached";
  hash: string;
  tookMs?: number;
}

/** How to parse; the same for all files of a pool. */
export interface ParseSettings {
  /** Absolute path of the project. */
  root: string;
  /** Where the .wasm files of the grammars are. */
  grammarDir: string;
  /** Bytes. */
  maxFileSize: number;
  levels: readonly Level[];
  /** Whether to embed the chunks with the bundled model. */
  withVectors: boolean;
  /** The directory of that model; by default that of the installation. */
  modelDir?: string | undefined;
  /** What `.h` means in this repository. */
  headerLanguage: "c" | "cpp";
  /** Languages to index; empty means all. */
  languages: readonly LanguageId[];
}

export interface ParseRequest {
  stamp: FileStamp;
  knownHash: string | null;
  /** Of versions that need not be parsed, either. */
  cachedHashes: readonly string[];
  /** Fill `ChunkRecord.text` and `docs` instead of embedding. */
  withText: boolean;
  /** Another version of the file than the one on disk; left out: that one. */
  text?: string | undefined;
  /** The grammar has failed on this file before: cut it by lines. */
  linesOnly: boolean;
}

export interface WorkerData {
  settings: ParseSettings;
  /** Shared memory, see `progressIndex`. */
  progress: Int32Array;
}

/**
 * Progress that a worker writes into shared memory, because messages may arrive after its exit event: 1 once ready, the
 * number of finished files, and its thread's (`readThreadId`).
 */
export const progressIndex = { ready: 0, finished: 1, thread: 2 } as const;
