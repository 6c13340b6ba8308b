import { readRow, selectColumns } from "../../tables/statements.ts";
import { jobs } from "../../tables/upkeep.ts";
import type { Memory } from "../memory.ts";
import type { JobKind, JobRecord } from "../memory-records.ts";

export const jobColumns = selectColumns(jobs);

export const readJobRow = (row: object): JobRecord => readRow(jobs, row);

/** Pending jobs whose subject has no running job. */
export const freeJobs = `state = 'pending' AND NOT EXISTS (
  SELECT 1 FROM jobs other WHERE other.state = 'running' AND other.subject = jobs.subject)`;

/** Jobs: running ones, pending ones in their order, dead ones. */
export function listJobs(
  memory: Memory,
  { state = null, limit = -1 }: { state?: JobRecord["state"] | null; limit?: number } = {},
): JobRecord[] {
  return memory
    .all<object>(
      `SELECT ${jobColumns} FROM jobs WHERE @state IS NULL OR state = @state
       ORDER BY CASE state WHEN 'running' THEN 0 WHEN 'pending' THEN 1 ELSE 2 END, priority, id LIMIT @limit`,
      { state, limit },
    )
    .map(readJobRow);
}

/** When the next waiting job can be begun (which may be past); null when none can, whatever the time. */
export function findNextDueAt(memory: Memory): number | null {
  return memory.readValue<number | null>(`SELECT min(not_before) AS at FROM jobs WHERE ${freeJobs}`);
}

/** Whether a job of those kinds is due that is more urgent than one of this priority. */
export function isMoreUrgentDue(
  memory: Memory,
  { priority, kinds }: { priority: number; kinds: readonly JobKind[] },
  now = Date.now(),
): boolean {
  return memory.has(
    `SELECT 1 FROM jobs WHERE ${freeJobs} AND not_before <= ? AND priority < ?
     AND kind IN (SELECT value FROM json_each(?)) LIMIT 1`,
    now,
    priority,
    kinds,
  );
}

/** The priority of the most urgent job that is due, of those kinds; infinite where none is. */
export const findMostUrgentDue = (memory: Memory, kinds: readonly JobKind[], now = Date.now()): number =>
  memory.readValue<number | null>(
    `SELECT min(priority) AS priority FROM jobs WHERE ${freeJobs} AND not_before <= ?
     AND kind IN (SELECT value FROM json_each(?))`,
    now,
    kinds,
  ) ?? Number.POSITIVE_INFINITY;

/** How many jobs wait, by kind. */
export const countWaiting = (memory: Memory): { kind: JobKind; jobs: number }[] =>
  memory.all("SELECT kind, count(*) AS jobs FROM jobs WHERE state = 'pending' GROUP BY kind ORDER BY kind");

/** What is due and goes before a job of this priority, by kind: what there is most of first. */
export function listMoreUrgent(
  memory: Memory,
  priority: number,
  now = Date.now(),
): { kind: JobKind; jobs: number }[] {
  return memory.all(
    `SELECT kind, count(*) AS jobs FROM jobs WHERE ${freeJobs} AND not_before <= ? AND priority < ?
     GROUP BY kind ORDER BY jobs DESC, kind`,
    now,
    priority,
  );
}

/** Jobs of these kinds that can be begun now, and what they are of: transcripts' unread bytes, say. */
export function countDueJobs(
  memory: Memory,
  kinds: readonly JobKind[],
  now = Date.now(),
): { jobs: number; total: number } {
  return memory.get<{ jobs: number; total: number }>(
    `SELECT count(*) AS jobs, coalesce(sum(total), 0) AS total FROM jobs
     WHERE ${freeJobs} AND kind IN (SELECT value FROM json_each(?)) AND not_before <= ?`,
    kinds,
    now,
  );
}

/** Whether a transcript that was asked for before `job` is being read, and nothing of it is stored yet. */
export function hasEarlierTranscriptRunning(memory: Memory, job: number): boolean {
  return memory.has(
    `SELECT 1 FROM jobs WHERE kind = 'transcript' AND state = 'running' AND id < ?
     AND NOT EXISTS (SELECT 1 FROM transcripts WHERE path = subject)`,
    job,
  );
}

