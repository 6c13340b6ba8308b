import { setTimeout as sleep } from "node:timers/promises";
import type { Config } from "../../base/config/settings.ts";
import { getErrorMessage } from "../../base/errors.ts";
import type { Logger } from "../../base/log.ts";
import type { Project } from "../../base/paths.ts";
import { countDueJobs, findMostUrgentDue, findNextDueAt } from "../../store/memory/jobs/job-rows.ts";
import { recoverJobs } from "../../store/memory/jobs/jobs.ts";
import type { Memory } from "../../store/memory/memory.ts";
import type { JobKind } from "../../store/memory/memory-records.ts";
import { changeWhenFree } from "./change-when-free.ts";
import { doNextJob, type QueueOptions } from "./do-job.ts";
import { isOwnerAlive, JobWorker, makeJobOwner } from "./job-worker.ts";
import type { RwLock } from "./rw-lock.ts";
import type { SessionJobs } from "./session-jobs.ts";
import type { JobThreads } from "./threads/job-threads.ts";
import { besideKinds, threadKinds } from "./threads/thread-messages.ts";

/** Jobs that change data which other jobs may hold in variables. */
const mustBeAlone: ReadonlySet<JobKind> = new Set(["scrub", "retain"]);
/** Jobs that request exclusive access themselves, because they work for long before they change anything. */
const asksForIt: ReadonlySet<JobKind> = new Set(["deep-scrub"]);

/** What the jobs of a memory need from their surroundings. */
export interface JobSurroundings {
  project: Project;
  config: Config;
  /** The project's root and those of its other worktrees, as they are now. */
  roots: () => readonly string[];
  /** Resolves when the worktrees are found; nothing is read before. */
  rootsFound: Promise<void>;
  /** Resolves when the file observations so far are stored; commits are analysed after that. */
  settled?: () => Promise<void>;
  /** The threads that read transcripts. */
  threads: JobThreads;
  /** Called when something was stored. */
  onStored?: () => void;
  log: Logger;
}

interface MemoryWorkersOptions extends JobSurroundings {
  memory: Memory;
  jobs: SessionJobs;
  lock: RwLock;
  /** Called when a job is done. A thread has already indexed what it read; what was done here still has to be indexed. */
  onJob: (where: "thread" | "here") => void;
  /** Called when the threads have done everything that was due. */
  onThreadsDone: () => void;
  /** Called if the memory is damaged. */
  onCorrupt: (error: unknown) => void;
}

/** The workers of a memory's queue. Threads read transcripts, and slow jobs have workers of their own, so they delay nothing. */
export class MemoryWorkers {
  private readonly workers: readonly JobWorker[];
  private isClosed = false;

  constructor(private readonly options: MemoryWorkersOptions) {
    const inThreads = threadKinds.filter(
      (kind) => kind !== "transcript" || options.config["sessions.capture"],
    );
    const owner = makeJobOwner();
    const beside = this.buildQueueOptions(owner, besideKinds, inThreads);
    // A language model and the network are slow, and nobody waits for these jobs.
    const slow = this.buildQueueOptions(owner, ["deep-scrub", "sync"], []);
    const byModel = this.buildQueueOptions(owner, ["model-summary"], []);
    this.workers = [
      this.makeWorker(
        async (signal) => (await doNextJob(beside, signal)) || (await this.workInThreads(inThreads, signal)),
      ),
      this.makeWorker((signal) => doNextJob(slow, signal)),
      this.makeWorker((signal) => doNextJob(byModel, signal)),
    ];
  }

  private makeWorker(next: (signal: AbortSignal) => Promise<boolean>): JobWorker {
    const { memory, onCorrupt, log } = this.options;
    return new JobWorker({ next, nextDue: () => findNextDueAt(memory), onCorrupt, log });
  }

  private buildQueueOptions(
    owner: string,
    kinds: readonly JobKind[],
    after: readonly JobKind[],
  ): QueueOptions {
    const { memory, jobs, rootsFound, onJob, log } = this.options;
    return {
      memory,
      kinds,
      after,
      owner,
      log,
      isAlive: isOwnerAlive,
      change: (change) => changeWhenFree(memory, change),
      run: async (job, how) => {
        await rootsFound;
        return jobs.run(job, how).finally(() => onJob("here"));
      },
      inTurn: ({ kind }, leave, work) => this.runUnderLock(kind, leave, work),
    };
  }

  private runUnderLock<T>(kind: JobKind, leave: () => void, work: () => Promise<T>): Promise<T> {
    const { lock } = this.options;
    if (mustBeAlone.has(kind)) return lock.runExclusive(work);
    return asksForIt.has(kind) ? work() : lock.runShared(leave, work);
  }

  /** Does due jobs of these kinds in threads. @returns false if none is due */
  private async workInThreads(kinds: readonly JobKind[], signal: AbortSignal): Promise<boolean> {
    const { memory, jobs: own, lock, onThreadsDone } = this.options;
    const { project, config, roots, rootsFound, settled, threads } = this.options;
    await rootsFound;
    const { jobs, total: bytes } = countDueJobs(memory, kinds);
    if (jobs === 0) return false;
    const leave = new AbortController();
    const turn = { project, config, roots: roots(), kinds, hasScrubbingModel: own.hasScrubbingModel };
    const work = () =>
      threads.runTurns(turn, {
        jobs,
        bytes,
        urgency: () => this.readUrgency(kinds),
        settled: settled ?? (() => Promise.resolve()),
        signal: AbortSignal.any([signal, leave.signal]),
        owner: makeJobOwner,
        onJob: () => this.handleThreadJobDone(),
        onLost: (lost) => void this.putBack(lost),
      });
    memory.leaveLogToOthers(true);
    try {
      await lock.runShared(() => leave.abort(), work);
    } finally {
      if (!this.isClosed) memory.leaveLogToOthers(false);
    }
    onThreadsDone();
    return true;
  }

  /** The urgency of the next job; the least if the memory cannot be read. */
  private readUrgency(kinds: readonly JobKind[]): number {
    try {
      return findMostUrgentDue(this.options.memory, kinds);
    } catch {
      return Number.POSITIVE_INFINITY;
    }
  }

  /** Wakes the workers, because a thread's job may have made others due. */
  private handleThreadJobDone(): void {
    if (this.isClosed) return;
    this.options.onJob("thread");
    this.wake();
  }

  /** Puts an owner's unfinished jobs back into the queue. Tries until it succeeds, because another thread waits for them. */
  private async putBack(owner: string): Promise<void> {
    while (!this.isClosed) {
      try {
        recoverJobs(this.options.memory, (other) => other !== owner);
        return;
      } catch (error) {
        this.options.log.debug(`what was being read is not put back yet: ${getErrorMessage(error)}`);
        await sleep(1000, undefined, { ref: false });
      }
    }
  }

  /** There may be jobs to do. */
  wake(): void {
    for (const worker of this.workers) worker.wake();
  }

  /** What prevents the queue from being processed. */
  get troubles(): string[] {
    return this.workers.flatMap(({ trouble }) => trouble ?? []);
  }

  isBusy(): boolean {
    return this.workers.some((worker) => worker.isBusy());
  }

  /** Interrupts the current jobs where they can be resumed. */
  async close(): Promise<void> {
    this.isClosed = true;
    await Promise.all(this.workers.map((worker) => worker.close()));
  }
}
