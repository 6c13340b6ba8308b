import type { Memory } from "../memory.ts";
import { isOwn } from "./sessions.ts";

/** A file that a session is, or was, written to, and how far it was read. */
export interface TranscriptRecord {
  id: number;
  /** Absolute. */
  path: string;
  agent: string;
  sessionId: number | null;
  /** Bytes read, whole lines. */
  offset: number;
  /** Of the last line read: where the agent's adapter goes on. */
  lineHash: string;
  /** Of the file when it was read. */
  size: number;
  readAt: number;
  /** Lines left out, by reason. */
  skipped: Record<string, number>;
  /** Lines that are no record, or several: the first of them. */
  damaged: DamagedPlace[];
}

/** A line that is not as its client writes them. */
interface DamagedPlace {
  /** Where it begins. Bytes. */
  at: number;
  /** Records that were read from it. */
  saved: number;
  /** Whether something of it was not. */
  isLost: boolean;
}

/** Of a transcript, so many damaged lines are kept. */
const maxDamaged = 100;

type Row = Omit<TranscriptRecord, "skipped" | "damaged"> & { skipped: string; damaged: string };

const columns = `id, path, agent, session_id AS sessionId, offset, line_hash AS lineHash, size, read_at AS readAt,
  skipped, damaged`;

const recordOf = (row: Row): TranscriptRecord => ({
  ...row,
  skipped: JSON.parse(row.skipped),
  damaged: JSON.parse(row.damaged),
});

export function transcriptByPath(memory: Memory, path: string): TranscriptRecord | null {
  const row = memory.prepare(`SELECT ${columns} FROM transcripts WHERE path = ?`).get(path);
  return row ? recordOf(row as Row) : null;
}

/** Files of this name that a session was read from, wherever they lay. */
export function transcriptsNamed(memory: Memory, name: string, sessionUid: string): TranscriptRecord[] {
  return memory
    .all<Row>(
      `SELECT ${columns} FROM transcripts
       WHERE session_id = (SELECT id FROM sessions WHERE uid = @sessionUid)
         AND substr(path, -length(@name)) = @name AND substr(path, -length(@name) - 1, 1) IN ('/', '\\')`,
      { name, sessionUid },
    )
    .map(recordOf);
}

/** A file that was read lies elsewhere now. */
export function moveTranscript(memory: Memory, from: string, to: string): void {
  memory.inTransaction(() => {
    memory.prepare("DELETE FROM transcripts WHERE path = ?").run(to);
    memory.prepare("UPDATE transcripts SET path = ? WHERE path = ?").run(to, from);
  });
}

/** All that were read, or those of a session, by path. */
export function listTranscripts(memory: Memory, sessionId: number | null = null): TranscriptRecord[] {
  return memory
    .all<Row>(
      `SELECT ${columns} FROM transcripts WHERE @sessionId IS NULL OR session_id = @sessionId ORDER BY path`,
      { sessionId },
    )
    .map(recordOf);
}

/** Stores how far a file was read; lines skipped and damaged since then are added to those before. */
export function saveTranscript(
  memory: Memory,
  step: Omit<TranscriptRecord, "id" | "damaged"> & { damaged?: readonly DamagedPlace[] | undefined },
): void {
  memory.inTransaction(() => {
    const before = transcriptByPath(memory, step.path);
    const skipped = { ...before?.skipped };
    const damaged = [...(before?.damaged ?? []), ...(step.damaged ?? [])].slice(0, maxDamaged);
    for (const [reason, n] of Object.entries(step.skipped)) skipped[reason] = (skipped[reason] ?? 0) + n;
    memory
      .prepare(
        `INSERT INTO transcripts (path, agent, session_id, offset, line_hash, size, read_at, skipped, damaged)
         VALUES (@path, @agent, @sessionId, @offset, @lineHash, @size, @readAt, @skipped, @damaged)
         ON CONFLICT (path) DO UPDATE SET (agent, session_id, offset, line_hash, size, read_at, skipped, damaged)
           = (@agent, @sessionId, @offset, @lineHash, @size, @readAt, @skipped, @damaged)`,
      )
      .run({ ...step, skipped: JSON.stringify(skipped), damaged: JSON.stringify(damaged) });
  });
}

/** Transcripts with damaged lines, each with the session that was read from it. */
export function damagedTranscripts(memory: Memory): (TranscriptRecord & { session: string | null })[] {
  return memory
    .all<Row & { session: string | null }>(
      `SELECT ${columns}, (SELECT uid FROM sessions WHERE id = session_id) AS session FROM transcripts
       WHERE damaged <> '[]' ORDER BY path`,
    )
    .map((row) => ({ ...recordOf(row), session: row.session }));
}