/** Whether a transcript that was asked for before `job`, and is not read to its end, has any of these lines or messages. */
export function isReadBefore(
  memory: Memory,
  job: number,
  { lines, messages }: { lines: readonly string[]; messages: readonly string[] },
): boolean {
  return memory.has(
    `SELECT 1 FROM jobs JOIN transcripts ON path = subject
     WHERE kind = 'transcript' AND state <> 'dead' AND jobs.id < @job AND (
       EXISTS (SELECT 1 FROM lines WHERE session_id = transcripts.session_id
         AND uid IN (SELECT value FROM json_each(@lines)))
       OR EXISTS (SELECT 1 FROM usage WHERE session_id = transcripts.session_id
         AND message_uid IN (SELECT value FROM json_each(@messages))))`,
    { job, lines, messages },
  );
}

/** How many jobs of a kind wait or run. */
export function countUnfinishedJobs(memory: Memory, kind: JobKind): number {
  return memory.readValue<number>("SELECT count(*) FROM jobs WHERE kind = ? AND state <> 'dead'", kind);
}

/** How many transcripts of past sessions are to be imported, and are not read to their end. */
export function countUnreadImports(memory: Memory): number {
  return memory.readValue<number>(
    "SELECT count(*) FROM jobs WHERE kind = 'transcript' AND state <> 'dead' AND payload ->> '$.is_import' IS 1",
  );
}

/** Whether a job of a kind and subject waits or runs. */
export function isJobUnfinished(
  memory: Memory,
  { kind, subject }: Pick<JobRecord, "kind" | "subject">,
): boolean {
  return memory.has("SELECT 1 FROM jobs WHERE kind = ? AND subject = ? AND state <> 'dead'", kind, subject);
}

/** How many transcripts are known, and how many of them are read to where they ended when they were last looked at. */
export function countTranscriptsRead(memory: Memory): { read: number; total: number } {
  return memory.get<{ read: number; total: number }>(
    `WITH unread AS (SELECT DISTINCT subject AS path FROM jobs WHERE kind = 'transcript' AND state <> 'dead')
     SELECT count(*) AS total, count(*) - (SELECT count(*) FROM unread) AS read
     FROM (SELECT path FROM transcripts UNION SELECT path FROM unread)`,
  );
}

/**
 * Whether anything is being done, or waits to be; what a language model writes, a summary that waits for its session to
 * fall quiet, and a commit that waits for more to be said of it, do not count. A commit that a hook has just reported does.
 */
export function isAtRest(memory: Memory, now = Date.now()): boolean {
  return !memory.has(
    `SELECT 1 FROM jobs WHERE kind <> 'model-summary' AND (state = 'running'
     OR state = 'pending' AND NOT (not_before > ? AND (kind IN ('summary', 'history')
       OR (kind = 'commit' AND payload ->> '$.again' IS 1 AND payload ->> '$.seen' = 'reflog')))) LIMIT 1`,
    now,
  );
}

/** The job of a kind and subject that waits, or null. */
export function findWaitingJob(
  memory: Memory,
  { kind, subject }: Pick<JobRecord, "kind" | "subject">,
): JobRecord | null {
  const row = memory
    .prepare(`SELECT ${jobColumns} FROM jobs WHERE kind = ? AND subject = ? AND state = 'pending'`)
    .get(kind, subject);
  return row ? readJobRow(row) : null;
}

interface WaitingJob {
  attempts: number;
  notBefore: number;
  error: string | null;
  now: number;
}

/** To be called in a transaction. Makes a job wait again; a newer one that waits already gives it what it asks for, and goes. */
export function requeueJob(
  memory: Memory,
  job: JobRecord,
  { attempts, notBefore, error, now }: WaitingJob,
): void {
  const newer = findWaitingJob(memory, job);
  if (newer) memory.prepare("DELETE FROM jobs WHERE id = ?").run(newer.id);
  memory
    .prepare(
      `UPDATE jobs SET state = 'pending', owner = NULL, payload = @payload, priority = @priority, total = @total,
         done = 0, attempts = @attempts, not_before = @notBefore, error = @error, updated_at = @now WHERE id = @id`,
    )
    .run({
      id: job.id,
      payload: JSON.stringify((newer ?? job).payload),
      priority: Math.min(job.priority, newer?.priority ?? job.priority),
      total: (newer ?? job).total,
      attempts,
      notBefore,
      error,
      now,
    });
}
