import type { TurnState } from "../../../protocol/values.ts";
import { readRow, selectColumns, storeRow, upsertInto } from "../../tables/statements.ts";
import { turns } from "../../tables/turns.ts";
import { type CommandToStore, saveCommands } from "../commands.ts";
import type { Memory } from "../memory.ts";
import type { TurnFile, TurnRecord } from "../memory-records.ts";
import type { PackedContent } from "./content.ts";

/** A turn to store. */
export interface TurnToStore extends Omit<TurnRecord, "id" | "sessionId" | "state"> {
  state: TurnState;
  /** Left out: those that are stored stay. */
  commands?: readonly CommandToStore[];
  content: PackedContent;
}

const columns = `${selectColumns(turns, { except: ["words", "content"] })},
  (SELECT state FROM turn_states WHERE turn_id = turns.id) AS state,
  (SELECT json_group_object(action, calls) FROM turn_actions WHERE turn_id = turns.id) AS actions,
  (SELECT json_group_array(json_object('path', path, 'how', how) ORDER BY path) FROM turn_files
   WHERE turn_id = turns.id) AS files`;

function readTurnRow(row: object): TurnRecord {
  const turn = readRow<Omit<TurnRecord, "actions" | "files"> & { actions: string; files: string }>(
    turns,
    row,
  );
  return { ...turn, actions: JSON.parse(turn.actions), files: JSON.parse(turn.files) };
}

const upsert = `${upsertInto(turns, ["sessionId", "number"])} RETURNING id`;

/** Adds a turn, or puts it in place of what is stored under its number. @returns its row */
export function saveTurn(memory: Memory, sessionId: number, turn: TurnToStore): number {
  return memory.runInTransaction(() => {
    const { words, json } = turn.content;
    const row = storeRow(turns, { ...turn, sessionId, words, content: json });
    const { id } = memory.get<{ id: number }>(upsert, row);
    memory.prepare("INSERT OR REPLACE INTO turn_states (turn_id, state) VALUES (?, ?)").run(id, turn.state);
    saveActions(memory, id, turn.actions);
    saveFiles(memory, id, turn.files);
    if (turn.commands !== undefined) saveCommands(memory, id, turn.commands);
    return id;
  });
}

function saveActions(memory: Memory, turnId: number, actions: TurnRecord["actions"]): void {
  memory.prepare("DELETE FROM turn_actions WHERE turn_id = ?").run(turnId);
  const insert = memory.prepare("INSERT INTO turn_actions (turn_id, action, calls) VALUES (?, ?, ?)");
  for (const [action, calls] of Object.entries(actions)) insert.run(turnId, action, calls);
}

function saveFiles(memory: Memory, turnId: number, files: readonly TurnFile[]): void {
  memory.prepare("DELETE FROM turn_files WHERE turn_id = ?").run(turnId);
  const insert = memory.prepare("INSERT INTO turn_files (turn_id, path, how) VALUES (?, ?, ?)");
  for (const { path, how } of files) insert.run(turnId, path, how);
}

export function findTurn(memory: Memory, sessionId: number, number: number): TurnRecord | null {
  const row = memory
    .prepare(`SELECT ${columns} FROM turns WHERE session_id = ? AND number = ?`)
    .get(sessionId, number);
  return row ? readTurnRow(row) : null;
}

/** Turns of a session from one number to another, both included, in order; null is the end of the session. */
export function listTurns(
  memory: Memory,
  sessionId: number,
  { first = 0, last = null, limit = -1 }: { first?: number; last?: number | null; limit?: number } = {},
): TurnRecord[] {
  return memory
    .all<object>(
      `SELECT ${columns} FROM turns WHERE session_id = ? AND number BETWEEN ? AND coalesce(?, number)
       ORDER BY number LIMIT ?`,
      sessionId,
      first,
      last,
      limit,
    )
    .map(readTurnRow);
}

/** How many turns of a session are stored. */
export const countTurns = (memory: Memory, sessionId: number): number =>
  memory.readValue<number>("SELECT count(*) FROM turns WHERE session_id = ?", sessionId);

/** The last turn of a session before a number; null where there is none. */
export function findTurnBefore(memory: Memory, sessionId: number, number: number): TurnRecord | null {
  const row = memory.get<object | null>(
    `SELECT ${columns} FROM turns WHERE session_id = ? AND number < ? ORDER BY number DESC LIMIT 1`,
    sessionId,
    number,
  );
  return row && readTurnRow(row);
}

/** When turns began, by session's row and number. */
export function readTurnStarts(
  memory: Memory,
  places: readonly { sessionId: number; turn: number }[],
): (place: { sessionId: number; turn: number }) => number | null {
  const keyOf = (sessionId: number, number: number) => `${sessionId}:${number}`;
  const rows = memory.all<{ sessionId: number; number: number; startedAt: number | null }>(
    `SELECT session_id AS sessionId, number, started_at AS startedAt
     FROM json_each(?) AS place JOIN turns
       ON session_id = place.value ->> 'sessionId' AND number = place.value ->> 'turn'`,
    places.map(({ sessionId, turn }) => ({ sessionId, turn })),
  );
  const starts = new Map(rows.map((row) => [keyOf(row.sessionId, row.number), row.startedAt]));
  return ({ sessionId, turn }) => starts.get(keyOf(sessionId, turn)) ?? null;
}

