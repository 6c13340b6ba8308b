import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import type { StoredChunk } from "../store/code-index.ts";

/** Reads the lines of results, each file once. */
export class FileReader {
  private readonly files = new Map<string, { lines: string[]; drifted: boolean } | null>();

  constructor(private readonly root: string) {}

  /** The chunk's lines as they are on disk now, or null when the file is gone or unreadable. */
  lines(chunk: StoredChunk): { text: string; drifted: boolean } | null {
    let file = this.files.get(chunk.path);
    if (file === undefined) {
      file = this.read(chunk);
      this.files.set(chunk.path, file);
    }
    if (!file) return null;
    return { text: file.lines.slice(chunk.startLine - 1, chunk.endLine).join("\n"), drifted: file.drifted };
  }

  private read(chunk: StoredChunk): { lines: string[]; drifted: boolean } | null {
    try {
      const absolute = join(this.root, chunk.path);
      const { size, mtimeMs } = statSync(absolute);
      const drifted = size !== chunk.size || Math.trunc(mtimeMs) !== chunk.mtimeMs;
      return { lines: decode(readFileSync(absolute)).split(/\r\n|\n|\r/), drifted };
    } catch {
      return null;
    }
  }
}

function decode(bytes: Buffer): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return bytes.toString("utf16le").slice(1);
  return bytes.toString("utf8").replace(/^\uFEFF/, "");
}
