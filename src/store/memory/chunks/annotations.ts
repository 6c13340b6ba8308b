import { annotations } from "../../tables/annotations.ts";
import { insertInto, selectColumns, storeRow } from "../../tables/statements.ts";
import type { Memory } from "../memory.ts";
import type { AnnotationRecord } from "../memory-records.ts";

const columns = selectColumns(annotations);

/**
 * Adds a note. An existing one stays as it is and only gains what its place lacked; whose words it is, the transcript says
 * better than a hook. A forgotten one is not added again.
 * @returns its row, or null when it was forgotten
 */
export function saveAnnotation(memory: Memory, note: Omit<AnnotationRecord, "id">): number | null {
  return memory.runInTransaction(() => {
    const isForgotten = memory.has("SELECT 1 FROM forgotten WHERE uid = ?", note.uid);
    if (isForgotten) return null;
    const { id } = memory.get<{ id: number }>(
      `${insertInto(annotations)} ON CONFLICT (uid) DO UPDATE SET session_uid = coalesce(session_uid, excluded.session_uid),
         source = CASE WHEN line_uid IS NULL AND excluded.line_uid IS NOT NULL THEN excluded.source ELSE source END,
         turn = coalesce(turn, excluded.turn), line_uid = coalesce(line_uid, excluded.line_uid),
         branch = coalesce(branch, excluded.branch)
       RETURNING id`,
      storeRow(annotations, { ...note, author: note.author ?? null, signer: note.signer ?? null }),
    );
    return id;
  });
}

export interface AnnotationFilter {
  since?: number | null;
  until?: number | null;
  /** Notes that hold every word of it, in any case. */
  search?: string | null;
  sessionUid?: string | null;
  branch?: string | null;
  /** Only those that no prompt of a transcript is known for yet. */
  unbound?: boolean;
  limit?: number;
}

/** Notes, the latest first. */
export function listAnnotations(memory: Memory, filter: AnnotationFilter = {}): AnnotationRecord[] {
  const { since = null, until = null, sessionUid = null, branch = null, unbound = false } = filter;
  const words = (filter.search ?? "")
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "");
  const rows = memory.all<AnnotationRecord>(
    `SELECT ${columns} FROM annotations
     WHERE (@since IS NULL OR at >= @since) AND (@until IS NULL OR at <= @until)
       AND (@sessionUid IS NULL OR session_uid = @sessionUid) AND (@branch IS NULL OR branch = @branch)
       AND (NOT @unbound OR (line_uid IS NULL AND session_uid IS NOT NULL))
     ORDER BY at DESC, id DESC`,
    { since, until, sessionUid, branch, unbound: unbound ? 1 : 0 },
  );
  const found = rows.filter(({ note }) => words.every((word) => note.toLowerCase().includes(word)));
  return filter.limit === undefined ? found : found.slice(0, filter.limit);
}

/** Notes that nobody finds by their text. */
export const listAnnotationsWithoutChunk = (memory: Memory): AnnotationRecord[] =>
  memory.all<AnnotationRecord>(
    `SELECT ${columns} FROM annotations a WHERE NOT EXISTS (SELECT 1 FROM chunks WHERE annotation_id = a.id)`,
  );

export function findAnnotationById(memory: Memory, id: number): AnnotationRecord | null {
  return memory.get<AnnotationRecord | null>(`SELECT ${columns} FROM annotations WHERE id = ?`, id);
}

export function findAnnotationByUid(memory: Memory, uid: string): AnnotationRecord | null {
  return memory.get<AnnotationRecord | null>(`SELECT ${columns} FROM annotations WHERE uid = ?`, uid);
}

/** Notes by row; those that are gone are missing. */
export function readAnnotationsByIds(memory: Memory, ids: readonly number[]): Map<number, AnnotationRecord> {
  const rows = memory.all<AnnotationRecord>(
    `SELECT ${columns} FROM annotations WHERE id IN (SELECT value FROM json_each(?))`,
    ids,
  );
  return new Map(rows.map((row) => [row.id, row]));
}
