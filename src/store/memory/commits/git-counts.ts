import type { Memory } from "../memory.ts";

/** What is remembered of commits. */
export interface GitCounts {
  /** Commits that were looked at. */
  commits: number;
  /** Those that sessions led to. */
  checkpoints: number;
  /** Commits that wait to be looked at, or to be looked at again when more was said of them. */
  waiting: number;
}

export function gitCounts(memory: Memory): GitCounts {
  return memory
    .prepare(
      `SELECT (SELECT count(*) FROM commits) AS commits, (SELECT count(*) FROM checkpoints) AS checkpoints,
         (SELECT count(*) FROM jobs WHERE kind = 'commit' AND state <> 'dead') AS waiting`,
    )
    .get() as GitCounts;
}
