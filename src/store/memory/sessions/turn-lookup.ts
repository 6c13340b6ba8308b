import type { ChunkFilter } from "../chunks/chunk-filter.ts";
import type { Memory } from "../memory.ts";

/** Turns by what they did and when: what attribution asks. Times are milliseconds since the epoch, both ends included. */

/** A turn whose lines may be read: which one, and what shows whether it has changed. */
export interface FoundTurn {
  id: number;
  sessionUid: string;
  cwd: string;
  number: number;
  endedAt: number | null;
  /** Of its packed lines. Bytes. */
  size: number;
}

/** As `FoundTurn`, with what is asked of turns. */
export interface TimedTurn extends FoundTurn {
  startedAt: number;
  /** It did more than read. */
  hasActed: 0 | 1;
}

/** All turns whose time is known, those that began last first. */
export function listTurnsByTime(memory: Memory): TimedTurn[] {
  return memory.all<TimedTurn>(`SELECT t.id, s.uid AS sessionUid, s.cwd, t.number, t.started_at AS startedAt, t.ended_at AS endedAt,
      length(t.content) AS size,
      EXISTS (SELECT 1 FROM turn_actions WHERE turn_id = t.id AND action <> 'read') AS hasActed
    FROM turns t JOIN sessions s ON s.id = t.session_id
    WHERE t.started_at IS NOT NULL ORDER BY t.started_at DESC`);
}

/** The rows of the turns that changed one of the files. */
export function findTurnsThatChanged(memory: Memory, paths: readonly string[]): Set<number> {
  return new Set(
    memory.readColumn<number>(
      "SELECT turn_id FROM turn_files WHERE how <> 'read' AND path IN (SELECT value FROM json_each(?))",
      paths,
    ),
  );
}

const underWay = "t.started_at <= @until AND coalesce(t.ended_at, t.started_at) >= @since";

/** Turns that were under way between `since` and `until` and changed one of the files, earliest first. */
export function listTurnsThatTouched(
  memory: Memory,
  { paths, since, until }: { paths: readonly string[]; since: number; until: number },
): { sessionUid: string; turn: number }[] {
  return memory.all<{ sessionUid: string; turn: number }>(
    `SELECT DISTINCT s.uid AS sessionUid, t.number AS turn
     FROM turn_files f JOIN turns t ON t.id = f.turn_id JOIN sessions s ON s.id = t.session_id
     WHERE f.path IN (SELECT value FROM json_each(@paths)) AND f.how <> 'read' AND ${underWay}
     ORDER BY t.started_at`,
    { paths, since, until },
  );
}

/** When the first turn of all began; null where there is none. */
export function findFirstTurnAt(memory: Memory): number | null {
  return memory.readValue<number | null>("SELECT min(started_at) FROM turns WHERE started_at > 0");
}

/** The session with the first turn of all; null where there is none. */
export function findFirstSession(
  memory: Memory,
): { uid: string; agent: string; startedAt: number; readAt: number | null } | null {
  return memory.get<ReturnType<
    typeof findFirstSession
  > | null>(`SELECT s.uid, s.agent, t.started_at AS startedAt,
      (SELECT min(read_at) FROM transcripts WHERE session_id = s.id AND read_at > 0) AS readAt
    FROM turns t JOIN sessions s ON s.id = t.session_id
    WHERE t.started_at > 0 ORDER BY t.started_at LIMIT 1`);
}

/** The number of the last turn of a session that had begun at a time; null when none had, or it is unknown. */
export function findLastTurnBy(memory: Memory, sessionId: number, at: number): number | null {
  return memory.readValue<number | null>(
    "SELECT max(number) FROM turns WHERE session_id = ? AND started_at <= ? AND NOT abandoned",
    sessionId,
    at,
  );
}

/** A turn that is no abandoned branch, and what shows whether its lines are others than before. */
export interface StampedTurn {
  id: number;
  number: number;
  prompt: string;
  stamp: string;
}

