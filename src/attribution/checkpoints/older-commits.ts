import type { Memory } from "../../store/memory/memory.ts";
import { type BackfillOptions, backfill } from "./backfill.ts";
import type { GitWork } from "./work.ts";

/**
 * Commits from before the first session: no session led to them, but shares of all lines count them. The latest of them are
 * analysed without being asked for.
 */

/** Older ones are left to `pm checkpoint backfill --all`: a long history takes minutes, and fills the memory. */
const most = 2000;
/** Parents come before children, so the latest ones come first in steps: this many, and each time twice as many. */
const firstStep = 125;
/** Of `meta`: they were analysed. */
const analysed = "checkpoints.older";

export const areOlderAnalysed = (memory: Memory): boolean => memory.meta(analysed) !== null;

/** Analyses them, once. */
export async function analyseOlder(
  work: GitWork,
  { signal, onProgress }: Pick<BackfillOptions, "signal" | "onProgress">,
  run: typeof backfill = backfill,
): Promise<void> {
  if (areOlderAnalysed(work.memory)) return;
  for (let limit = firstStep; ; limit = Math.min(2 * limit, most)) {
    const { commits } = await run(work, { all: true, limit, signal, ...(onProgress && { onProgress }) });
    signal?.throwIfAborted();
    if (commits < limit || limit === most) break;
  }
  work.memory.setMeta(analysed, "1");
}
