import type { Memory } from "../memory.ts";
import { dropCheckpoint } from "./checkpoints.ts";

/** What forgetting takes out of checkpoints, of who wrote which lines, and of events. Parts of a transaction. */

/** Of a session that is forgotten nothing is left but that an agent wrote the lines it wrote. */
export function forgetInCheckpoints(memory: Memory, session: string): void {
  clearAuthors(memory, "session_uid = @session", { session });
  memory.prepare("DELETE FROM event_links WHERE kind = 'session' AND target_uid = ?").run(session);
  for (const uid of checkpointsOf(memory, session)) removeSession(memory, uid, session);
}

/** Of turns that are forgotten; with the last of its turns the session goes from a checkpoint. */
export function forgetTurnsInCheckpoints(memory: Memory, session: string, numbers: readonly number[]): void {
  const given = { session, numbers: JSON.stringify(numbers) };
  const condition = "session_uid = @session AND turn IN (SELECT value FROM json_each(@numbers))";
  const lost = memory
    .prepare(
      `SELECT checkpoints.uid, sum(last_line - first_line + 1) AS lines
       FROM attributions JOIN checkpoints USING (commit_id) WHERE ${condition} GROUP BY checkpoints.uid`,
    )
    .all(given) as { uid: string; lines: number }[];
  const lines = new Map(lost.map(({ uid, lines }) => [uid, lines]));
  clearAuthors(memory, condition, given);
  const gone = new Set(numbers);
  for (const uid of checkpointsOf(memory, session)) {
    const bound = memory
      .prepare("SELECT turns FROM checkpoint_sessions WHERE checkpoint_uid = ? AND session_uid = ?")
      .pluck()
      .get(uid, session) as string;
    const turns = JSON.parse(bound) as number[];
    const left = turns.filter((turn) => !gone.has(turn));
    // The title and texts may come from a forgotten turn.
    forgetState(memory, uid, session);
    if (left.length === turns.length) continue;
    if (left.length === 0) removeSession(memory, uid, session);
    else {
      memory
        .prepare(
          `UPDATE checkpoint_sessions SET turns = @turns, lines = max(lines - @lines, 0)
           WHERE checkpoint_uid = @uid AND session_uid = @session`,
        )
        .run({ uid, session, turns: JSON.stringify(left), lines: lines.get(uid) ?? 0 });
    }
  }
}

function clearAuthors(memory: Memory, condition: string, given: object): void {
  memory
    .prepare(`UPDATE attributions SET session_uid = NULL, turn = NULL, tool_use = NULL WHERE ${condition}`)
    .run(given);
}

function checkpointsOf(memory: Memory, session: string): string[] {
  const found = memory.prepare("SELECT checkpoint_uid FROM checkpoint_sessions WHERE session_uid = ?");
  return found.pluck().all(session) as string[];
}

/** Takes a session out of a checkpoint; without another one the checkpoint goes, and with it its place in events. */
function removeSession(memory: Memory, uid: string, session: string): void {
  forgetState(memory, uid, session);
  memory
    .prepare("DELETE FROM checkpoint_sessions WHERE checkpoint_uid = ? AND session_uid = ?")
    .run(uid, session);
  const commitId = memory
    .prepare(
      `SELECT commit_id FROM checkpoints WHERE uid = ?
         AND NOT EXISTS (SELECT 1 FROM checkpoint_sessions WHERE checkpoint_uid = uid)`,
    )
    .pluck()
    .get(uid) as number | undefined;
  if (commitId === undefined) return;
  memory.prepare("DELETE FROM event_links WHERE kind = 'checkpoint' AND target_uid = ?").run(uid);
  dropCheckpoint(memory, commitId);
}

function forgetState(memory: Memory, uid: string, session: string): void {
  const stored = memory.prepare("SELECT agent_state FROM checkpoints WHERE uid = ?").pluck().get(uid);
  const state = JSON.parse(stored as string) as Record<string, unknown>;
  if (!(session in state)) return;
  delete state[session];
  memory.prepare("UPDATE checkpoints SET agent_state = ? WHERE uid = ?").run(JSON.stringify(state), uid);
}