/** The last turn of each session, apart from abandoned ones: its number, and how it ended where that is stored. */
export function findLastTurns(
  memory: Memory,
  sessionIds: readonly number[],
): Map<number, { number: number; state: TurnRecord["state"] }> {
  const rows = memory.all<{ sessionId: number; number: number; state: TurnRecord["state"] }>(
    `SELECT session_id AS sessionId, max(number) AS number, state
     FROM turns LEFT JOIN turn_states ON turn_id = id
     WHERE session_id IN (SELECT value FROM json_each(?)) AND NOT abandoned GROUP BY session_id`,
    sessionIds,
  );
  return new Map(rows.map(({ sessionId, ...last }) => [sessionId, last]));
}

/** The packed lines of a turn, or null when there is no such turn. */
export function findTurnContent(memory: Memory, sessionId: number, number: number): Uint8Array | null {
  const row = memory
    .prepare("SELECT content FROM turns WHERE session_id = ? AND number = ?")
    .get(sessionId, number);
  return (row as { content: Uint8Array } | undefined)?.content ?? null;
}

/** Number of the turn with which the last group of a session begins; null when it has no turns. */
export function findLastGroupStart(memory: Memory, sessionId: number): number | null {
  const row = memory
    .prepare("SELECT group_start AS start FROM turns WHERE session_id = ? ORDER BY number DESC LIMIT 1")
    .get(sessionId);
  return (row as { start: number } | undefined)?.start ?? null;
}

/** Numbers of the turns of a session that are abandoned branch. */
export function listAbandonedTurns(memory: Memory, sessionId: number): number[] {
  return memory.readColumn<number>("SELECT number FROM turns WHERE session_id = ? AND abandoned", sessionId);
}

/** Sets of exactly these turns of a session that they are abandoned branch, and of its chunks that lie in them. */
export function markAbandoned(memory: Memory, sessionId: number, numbers: readonly number[]): void {
  memory.runInTransaction(() => {
    const given = { sessionId, numbers };
    memory
      .prepare(
        `UPDATE turns SET abandoned = number IN (SELECT value FROM json_each(@numbers))
         WHERE session_id = @sessionId AND abandoned <> (number IN (SELECT value FROM json_each(@numbers)))`,
      )
      .run(given);
    // A chunk is left when every turn of it is.
    memory
      .prepare(
        `UPDATE chunks SET abandoned = NOT abandoned
         WHERE session_id = @sessionId AND type = 'raw' AND abandoned <> NOT EXISTS (
           SELECT 1 FROM turns t WHERE t.session_id = @sessionId AND NOT t.abandoned
             AND t.number BETWEEN chunks.first_turn AND chunks.last_turn)`,
      )
      .run({ sessionId });
  });
}

/** Turns that touched a file, latest first. */
export function listTurnsWithFile(memory: Memory, path: string, limit: number): TurnRecord[] {
  return memory
    .all<object>(
      `SELECT ${columns} FROM turns WHERE id IN (SELECT turn_id FROM turn_files WHERE path = ?)
       ORDER BY started_at DESC NULLS LAST, id DESC LIMIT ?`,
      path,
      limit,
    )
    .map(readTurnRow);
}

/**
 * The turn in which each session first edited a file, or one whose path ends so; the sessions that began last first.
 * @param until only turns that began by then; null: all
 */
export function listFirstEdits(
  memory: Memory,
  edited: { path: string } | { suffix: string },
  { until, limit }: { until: number | null; limit: number },
): { sessionId: number; turn: number }[] {
  const which = "path" in edited ? "f.path = @asked" : "substr(f.path, -length(@asked)) = @asked";
  return memory.all<{ sessionId: number; turn: number }>(
    `SELECT t.session_id AS sessionId, min(t.number) AS turn
     FROM turn_files f JOIN turns t ON t.id = f.turn_id JOIN sessions s ON s.id = t.session_id
     WHERE ${which} AND f.how <> 'read' AND NOT t.abandoned AND (@until IS NULL OR t.started_at <= @until)
     GROUP BY t.session_id ORDER BY s.started_at DESC NULLS LAST, t.session_id DESC LIMIT @limit`,
    { asked: "path" in edited ? edited.path : edited.suffix, until, limit },
  );
}

/** Files that a session's turns touched, each with the strongest way. */
export function listFilesOfSession(memory: Memory, sessionId: number): TurnFile[] {
  const strength = "CASE how WHEN 'write' THEN 3 WHEN 'edit' THEN 2 ELSE 1 END";
  return memory.all<TurnFile>(
    `SELECT path, CASE max(${strength}) WHEN 3 THEN 'write' WHEN 2 THEN 'edit' ELSE 'read' END AS how
     FROM turn_files JOIN turns ON turns.id = turn_id WHERE session_id = ? GROUP BY path ORDER BY path`,
    sessionId,
  );
}

/** Files that several sessions changed, those with the most sessions first. */
export function listContestedFiles(
  memory: Memory,
  limit: number,
): { path: string; sessions: number; lastAt: number | null }[] {
  return memory.all<{ path: string; sessions: number; lastAt: number | null }>(
    `SELECT path, count(DISTINCT session_id) AS sessions, max(coalesce(ended_at, started_at)) AS lastAt
     FROM turn_files JOIN turns ON turns.id = turn_id WHERE how <> 'read' AND NOT abandoned
     GROUP BY path HAVING count(DISTINCT session_id) > 1 ORDER BY sessions DESC, lastAt DESC LIMIT ?`,
    limit,
  );
}

/** Says with which turn the group of each of these turns begins. */
export function saveGroups(memory: Memory, sessionId: number, starts: ReadonlyMap<number, number>): void {
  memory.runInTransaction(() => {
    const update = memory.prepare("UPDATE turns SET group_start = ? WHERE session_id = ? AND number = ?");
    for (const [number, start] of starts) update.run(start, sessionId, number);
  });
}
