import type { Level } from "../../project/levels.ts";
import { nameKey, tokenStream } from "../../text/tokens.ts";
import { Connection } from "../sqlite/connection.ts";
import { openDatabase } from "../sqlite/database.ts";
import { correctTotals } from "../sqlite/full-text-totals.ts";
import { codeMigrations } from "./code-schema.ts";
import type { FileStamp, IndexedFile, SkippedFile, SkipReason } from "./records.ts";
import { type FileVectors, insertVectors } from "./vector-rows.ts";

/** What the index knows of a file, to tell whether it has changed. */
export interface KnownFile extends FileStamp {
  /** null for a skipped file. */
  hash: string | null;
}

export interface IndexCounts {
  files: number;
  chunks: number;
  skipped: number;
  languages: Record<string, { files: number; chunks: number }>;
  skippedByReason: Partial<Record<SkipReason, number>>;
}

/** Key of the note of when the index was last in step with the files. Milliseconds since the epoch. */
export const reconciledAt = "reconciled_at";

/** Remembered paths; more than almost any project has files. */
const mostPaths = 50_000;

/** What ranking needs of a chunk. */
export interface ChunkOutline {
  rowid: number;
  fileId: number;
  path: string;
  level: Level;
  name: string;
  parentName: string | null;
  startLine: number;
}

/** All of a chunk that is stored outside the full-text index. */
export interface StoredChunk extends ChunkOutline {
  id: string;
  /** Of the file as it was indexed. */
  size: number;
  mtimeMs: number;
  language: string;
  parentId: string | null;
  kind: string;
  signature: string;
  endLine: number;
}

/**
 * The code index: files, their chunks, the full-text rows, symbols and vectors of those, in `index.db`.
 * Every change of a file is one transaction, so a reader sees a file as it was or as it is, never half.
 */
export class CodeIndex extends Connection {
  /** @throws PommelError `not_indexed`, `schema_outdated`, `index_corrupt`, `index_too_new`, `disk_full`, `unreadable` */
  static open(file: string, options: { readonly: boolean }): CodeIndex {
    return new CodeIndex(file, openDatabase(file, codeMigrations, options));
  }

  // Writing

