import type { Memory } from "../memory.ts";

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
  const rows = memory
    .prepare(
      `SELECT value AS uid FROM json_each(?) WHERE EXISTS (SELECT 1 FROM lines WHERE lines.uid = value)
         OR EXISTS (SELECT 1 FROM forgotten WHERE forgotten.uid = value)`,
    )
    .all(JSON.stringify(uids)) as { uid: string }[];
  return new Set(rows.map(({ uid }) => uid));
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
  const row = memory
    .prepare(
      `SELECT max(coalesce((SELECT max(seq) FROM lines WHERE session_id = @id), -1),
         coalesce((SELECT max(last_seq) FROM chunks WHERE session_id = @id), -1)) + 1 AS next`,
    )
    .get({ id: sessionId });
  return (row as { next: number }).next;
}

/** Where a line is stored, or null. A turn below 0: it was forgotten, and what follows it in its turn should be. */
export function placeOfLine(memory: Memory, uid: string): (LineRecord & { sessionId: number }) | null {
  const row = memory
    .prepare("SELECT uid, session_id AS sessionId, seq, turn FROM lines WHERE uid = ?")
    .get(uid);
  return (row as (LineRecord & { sessionId: number }) | undefined) ?? null;
}

/** Where lines are stored, by uid; those that are not are missing. */
export function placesOfLines(
  memory: Memory,
  uids: readonly string[],
): Map<string, LineRecord & { sessionId: number }> {
  const rows = memory
    .prepare(
      `SELECT uid, session_id AS sessionId, seq, turn FROM lines WHERE uid IN (SELECT value FROM json_each(?))`,
    )
    .all(JSON.stringify(uids)) as (LineRecord & { sessionId: number })[];
  return new Map(rows.map((row) => [row.uid, row]));
}

/** What a session has already: places of its lines, and numbers of its turns; of forgotten ones, too. */
export function takenPlaces(
  memory: Memory,
  sessionId: number,
): { places: Set<number>; numbers: Set<number> } {
  const lines = memory
    .prepare(`SELECT seq, ${everTurn} AS turn FROM lines WHERE session_id = ?`)
    .all(sessionId) as { seq: number; turn: number }[];
  const turns = memory.prepare("SELECT number FROM turns WHERE session_id = ?").pluck();
  return {
    places: new Set(lines.map(({ seq }) => seq)),
    numbers: new Set([...(turns.all(sessionId) as number[]), ...lines.map(({ turn }) => turn)]),
  };
}

/** The turn of a line, whether it was forgotten or not. */
const everTurn = "CASE WHEN turn < 0 THEN -1 - turn ELSE turn END";

/** The number of the last turn that a session ever had, forgotten ones included; null when it had none. */
export function lastTurnNumber(memory: Memory, sessionId: number): number | null {
  const row = memory
    .prepare(
      `SELECT max(number) AS last FROM (SELECT max(number) AS number FROM turns WHERE session_id = @id UNION ALL
         SELECT max(${everTurn}) FROM lines WHERE session_id = @id)`,
    )
    .get({ id: sessionId });
  return (row as { last: number | null }).last;
}
