import type { Connection } from "../../sqlite/connection.ts";
import type { ChunkId, ChunkOutline, FileId } from "../port.ts";
import type { WordIndex } from "./word-index.ts";

/** They take about 4 MB. */
const maxOutlines = 20_000;

/** Remembered paths; more than almost any project has files. */
const maxPaths = 50_000;

/**
 * Outlines of chunks, which searches meet again and again. A chunk never changes, and those that went are not in the words
 * any more.
 */
export class Outlines {
  private readonly known = new Map<ChunkId, ChunkOutline>();
  private readonly paths = new Map<FileId, string>();

  constructor(
    private readonly db: Connection,
    private readonly words: WordIndex,
  ) {}

  readOutlines(ids: readonly ChunkId[]): ChunkOutline[] {
    if (this.known.size > maxOutlines) this.known.clear();
    const present = this.words.getPresentChunks();
    const found: ChunkOutline[] = [];
    const unknown: ChunkId[] = [];
    for (const id of ids) {
      const outline = this.known.get(id);
      if (outline && present.has(id)) found.push(outline);
      else unknown.push(id);
    }
    if (unknown.length === 0) return found;
    const rows = this.db.all<ChunkOutline>(
      `SELECT c.id, c.file_id AS file, '' AS path, c.level, c.name, c.parent_name AS parentName,
         c.start_line AS startLine, c.end_line AS endLine, c.fingerprint, c.built
       FROM json_each(?) wanted JOIN chunks c ON c.id = wanted.value`,
      unknown,
    );
    for (const row of rows) {
      row.path = this.findPath(row.file);
      this.known.set(row.id, row);
    }
    return found.concat(rows);
  }

  private findPath(file: FileId): string {
    let path = this.paths.get(file);
    if (path === undefined) {
      path = this.db.readValue<string | null>("SELECT path FROM files WHERE id = ?", file) ?? "";
      if (this.paths.size >= maxPaths) this.paths.clear();
      this.paths.set(file, path);
    }
    return path;
  }
}