  /** Puts a file's new content in place of what was known of it. One transaction. */
  replace(file: IndexedFile, embedded?: FileVectors): void {
    this.inTransaction(() => {
      this.forget(file.path);
      const { lastInsertRowid: fileId } = this.prepare(
        `INSERT INTO files (path, size, mtime_ms, hash, language, lines, syntax_errors, indexed_at)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
      ).run(
        file.path,
        file.size,
        file.mtimeMs,
        file.hash,
        file.language,
        file.lines,
        file.syntaxErrors ? 1 : 0,
        Date.now(),
      );
      const rowidOf = this.insertChunks(file, Number(fileId), embedded);
      const insertSymbol = this.prepare(
        "INSERT INTO symbols (key, name, kind, line, file_id, chunk_id) VALUES (?, ?, ?, ?, ?, ?)",
      );
      for (const symbol of file.symbols) {
        const chunk = rowidOf.get(symbol.chunkId);
        if (chunk === undefined) continue;
        insertSymbol.run(nameKey(symbol.name), symbol.name, symbol.kind, symbol.line, fileId, chunk);
      }
    });
  }

  private insertChunks(file: IndexedFile, fileId: number, embedded?: FileVectors): Map<string, number> {
    const insertChunk = this.prepare(
      `INSERT INTO chunks
         (uid, file_id, parent_uid, parent_name, level, kind, name, signature, start_line, end_line)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    );
    const insertTerms = this.prepare(
      "INSERT INTO chunk_terms (rowid, name, path, head, body) VALUES (?, ?, ?, ?, ?)",
    );
    const pathTerms = tokenStream(file.path);
    const rowidOf = new Map<string, number>();
    const nameOf = new Map(file.chunks.map((chunk) => [chunk.id, chunk.name]));
    let firstChunk: number | undefined;
    file.chunks.forEach((chunk, i) => {
      const { lastInsertRowid } = insertChunk.run(
        chunk.id,
        fileId,
        chunk.parentId,
        chunk.parentId && nameOf.get(chunk.parentId),
        chunk.level,
        chunk.kind,
        chunk.name,
        chunk.signature,
        chunk.startLine,
        chunk.endLine,
      );
      const rowid = Number(lastInsertRowid);
      if (firstChunk === undefined) firstChunk = rowid;
      else if (rowid !== firstChunk + i) throw new Error(`chunk ids of ${file.path} are not consecutive`);
      rowidOf.set(chunk.id, rowid);
      insertTerms.run(rowid, chunk.terms.name, pathTerms, chunk.terms.head, chunk.terms.body);
    });
    if (embedded) {
      const levels = file.chunks.map((chunk) => chunk.level);
      insertVectors(this, { fileId, firstChunk: firstChunk ?? 0, levels }, embedded);
    }
    return rowidOf;
  }

  /** Records that a file is left out and why. One transaction. */
  skip(file: SkippedFile): void {
    this.inTransaction(() => {
      this.forget(file.path);
      this.prepare(
        "INSERT INTO files (path, size, mtime_ms, skip_reason, indexed_at) VALUES (?, ?, ?, ?, ?)",
      ).run(file.path, file.size, file.mtimeMs, file.reason, Date.now());
    });
  }

  /** A file was touched but holds the same bytes: only its stamp changes. */
  restamp(stamp: FileStamp): void {
    this.inTransaction(() => {
      this.prepare("UPDATE files SET size = ?, mtime_ms = ? WHERE path = ?").run(
        stamp.size,
        stamp.mtimeMs,
        stamp.path,
      );
    });
  }

  /** Files that are gone. One transaction for all. */
  remove(paths: readonly string[]): void {
    if (paths.length === 0) return;
    this.inTransaction(() => {
      for (const path of paths) this.forget(path);
    });
  }

  private forget(path: string): void {
    const known = this.prepare("SELECT id FROM files WHERE path = ?").get(path) as { id: number } | undefined;
    if (!known) return;
    const { changes } = this.prepare(
      "DELETE FROM chunk_terms WHERE rowid IN (SELECT id FROM chunks WHERE file_id = ?)",
    ).run(known.id);
    this.forgotten += changes;
    this.prepare("DELETE FROM files WHERE id = ?").run(known.id);
  }

  /** Chunks that went since the index was settled, at most. */
  private forgotten = 0;

  /**
   * Words are ranked by the chunks that are there; until then those that went count, too (`correctTotals`). Never
   * within a transaction. Cheap when none went.
   * @param tolerated nothing is done while no larger part of all chunks has gone in this process
   */
  settle({ tolerated }: { tolerated?: number } = {}): void {
    if (tolerated !== undefined && (this.forgotten === 0 || this.forgotten <= tolerated * this.chunkCount()))
      return;
    correctTotals(this, "chunk_terms");
    this.forgotten = 0;
  }

  // Reading

  /** Everything known, indexed and skipped, by path. */
  knownFiles(): Map<string, KnownFile> {
    const rows = this.prepare("SELECT path, size, mtime_ms AS mtimeMs, hash FROM files").all() as KnownFile[];
    return new Map(rows.map((row) => [row.path, row]));
  }

  known(path: string): KnownFile | null {
    return (
      (this.prepare("SELECT path, size, mtime_ms AS mtimeMs, hash FROM files WHERE path = ?").get(path) as
        | KnownFile
        | undefined) ?? null
    );
  }

  /** A path itself and everything known below it. */
  pathsBelow(path: string): string[] {
    const rows = this.prepare(
      "SELECT path FROM files WHERE path = @path OR (path > @path || '/' AND path < @path || '0')",
    ).all({ path }) as { path: string }[];
    return rows.map((row) => row.path);
  }

  counts(): IndexCounts {
    return this.once("counts", () => this.countAll());
  }

  private countAll(): IndexCounts {
    const languages: IndexCounts["languages"] = {};
    const rows = this.prepare(
      `SELECT f.language, count(DISTINCT f.id) AS files, count(c.id) AS chunks
       FROM files f LEFT JOIN chunks c ON c.file_id = f.id WHERE f.skip_reason IS NULL GROUP BY f.language`,
    ).all() as { language: string; files: number; chunks: number }[];
    for (const { language, files, chunks } of rows) languages[language] = { files, chunks };
    const reasons = this.prepare(
      "SELECT skip_reason AS reason, count(*) AS n FROM files WHERE skip_reason IS NOT NULL GROUP BY 1",
    ).all() as { reason: SkipReason; n: number }[];
    return {
      files: rows.reduce((sum, row) => sum + row.files, 0),
      chunks: rows.reduce((sum, row) => sum + row.chunks, 0),
      skipped: reasons.reduce((sum, row) => sum + row.n, 0),
      languages,
      skippedByReason: Object.fromEntries(reasons.map(({ reason, n }) => [reason, n])),
    };
  }

  chunkCount(): number {
    return (this.prepare("SELECT count(*) AS n FROM chunks").get() as { n: number }).n;
  }

  /** Every indexed file, for filters. */
  filePaths(): { id: number; path: string; language: string }[] {
    return this.prepare("SELECT id, path, language FROM files WHERE skip_reason IS NULL").all() as {
      id: number;
      path: string;
      language: string;
    }[];
  }

  skippedFiles(): { path: string; reason: SkipReason; size: number }[] {
    return this.prepare(
      "SELECT path, skip_reason AS reason, size FROM files WHERE skip_reason IS NOT NULL ORDER BY path",
    ).all() as { path: string; reason: SkipReason; size: number }[];
  }

  /** When a file was last indexed, milliseconds since the epoch; null for an empty index. */
  lastIndexedAt(): number | null {
    return (this.prepare("SELECT max(indexed_at) AS at FROM files").get() as { at: number | null }).at;
  }

  /** Bytes by what they hold, from the pages of the database. */
  storage(): { total: number; terms: number } {
    const pageSize = this.db.pragma("page_size") as number;
    const pages = this.db.pragma("page_count") as number;
    const terms = this.once("terms", () =>
      this.prepare("SELECT coalesce(sum(length(block)), 0) FROM chunk_terms_data").pluck().get(),
    ) as number;
    return { total: pageSize * pages, terms };
  }

  /** Outlines of chunks, in no particular order; rows that are gone are missing. Shared: not to be changed. */
  outlines(rowids: readonly number[]): ChunkOutline[] {
    const remembered = this.untilWritten<number, ChunkOutline>("outlines");
    const found: ChunkOutline[] = [];
    const unknown: number[] = [];
    for (const rowid of rowids) {
      const outline = remembered.get(rowid);
      if (outline) found.push(outline);
      else unknown.push(rowid);
    }
    if (unknown.length === 0) return found;
    const rows = this.prepare(
      `SELECT c.id AS rowid, c.file_id AS fileId, '' AS path, c.level, c.name, c.parent_name AS parentName,
         c.start_line AS startLine
       FROM json_each(?) wanted JOIN chunks c ON c.id = wanted.value`,
    ).all(JSON.stringify(unknown)) as ChunkOutline[];
    for (const row of rows) {
      row.path = this.pathOf(row.fileId);
      remembered.set(row.rowid, row);
    }
    return found.concat(rows);
  }

  private readonly paths = new Map<number, string>();

  /** Remembered: every search meets the same files again. */
  private pathOf(fileId: number): string {
    let path = this.paths.get(fileId);
    if (path === undefined) {
      const row = this.prepare("SELECT path FROM files WHERE id = ?").get(fileId) as
        | { path: string }
        | undefined;
      path = row?.path ?? "";
      if (this.paths.size >= mostPaths) this.paths.clear();
      this.paths.set(fileId, path);
    }
    return path;
  }

  /** The whole chunk in a row, or null when it is gone. */
  chunk(rowid: number): StoredChunk | null {
    const row = this.prepare(
      `SELECT c.id AS rowid, c.uid AS id, c.file_id AS fileId, f.path, f.size, f.mtime_ms AS mtimeMs, f.language,
         c.parent_uid AS parentId, c.parent_name AS parentName, c.level, c.kind, c.name, c.signature,
         c.start_line AS startLine, c.end_line AS endLine
       FROM chunks c JOIN files f ON f.id = c.file_id WHERE c.id = ?`,
    ).get(rowid);
    return (row as StoredChunk | undefined) ?? null;
  }
}
