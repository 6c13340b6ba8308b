import { addTo } from "../../../base/multimap.ts";
import type { SummarySource } from "../../../protocol/values.ts";
import { countRowsByToken } from "../../sqlite/full-text.ts";
import { selectColumns, upsertInto } from "../../tables/statements.ts";
import { summaries } from "../../tables/summaries.ts";
import type { Memory } from "../memory.ts";
import type { SessionChunkId, SummaryRecord } from "../memory-records.ts";
import { listWithheldSessions } from "../privacy/secrets.ts";

const columns = selectColumns(summaries);

/** Better first. */
const sources: readonly SummarySource[] = ["llm", "compaction", "extractive"];
const rank = `CASE source ${sources.map((source, i) => `WHEN '${source}' THEN ${i}`).join(" ")} ELSE 9 END`;

/** Adds a summary, or puts it in place of that of the same source and turns. @returns its row */
export function saveSummary(memory: Memory, summary: Omit<SummaryRecord, "id">): number {
  return memory.runInTransaction(() => {
    const { id } = memory.get<{ id: number }>(
      `${upsertInto(summaries, ["sessionId", "source", "upToTurn"])} RETURNING id`,
      { ...summary },
    );
    return id;
  });
}

/** All summaries of a session, those that cover more turns first; among equal ones the better source first. */
export function listSummaries(memory: Memory, sessionId: number): SummaryRecord[] {
  return memory.all<SummaryRecord>(
    `SELECT ${columns} FROM summaries WHERE session_id = ? ORDER BY up_to_turn DESC, ${rank}`,
    sessionId,
  );
}

/**
 * The summary to show of each session: that of most turns, of these the best source's. An agent's own, made when its
 * context was compacted, is of the turns until then, and the session went on. Sessions without one are missing.
 */
export function findBestSummaries(memory: Memory, sessionIds: readonly number[]): Map<number, SummaryRecord> {
  const rows = memory.all<SummaryRecord>(
    `SELECT ${columns} FROM summaries WHERE session_id IN (SELECT value FROM json_each(?))
     ORDER BY up_to_turn, ${rank} DESC`,
    sessionIds,
  );
  // The best comes last, and stays.
  return new Map(rows.map((row) => [row.sessionId, row]));
}

/** The extract of each session, which says how it ended; sessions without one are missing. */
export function findExtracts(memory: Memory, sessionIds: readonly number[]): Map<number, SummaryRecord> {
  const rows = memory.all<SummaryRecord>(
    `SELECT ${columns} FROM summaries WHERE source = 'extractive' AND session_id IN (SELECT value FROM json_each(?))
     ORDER BY up_to_turn`,
    sessionIds,
  );
  return new Map(rows.map((row) => [row.sessionId, row]));
}

/** Deletes the summaries of a source that cover fewer turns than its last one. */
export function dropOlderSummaries(memory: Memory, sessionId: number, source: SummarySource): void {
  memory.change(
    `DELETE FROM summaries WHERE session_id = @sessionId AND source = @source AND up_to_turn <
     (SELECT max(up_to_turn) FROM summaries WHERE session_id = @sessionId AND source = @source)`,
    { sessionId, source },
  );
}

/** What a language model wrote about chunks, and what it has yet to write. */

export interface SummaryModelWork {
  /** The model's id. */
  model: string;
  /** Whether it writes about chunks as well; these have at least so many characters. Null: it does not. */
  minChunkLength: number | null;
  /** Only of sessions without new lines since then, unless their agent said that they are over. Milliseconds. */
  restsSince: number;
  /** What the model gave no usable answer to before then is asked again. Milliseconds. */
  askedBefore: number;
}

/**
 * The newest session that lacks what a model would write: a summary of all its turns, or of one of its chunks. Not of
 * subagents, nor of what colleagues shared, which is theirs to send; nor one that `scrub.llm` has yet to read.
 */
export function findNextForModel(memory: Memory, work: SummaryModelWork): { id: number; uid: string } | null {
  return findNewestLacking(memory, work, "(ended_at IS NOT NULL OR coalesce(last_at, 0) <= @restsSince)");
}

/** When the last line was said in the session that is the first to rest; null: none is awaited. Milliseconds. */
export function findNextToRest(memory: Memory, work: SummaryModelWork): number | null {
  const found = findNewestLacking(memory, work, "ended_at IS NULL AND last_at > @restsSince", "last_at");
  return found?.lastAt ?? null;
}

function findNewestLacking(
  memory: Memory,
  { model, minChunkLength, restsSince, askedBefore }: SummaryModelWork,
  when: string,
  order = "last_at DESC",
): { id: number; uid: string; lastAt: number | null } | null {
  const found = memory
    .prepare(
      `SELECT id, uid, last_at AS lastAt FROM sessions s
       WHERE parent_id IS NULL AND author IS NULL AND ${when}
         AND id NOT IN (SELECT value FROM json_each(@withheld))
         AND (${lacksSummary} OR (@minChunkLength IS NOT NULL AND EXISTS (
           SELECT 1 FROM chunks WHERE session_id = s.id AND ${lacksChunkSummary})))
       ORDER BY ${order}, id DESC LIMIT 1`,
    )
    .get({
      model,
      minChunkLength,
      restsSince,
      askedBefore,
      withheld: listWithheldSessions(memory),
    });
  return (found ?? null) as { id: number; uid: string; lastAt: number | null } | null;
}

