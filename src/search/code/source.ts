import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import type { StoredChunk } from "../../store/index/port.ts";
import { decodeText } from "../../text/decode.ts";

/** A file that has grown beyond this since it was indexed is not read for a few lines of it. Bytes. */
const largestRead = 32 * 1024 * 1024;

interface Source {
  text: string;
  /** Bytes, and milliseconds since the epoch. */
  size: number;
  mtimeMs: number;
}

/** A file of the project as it is on disk now; null when it is gone, unreadable, too large or no text. */
export function readSource(root: string, path: string): Source | null {
  try {
    const absolute = join(root, path);
    const { size, mtimeMs } = statSync(absolute);
    const text = size > largestRead ? null : decodeText(readFileSync(absolute));
    return text === null ? null : { text, size, mtimeMs: Math.trunc(mtimeMs) };
  } catch {
    return null;
  }
}

/** Reads the lines of results, each file once. */
export class FileReader {
  private readonly files = new Map<string, Source | null>();

  constructor(private readonly root: string) {}

  /** The chunk's lines as they are on disk now, or null when the file is gone or unreadable. */
  lines(chunk: StoredChunk): { text: string; drifted: boolean } | null {
    let file = this.files.get(chunk.path);
    if (file === undefined) {
      file = readSource(this.root, chunk.path);
      this.files.set(chunk.path, file);
    }
    return (
      file && {
        text: linesOf(file.text, chunk.startLine, chunk.endLine),
        drifted: file.size !== chunk.size || file.mtimeMs !== chunk.mtimeMs,
      }
    );
  }
}

/** Gives the line, from 1, of an offset in a text. */
export function linesIn(text: string): (offset: number) => number {
  const starts = [0];
  for (const { index, 0: end } of text.matchAll(/\r\n|\n|\r/g)) starts.push(index + end.length);
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

/** Lines `first` to `last` (1-based, inclusive), joined by "\n" regardless of the file's line ends. */
function linesOf(text: string, first: number, last: number): string {
  const lineEnd = /\r\n|\n|\r/g;
  let start = 0;
  for (let line = 1; line < first; line++) {
    if (!lineEnd.exec(text)) return "";
    start = lineEnd.lastIndex;
  }
  lineEnd.lastIndex = start;
  for (let line = first; line <= last; line++) {
    if (!lineEnd.exec(text)) return text.slice(start).replace(/\r\n?/g, "\n");
  }
  return text.slice(start, lineEnd.lastIndex).replace(/\r\n?/g, "\n").replace(/\n$/, "");
}
