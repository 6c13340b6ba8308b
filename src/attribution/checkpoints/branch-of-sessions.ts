import type { Binding } from "../../store/memory/git-records.ts";
import type { Memory } from "../../store/memory/memory.ts";

/**
 * The branch that sessions were on when they led to a commit; null where nobody knows, or where they say different
 * things.
 */
export function branchOfSessions(memory: Memory, bindings: readonly Binding[]): string | null {
  const branches = new Set<string>();
  const found = memory
    .prepare(
      `SELECT turns.branch FROM turns JOIN sessions ON sessions.id = session_id
       WHERE uid = ? AND number = ? AND turns.branch IS NOT NULL`,
    )
    .pluck();
  for (const { sessionUid, turns } of bindings) {
    const last = turns.at(-1);
    const branch = last === undefined ? undefined : (found.get(sessionUid, last) as string | undefined);
    // Claude Code writes HEAD where none is checked out.
    if (branch !== undefined && branch !== "HEAD") branches.add(branch);
  }
  const [only] = branches;
  return branches.size === 1 ? only! : null;
}