const lastTurn = "(SELECT max(number) FROM turns WHERE session_id = s.id)";
const lacksSummary = `(${lastTurn} > 0
  AND NOT EXISTS (SELECT 1 FROM summaries WHERE session_id = s.id AND source = 'llm' AND up_to_turn >= ${lastTurn})
  AND NOT EXISTS (SELECT 1 FROM unusable_summaries WHERE session_id = s.id AND model = @model AND at > @askedBefore
    AND up_to_turn >= ${lastTurn}))`;
const lacksChunkSummary = `type = 'raw' AND NOT abandoned AND length(text) >= @minChunkLength
  AND NOT EXISTS (SELECT 1 FROM chunk_summaries WHERE chunk_id = chunks.id)`;

/** Whether a session lacks a summary of all its turns by a model. */
export function isModelSummaryMissing(
  memory: Memory,
  sessionId: number,
  { model, askedBefore }: Pick<SummaryModelWork, "model" | "askedBefore">,
): boolean {
  return memory.has(`SELECT 1 FROM sessions s WHERE id = @sessionId AND ${lacksSummary}`, {
    sessionId,
    model,
    askedBefore,
  });
}

/** A model's answer about a session could not be used. */
export function saveUnusable(memory: Memory, sessionId: number, model: string, now = Date.now()): void {
  memory.change(
    `INSERT INTO unusable_summaries (session_id, model, up_to_turn, at)
     SELECT @sessionId, @model, max(number), @now FROM turns WHERE session_id = @sessionId
     ON CONFLICT DO UPDATE SET (model, up_to_turn, at) = (excluded.model, excluded.up_to_turn, excluded.at)`,
    { sessionId, model, now },
  );
}

/** Chunks of a session that lack a summary, in order. */
export function listChunksToSummarise(
  memory: Memory,
  sessionId: number,
  minChunkLength: number,
): { id: SessionChunkId; text: string }[] {
  return memory.all<{ id: SessionChunkId; text: string }>(
    `SELECT id, text FROM chunks WHERE session_id = @sessionId AND ${lacksChunkSummary} ORDER BY position`,
    { sessionId, minChunkLength },
  );
}

/** @param text of which the summary was made: a chunk that has another by now gets none. Empty summary: none can be used */
export function saveChunkSummary(
  memory: Memory,
  { id, text }: { id: SessionChunkId; text: string },
  { model, summary }: { model: string; summary: string },
): void {
  memory.change(
    `INSERT INTO chunk_summaries (chunk_id, model, text)
     SELECT id, @model, @summary FROM chunks WHERE id = @id AND text = @text
     ON CONFLICT DO UPDATE SET (model, text) = (excluded.model, excluded.text)`,
    { id, text, model, summary },
  );
}

/** The summaries of chunks; those without one are missing. */
export function readChunkSummaries(
  memory: Memory,
  ids: readonly SessionChunkId[],
): Map<SessionChunkId, string> {
  const rows = memory.all<{ id: SessionChunkId; text: string }>(
    `SELECT chunk_id AS id, text FROM chunk_summaries
     WHERE chunk_id IN (SELECT value FROM json_each(?)) AND text <> ''`,
    ids,
  );
  return new Map(rows.map(({ id, text }) => [id, text]));
}

/** Drops the summaries of a session's chunks that `isClean` does not pass: its text is being redacted. */
export function dropChunkSummaries(
  memory: Memory,
  sessionId: number,
  isClean: (text: string) => boolean,
): void {
  const rows = memory.all<{ id: number; text: string }>(
    "SELECT chunk_id AS id, s.text FROM chunk_summaries s JOIN chunks ON chunks.id = chunk_id WHERE session_id = ?",
    sessionId,
  );
  const drop = memory.prepare("DELETE FROM chunk_summaries WHERE chunk_id = ?");
  for (const { id, text } of rows) if (!isClean(text)) drop.run(id);
}

/**
 * Replaces what a session is about.
 * @param topics the most telling first
 * @param model that named them; null: our own rules
 */
export function saveTopics(
  memory: Memory,
  sessionId: number,
  topics: readonly string[],
  model: string | null = null,
): void {
  memory.runInTransaction(() => {
    memory.prepare("DELETE FROM session_topics WHERE session_id = ?").run(sessionId);
    const insert = memory.prepare(
      "INSERT INTO session_topics (session_id, position, topic, model) VALUES (?, ?, ?, ?)",
    );
    topics.forEach((topic, position) => void insert.run(sessionId, position, topic, model));
  });
}

/** Whether a language model named what a session is about. */
export function hasModelTopics(memory: Memory, sessionId: number): boolean {
  return memory.has("SELECT 1 FROM session_topics WHERE session_id = ? AND model IS NOT NULL", sessionId);
}

/** What sessions are about, by their rows; those without topics are missing. */
export function readTopicsOfSessions(memory: Memory, ids: readonly number[]): Map<number, string[]> {
  const rows = memory.all<{ id: number; topic: string }>(
    `SELECT session_id AS id, topic FROM session_topics WHERE session_id IN (SELECT value FROM json_each(?))
     ORDER BY session_id, position`,
    ids,
  );
  const found = new Map<number, string[]>();
  for (const { id, topic } of rows) addTo(found, id, topic);
  return found;
}

/** In how many sessions words occur, by their tokens; those in none are missing. */
export const countSessionsByToken = (memory: Memory, tokens: readonly string[]): Map<string, number> =>
  countRowsByToken(memory, "session_terms", tokens);
