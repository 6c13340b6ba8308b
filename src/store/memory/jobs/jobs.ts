import type { Memory } from "../memory.ts";
import type { JobKind, JobRecord } from "../memory-records.ts";
import { addActivity } from "../sessions/activity.ts";
import { findWaitingJob, freeJobs, jobColumns, listJobs, readJobRow, requeueJob } from "./job-rows.ts";

/**
 * The job queue, in memory.db, so that nothing is lost when a process dies. A kind and subject has at most one pending,
 * one running and one dead job; two jobs of one subject never run at once, whatever their kind.
 */

/**
 * A job that fails is begun so many times at most. Retries come after 1, 2, 4, ... 128 seconds, so a file that is locked
 * or not there yet has a little more than four minutes.
 */
export const maxAttempts = 9;
/**
 * An attempt counts when it begins: a job that kills its process does not do so for ever. A process is killed for other
 * reasons, too, and again and again.
 */
const maxInterruptions = 50;
const maxDelayMs = 300_000;
const computeDelayMs = (attempts: number) => Math.min(500 * 2 ** attempts, maxDelayMs);
/** A newer request for a job that waits for its next attempt is not waited with longer than so. Milliseconds. */
const newerDelayMs = 1000;

export interface JobToEnqueue {
  kind: JobKind;
  /** A transcript's path, a session's uid. */
  subject: string;
  payload?: Record<string, unknown>;
  /** Smaller is earlier. */
  priority?: number;
  /** Units of work, as far as known. */
  total?: number;
  /** It is not begun earlier. A later wish of this kind takes the place of one that waits for its time. */
  notBefore?: number;
}

/** The job as its worker knows it: what it says of a job that was taken from it meanwhile has no effect. */
export type ClaimedJob = Pick<JobRecord, "id" | "owner">;

/**
 * Adds a job, or puts it in place of one of its kind and subject that waits: that keeps its place and takes the newer
 * payload, the more urgent priority and a new start of its attempts. One that runs is left alone.
 * @returns its row
 */
export function enqueue(memory: Memory, job: JobToEnqueue, now = Date.now()): number {
  const { kind, subject, payload = {}, priority = 100, total = 0, notBefore = 0 } = job;
  return memory.runInTransaction(() => {
    const { id } = memory.get<{ id: number }>(
      `INSERT INTO jobs (kind, subject, payload, state, priority, total, not_before, created_at, updated_at)
       VALUES (@kind, @subject, @payload, 'pending', @priority, @total, @notBefore, @now, @now)
       ON CONFLICT (kind, subject) WHERE state = 'pending' DO UPDATE SET
         payload = excluded.payload, priority = min(priority, excluded.priority), total = excluded.total, done = 0,
         attempts = 0, updated_at = @now, not_before = CASE
           WHEN @notBefore > @now AND not_before > @now THEN @notBefore
           ELSE min(not_before, max(@notBefore, @now + @newerDelay)) END
       RETURNING id`,
      {
        kind,
        subject,
        payload: JSON.stringify(payload),
        priority,
        total,
        notBefore,
        now,
        newerDelay: newerDelayMs,
      },
    );
    return id;
  });
}

/**
 * Takes the next job that is due, of those kinds; null when there is none. Of several processes only one gets it.
 * @param after a job waits for more urgent ones of these kinds, which others do
 */
export function claimJob(
  memory: Memory,
  owner: string,
  {
    now = Date.now(),
    kinds = null,
    after = [],
  }: { now?: number; kinds?: readonly JobKind[] | null; after?: readonly JobKind[] } = {},
): JobRecord | null {
  const given = { now, kinds, after };
  const next = `SELECT id FROM jobs WHERE ${freeJobs} AND not_before <= @now
    AND (@kinds IS NULL OR kind IN (SELECT value FROM json_each(@kinds)))
    AND NOT EXISTS (
      SELECT 1 FROM jobs first WHERE first.kind IN (SELECT value FROM json_each(@after)) AND first.priority < jobs.priority
        AND (first.state = 'running' OR (first.state = 'pending' AND first.not_before <= @now)))
    ORDER BY priority, id LIMIT 1`;
  // An idle worker asks often, and should not take the write lock for that.
  if (!memory.has(next, given)) return null;
  return memory.runInTransaction(() => {
    const row = memory
      .prepare(
        `UPDATE jobs SET state = 'running', owner = @owner, attempts = attempts + 1, done = 0, updated_at = @now
         WHERE id = (${next}) RETURNING ${jobColumns}`,
      )
      .get({ ...given, owner });
    return row ? readJobRow(row) : null;
  });
}

/** Runs what changes a job if it is still its worker's. @returns whether it was */
function changeOwnJob(memory: Memory, job: ClaimedJob, change: (stored: JobRecord) => void): boolean {
  return memory.runInTransaction(() => {
    const row = memory
      .prepare(`SELECT ${jobColumns} FROM jobs WHERE id = ? AND state = 'running' AND owner = ?`)
      .get(job.id, job.owner);
    if (!row) return false;
    change(readJobRow(row));
    return true;
  });
}

/** Notes how much of a job is done. @returns false when it is no longer its worker's, who should stop */
export function noteProgress(
  memory: Memory,
  job: ClaimedJob,
  { done, total, now = Date.now() }: { done: number; total: number; now?: number },
): boolean {
  return changeOwnJob(memory, job, () => {
    memory
      .prepare("UPDATE jobs SET done = ?, total = ?, updated_at = ? WHERE id = ?")
      .run(done, total, now, job.id);
  });
}

