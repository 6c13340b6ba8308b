import {
  type ColumnWeights,
  filterRows,
  insertTexts,
  removeTexts,
  scoreRows,
  type TextScores,
} from "../../sqlite/full-text.ts";
import { sessionCuts } from "../../tables/chunks.ts";
import { selectColumns, upsertInto } from "../../tables/statements.ts";
import type { TableRow } from "../../tables/table.ts";
import type { Memory } from "../memory.ts";

/** Words of whole sessions: their titles, prompts and results. */

/** Sessions that are indexed at once: a tenth of a second. */
const sessionsPerBatch = 50;

/**
 * Adds sessions that the full-text index lacks: new ones, and those of which something has changed (triggers of the
 * schema remove these). Cheap when none is missing.
 * @returns false when more may be missing
 */
export function indexSessions(memory: Memory): boolean {
  const missing = memory.readColumn<number>(
    "SELECT id FROM sessions WHERE id NOT IN (SELECT rowid FROM session_terms) LIMIT ?",
    sessionsPerBatch,
  );
  if (missing.length === 0) return true;
  memory.runInTransaction(() => {
    for (const { id, title, branches, prompts, summary } of readSessionTexts(memory, missing)) {
      // Somebody else may have indexed it since.
      removeTexts(memory, "session_terms", id);
      const texts = [title, branches, prompts, summary];
      insertTexts(
        memory,
        "session_terms",
        id,
        texts.map((text) => text ?? ""),
      );
    }
  });
  return missing.length < sessionsPerBatch;
}

/** Adds all sessions that the full-text index lacks. */
export function indexAllSessions(memory: Memory): void {
  while (!indexSessions(memory));
}

/** Indexes a session again, as the rules for words may have changed. */
export function indexAgain(memory: Memory, sessionId: number): void {
  removeTexts(memory, "session_terms", sessionId);
  indexSessions(memory);
}

interface SessionTexts {
  id: number;
  title: string | null;
  /** Branches that it was on, and what was asked in it, one a line. */
  branches: string | null;
  prompts: string | null;
  /** Of all of it, or the most; the agent's own, of what it compacted, are found by their chunks. */
  summary: string | null;
}

function readSessionTexts(memory: Memory, ids: readonly number[]): SessionTexts[] {
  return memory.all<SessionTexts>(
    `SELECT s.id, s.title,
       (SELECT group_concat(branch, char(10)) FROM
         (SELECT s.branch UNION SELECT branch FROM turns WHERE session_id = s.id)) AS branches,
       (SELECT group_concat(prompt, char(10)) FROM turns WHERE session_id = s.id AND number > 0) AS prompts,
       (SELECT text FROM summaries WHERE session_id = s.id AND source <> 'compaction'
        ORDER BY source = 'llm' DESC, up_to_turn DESC LIMIT 1) AS summary
     FROM sessions s WHERE s.id IN (SELECT value FROM json_each(?))`,
    ids,
  );
}

/** How much a column counts in what a session was asked. */
export interface AskedWeights {
  title: number;
  branch: number;
  prompts: number;
}

/**
 * Sessions that hold any of the tokens, by BM25: in what they are called and were asked, and in their summaries. One by
 * one, as a word is rare or common in each of the two.
 * @param until only sessions that ended by then: what they are called may come from later; null: all
 */
export function matchSessions(
  memory: Memory,
  tokens: readonly string[],
  { title, branch, prompts }: AskedWeights,
  until: number | null,
): { asked: TextScores; summary: TextScores } {
  const within =
    until === null
      ? null
      : new Set(memory.readColumn<number>("SELECT id FROM sessions WHERE last_at <= ?", until));
  const scoreMatching = (weights: ColumnWeights) => {
    const scores = scoreRows(memory, "session_terms", tokens, weights);
    return within === null ? scores : filterRows(scores, within);
  };
  return { asked: scoreMatching({ title, branch, prompts }), summary: scoreMatching({ summary: 1 }) };
}

/** Rows of sessions in all. */
export function countSessions(memory: Memory): number {
  return memory.readValue<number>("SELECT count(*) FROM sessions");
}

/** What a session was cut into chunks by. */
export type SessionCut = Omit<TableRow<typeof sessionCuts>, "sessionId">;

/** What sessions are cut by now; readers by agent, 1 for those that are missing. */
export interface CurrentCut extends Omit<SessionCut, "reader"> {
  readers: Readonly<Record<string, number>>;
}

/** What a session was cut by; null: its first turns were not cut yet. */
export function cutOfSession(memory: Memory, sessionId: number): SessionCut | null {
  return memory.get<SessionCut | null>(
    `SELECT ${selectColumns(sessionCuts, { except: ["sessionId"] })} FROM session_cuts WHERE session_id = ?`,
    sessionId,
  );
}

export function saveCut(memory: Memory, sessionId: number, cut: SessionCut): void {
  memory.change(upsertInto(sessionCuts, ["sessionId"]), { sessionId, ...cut });
}

const outdated = `FROM sessions s LEFT JOIN session_cuts c ON c.session_id = s.id
  WHERE (c.rules IS NOT @rules OR c.settings IS NOT @settings
    OR c.reader IS NOT coalesce((SELECT value FROM json_each(@readers) WHERE key = s.agent), 1))
  AND EXISTS (SELECT 1 FROM turns WHERE session_id = s.id)`;

const toCutParameters = ({ rules, settings, readers }: CurrentCut) => ({
  rules,
  settings,
  readers: JSON.stringify(readers),
});

/** Rows of the sessions that were cut by something else and have turns to be cut again, the newest first. */
export function listOutdatedSessions(memory: Memory, current: CurrentCut): number[] {
  return memory.readColumn<number>(
    `SELECT s.id ${outdated} ORDER BY s.last_at DESC, s.id DESC`,
    toCutParameters(current),
  );
}

/** How many sessions are to be cut again, and how many have turns. */
export function cutCounts(memory: Memory, current: CurrentCut): { outdated: number; all: number } {
  return memory.get<{ outdated: number; all: number }>(
    `SELECT (SELECT count(*) ${outdated}) AS outdated, (SELECT count(DISTINCT session_id) FROM turns) AS "all"`,
    toCutParameters(current),
  );
}
