import { frequenciesIn } from "../../sqlite/full-text-scores.ts";
import type { Memory } from "../memory.ts";

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
  memory.inTransaction(() => {
    memory.prepare("DELETE FROM session_topics WHERE session_id = ?").run(sessionId);
    const insert = memory.prepare(
      "INSERT INTO session_topics (session_id, position, topic, model) VALUES (?, ?, ?, ?)",
    );
    topics.forEach((topic, position) => void insert.run(sessionId, position, topic, model));
  });
}

/** Whether a language model named what a session is about. */
export function hasModelTopics(memory: Memory, sessionId: number): boolean {
  const found = memory.prepare("SELECT 1 FROM session_topics WHERE session_id = ? AND model IS NOT NULL");
  return found.get(sessionId) !== undefined;
}

/** What sessions are about, by their rows; those without topics are missing. */
export function topicsOfSessions(memory: Memory, ids: readonly number[]): Map<number, string[]> {
  const rows = memory
    .prepare(
      `SELECT session_id AS id, topic FROM session_topics WHERE session_id IN (SELECT value FROM json_each(?))
       ORDER BY session_id, position`,
    )
    .all(JSON.stringify(ids)) as { id: number; topic: string }[];
  const found = new Map<number, string[]>();
  for (const { id, topic } of rows) found.set(id, [...(found.get(id) ?? []), topic]);
  return found;
}

/** In how many sessions words occur, by their tokens; those in none are missing. */
export const sessionFrequencies = (memory: Memory, tokens: readonly string[]): Map<string, number> =>
  frequenciesIn(memory, "session_terms", tokens);
