import type { Queryable } from "../../postgres/server.ts";
import type { ChunkId, ChunkOutline, FileId, StoredChunk } from "../port.ts";
import type { FileChange } from "../records.ts";
import { chunkRows } from "../stored-rows.ts";
import { SegmentBuilder } from "../words/segment.ts";
import { type Change, jsonRows, type Snapshot } from "./rows.ts";
import type { PostgresVectors } from "./vectors.ts";
import type { PostgresWords } from "./words.ts";

/** What is stored of files and their chunks. */

/** Files with their chunks, symbols and graphs; their words and vectors go where these are kept. */
export async function insertFiles(
  change: Change,
  changes: readonly FileChange[],
  kept: { words: PostgresWords; vectors: PostgresVectors },
): Promise<void> {
  const words = new SegmentBuilder(change.nextChunk);
  const rows = {
    files: [] as object[],
    chunks: [] as object[],
    symbols: [] as object[],
    graphs: [] as object[],
  };
  const embedded: Parameters<PostgresVectors["add"]>[1][number][] = [];
  const now = Date.now();
  for (const file of changes) {
    const id = change.nextFile++;
    if (file.status === "skipped") {
      rows.files.push({
        id,
        path: file.path,
        size: file.size,
        mtime: file.mtimeMs,
        reason: file.reason,
        at: now,
      });
    } else if (file.status === "indexed") {
      const { path, size, mtimeMs: mtime, hash, language, vectors } = file;
      rows.files.push({ id, path, size, mtime, hash, language, chunks: file.chunks.length, at: now });
      const firstChunk = words.next;
      const { chunks, symbols } = chunkRows(file, words);
      rows.chunks.push(...chunks.map((chunk) => ({ ...chunk, file: id })));
      rows.symbols.push(...symbols.map((symbol) => ({ ...symbol, file: id })));
      if (file.graph) rows.graphs.push({ file: id, data: Buffer.from(file.graph).toString("base64") });
      if (vectors) {
        const levels = file.chunks.map(({ level }) => level);
        embedded.push({ file: id, firstChunk, levels, given: vectors });
      }
    }
  }
  if (rows.files.length === 0) return;
  const { sql, project } = change;
  await sql`
    INSERT INTO pommel_index_3.files (project, id, path, size, mtime_ms, skip_reason, hash, language, chunks, indexed_at)
    SELECT ${project}, id, path, size, mtime, reason, hash, language, coalesce(chunks, 0), at
    FROM json_to_recordset(${jsonRows(rows.files)}::text::json) AS r (id integer, path text, size bigint, mtime bigint,
      reason text, hash text, language text, chunks integer, at bigint)`;
  await sql`
    INSERT INTO pommel_index_3.chunks (project, id, uid, file, parent_uid, parent_name, level, kind, name, signature, start_line, end_line,
      fingerprint, built)
    SELECT ${project}, id, uid, file, "parentUid", "parentName", level, kind, name, signature, "startLine", "endLine", fingerprint, built
    FROM json_to_recordset(${jsonRows(rows.chunks)}::text::json) AS r (id integer, uid text, file integer, "parentUid" text,
      "parentName" text, level text, kind text, name text, signature text, "startLine" integer, "endLine" integer,
      fingerprint integer, built smallint)`;
  await sql`
    INSERT INTO pommel_index_3.symbols (project, key, name, kind, file, chunk)
    SELECT ${project}, key, name, kind, file, chunk
    FROM json_to_recordset(${jsonRows(rows.symbols)}::text::json)
      AS r (key text, name text, kind text, file integer, chunk integer)`;
  await sql`
    INSERT INTO pommel_index_3.graphs (project, file, data) SELECT ${project}, file, decode(data, 'base64')
    FROM json_to_recordset(${jsonRows(rows.graphs)}::text::json) AS r (file integer, data text)`;
  await kept.words.add(change, words);
  change.nextChunk = words.next;
  if (embedded.length > 0) await kept.vectors.add(change, embedded);
}

/** Those whose content is what it was. */
export async function restamp({ sql, project }: Change, changes: readonly FileChange[]): Promise<void> {
  if (changes.length === 0) return;
  await sql`
    UPDATE pommel_index_3.files SET size = r.size, mtime_ms = r."mtimeMs"
    FROM json_to_recordset(${jsonRows(changes)}::text::json) AS r (path text, size bigint, "mtimeMs" bigint)
    WHERE files.project = ${project} AND files.path = r.path`;
}

export async function chunksIn({ sql, project }: Snapshot, files: readonly FileId[]): Promise<Set<number>> {
  const rows = await sql<{ id: number }[]>`
    SELECT id FROM pommel_index_3.chunks WHERE project = ${project} AND file = ANY(${[...files] as number[]}::integer[])`;
  return new Set(rows.map(({ id }) => id));
}

export function outlinesOf({ sql, project }: Snapshot, ids: readonly ChunkId[]): Promise<ChunkOutline[]> {
  return sql<ChunkOutline[]>`
    SELECT c.id, c.file, f.path, c.level, c.name, c.parent_name AS "parentName", c.start_line AS "startLine",
      c.end_line AS "endLine", c.fingerprint, c.built
    FROM pommel_index_3.chunks c JOIN pommel_index_3.files f ON f.project = ${project} AND f.id = c.file
    WHERE c.project = ${project} AND c.id = ANY(${[...ids] as number[]}::integer[])`;
}

export function storedChunks(
  sql: Queryable,
  project: number,
  column: "id" | "file",
  wanted: readonly (ChunkId | FileId)[],
): Promise<StoredChunk[]> {
  return sql<StoredChunk[]>`
    SELECT c.id, c.uid, c.file, f.path, f.size, f.mtime_ms AS "mtimeMs", f.language, c.parent_uid AS "parentUid",
      c.parent_name AS "parentName", c.level, c.kind, c.name, c.signature, c.start_line AS "startLine",
      c.end_line AS "endLine", c.fingerprint, c.built
    FROM pommel_index_3.chunks c JOIN pommel_index_3.files f ON f.project = ${project} AND f.id = c.file
    WHERE c.project = ${project} AND c.${sql(column)} = ANY(${[...wanted] as number[]}::integer[])`;
}
