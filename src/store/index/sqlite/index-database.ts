import { nameKey, tokenStream } from "../../../text/tokens.ts";
import { Connection } from "../../sqlite/connection.ts";
import { openDatabase } from "../../sqlite/database.ts";
import { correctTotals } from "../../sqlite/full-text-totals.ts";
import type {
  ChunkId,
  ChunkOutline,
  FileId,
  IndexCounts,
  IndexEntry,
  KnownFile,
  StoredChunk,
} from "../port.ts";
import type { FileStamp, FileVectors, IndexedFile, SkippedFile, SkipReason } from "../records.ts";
import { codeMigrations } from "./schema.ts";
import { insertVectors } from "./vector-rows.ts";

/** Remembered paths; more than almost any project has files. */
const maxPaths = 50_000;

/** A row of `chunks` as the port knows it. */
export const chunkId = (row: number) => row as unknown as ChunkId;

/**
 * `index.db`: files, their chunks, the full-text rows, symbols and vectors of those. Every change of a file is one
 * transaction, so a reader sees a file as it was or as it is, never half. The port says what the methods do (../port.ts);
 * here they run at once.
 */
export class IndexDatabase extends Connection {
  /** @throws PommelError `not_indexed`, `schema_outdated`, `index_corrupt`, `index_too_new`, `disk_full`, `unreadable` */
  static open(file: string, options: { readonly: boolean }): IndexDatabase {
    return new IndexDatabase(file, openDatabase(file, codeMigrations, options));
  }

  // Writing

  replace(file: IndexedFile | SkippedFile, embedded?: FileVectors): void {
    this.inTransaction(() => {
      this.forget(file.path);
      if (file.status === "skipped") {
        this.prepare(
          "INSERT INTO files (path, size, mtime_ms, skip_reason, indexed_at) VALUES (?, ?, ?, ?, ?)",
        ).run(file.path, file.size, file.mtimeMs, file.reason, Date.now());
        return;
      }
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

  restamp(stamp: FileStamp): void {
    this.inTransaction(() => {
      this.prepare("UPDATE files SET size = ?, mtime_ms = ? WHERE path = ?").run(
        stamp.size,
        stamp.mtimeMs,
        stamp.path,
      );
    });
  }

  /** One transaction for all. */
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

  /** BM25 counts rows that went until this is called (`correctTotals`). Never within a transaction. Cheap when none went. */
  settle({ tolerated }: { tolerated?: number } = {}): void {
    if (tolerated !== undefined && (this.forgotten === 0 || this.forgotten <= tolerated * this.chunkCount()))
      return;
    correctTotals(this, "chunk_terms");
    correctTotals(this, "commit_terms");
    this.forgotten = 0;
  }

  // Reading

  known(below?: string): Map<string, KnownFile> {
    const where =
      below === undefined ? "" : "WHERE path = @below OR (path > @below || '/' AND path < @below || '0')";
    const rows = this.prepare(`SELECT path, size, mtime_ms AS mtimeMs, hash FROM files ${where}`).all(
      below === undefined ? {} : { below },
    ) as KnownFile[];
    return new Map(rows.map((row) => [row.path, row]));
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
      termBytes: this.prepare("SELECT coalesce(sum(length(block)), 0) FROM chunk_terms_data")
        .pluck()
        .get() as number,
    };
  }

  chunkCount(): number {
    return this.once(
      "chunk count",
      () => this.prepare("SELECT count(*) FROM chunks").pluck().get() as number,
    );
  }

  files(): IndexEntry[] {
    return this.prepare(
      "SELECT id, path, language FROM files WHERE skip_reason IS NULL",
    ).all() as IndexEntry[];
  }

  skipped(): { path: string; reason: SkipReason; size: number }[] {
    return this.prepare(
      "SELECT path, skip_reason AS reason, size FROM files WHERE skip_reason IS NOT NULL ORDER BY path",
    ).all() as { path: string; reason: SkipReason; size: number }[];
  }

  lastIndexedAt(): number | null {
    return (this.prepare("SELECT max(indexed_at) AS at FROM files").get() as { at: number | null }).at;
  }

  outlines(ids: readonly ChunkId[]): ChunkOutline[] {
    const remembered = this.cacheUntilWrite<ChunkId, ChunkOutline>("outlines");
    const found: ChunkOutline[] = [];
    const unknown: ChunkId[] = [];
    for (const id of ids) {
      const outline = remembered.get(id);
      if (outline) found.push(outline);
      else unknown.push(id);
    }
    if (unknown.length === 0) return found;
    const rows = this.prepare(
      `SELECT c.id, c.file_id AS file, '' AS path, c.level, c.name, c.parent_name AS parentName,
         c.start_line AS startLine
       FROM json_each(?) wanted JOIN chunks c ON c.id = wanted.value`,
    ).all(JSON.stringify(unknown)) as ChunkOutline[];
    for (const row of rows) {
      row.path = this.pathOf(row.file);
      remembered.set(row.id, row);
    }
    return found.concat(rows);
  }

  private readonly paths = new Map<FileId, string>();

  /** Remembered: every search meets the same files again. */
  private pathOf(file: FileId): string {
    let path = this.paths.get(file);
    if (path === undefined) {
      const row = this.prepare("SELECT path FROM files WHERE id = ?").get(file) as
        | { path: string }
        | undefined;
      path = row?.path ?? "";
      if (this.paths.size >= maxPaths) this.paths.clear();
      this.paths.set(file, path);
    }
    return path;
  }

  chunks(ids: readonly ChunkId[]): StoredChunk[] {
    const rows = this.storedChunks("json_each(?) wanted JOIN chunks c ON c.id = wanted.value", ids);
    const byId = new Map(rows.map((row) => [row.id, row]));
    return ids.flatMap((id) => byId.get(id) ?? []);
  }

  chunksOf(files: readonly FileId[]): StoredChunk[] {
    return this.storedChunks("json_each(?) wanted JOIN chunks c ON c.file_id = wanted.value", files);
  }

  private storedChunks(from: string, wanted: readonly (ChunkId | FileId)[]): StoredChunk[] {
    return this.prepare(
      `SELECT c.id, c.uid, c.file_id AS file, f.path, f.size, f.mtime_ms AS mtimeMs, f.language,
         c.parent_uid AS parentUid, c.parent_name AS parentName, c.level, c.kind, c.name, c.signature,
         c.start_line AS startLine, c.end_line AS endLine
       FROM ${from} JOIN files f ON f.id = c.file_id`,
    ).all(JSON.stringify(wanted)) as StoredChunk[];
  }
}
