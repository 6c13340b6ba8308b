/**
 * All that an engine has to offer: it keeps numbered blobs of a few kinds for an index. What is in them, and which of them
 * count, is the index's business (store.ts), and the same for every engine.
 */

export const blobKinds = [
  /** Changes of the index, one after the other, and now and then all that they come to. */
  "journal",
  "whole",
  /** Of a file: its chunks, what it defines and refers to, and a model's vectors. */
  "file",
  "graph",
  "vectors",
  /** Of words: the chunks of a segment, and blocks with the lists and the places of some words. */
  "segment",
  "words",
  "places",
  "commit",
] as const;
export type BlobKind = (typeof blobKinds)[number];

export interface StoredBlob {
  kind: BlobKind;
  /** From 0 on, below 2 ** 31. No two of a kind have the same. */
  number: number;
  bytes: Uint8Array;
}

/** The blobs of one index. Methods reject with what the engine throws; `BlobEngine.explain` says what that means. */
export interface BlobStore {
  /** Changes whenever the journal gets longer. */
  readVersion(): Promise<number>;
  /** Adds all of them, or none. Rejects where there is one with the same kind and number, if the engine can tell. */
  add(blobs: readonly StoredBlob[]): Promise<void>;
  /** Those of the numbers that are there. */
  read(kind: BlobKind, numbers: readonly number[]): Promise<Map<number, Uint8Array>>;
  /** All from a number on, in parts and in no particular order, so that all of them are never in memory. */
  readFrom(kind: BlobKind, first: number): AsyncIterable<ReadonlyMap<number, Uint8Array>>;
  remove(kind: BlobKind, numbers: readonly number[]): Promise<void>;
  /** Removes all from a number on. */
  removeFrom(kind: BlobKind, first: number): Promise<void>;
  /** Gives back the room of what was removed. */
  compact(): Promise<void>;
  /** What they take. */
  countBytes(): Promise<number>;
  close(): Promise<void>;
}

/** Where the blobs of indexes are kept. A checkout's index is named by where SQLite's `index.db` would be: `file`. */
export interface BlobEngine {
  /**
   * The blobs of an index; where there is none, null to read. To write, those of a new one then, which may begin as a copy of
   * another checkout of the same project, and to rebuild an empty one.
   */
  open(file: string, mode: "read" | "write" | "rebuild"): Promise<BlobStore | null>;
  /** Whether there may be an index, as far as this machine knows. */
  isThere(file: string): boolean;
  /** Removes all of an index, which is not open. */
  remove(file: string): Promise<void>;
  /** What went wrong, for people: a PommelError where the engine is what fails, anything else as it is. */
  explain(error: unknown, file: string): unknown;
  /** Where an index is, for people. */
  describePlace(file: string): string;
  /** Where all of them are, for people: an address without a password; "" for the checkouts' own directories. */
  readonly place: string;
}

/** Parts of a blob, each with its length before it. */
export function joinParts(...parts: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + 4 + part.length, 0));
  const view = new DataView(bytes.buffer);
  let at = 0;
  for (const part of parts) {
    view.setUint32(at, part.length);
    bytes.set(part, at + 4);
    at += 4 + part.length;
  }
  return bytes;
}

export function splitParts(bytes: Uint8Array): Uint8Array[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const parts: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; ) {
    const end = at + 4 + view.getUint32(at);
    parts.push(bytes.subarray(at + 4, end));
    at = end;
  }
  return parts;
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();
export const encodeText = (text: string): Uint8Array => encoder.encode(text);
export const decodeText = (bytes: Uint8Array): string => decoder.decode(bytes);
