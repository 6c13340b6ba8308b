/** What the code index stores. The chunker makes these records, the store keeps them, search reads them. */

import type { Level } from "../../base/levels.ts";

/** Why a file is not in the index. */
export type SkipReason =
  | "binary"
  | "too_large"
  | "minified"
  | "generated"
  | "vendored"
  | "nested_project"
  | "worktree"
  | "unreadable"
  | "secret"
  | "language_off";

/** The words of a text for the full-text index: a token stream (`tokens.ts`), or numbers of the file's `words`, which cost less. */
export type Terms = string | Uint32Array;

interface ChunkTerms {
  /** The chunk's own name (for a file: its name without extension). */
  name: Terms;
  /** Context: enclosing names, signature, leading doc comment. */
  head: Terms;
  /** The code itself; class and file chunks leave out the bodies that have a chunk of their own. */
  body: Terms;
}

export interface ChunkRecord {
  /** 16 hex digits, the same for the same place in the same code: see `chunkId`. */
  id: string;
  parentId: string | null;
  level: Level;
  /** The language's word for it: "function", "class", "interface", "heading"; "" for plain spans. */
  kind: string;
  /** "" where a span has no name. */
  name: string;
  /** One line, "" where there is none. */
  signature: string;
  /** 1-based, inclusive. */
  startLine: number;
  endLine: number;
  terms: ChunkTerms;
  /** SimHash of its code; left out or 0 where there is too little of it. */
  fingerprint?: number;
  /** What an embedder should see: context line, doc comment and code. Cut by the embedder, not here. */
  text: string;
  /** The comments that document it, as they are in the file; filled in together with `text`. */
  docs: DocComment[];
}

/** A run of documentation: a block comment, a docstring, or line comments one below the other. */
export interface DocComment {
  /** UTF-16 offsets in the file's text, `end` exclusive. */
  start: number;
  end: number;
  /** What is between them, comment marks and all. */
  text: string;
}

/** A named definition, also of things too small for a chunk of their own (constants, type aliases). */
export interface SymbolRecord {
  name: string;
  kind: string;
  line: number;
  /** The smallest chunk that holds it. */
  chunkId: string;
}

/** What identifies a version of a file on disk. */
export interface FileStamp {
  /** Relative to the project's root, `/` between the parts on every system. */
  path: string;
  /** Bytes. */
  size: number;
  /** Whole milliseconds since the epoch. */
  mtimeMs: number;
}

export interface IndexedFile extends FileStamp {
  status: "indexed";
  /** SHA-256 of the bytes, 32 hex digits. */
  hash: string;
  /** A language id of `code/languages`, or "text". */
  language: string;
  /** A compiler or a bundler wrote it. */
  isBuilt?: boolean;
  lines: number;
  /** The parser met something it did not understand; what it did is indexed. */
  hasSyntaxErrors: boolean;
  chunks: ChunkRecord[];
  /** What numbers in its chunks' terms stand for, each word once. */
  words?: readonly string[];
  symbols: SymbolRecord[];
  /** What it defines, imports and refers to (`encodeGraph`); none of a language whose references are not known. */
  graph?: Uint8Array | null;
}

export interface SkippedFile extends FileStamp {
  status: "skipped";
  reason: SkipReason;
}

/** A model's vectors of one file's chunks, in the order of its chunks; null where there is none. */
export interface FileVectors {
  model: string;
  dimensions: number;
  vectors: readonly (Int8Array | null)[];
}

/** What became of a file. */
export type IndexedChange =
  /** Its record is replaced as a whole. */
  | (IndexedFile & { vectors?: FileVectors })
  | SkippedFile
  /** It was touched but holds the same bytes: only its stamp changes. */
  | ({ status: "unchanged" } & FileStamp)
  | { status: "gone"; path: string };

/** A commit that can be found. */
export interface IndexedCommit {
  hash: string;
  author: string;
  /** Milliseconds since the epoch. */
  authoredAt: number;
  subject: string;
  body: string;
  /** Files it touched, relative to the project's root; of one that touched very many, the first. */
  files: string[];
}
