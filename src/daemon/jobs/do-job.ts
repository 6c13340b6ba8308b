import { getErrorCode, getErrorMessage } from "../../base/errors.ts";
import type { Logger } from "../../base/log.ts";
import { isMoreUrgentDue, listJobs } from "../../store/memory/jobs/job-rows.ts";
import { claimJob, fail, finish, noteProgress, putBack, recoverJobs } from "../../store/memory/jobs/jobs.ts";
import type { Memory } from "../../store/memory/memory.ts";
import type { JobKind, JobRecord } from "../../store/memory/memory-records.ts";
import { isDamaged } from "../../store/sqlite/database.ts";

/** Thrown by a job that cannot be done yet, and is tried again. */
export class NotYet extends Error {
  override readonly name = "NotYet";
}

/** Thrown by a job whose subject is gone, so that another attempt is useless. */
export class Gone extends Error {
  override readonly name = "Gone";
}

export interface JobRun {
  /** Aborted when the worker stops, when the job is no longer ours, or when a more urgent one is pending. */
  signal: AbortSignal;
  /** Reports the units of work done so far, and in all. Call it where the job can be interrupted and resumed. */
  progress(done: number, total: number): void;
}

export interface QueueOptions {
  memory: Memory;
  /** The kinds of jobs to do here; others do the rest. */
  kinds: readonly JobKind[];
  /** More urgent jobs of these kinds, which others do, must go first. */
  after?: readonly JobKind[];
  /** See `newOwner`. */
  owner: string;
  isAlive: (owner: string) => boolean;
  /** Changes the queue; default: at once, even if that waits for another writer. */
  change?: <T>(change: () => T) => Promise<T>;
  /** Does a job. @returns how many chunks it wrote */
  run: (job: JobRecord, run: JobRun) => Promise<number>;
  /** Runs a job in its turn among everything that works on the memory. `leave` asks the job to stop where it can be resumed. */
  inTurn?: <T>(job: JobRecord, leave: () => void, work: () => Promise<T>) => Promise<T>;
  log: Logger;
}

/** Problems of the machine or the configuration. The job waits, and the attempt does not count. */
const troubles = new Set(["disk_full", "busy", "config_invalid", "unreadable", "embedder_unavailable"]);
/** Problems of a file that may be locked, or not exist yet. */
const transientErrorPattern =
  /^(?:ENOENT|EBUSY|EACCES|EPERM|EMFILE|ENFILE|EAGAIN|EIO|ESTALE|ETIMEDOUT|transcript_changed)$/;

/** How often a job records its progress, and checks for a more urgent one. Milliseconds. */
const noteEveryMs = 250;

const yielding = new Error("A more urgent job waits.");
const lost = new Error("Another process has the job.");

/**
 * Does the most urgent job that is due. Several processes and threads may share one memory: each job runs in one of them.
 * @returns false when none is due
 * @throws what keeps all jobs from being done; damage of the memory
 */
export async function doNextJob(options: QueueOptions, stop: AbortSignal): Promise<boolean> {
  const { memory, owner, kinds, after = [], change = changeAtOnce } = options;
  const job = await change(() => {
    recoverLostJobs(options);
    return claimJob(memory, owner, { kinds, after });
  });
  if (job === null) return false;
  await runJob(options, job, stop);
  return true;
}

const changeAtOnce = async <T>(change: () => T): Promise<T> => change();

/** Puts lost jobs back into the queue: those of ended processes, and those that a full disk kept from being put back. */
function recoverLostJobs({
  memory,
  owner,
  kinds,
  isAlive,
}: Pick<QueueOptions, "memory" | "owner" | "kinds" | "isAlive">): void {
  const jobs = listJobs(memory, { state: "running" });
  for (const job of jobs) if (job.owner === owner && kinds.includes(job.kind)) putBack(memory, job);
  const isKept = (other: string) => other === owner || isAlive(other);
  // Write only if a job is lost: a write waits for other writers, and in the daemon it would delay all answers.
  if (jobs.some((job) => job.owner === null || !isKept(job.owner))) recoverJobs(memory, isKept);
}

async function runJob(options: QueueOptions, job: JobRecord, stop: AbortSignal): Promise<void> {
  const { memory, kinds, after = [], run, inTurn = (_, __, work) => work(), log } = options;
  const { change = changeAtOnce } = options;
  const leave = new AbortController();
  const started = Date.now();
  let noted = 0;
  const progress = (done: number, total: number) => {
    // Each note is a transaction, for which others wait.
    if (done < total && Date.now() - noted < noteEveryMs) return;
    noted = Date.now();
    if (!noteProgress(memory, job, { done, total })) leave.abort(lost);
    else if (isMoreUrgentDue(memory, { priority: job.priority, kinds: [...kinds, ...after] }))
      leave.abort(yielding);
  };
  const signal = AbortSignal.any([stop, leave.signal]);
  try {
    const chunks = await inTurn(
      job,
      () => leave.abort(yielding),
      () => run(job, { signal, progress }),
    );
    await change(() => finish(memory, job, { chunks, tookMs: Date.now() - started }));
  } catch (error) {
    if (signal.aborted) {
      await change(() => putBack(memory, job));
      return;
    }
    if (error instanceof Gone) {
      await change(() => finish(memory, job, { outcome: "gone", chunks: 0, tookMs: Date.now() - started }));
      log.info(`${job.kind} ${job.subject}: ${error.message}`);
      return;
    }
    const code = getErrorCode(error);
    if (isDamaged(error)) throw error;
    if (troubles.has(code)) {
      await change(() => putBack(memory, job));
      throw error;
    }
    const retryable = error instanceof NotYet || transientErrorPattern.test(code);
    await change(() => fail(memory, job, { error: getErrorMessage(error), retryable }));
    const what = `${job.kind} ${job.subject}: ${getErrorMessage(error)}`;
    if (retryable) log.debug(`${what}; attempt ${job.attempts}`);
    else log.warn(code === "" && error instanceof Error ? `${what}\n${error.stack}` : what);
  }
}
