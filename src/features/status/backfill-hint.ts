import { areOlderAnalysed } from "../../attribution/checkpoints/backfill.ts";
import { latestAuthoredAt } from "../../store/memory/commits/commits.ts";
import { listJobs } from "../../store/memory/jobs/job-rows.ts";
import type { Memory } from "../../store/memory/memory.ts";
import { historyStart } from "../../store/memory/sessions/sessions-here.ts";

/**
 * What becomes of commits that are not analysed yet.
 * @param oldest when the oldest of them was authored; milliseconds since the epoch
 */
export function backfillHint(memory: Memory, oldest: number): string {
  const job = listJobs(memory, { state: "running" }).find(({ kind }) => kind === "history");
  if (job !== undefined && job.total > 0) {
    return `in progress, ${job.done.toLocaleString("en")} of ${job.total.toLocaleString("en")}`;
  }
  const start = historyStart(memory);
  // What was committed since they were analysed is noticed within seconds.
  const isNew = oldest > latestAuthoredAt(memory);
  const isTooOld = !isNew && (start === null || oldest < start) && areOlderAnalysed(memory);
  return isTooOld
    ? "among the oldest, which only `pm checkpoint backfill --all` analyses"
    : "the daemon analyses them when it is idle, the latest first";
}
