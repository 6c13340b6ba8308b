import type { CheckpointRecord, CommitRecord, CommitSeen } from "../../store/git-records.ts";
import type { GitWork } from "./work.ts";

export type { GitWork } from "./work.ts";

/** How a commit came to be known, and what is known of it besides. */
export interface HowSeen {
  seen: CommitSeen;
  /** Where it was made, where somebody knows. */
  branch?: string | null;
  /** Hashes of commits that it took the place of, as git says. */
  rewrittenFrom?: readonly string[];
  /** Look for its authors again, though that was done. */
  again?: boolean;
}

export async function takeInCommit(
  _work: GitWork,
  _hash: string,
  _how: HowSeen,
  _signal?: AbortSignal,
): Promise<{ commit: CommitRecord; checkpoint: CheckpointRecord | null } | null> {
  throw new Error("not written yet");
}
