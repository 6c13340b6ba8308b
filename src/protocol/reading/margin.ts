import type { CheckpointSummary } from "../operations/checkpoints.ts";
import type { Decision } from "../operations/decisions.ts";
import type { Annotation } from "../operations/sessions.ts";

/** What stands beside a turn. */
export interface Margin {
  notes: Annotation[];
  decisions: Decision[];
  /** Commits that the turn is the last to have led to. */
  commits: CheckpointSummary[];
}

/** What stands beside each turn, by its number. Notes are shown as notes, not as decisions again. */
export function marginsOf(
  session: string,
  found: {
    notes: readonly Annotation[];
    decisions: readonly Decision[];
    commits: readonly CheckpointSummary[];
  },
): Map<number, Margin> {
  const margins = new Map<number, Margin>();
  const at = (turn: number): Margin => {
    const margin = margins.get(turn) ?? { notes: [], decisions: [], commits: [] };
    margins.set(turn, margin);
    return margin;
  };
  for (const note of found.notes) at(note.turn ?? 0).notes.push(note);
  for (const decision of found.decisions) {
    if (decision.source !== "conversation" || decision.session_id !== session) continue;
    at(decision.turn ?? 0).decisions.push(decision);
  }
  for (const commit of found.commits) {
    const turns = commit.sessions.find(({ session_id }) => session_id === session)?.turns ?? [];
    if (turns.length > 0) at(Math.max(...turns)).commits.push(commit);
  }
  return margins;
}
