import { notes } from "../../tables/notes.ts";
import { insertInto, readRow, selectColumns, storeRow } from "../../tables/statements.ts";
import type { Memory } from "../memory.ts";
import type { NoteRecord } from "../memory-records.ts";

const columns = selectColumns(notes);
const readNote = (row: object): NoteRecord => readRow(notes, row);

/** The lines that a note is on; a record of an earlier version says of none. */
export type NotePlace = Pick<
  NoteRecord,
  "path" | "firstLine" | "lastLine" | "headCommit" | "lineKeys" | "keysFrom" | "isRepeated"
>;

export const noPlace: NotePlace = {
  path: null,
  firstLine: null,
  lastLine: null,
  headCommit: null,
  lineKeys: [],
  keysFrom: 0,
  isRepeated: false,
};

/**
 * Adds a note. An existing one stays as it is and only gains what its place lacked; whose words it is, the transcript says
 * better than a hook. A forgotten one is not added again.
 * @returns its row, or null when it was forgotten
 */
export function saveNote(
  memory: Memory,
  note: Omit<NoteRecord, "id" | keyof NotePlace> & Partial<NotePlace>,
): number | null {
  return memory.runInTransaction(() => {
    const isForgotten = memory.has("SELECT 1 FROM forgotten WHERE uid = ?", note.uid);
    if (isForgotten) return null;
    const { id } = memory.get<{ id: number }>(
      `${insertInto(notes)} ON CONFLICT (uid) DO UPDATE SET session_uid = coalesce(session_uid, excluded.session_uid),
         source = CASE WHEN line_uid IS NULL AND excluded.line_uid IS NOT NULL THEN excluded.source ELSE source END,
         turn = coalesce(turn, excluded.turn), line_uid = coalesce(line_uid, excluded.line_uid),
         branch = coalesce(branch, excluded.branch)
       RETURNING id`,
      storeRow(notes, {
        ...noPlace,
        ...note,
        author: note.author ?? null,
        signer: note.signer ?? null,
      }),
    );
    return id;
  });
}

export interface NoteFilter {
  since?: number | null;
  until?: number | null;
  /** Notes that hold every word of it, in any case. */
  search?: string | null;
  sessionUid?: string | null;
  branch?: string | null;
  /** Only those that no prompt of a transcript is known for yet. */
  unbound?: boolean;
  /** Only those on lines of a file, or only others. */
  placed?: boolean | null;
  limit?: number;
}

/** Notes, the latest first. */
export function listStoredNotes(memory: Memory, filter: NoteFilter = {}): NoteRecord[] {
  const {
    since = null,
    until = null,
    sessionUid = null,
    branch = null,
    unbound = false,
    placed = null,
  } = filter;
  const words = (filter.search ?? "")
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "");
  const rows = memory.all<object>(
    `SELECT ${columns} FROM annotations
     WHERE (@since IS NULL OR at >= @since) AND (@until IS NULL OR at <= @until)
       AND (@sessionUid IS NULL OR session_uid = @sessionUid) AND (@branch IS NULL OR branch = @branch)
       AND (NOT @unbound OR (line_uid IS NULL AND session_uid IS NOT NULL))
       AND (@placed IS NULL OR @placed = (path IS NOT NULL))
     ORDER BY at DESC, id DESC`,
    {
      since,
      until,
      sessionUid,
      branch,
      unbound: unbound ? 1 : 0,
      placed: placed === null ? null : Number(placed),
    },
  );
  const found = rows
    .map(readNote)
    .filter(({ note }) => words.every((word) => note.toLowerCase().includes(word)));
  return filter.limit === undefined ? found : found.slice(0, filter.limit);
}

/** Notes that nobody finds by their text. */
export const listNotesWithoutChunk = (memory: Memory): NoteRecord[] =>
  memory
    .all<object>(
      `SELECT ${columns} FROM annotations a WHERE NOT EXISTS (SELECT 1 FROM chunks WHERE annotation_id = a.id)`,
    )
    .map(readNote);

export const findNoteById = (memory: Memory, id: number) => findNote(memory, "id = ?", id);

export const findNoteByUid = (memory: Memory, uid: string) => findNote(memory, "uid = ?", uid);

function findNote(memory: Memory, where: string, value: string | number): NoteRecord | null {
  const row = memory.get<object | null>(`SELECT ${columns} FROM annotations WHERE ${where}`, value);
  return row === null ? null : readNote(row);
}

/** Notes by row; those that are gone are missing. */
export function readNotesByIds(memory: Memory, ids: readonly number[]): Map<number, NoteRecord> {
  const rows = memory.all<object>(
    `SELECT ${columns} FROM annotations WHERE id IN (SELECT value FROM json_each(?))`,
    ids,
  );
  return new Map(rows.map(readNote).map((row) => [row.id, row]));
}
