import type { Connection } from "../../sqlite/connection.ts";
import type { FileStamp, FileVectors, IndexedFile, SkippedFile } from "../records.ts";
import { buildChunkRows } from "../stored-rows.ts";
import type { SegmentBuilder } from "../words/segment.ts";
import { insertVectors } from "./vector-rows.ts";

/** What is stored of files. To be called in a transaction. */

export function insertSkipped(db: Connection, { path, size, mtimeMs, reason }: SkippedFile): void {
  db.prepare("INSERT INTO files (path, size, mtime_ms, skip_reason, indexed_at) VALUES (?, ?, ?, ?, ?)").run(
    path,
    size,
    mtimeMs,
    reason,
    Date.now(),
  );
}

/** A file with its chunks, their vectors and symbols, and its graph. @param words take the words of the chunks */
export function insertIndexed(
  db: Connection,
  file: IndexedFile,
  words: SegmentBuilder,
  embedded: FileVectors | undefined,
): void {
  const { path, size, mtimeMs, hash, language, lines } = file;
  const { lastInsertRowid: fileId } = db
    .prepare(
      `INSERT INTO files (path, size, mtime_ms, hash, language, lines, syntax_errors, chunks, indexed_at)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    )
    .run(
      path,
      size,
      mtimeMs,
      hash,
      language,
      lines,
      file.hasSyntaxErrors ? 1 : 0,
      file.chunks.length,
      Date.now(),
    );
  if (file.graph) db.prepare("INSERT INTO graphs (file_id, data) VALUES (?, ?)").run(fileId, file.graph);
  const firstChunk = words.next;
  const { chunks, symbols } = buildChunkRows(file, words);
  const insertChunk = db.prepare(
    `INSERT INTO chunks
       (id, uid, file_id, parent_uid, parent_name, level, kind, name, signature, start_line, end_line,
        fingerprint, built)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  for (const chunk of chunks) {
    const { id, uid, parentUid, parentName, level, kind, name, signature, startLine, endLine } = chunk;
    insertChunk.run(
      id,
      uid,
      fileId,
      parentUid,
      parentName,
      level,
      kind,
      name,
      signature,
      startLine,
      endLine,
      chunk.fingerprint,
      chunk.built,
    );
  }
  if (embedded) {
    const levels = file.chunks.map(({ level }) => level);
    insertVectors(db, { fileId: Number(fileId), firstChunk, levels }, embedded);
  }
  const insertSymbol = db.prepare(
    "INSERT INTO symbols (name, kind, line, file_id, chunk_id) VALUES (?, ?, ?, ?, ?)",
  );
  for (const { name, kind, line, chunk } of symbols) insertSymbol.run(name, kind, line, fileId, chunk);
}

/** One whose content is what it was. */
export function updateFileStamp(db: Connection, { size, mtimeMs, path }: FileStamp): void {
  db.prepare("UPDATE files SET size = ?, mtime_ms = ? WHERE path = ?").run(size, mtimeMs, path);
}