export interface Finished {
  /** "gone": there was nothing left to work on. */
  outcome?: "done" | "gone";
  /** Chunks that were written. */
  chunks: number;
  tookMs: number;
  now?: number;
}

/** A job is done: it leaves the queue, and with it a dead one of its kind and subject. */
export function finish(
  memory: Memory,
  job: ClaimedJob,
  { outcome = "done", chunks, tookMs, now = Date.now() }: Finished,
): boolean {
  return changeOwnJob(memory, job, ({ kind, subject, done, total }) => {
    memory
      .prepare("DELETE FROM jobs WHERE id = ? OR (state = 'dead' AND kind = ? AND subject = ?)")
      .run(job.id, kind, subject);
    const units = outcome === "gone" ? 0 : Math.max(done, total);
    addActivity(memory, { at: now, kind, subject, outcome, chunks, units, tookMs });
  });
}

/**
 * A job failed: it waits for its next attempt, or is dead with the reason when another would not help or there were
 * enough.
 */
export function fail(
  memory: Memory,
  job: ClaimedJob,
  { error, retryable, now = Date.now() }: { error: string; retryable: boolean; now?: number },
): boolean {
  return changeOwnJob(memory, job, (stored) => {
    if (retryable && stored.attempts < maxAttempts) {
      requeueJob(memory, stored, {
        attempts: stored.attempts,
        notBefore: now + computeDelayMs(stored.attempts),
        error,
        now,
      });
    } else {
      giveUp(memory, stored, error, now);
    }
  });
}

/** A worker stops before a job is done: it waits as if it had not been begun. */
export function putBack(memory: Memory, job: ClaimedJob, now = Date.now()): boolean {
  return changeOwnJob(memory, job, (stored) => {
    requeueJob(memory, stored, { attempts: stored.attempts - 1, notBefore: now, error: stored.error, now });
  });
}

/**
 * Jobs of workers that are gone become pending again, with the attempts they had; one that was started too often is
 * dead. One that had made progress did not kill its worker, and starts with fresh attempts.
 * @returns how many there were
 */
export function recoverJobs(memory: Memory, isAlive: (owner: string) => boolean, now = Date.now()): number {
  return memory.runInTransaction(() => {
    const rows = memory.all<object>(`SELECT ${jobColumns} FROM jobs WHERE state = 'running'`);
    const abandoned = rows.map(readJobRow).filter(({ owner }) => owner === null || !isAlive(owner));
    for (const job of abandoned) {
      const { error } = job;
      const attempts = job.done > 0 ? 0 : job.attempts;
      if (attempts < maxInterruptions) requeueJob(memory, job, { attempts, notBefore: now, error, now });
      else giveUp(memory, job, `It was interrupted ${attempts} times.`, now);
    }
    return abandoned.length;
  });
}

function giveUp(memory: Memory, job: JobRecord, error: string, now: number): void {
  const { id, kind, subject } = job;
  memory.prepare("DELETE FROM jobs WHERE state = 'dead' AND kind = ? AND subject = ?").run(kind, subject);
  memory
    .prepare("UPDATE jobs SET state = 'dead', owner = NULL, error = ?, updated_at = ? WHERE id = ?")
    .run(error, now, id);
  addActivity(memory, { at: now, kind, subject, outcome: "dead", chunks: 0, units: 0, tookMs: 0 });
}

/**
 * Makes dead jobs pending again, from their first attempt; one with a newer pending request leaves it to that.
 * @returns how many there were
 */
export function retryDead(memory: Memory, ids: readonly number[] | "all", now = Date.now()): number {
  return memory.runInTransaction(() => {
    const dead = listDeadJobs(memory, ids);
    for (const job of dead) {
      if (findWaitingJob(memory, job)) memory.prepare("DELETE FROM jobs WHERE id = ?").run(job.id);
      else requeueJob(memory, job, { attempts: 0, notBefore: now, error: job.error, now });
    }
    return dead.length;
  });
}

/** Jobs of a kind that wait for their time are due now. */
export function makeDue(memory: Memory, kind: JobKind): void {
  memory.prepare("UPDATE jobs SET not_before = 0 WHERE kind = ? AND state = 'pending'").run(kind);
}

/** Removes dead jobs. @returns how many there were */
export function removeDead(memory: Memory, ids: readonly number[] | "all"): number {
  return memory.runInTransaction(() => {
    const dead = listDeadJobs(memory, ids);
    for (const { id } of dead) memory.prepare("DELETE FROM jobs WHERE id = ?").run(id);
    return dead.length;
  });
}

function listDeadJobs(memory: Memory, ids: readonly number[] | "all"): JobRecord[] {
  const wanted = ids === "all" ? null : new Set(ids);
  return listJobs(memory, { state: "dead" }).filter(({ id }) => wanted === null || wanted.has(id));
}

/** Before sessions that are imported. */
const commitPriority = 30;

/** Has commits analysed again, as what led to them is another now; those that wait for it wait on as they are. */
export function requeueCommits(memory: Memory, hashes: readonly string[]): void {
  for (const subject of new Set(hashes)) {
    if (findWaitingJob(memory, { kind: "commit", subject }) !== null) continue;
    enqueue(memory, {
      kind: "commit",
      subject,
      payload: { seen: "reflog", again: true },
      priority: commitPriority,
    });
  }
}
