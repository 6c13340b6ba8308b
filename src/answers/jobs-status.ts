import type { JobsStatus, QueueStatus } from "../protocol/queue.ts";
import { countWaiting, isAtRest, listJobs, listMoreUrgent } from "../store/memory/jobs/job-rows.ts";
import type { Memory } from "../store/memory/memory.ts";
import { listRecentActivity, readQueueFigures } from "../store/memory/sessions/activity.ts";

/** Number of recent jobs shown. */
const recentShown = 10;

/** The state of the job queue. */
export function readJobsStatus(memory: Memory): JobsStatus {
  const { jobs, chunksPerSecond, etaMs } = readQueueFigures(memory);
  return {
    pending: jobs.pending,
    waiting: countWaiting(memory),
    running: listJobs(memory, { state: "running" }).map(({ kind, subject, done, total, priority }) => ({
      kind,
      subject,
      done,
      total,
      waits_for: listMoreUrgent(memory, priority)[0] ?? null,
    })),
    dead: listJobs(memory, { state: "dead" }).map(({ id, kind, subject, attempts, error }) => ({
      id,
      kind,
      subject,
      attempts,
      error,
    })),
    rate_chunks_per_sec: Math.round((chunksPerSecond ?? 0) * 10) / 10,
    eta_seconds: etaMs === null ? null : Math.ceil(etaMs / 1000),
    is_idle: isAtRest(memory),
    recent: listRecentActivity(memory, recentShown).map(({ kind, subject, outcome, chunks, tookMs, at }) => ({
      kind,
      subject,
      outcome,
      chunks,
      took_ms: tookMs,
      at: new Date(at).toISOString(),
    })),
  };
}

/** The queue for code when no daemon works on it. */
export const noCode = {
  pending: 0,
  done: 0,
  total: 0,
  processing: null,
  rate_chunks_per_sec: 0,
  eta_seconds: null,
  is_idle: true,
  last_error: null,
  recent: [],
};

/** What is to do in all. */
export const queueWith = (
  code: Omit<QueueStatus, "code_is_idle">,
  sessions: { is_idle: boolean },
): QueueStatus => ({
  ...code,
  is_idle: code.is_idle && sessions.is_idle,
  code_is_idle: code.is_idle,
});

/** Of a memory that is not there, or cannot be read. */
export const noJobs: JobsStatus = {
  pending: 0,
  waiting: [],
  running: [],
  dead: [],
  rate_chunks_per_sec: 0,
  eta_seconds: null,
  is_idle: true,
  recent: [],
};
