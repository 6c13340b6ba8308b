import { hashFnv1a } from "../../../base/text/hash.ts";
import {
  insertAllInto,
  readRow,
  selectColumns,
  storeRow,
  storeRows,
  upsertInto,
} from "../../tables/statements.ts";
import type { TableRow } from "../../tables/table.ts";
import { lines, transcripts } from "../../tables/transcripts.ts";
import type { Memory } from "../memory.ts";

/** A file that a session is, or was, written to, and how far it was read. */
export type TranscriptRecord = TableRow<typeof transcripts>;

/** Of a transcript, so many damaged lines are kept. */
const maxDamaged = 100;

const columns = selectColumns(transcripts);

const readTranscriptRow = (row: object): TranscriptRecord => readRow(transcripts, row);

export function findTranscriptByPath(memory: Memory, path: string): TranscriptRecord | null {
  const row = memory.prepare(`SELECT ${columns} FROM transcripts WHERE path = ?`).get(path);
  return row ? readTranscriptRow(row) : null;
}

/** Files of this name that a session was read from, wherever they lay. */
export function listTranscriptsNamed(memory: Memory, name: string, sessionUid: string): TranscriptRecord[] {
  return memory
    .all<object>(
      `SELECT ${columns} FROM transcripts
       WHERE session_id = (SELECT id FROM sessions WHERE uid = @sessionUid)
         AND substr(path, -length(@name)) = @name AND substr(path, -length(@name) - 1, 1) IN ('/', '\\')`,
      { name, sessionUid },
    )
    .map(readTranscriptRow);
}

/** A file that was read lies elsewhere now. */
export function moveTranscript(memory: Memory, from: string, to: string): void {
  memory.runInTransaction(() => {
    memory.prepare("DELETE FROM transcripts WHERE path = ?").run(to);
    memory.prepare("UPDATE transcripts SET path = ? WHERE path = ?").run(to, from);
  });
}

/** All that were read, or those of a session, by path. */
export function listTranscripts(memory: Memory, sessionId: number | null = null): TranscriptRecord[] {
  return memory
    .all<object>(
      `SELECT ${columns} FROM transcripts WHERE @sessionId IS NULL OR session_id = @sessionId ORDER BY path`,
      { sessionId },
    )
    .map(readTranscriptRow);
}

/** Stores how far a file was read; lines skipped and damaged since then are added to those before. */
export function saveTranscript(
  memory: Memory,
  step: Omit<TranscriptRecord, "id" | "damaged"> & {
    damaged?: readonly TranscriptRecord["damaged"][number][] | undefined;
  },
): void {
  memory.runInTransaction(() => {
    const before = findTranscriptByPath(memory, step.path);
    const skipped = { ...before?.skipped };
    const damaged = [...(before?.damaged ?? []), ...(step.damaged ?? [])].slice(0, maxDamaged);
    for (const [reason, n] of Object.entries(step.skipped)) skipped[reason] = (skipped[reason] ?? 0) + n;
    memory
      .prepare(upsertInto(transcripts, ["path"]))
      .run(storeRow(transcripts, { ...step, skipped, damaged }));
  });
}

/** Transcripts with damaged lines, each with the session that was read from it. */
export function listDamagedTranscripts(memory: Memory): (TranscriptRecord & { session: string | null })[] {
  return memory
    .all<{ session: string | null }>(
      `SELECT ${columns}, (SELECT uid FROM sessions WHERE id = session_id) AS session FROM transcripts
       WHERE damaged <> '[]' ORDER BY path`,
    )
    .map((row) => ({ ...readTranscriptRow(row), session: row.session }));
}

/** Resets a file's cursor: it will be read from the start. What is stored stays. */
export function forgetTranscript(memory: Memory, path: string): void {
  memory.change("DELETE FROM transcripts WHERE path = ?", path);
}

/** How far each file was read. Bytes. */
export const readOffsets = (memory: Memory): { path: string; offset: number }[] =>
  memory.all<{ path: string; offset: number }>('SELECT path, "offset" FROM transcripts');

