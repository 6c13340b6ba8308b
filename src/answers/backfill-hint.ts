import { areOlderAnalysed } from "../attribution/checkpoints/older-commits.ts";
import { findLatestAuthoredAt } from "../store/memory/commits/commits.ts";
import { countUnreadImports, listJobs } from "../store/memory/jobs/job-rows.ts";
import type { Memory } from "../store/memory/memory.ts";
import { findHistoryStart } from "../store/memory/sessions/sessions-here.ts";
import { describeUnreadSessions } from "./read-asked.ts";

/** Notes that some past sessions are not read yet, so that a line's author may turn out to be an agent. Empty if all are. */
export function describeUnread(memory: Memory): string[] {
  const unread = countUnreadImports(memory);
  return unread === 0
    ? []
    : [`${describeUnreadSessions(unread)}; until then a line may turn out to be an agent's.`];
}

/**
 * Says that commits are not analysed yet, and what becomes of them: at most one sentence.
 * @param authoredAt of each of them; milliseconds since the epoch
 * @param so what follows from it
 */
export function describeUnanalysed(
  memory: Memory | null,
  authoredAt: readonly number[],
  so?: string,
): string[] {
  // Without sessions, no commit needs an analysis.
  if (authoredAt.length === 0 || (memory !== null && findHistoryStart(memory) === null)) return [];
  const are =
    authoredAt.length === 1 ? "1 commit is" : `${authoredAt.length.toLocaleString("en")} commits are`;
  const what = `${are} not analysed yet${so === undefined ? "" : `, so ${so}`}`;
  const oldest = authoredAt.reduce((a, b) => Math.min(a, b));
  return [memory === null ? `${what}.` : `${what}: ${backfillHint(memory, oldest)}.`];
}

/**
 * What becomes of commits that are not analysed yet.
 * @param oldest when the oldest of them was authored; milliseconds since the epoch
 */
export function backfillHint(memory: Memory, oldest: number): string {
  const job = listJobs(memory, { state: "running" }).find(({ kind }) => kind === "history");
  if (job !== undefined && job.total > 0) {
    return `in progress, ${job.done.toLocaleString("en")} of ${job.total.toLocaleString("en")}`;
  }
  const start = findHistoryStart(memory);
  // The daemon notices newer commits within seconds.
  const isNew = oldest > findLatestAuthoredAt(memory);
  const isTooOld = !isNew && (start === null || oldest < start) && areOlderAnalysed(memory);
  return isTooOld
    ? "among the oldest, which only `pm checkpoint backfill --all` analyses"
    : "the daemon analyses them when it is idle, the latest first";
}
