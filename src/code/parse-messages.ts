import type { Level } from "../project/levels.ts";
import type { FileStamp, IndexedFile, SkippedFile } from "../store/records.ts";
import type { LanguageId } from "./languages/index.ts";

/** What the pool and its workers say to each other. */

export type ParseOutcome =
  | IndexedFile
  | SkippedFile
  /** Same bytes as known; size and time may be new. */
  | ({ status: "unchanged" } & FileStamp)
  | { status: "gone"; path: string };

/** How to parse; the same for all files of a pool. */
export interface ParseSettings {
  /** Absolute path of the project. */
  root: string;
  /** Where the .wasm files of the grammars are. */
  grammarDir: string;
  /** Bytes. */
  maxFileSize: number;
  levels: readonly Level[];
  /** Whether to fill `ChunkRecord.text`. */
  withText: boolean;
  /** What `.h` means in this repository. */
  headerLanguage: "c" | "cpp";
  /** Languages to index; empty means all. */
  languages: readonly LanguageId[];
}

export interface ParseRequest {
  stamp: FileStamp;
  knownHash: string | null;
  /** The grammar has failed on this file before: cut it by lines. */
  linesOnly: boolean;
}

export interface WorkerData {
  settings: ParseSettings;
  /** Written by the worker: number of the file it is at, counted over its life. */
  progress: Int32Array;
}

/** "ready" once, then the outcomes of a batch, in its order. */
export type WorkerMessage = "ready" | ParseOutcome[];