/** Those of the files that were never read, also not before the client compressed them. */
export function listUnknownTranscripts(memory: Memory, paths: readonly string[]): string[] {
  return memory.readColumn<string>(
    `SELECT value AS path FROM json_each(?)
     WHERE NOT EXISTS (SELECT 1 FROM transcripts WHERE path IN (value, IIF(value LIKE '%.zst', substr(value, 1, length(value) - 4), value)))`,
    paths,
  );
}

/** A line of conversation that is stored. */
export type LineRecord = Omit<TableRow<typeof lines>, "id" | "sessionId" | "uidHash">;

/** SQLite stores a signed number of 32 bits in four bytes. */
const hashLine = (uid: string): number => hashFnv1a(uid) | 0;

/** Ids as `wantedLines` takes them. */
const toWanted = (uids: readonly string[]) => uids.map((uid) => [uid, hashLine(uid)]);
const wantedLines = "(SELECT value ->> 0 AS uid, value ->> 1 AS hash FROM json_each(?)) AS wanted";

/** The uids that are stored, in any session, or were forgotten: neither must be stored again. */
export function findKnownLines(memory: Memory, uids: readonly string[]): Set<string> {
  return new Set(
    memory.readColumn<string>(
      `SELECT wanted.uid FROM ${wantedLines} WHERE
       EXISTS (SELECT 1 FROM lines WHERE uid_hash = wanted.hash AND lines.uid = wanted.uid)
       OR EXISTS (SELECT 1 FROM forgotten WHERE forgotten.uid = wanted.uid)`,
      toWanted(uids),
    ),
  );
}

/** Adds lines to a session. Those that are stored already are to be left out before: `findKnownLines`. */
export function insertLines(memory: Memory, sessionId: number, given: readonly LineRecord[]): void {
  if (given.length === 0) return;
  const rows = given.map((line) => ({ ...line, sessionId, uidHash: hashLine(line.uid) }));
  memory.change(insertAllInto(lines), storeRows(lines, rows));
}

/** The place of the next line of a session that has a uid. Lines without one take places, too, and are not known here. */
export function findNextSeq(memory: Memory, sessionId: number): number {
  return memory.readValue<number>(
    `SELECT max(coalesce((SELECT max(seq) FROM lines WHERE session_id = @id), -1),
     coalesce((SELECT max(last_seq) FROM chunks WHERE session_id = @id), -1)) + 1 AS next`,
    { id: sessionId },
  );
}

/** Where a line is stored. */
export type LinePlace = Omit<TableRow<typeof lines>, "id" | "uidHash">;

/** Where lines are stored, by uid; those that are not are missing. A turn below 0: it was forgotten, and what follows it in its turn should be. */
export function findPlacesOfLines(memory: Memory, uids: readonly string[]): Map<string, LinePlace> {
  const rows = memory.all<LinePlace>(
    `SELECT ${selectColumns(lines, { of: "lines", except: ["id", "uidHash"] })} FROM ${wantedLines}
     JOIN lines ON lines.uid_hash = wanted.hash AND lines.uid = wanted.uid`,
    toWanted(uids),
  );
  return new Map(rows.map((row) => [row.uid, row]));
}

/** What a session has already: places of its lines, and numbers of its turns; of forgotten ones, too. */
export function findTakenPlaces(
  memory: Memory,
  sessionId: number,
): { places: Set<number>; numbers: Set<number> } {
  const taken = memory.all<{ seq: number; turn: number }>(
    `SELECT seq, ${everTurn} AS turn FROM lines WHERE session_id = ?`,
    sessionId,
  );
  return {
    places: new Set(taken.map(({ seq }) => seq)),
    numbers: new Set([
      ...memory.readColumn<number>("SELECT number FROM turns WHERE session_id = ?", sessionId),
      ...taken.map(({ turn }) => turn),
    ]),
  };
}

/** The turn of a line, whether it was forgotten or not. */
const everTurn = "CASE WHEN turn < 0 THEN -1 - turn ELSE turn END";

/** The number of the last turn that a session ever had, forgotten ones included; null when it had none. */
export function findLastTurnNumber(memory: Memory, sessionId: number): number | null {
  return memory.readValue<number | null>(
    `SELECT max(number) AS last FROM (SELECT max(number) AS number FROM turns WHERE session_id = @id UNION ALL
     SELECT max(${everTurn}) FROM lines WHERE session_id = @id)`,
    { id: sessionId },
  );
}
