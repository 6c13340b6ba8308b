import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";
import { codeOf, messageOf } from "../../project/errors.ts";
import type { Logger } from "../../project/log.ts";
import { isMoreUrgentDue, listJobs, nextDue } from "../../store/memory/jobs/job-rows.ts";
import { claim, fail, finish, noteProgress, putBack, recover } from "../../store/memory/jobs/jobs.ts";
import type { Memory } from "../../store/memory/memory.ts";
import type { JobKind, JobRecord } from "../../store/memory/memory-records.ts";
import { isDamaged } from "../../store/sqlite/database.ts";
import type { RwLock } from "./rw-lock.ts";

/** A job that cannot be done yet: it is tried again. */
export class NotYet extends Error {
  override readonly name = "NotYet";
}

export interface JobRun {
  /** Aborted when the worker stops, when the job is no longer ours, or when a more urgent one is pending. */
  signal: AbortSignal;
  /** Units of work done so far, and in all. To be called where the job can be interrupted and resumed. */
  progress(done: number, total: number): void;
}

interface WorkerOptions {
  memory: Memory;
  /** What it does; others do the rest. */
  kinds: readonly JobKind[];
  lock: RwLock;
  /** See `newOwner`. */
  owner: string;
  isAlive: (owner: string) => boolean;
  /** Does a job. @returns how many chunks it wrote */
  run: (job: JobRecord, run: JobRun) => Promise<number>;
  /** The database is damaged; the worker has stopped. */
  onCorrupt: (error: unknown) => void;
  log: Logger;
  /** The first wait when no job can run; doubles up to `maxPauseMs`. Milliseconds. */
  pauseMs?: number;
}

/** How often to look for jobs of other processes, and of dead ones. Milliseconds. */
const pollIntervalMs = 30_000;
/** A job may be due and its subject be worked on elsewhere. Milliseconds. */
const shortestWaitMs = 500;
const maxPauseMs = 300_000;

/** Problems of the machine or the configuration, not of the job: it waits, and keeps its attempts. */
const troubles = new Set(["disk_full", "config_invalid", "unreadable", "embedder_unavailable"]);
/** Problems of a file that may be locked, or not exist yet. */
const passing =
  /^(?:ENOENT|EBUSY|EACCES|EPERM|EMFILE|ENFILE|EAGAIN|EIO|ESTALE|ETIMEDOUT|SQLITE_BUSY.*|transcript_changed)$/;

/** They change what the others hold in mind. */
const mustBeAlone: ReadonlySet<JobKind> = new Set(["scrub", "retain"]);
/** Jobs that request exclusive access themselves: they think for long before they change anything. */
const asksForIt: ReadonlySet<JobKind> = new Set(["deep-scrub"]);

const stopping = new Error("The worker stops.");
const yielding = new Error("A more urgent job waits.");
const lost = new Error("Another process has the job.");

/**
 * Processes the queue of a memory, one job at a time, most urgent first. Several processes may share one memory: each
 * job runs in one of them.
 */
export class JobWorker {
  private running: Promise<void> | null = null;
  private isWanted = false;
  private isWorking = false;
  private timer: NodeJS.Timeout | undefined;
  private readonly stop = new AbortController();
  private failures = 0;
  /** What prevents all jobs from running; null if nothing does. */
  trouble: string | null = null;

  constructor(private readonly options: WorkerOptions) {}

  /** There may be something to do. */
  wake(): void {
    if (this.stop.signal.aborted) return;
    clearTimeout(this.timer);
    this.isWanted = true;
    this.running ??= this.loop().finally(() => {
      this.running = null;
      this.wakeLater();
    });
  }

  /** Whether a job is being done, or could be now. */
  isBusy(): boolean {
    return this.isWorking || this.isWanted;
  }

  /** Interrupts the current job where it can be resumed, and puts it back. */
  async close(): Promise<void> {
    this.stop.abort(stopping);
    clearTimeout(this.timer);
    await this.running;
  }

  private async loop(): Promise<void> {
    while (this.isWanted && !this.stop.signal.aborted) {
      try {
        await this.workOff();
        this.trouble = null;
        this.failures = 0;
      } catch (error) {
        if (this.stop.signal.aborted) return;
        if (isDamaged(error)) {
          this.stop.abort(stopping);
          this.options.onCorrupt(error);
          return;
        }
        await this.pause(error);
      }
    }
  }

  private async workOff(): Promise<void> {
    const { memory, owner, kinds, isAlive } = this.options;
    const jobs = listJobs(memory, { state: "running" });
    // What could not be put back when the disk was full.
    for (const job of jobs) if (job.owner === owner && kinds.includes(job.kind)) putBack(memory, job);
    if (jobs.length > 0) recover(memory, (other) => other === owner || isAlive(other));
    while (!this.stop.signal.aborted) {
      this.isWanted = false;
      const job = claim(memory, owner, { kinds });
      if (job === null) return;
      this.isWorking = true;
      try {
        await this.work(job);
      } finally {
        this.isWorking = false;
      }
      this.trouble = null;
      this.failures = 0;
      await nextTurn();
    }
  }

  private async work(job: JobRecord): Promise<void> {
    const { memory, kinds, run, lock, log } = this.options;
    const leave = new AbortController();
    const started = Date.now();
    const progress = (done: number, total: number) => {
      if (!noteProgress(memory, job, { done, total })) leave.abort(lost);
      else if (isMoreUrgentDue(memory, { priority: job.priority, kinds })) leave.abort(yielding);
    };
    const signal = AbortSignal.any([this.stop.signal, leave.signal]);
    try {
      const work = () => run(job, { signal, progress });
      const inTurn = mustBeAlone.has(job.kind)
        ? () => lock.alone(work)
        : () => lock.together(() => leave.abort(yielding), work);
      const chunks = await (asksForIt.has(job.kind) ? work() : inTurn());
      finish(memory, job, { chunks, tookMs: Date.now() - started });
    } catch (error) {
      if (signal.aborted) {
        putBack(memory, job);
        return;
      }
      const code = codeOf(error);
      if (isDamaged(error)) throw error;
      if (troubles.has(code)) {
        putBack(memory, job);
        throw error;
      }
      const retryable = error instanceof NotYet || passing.test(code);
      fail(memory, job, { error: messageOf(error), retryable });
      const what = `${job.kind} ${job.subject}: ${messageOf(error)}`;
      if (retryable) log.debug(`${what}; attempt ${job.attempts}`);
      else log.warn(code === "" && error instanceof Error ? `${what}\n${error.stack}` : what);
    }
  }

  /** Reports the problem and waits, longer each time. Pending work is safe in the database. */
  private async pause(error: unknown): Promise<void> {
    const wait = Math.min((this.options.pauseMs ?? 2000) * 2 ** this.failures++, maxPauseMs);
    const trouble = messageOf(error);
    if (trouble !== this.trouble) {
      this.options.log.error(`sessions are not imported, next try in ${wait / 1000} s: ${trouble}`);
    }
    this.trouble = trouble;
    this.isWanted = true;
    await sleep(wait, undefined, { signal: this.stop.signal, ref: false }).catch(() => {});
  }

  private wakeLater(): void {
    if (this.stop.signal.aborted) return;
    let wait = pollIntervalMs;
    try {
      const due = nextDue(this.options.memory);
      if (due !== null) wait = Math.min(Math.max(due - Date.now(), shortestWaitMs), pollIntervalMs);
    } catch {
      // The next attempt reports the problem.
    }
    this.timer = setTimeout(() => this.wake(), wait).unref();
  }
}
