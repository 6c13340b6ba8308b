import type { Memory } from "../../store/memory/memory.ts";
import { isTopical, titleOfBranch } from "./branch-title.ts";

/** An event that there could be: a branch that was worked on, and that no event is about. */
export interface SuggestedEvent {
  branch: string;
  title: string;
  /** People's own, in all worktrees. */
  sessions: number;
  checkpoints: number;
  /** When something happened on it last. Milliseconds since the epoch. */
  lastAt: number;
}

/** Suggestions, the branch that something happened on last first. */
export function suggestEvents(memory: Memory): SuggestedEvent[] {
  const rows = memory
    .prepare(
      `WITH on_branch (branch, session, checkpoint, at) AS (
         SELECT branch, id, NULL, last_at FROM sessions
           WHERE branch IS NOT NULL AND parent_id IS NULL AND instr(uid, '/') = 0
         UNION SELECT turns.branch, sessions.id, NULL, max(coalesce(turns.ended_at, turns.started_at))
           FROM turns JOIN sessions ON sessions.id = session_id
           WHERE turns.branch IS NOT NULL AND parent_id IS NULL AND instr(uid, '/') = 0
           GROUP BY turns.branch, sessions.id
         UNION SELECT commits.branch, NULL, checkpoints.uid, committed_at
           FROM checkpoints JOIN commits ON commits.id = commit_id WHERE commits.branch IS NOT NULL
       )
       SELECT branch, count(DISTINCT session) AS sessions, count(DISTINCT checkpoint) AS checkpoints,
         coalesce(max(at), 0) AS lastAt
       FROM on_branch WHERE branch NOT IN (SELECT branch FROM events WHERE branch IS NOT NULL)
       GROUP BY branch ORDER BY lastAt DESC, branch`,
    )
    .all() as Omit<SuggestedEvent, "title">[];
  return rows
    .filter(({ branch }) => isTopical(branch))
    .map((row) => ({ ...row, title: titleOfBranch(row.branch) }));
}
