import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import type { StoredChunk } from "../../store/index/port.ts";
import { decodeText } from "../../text/decode.ts";

/** A file that has grown beyond this since it was indexed is not read for a few lines of it. Bytes. */
const largestRead = 32 * 1024 * 1024;

/** Reads the lines of results, each file once. */
export class FileReader {
  private readonly files = new Map<string, { text: string; drifted: boolean } | null>();

  constructor(private readonly root: string) {}

  /** The chunk's lines as they are on disk now, or null when the file is gone or unreadable. */
  lines(chunk: StoredChunk): { text: string; drifted: boolean } | null {
    let file = this.files.get(chunk.path);
    if (file === undefined) {
      file = this.read(chunk);
      this.files.set(chunk.path, file);
    }
    return file && { text: linesOf(file.text, chunk.startLine, chunk.endLine), drifted: file.drifted };
  }

  private read(chunk: StoredChunk): { text: string; drifted: boolean } | null {
    try {
      const absolute = join(this.root, chunk.path);
      const { size, mtimeMs } = statSync(absolute);
      if (size > largestRead) return null;
      const text = decodeText(readFileSync(absolute));
      const drifted = size !== chunk.size || Math.trunc(mtimeMs) !== chunk.mtimeMs;
      return text === null ? null : { text, drifted };
    } catch {
      return null;
    }
  }
}

/** Lines `first` to `last` (1-based, inclusive), joined by "\n" whatever ends them in the file. */
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