/** Resets a file's cursor: it will be read from the start. What is stored stays. */
export function forgetTranscript(memory: Memory, path: string): void {
  memory.change("DELETE FROM transcripts WHERE path = ?", path);
}

/** Files that people's own sessions with an agent were read from, and how far. */
export function ownTranscripts(memory: Memory, agent: string): { path: string; offset: number }[] {
  return memory.all<{ path: string; offset: number }>(
    `SELECT path, "offset" FROM transcripts t JOIN sessions s ON s.id = session_id
     WHERE t.agent = ? AND ${isOwn}`,
    agent,
  );
}

/** Those of the files that were never read, also not before the client compressed them. */
export function unknownTranscripts(memory: Memory, paths: readonly string[]): string[] {
  return memory.column<string>(
    `SELECT value AS path FROM json_each(?)
     WHERE NOT EXISTS (SELECT 1 FROM transcripts WHERE path IN (value, IIF(value LIKE '%.zst', substr(value, 1, length(value) - 4), value)))`,
    paths,
  );
}

/** A line of conversation that is stored. */
export interface LineRecord {
  uid: string;
  /** Order within the session, from 0. */
  seq: number;
  /** Number of its turn; below 0 when that was forgotten. */
  turn: number;
}

/** The uids that are stored, in any session, or were forgotten: neither must be stored again. */
export function knownLines(memory: Memory, uids: readonly string[]): Set<string> {
  return new Set(
    memory.column<string>(
      `SELECT value AS uid FROM json_each(?) WHERE EXISTS (SELECT 1 FROM lines WHERE lines.uid = value)
       OR EXISTS (SELECT 1 FROM forgotten WHERE forgotten.uid = value)`,
      uids,
    ),
  );
}

/** Adds lines to a session. A uid that is stored already is an error: ask `knownLines` first. */
export function insertLines(memory: Memory, sessionId: number, lines: readonly LineRecord[]): void {
  if (lines.length === 0) return;
  memory.inTransaction(() => {
    const insert = memory.prepare("INSERT INTO lines (uid, session_id, seq, turn) VALUES (?, ?, ?, ?)");
    for (const { uid, seq, turn } of lines) insert.run(uid, sessionId, seq, turn);
  });
}

/** The place of the next line of a session that has a uid. Lines without one take places, too, and are not known here. */
export function nextSeq(memory: Memory, sessionId: number): number {
  return memory.value<number>(
    `SELECT max(coalesce((SELECT max(seq) FROM lines WHERE session_id = @id), -1),
     coalesce((SELECT max(last_seq) FROM chunks WHERE session_id = @id), -1)) + 1 AS next`,
    { id: sessionId },
  );
}

/** Where lines are stored, by uid; those that are not are missing. A turn below 0: it was forgotten, and what follows it in its turn should be. */
export function placesOfLines(
  memory: Memory,
  uids: readonly string[],
): Map<string, LineRecord & { sessionId: number }> {
  const rows = memory.all<LineRecord & { sessionId: number }>(
    `SELECT uid, session_id AS sessionId, seq, turn FROM lines WHERE uid IN (SELECT value FROM json_each(?))`,
    uids,
  );
  return new Map(rows.map((row) => [row.uid, row]));
}

/** What a session has already: places of its lines, and numbers of its turns; of forgotten ones, too. */
export function takenPlaces(
  memory: Memory,
  sessionId: number,
): { places: Set<number>; numbers: Set<number> } {
  const lines = memory.all<{ seq: number; turn: number }>(
    `SELECT seq, ${everTurn} AS turn FROM lines WHERE session_id = ?`,
    sessionId,
  );
  return {
    places: new Set(lines.map(({ seq }) => seq)),
    numbers: new Set([
      ...memory.column<number>("SELECT number FROM turns WHERE session_id = ?", sessionId),
      ...lines.map(({ turn }) => turn),
    ]),
  };
}

/** The turn of a line, whether it was forgotten or not. */
const everTurn = "CASE WHEN turn < 0 THEN -1 - turn ELSE turn END";

/** The number of the last turn that a session ever had, forgotten ones included; null when it had none. */
export function lastTurnNumber(memory: Memory, sessionId: number): number | null {
  return memory.value<number | null>(
    `SELECT max(number) AS last FROM (SELECT max(number) AS number FROM turns WHERE session_id = @id UNION ALL
     SELECT max(${everTurn}) FROM lines WHERE session_id = @id)`,
    { id: sessionId },
  );
}
