import { closeSync, constants, fstatSync, openSync, readFileSync, readSync } from "node:fs";
import { join } from "node:path";
import { decodeText, detectUniformEncoding } from "../../base/text/decode.ts";
import type { StoredChunk } from "../../store/index/port.ts";
import { lineEnds } from "./verbatim/line-ends.ts";

/** A file that has grown beyond this since it was indexed is not read for a few lines of it. Bytes. */
const largestRead = 32 * 1024 * 1024;
/**
 * Only files are indexed: what has become a link since may lead out of the project, and to open a pipe would wait for its
 * writer. Windows has neither flag.
 */
const asFile = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

interface FileText {
  text: string;
  /** Bytes, and milliseconds since the epoch. */
  size: number;
  mtimeMs: number;
}

/**
 * A file of the project as it is on disk now; null when it is gone, unreadable, too large or no text.
 * @param isWanted by its bytes
 */
export function readSource(root: string, path: string, isWanted = (_: Buffer) => true): FileText | null {
  return useBytes(root, path, (bytes, stamp) => {
    const text = isWanted(bytes) ? decodeText(bytes) : null;
    return text === null ? null : { text, ...stamp };
  });
}

type Stamp = Pick<FileText, "size" | "mtimeMs">;

/**
 * Reads a file of the project as it is on disk now; null when it is gone, unreadable or too large, and what `use` makes of it.
 * @param use the bytes are of use until it returns
 */
export function useBytes<T>(
  root: string,
  path: string,
  use: (bytes: Buffer, stamp: Stamp) => T | null,
): T | null {
  let file: number;
  try {
    file = openSync(join(root, path), asFile);
  } catch {
    return null;
  }
  try {
    const facts = fstatSync(file);
    const { size, mtimeMs } = facts;
    if (!facts.isFile() || size > largestRead) return null;
    return use(readIntoRoom(file, size), { size, mtimeMs: Math.trunc(mtimeMs) });
  } catch {
    return null;
  } finally {
    closeSync(file);
  }
}

/** Of use until the next call. */
function readIntoRoom(file: number, size: number): Buffer {
  const { room } = lineEnds();
  if (size > room.length) return readFileSync(file);
  let length = 0;
  while (length < size) {
    const read = readSync(file, room, length, size - length, length);
    if (read === 0) break;
    length += read;
  }
  return room.subarray(0, length);
}

/** The lines of a chunk as they are on disk now. */
export interface ChunkLines {
  text: string;
  /** The file is another one than when it was indexed. */
  drifted: boolean;
  /** Where they are now. */
  startLine: number;
  endLine: number;
}

/** The lines of each chunk, in their order; null where the file is gone or unreadable. Each file is read once. */
export function readLinesOfChunks(root: string, chunks: readonly StoredChunk[]): (ChunkLines | null)[] {
  const ofPath = new Map<string, StoredChunk[]>(chunks.map(({ path }) => [path, []]));
  for (const chunk of chunks) ofPath.get(chunk.path)!.push(chunk);
  const found = new Map<StoredChunk, ChunkLines>();
  for (const [path, wanted] of ofPath) {
    useBytes(root, path, (bytes, { size, mtimeMs }) => {
      const lines = toDecodableLines(bytes);
      if (lines === null) return null;
      for (const chunk of wanted) {
        const drifted = size !== chunk.size || mtimeMs !== chunk.mtimeMs;
        const moved = drifted ? measureLineShift(lines, chunk) : 0;
        const [startLine, endLine] = [chunk.startLine + moved, chunk.endLine + moved];
        found.set(chunk, { text: decodeLines(lines, startLine, endLine), drifted, startLine, endLine });
      }
      return null;
    });
  }
  return chunks.map((chunk) => found.get(chunk) ?? null);
}

/** By how many lines a definition moved since it was indexed: else another one's lines would be shown under its name. */
function measureLineShift(
  { bytes, encoding }: DecodableLines,
  { signature, startLine, endLine }: StoredChunk,
): number {
  const head = signature.split(/[({:=]/, 1)[0]!.trim();
  if (head === "") return 0;
  const places = bytes
    .toString(encoding)
    .split("\n")
    .flatMap((line, index) => (line.includes(head) ? [index + 1] : []));
  if (places.some((line) => line >= startLine && line <= endLine)) return 0;
  const [nearest = startLine] = places.sort((a, b) => Math.abs(a - startLine) - Math.abs(b - startLine));
  return nearest - startLine;
}

/** Bytes any lines of which can be decoded: most of a file is not wanted. */
interface DecodableLines {
  bytes: Buffer;
  encoding: "latin1" | "utf8";
}

function toDecodableLines(bytes: Buffer): DecodableLines | null {
  const encoding = detectUniformEncoding(bytes);
  if (encoding !== null) return { bytes, encoding };
  const text = decodeText(bytes);
  return text === null ? null : { bytes: Buffer.from(text, "utf8"), encoding: "utf8" };
}

/** Gives the line, from 1, of an offset in a text. */
export function createLineLocator(text: string): (offset: number) => number {
  const starts = [0];
  for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n", end + 1)) starts.push(end + 1);
  return (offset) => {
    let low = 0;
    let high = starts.length;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (starts[middle]! <= offset) low = middle;
      else high = middle;
    }
    return low + 1;
  };
}

/** Lines `first` to `last` (1-based, inclusive). */
function decodeLines({ bytes, encoding }: DecodableLines, first: number, last: number): string {
  const { endOfLines } = lineEnds();
  const start = endOfLines(bytes, 0, first - 1);
  if (start < 0) return "";
  const end = endOfLines(bytes, start, last - first + 1);
  const text = bytes.toString(encoding, start, end < 0 ? bytes.length : end);
  return (end < 0 ? text : text.slice(0, -1)).replace(/\r+(?=\n|$)/g, "");
}
