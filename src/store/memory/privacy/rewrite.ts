import type { Memory } from "../memory.ts";

/** What is stored, put in other words: by scrubbing under newer rules, and by forgetting what a pattern matches. */

/** Where the raw chunks of a session go on that begin with a turn or a later one: after those that end before it. */
export function positionAfterTurn(memory: Memory, sessionId: number, turn: number): number {
  const row = memory
    .prepare(
      `SELECT coalesce(max(position) + 1, 0) AS position FROM chunks
       WHERE session_id = ? AND type = 'raw' AND last_turn < ?`,
    )
    .get(sessionId, turn);
  return (row as { position: number }).position;
}

/** Another text whenever the turns of a session from one on are not what they were. */
export function stampOfTurns(memory: Memory, sessionId: number, first: number): string {
  const row = memory
    .prepare(
      `SELECT count(*) AS turns, sum(length(content)) AS bytes, max(ended_at) AS ended, sum(abandoned) AS abandoned
       FROM turns WHERE session_id = ? AND number >= ?`,
    )
    .get(sessionId, first);
  return JSON.stringify(row);
}

/** Puts other words in place of what a session is called and of where it ran. */
export function redactSession(
  memory: Memory,
  id: number,
  { title, cwd, branch }: { title: string | null; cwd: string; branch: string | null },
): void {
  memory.inTransaction(() => {
    memory
      .prepare("UPDATE sessions SET (title, cwd, branch) = (?, ?, ?) WHERE id = ?")
      .run(title, cwd, branch, id);
  });
}

/** Puts other words in place of a note's; of two that become the same one the older stays. */
export function redactAnnotation(
  memory: Memory,
  id: number,
  { uid, note, branch }: { uid: string; note: string; branch: string | null },
): void {
  memory.inTransaction(() => {
    memory
      .prepare("UPDATE OR IGNORE annotations SET (uid, note, branch) = (?, ?, ?) WHERE id = ?")
      .run(uid, note, branch, id);
    memory.prepare("DELETE FROM annotations WHERE id = ? AND uid <> ?").run(id, uid);
  });
}

/** Puts other words in place of a summary's. */
export function redactSummary(memory: Memory, id: number, text: string): void {
  memory.inTransaction(() => {
    memory.prepare("UPDATE summaries SET text = ? WHERE id = ?").run(text, id);
  });
}

/** Rows of all sessions beyond one, ascending. */
export function sessionIdsAfter(memory: Memory, after: number): number[] {
  return memory.prepare("SELECT id FROM sessions WHERE id > ? ORDER BY id").pluck().all(after) as number[];
}
