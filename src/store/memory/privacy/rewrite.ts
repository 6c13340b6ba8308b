import type { Memory } from "../memory.ts";

/** Replaces stored text: by scrubbing under newer rules, and by forgetting what a pattern matches. */

/** Of `meta`: the version of the rules that all of the memory is scrubbed by. */
export const scrubbedBy = "scrubbed_by";

/** Where the raw chunks of a session go on that begin with a turn or a later one: after those that end before it. */
export function findPositionAfterTurn(memory: Memory, sessionId: number, turn: number): number {
  return memory.readValue<number>(
    `SELECT coalesce(max(position) + 1, 0) AS position FROM chunks
     WHERE session_id = ? AND type = 'raw' AND last_turn < ?`,
    sessionId,
    turn,
  );
}

/** Another text whenever the turns of a session from one on are not what they were. */
export function computeTurnsStamp(memory: Memory, sessionId: number, first: number): string {
  const row = memory
    .prepare(
      `SELECT count(*) AS turns, sum(length(content)) AS bytes, max(ended_at) AS ended, sum(abandoned) AS abandoned
       FROM turns WHERE session_id = ? AND number >= ?`,
    )
    .get(sessionId, first);
  return JSON.stringify(row);
}

/** Replaces a session's title and directory. */
export function redactSession(
  memory: Memory,
  id: number,
  { title, cwd, branch }: { title: string | null; cwd: string; branch: string | null },
): void {
  memory.change("UPDATE sessions SET (title, cwd, branch) = (?, ?, ?) WHERE id = ?", title, cwd, branch, id);
}

/** Replaces a note's text; of two notes that become equal, the older stays. */
export function saveRedactedNote(
  memory: Memory,
  id: number,
  { uid, note, branch }: { uid: string; note: string; branch: string | null },
): void {
  memory.runInTransaction(() => {
    memory
      .prepare("UPDATE OR IGNORE annotations SET (uid, note, branch) = (?, ?, ?) WHERE id = ?")
      .run(uid, note, branch, id);
    memory.prepare("DELETE FROM annotations WHERE id = ? AND uid <> ?").run(id, uid);
  });
}

/** Replaces a summary's text. */
export function redactSummary(memory: Memory, id: number, text: string): void {
  memory.change("UPDATE summaries SET text = ? WHERE id = ?", text, id);
}

/** Rows of all sessions beyond one, ascending. */
export function listSessionIdsAfter(memory: Memory, after: number): number[] {
  return memory.readColumn<number>("SELECT id FROM sessions WHERE id > ? ORDER BY id", after);
}

/** The stored text of a commit. */
export interface TextsOfCommit {
  /** Row of `commits`. */
  id: number;
  subject: string;
  author: string;
  branch: string | null;
  /** What agents were at; null without a checkpoint. */
  state: unknown;
}

/** The texts of the next `limit` commits beyond one, in order of rows. */
export function listTextsOfCommits(memory: Memory, after: number, limit: number): TextsOfCommit[] {
  const rows = memory.all<Omit<TextsOfCommit, "state"> & { state: string | null }>(
    `SELECT id, subject, author, branch,
       (SELECT agent_state FROM checkpoints WHERE commit_id = commits.id) AS state
     FROM commits WHERE id > ? ORDER BY id LIMIT ?`,
    after,
    limit,
  );
  return rows.map((row) => ({ ...row, state: row.state === null ? null : JSON.parse(row.state) }));
}

/** Replaces a commit's text. */
export function redactCommit(
  memory: Memory,
  id: number,
  { subject, author, branch }: Omit<TextsOfCommit, "id" | "state">,
): void {
  memory.change(
    "UPDATE commits SET (subject, author, branch) = (?, ?, ?) WHERE id = ?",
    subject,
    author,
    branch,
    id,
  );
}

/** Replaces the agents' state at a commit. */
export function redactAgentState(memory: Memory, commitId: number, state: unknown): void {
  memory.change(
    "UPDATE checkpoints SET agent_state = ? WHERE commit_id = ?",
    JSON.stringify(state),
    commitId,
  );
}