/** The turns of a session from one number to another, both included, in order; without those of abandoned branches. */
export function listTurnsBetween(
  memory: Memory,
  sessionId: number,
  first: number,
  last: number,
): StampedTurn[] {
  return memory.all<StampedTurn>(
    `SELECT id, number, prompt, coalesce(ended_at, 0) || ' ' || length(content) AS stamp FROM turns
     WHERE session_id = ? AND number BETWEEN ? AND ? AND NOT abandoned ORDER BY number`,
    sessionId,
    first,
    last,
  );
}

/** The branch that a turn was on; null where unknown. */
export function findBranchOfTurn(memory: Memory, sessionUid: string, number: number): string | null {
  return memory.readValue<string | null>(
    "SELECT turns.branch FROM turns JOIN sessions ON sessions.id = session_id WHERE uid = ? AND number = ?",
    sessionUid,
    number,
  );
}

/** The packed lines of a turn; null when it is gone. */
export function findContentById(memory: Memory, id: number): Uint8Array | null {
  const row = memory.prepare("SELECT content FROM turns WHERE id = ?").get(id);
  return (row as { content: Uint8Array } | undefined)?.content ?? null;
}

/** Which words a turn may have, as a filter; null when it is gone. */
export function findWordsById(memory: Memory, id: number): Uint8Array | null {
  const row = memory.prepare("SELECT words FROM turns WHERE id = ?").get(id);
  return (row as { words: Uint8Array } | undefined)?.words ?? null;
}

/** A turn whose archived lines may be searched. */
export interface ArchivedTurn {
  /** Its row. */
  id: number;
  sessionId: number;
  number: number;
  startedAt: number | null;
}

/** The turns that a filter lets through; what it says of chunks alone (types, kinds) is left aside. */
type TurnFilter = Omit<ChunkFilter, "types" | "kinds" | "eventTypes" | "abandoned">;

/** Turns, the newest first; by session: those of the newest session first. */
export function listArchivedTurns(
  memory: Memory,
  filter: TurnFilter,
  { bySession }: { bySession: boolean },
): ArchivedTurn[] {
  const { sessionIds, withheld, files, turns, since, until, branch, agent } = filter;
  const order = bySession ? "s.last_at DESC, s.id DESC, t.number DESC" : "t.started_at DESC, t.id DESC";
  return memory.all<ArchivedTurn>(
    `SELECT t.id, t.session_id AS sessionId, t.number, t.started_at AS startedAt
     FROM turns t JOIN sessions s ON s.id = t.session_id
     WHERE (@sessionIds IS NULL OR s.id IN (SELECT value FROM json_each(@sessionIds)))
       AND (@withheld IS NULL OR s.id NOT IN (SELECT value FROM json_each(@withheld)))
       AND (@since IS NULL OR coalesce(t.ended_at, t.started_at) >= @since)
       AND (@until IS NULL OR t.started_at <= @until)
       AND (@branch IS NULL OR t.branch = @branch) AND (@agent IS NULL OR s.agent = @agent)
       AND (@files IS NULL OR EXISTS (SELECT 1 FROM turn_files f WHERE f.turn_id = t.id
         AND f.path IN (SELECT value FROM json_each(@files))))
       AND (@turns IS NULL OR EXISTS (SELECT 1 FROM json_each(@turns) w
         WHERE w.value ->> 'sessionId' = s.id AND coalesce(w.value ->> 'turn' = t.number, TRUE)))
     ORDER BY ${order}`,
    {
      since,
      until,
      branch,
      agent,
      sessionIds,
      withheld,
      files,
      turns,
    },
  );
}

/** The prompts of turns; those that are not stored are missing. */
export function readPromptsOfTurns(
  memory: Memory,
  places: readonly { sessionId: number; turn: number }[],
): { sessionId: number; turn: number; prompt: string }[] {
  return memory.all<{ sessionId: number; turn: number; prompt: string }>(
    `SELECT t.session_id AS sessionId, t.number AS turn, t.prompt FROM json_each(@places) p
       JOIN turns t ON t.session_id = json_extract(p.value, '$.sessionId') AND t.number = json_extract(p.value, '$.turn')`,
    { places },
  );
}
