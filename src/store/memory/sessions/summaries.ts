import type { Memory } from "../memory.ts";
import type { SummaryRecord, SummarySource } from "../memory-records.ts";

const columns = `id, session_id AS sessionId, source, up_to_turn AS upToTurn, at, model, text`;

/** Better first. */
const sources: readonly SummarySource[] = ["llm", "compaction", "extractive"];
const rank = `CASE source ${sources.map((source, i) => `WHEN '${source}' THEN ${i}`).join(" ")} ELSE 9 END`;

/** Adds a summary, or puts it in place of that of the same source and turns. @returns its row */
export function saveSummary(memory: Memory, summary: Omit<SummaryRecord, "id">): number {
  return memory.inTransaction(() => {
    const { id } = memory
      .prepare(
        `INSERT INTO summaries (session_id, source, up_to_turn, at, model, text)
         VALUES (@sessionId, @source, @upToTurn, @at, @model, @text)
         ON CONFLICT (session_id, source, up_to_turn) DO UPDATE SET (at, model, text) = (@at, @model, @text)
         RETURNING id`,
      )
      .get({ ...summary }) as { id: number };
    return id;
  });
}

/** All summaries of a session, those that cover more turns first; among equal ones the better source first. */
export function summariesOf(memory: Memory, sessionId: number): SummaryRecord[] {
  return memory
    .prepare(`SELECT ${columns} FROM summaries WHERE session_id = ? ORDER BY up_to_turn DESC, ${rank}`)
    .all(sessionId) as SummaryRecord[];
}

/** The summary to show of each session: the last one of its best source. Sessions without one are missing. */
export function bestSummaries(memory: Memory, sessionIds: readonly number[]): Map<number, SummaryRecord> {
  const rows = memory
    .prepare(
      `SELECT ${columns} FROM summaries WHERE session_id IN (SELECT value FROM json_each(?))
       ORDER BY ${rank} DESC, up_to_turn`,
    )
    .all(JSON.stringify(sessionIds)) as SummaryRecord[];
  // The best comes last, and stays.
  return new Map(rows.map((row) => [row.sessionId, row]));
}

/** Deletes the summaries of a source that cover fewer turns than its last one. */
export function dropOlderSummaries(memory: Memory, sessionId: number, source: SummarySource): void {
  memory.inTransaction(() => {
    memory
      .prepare(
        `DELETE FROM summaries WHERE session_id = @sessionId AND source = @source AND up_to_turn <
           (SELECT max(up_to_turn) FROM summaries WHERE session_id = @sessionId AND source = @source)`,
      )
      .run({ sessionId, source });
  });
}
