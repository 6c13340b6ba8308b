import { setTimeout as sleep } from "node:timers/promises";
import { searchWithCommits } from "../../attribution/search/search-with-commits.ts";
import { collectAtRest } from "../../base/collect-garbage.ts";
import { getErrorMessage } from "../../base/errors.ts";
import { QueryEmbedder } from "../../code/search/vectors/query-embedder.ts";
import { EmbedPass } from "../../models/embed/embed-pass.ts";
import type { Embedders } from "../../models/embed/embedders.ts";
import { CurrentScrubber } from "../../redact/project-scrubber.ts";
import { createChunkEmbedSource } from "../../sessions/chunks/embed.ts";
import type { SessionSearch } from "../../sessions/search/engine.ts";
import { isJobUnfinished } from "../../store/memory/jobs/job-rows.ts";
import { enqueue, makeDue } from "../../store/memory/jobs/jobs.ts";
import { Memory } from "../../store/memory/memory.ts";
import { indexAllSessions, indexSessions } from "../../store/memory/sessions/session-index.ts";
import { changeWhenFree } from "./change-when-free.ts";
import { areCommitsAsked, askForCommits, askForHistory } from "./git-jobs.ts";
import { Housekeeping, MemoryCare } from "./housekeeping.ts";
import { type JobSurroundings, MemoryWorkers } from "./memory-workers.ts";
import { RwLock } from "./rw-lock.ts";
import { SessionJobs } from "./session-jobs.ts";
import { askForReading, askForSessions, priority, type TranscriptToRead } from "./session-requests.ts";
import { makeBackgroundSync, TeamShare } from "./sharing.ts";

/** Models leave memory after this long without work, vectors without a search. Milliseconds. */
const releaseAfterMs = 30_000;
const unloadAfterMs = 900_000;
/** How often a question checks whether what it waits for is done. Milliseconds. */
const askAgainMs = 20;
/** A language model is asked about new sessions this long after they were read. Milliseconds. */
const askModelAfterMs = 5_000;

/** A memory that is open, with all that works on it: search, the queue's workers, the embedding pass, housekeeping. */
export class ServedMemory {
  readonly memory: Memory;
  readonly jobs: SessionJobs;
  readonly embedPass: EmbedPass;
  readonly scrubber: CurrentScrubber;
  private readonly sessionSearch: SessionSearch;
  private readonly workers: MemoryWorkers;
  private readonly housekeeping: Housekeeping;
  private readonly care: MemoryCare;
  private readonly team: TeamShare;
  private readonly lock = new RwLock();
  /** Changes of the queue that wait for other writers. */
  private readonly changing = new Set<Promise<void>>();
  private isClosed = false;
  private releaseTimer: NodeJS.Timeout | undefined;
  private modelTimer: NodeJS.Timeout | undefined;
  private unloadTimer: NodeJS.Timeout | undefined;

  /**
   * @param onFailure called with every failure in the background
   * @throws PommelError as `Memory.open`
   */
  constructor(
    private readonly options: JobSurroundings,
    readonly embedders: Embedders,
    private readonly onFailure: (error: unknown) => void,
  ) {
    const { project, config, log } = options;
    const { first, second } = embedders;
    this.scrubber = new CurrentScrubber(options);
    this.memory = Memory.open(project.memoryDb, { readonly: false });
    try {
      const { memory } = this;
      this.jobs = this.createJobs();
      const embedder = first && new QueryEmbedder(embedders);
      this.sessionSearch = searchWithCommits({ root: project.root, memory, embedder });
      this.workers = new MemoryWorkers({
        ...options,
        memory,
        jobs: this.jobs,
        lock: this.lock,
        onJob: (where) => {
          // After a thread's job, a transaction here would wait for the threads, and delay all answers.
          if (where === "here") this.indexSessions();
          this.handleJobDone();
        },
        onThreadsDone: () => this.askModelSoon(),
        onCorrupt: onFailure,
      });
      this.embedPass = new EmbedPass({
        source: createChunkEmbedSource(memory, first ? [first.id] : []),
        models: second ? [second] : [],
        log,
      });
      this.housekeeping = new Housekeeping({
        memory,
        config,
        isResting: () => this.isResting(),
        scrubVersion: () => this.scrubber.get().version,
        enqueue: (kind, subject) => this.enqueue(kind, subject),
        onFailure,
        log,
      });
      this.care = new MemoryCare({
        memoryDb: project.memoryDb,
        config,
        isResting: () => this.isResting(),
        onFailure,
        log,
      });
      this.team = new TeamShare({
        config,
        work: () => this.jobs.buildScrubbingWork(),
        isResting: () => this.isResting(),
        log,
      });
    } catch (error) {
      this.memory.close();
      throw error;
    }
  }

  private createJobs(): SessionJobs {
    const { memory, embedders, options } = this;
    const { project, config, roots, log } = options;
    return new SessionJobs({
      project,
      config,
      memory,
      roots,
      log,
      scrubber: () => this.scrubber.get(),
      runSync: makeBackgroundSync(config, () => this.jobs.buildScrubbingWork(), log),
      embedder: embedders.first,
      alone: (work) => this.runExclusive(work),
    });
  }

  begin(): void {
    this.housekeeping.begin();
    this.care.begin();
    this.team.begin();
    // The model may be available by now, or no longer be wanted.
    this.runQuietly(() => {
      makeDue(this.memory, "deep-scrub");
      this.jobs.askModel();
    });
    this.indexSessions();
    this.wake();
    this.makeVectors();
  }

  /** Whether commits are linked to sessions. */
  get bindsCommits(): boolean {
    return this.options.config["sessions.capture"];
  }

  get search(): SessionSearch {
    clearTimeout(this.unloadTimer);
    this.unloadTimer = setTimeout(() => void this.sessionSearch.release(), unloadAfterMs).unref();
    return this.sessionSearch;
  }

  // Requests

  /**
   * Queues the import of a transcript's new lines. If another thread is writing, the job is queued after that. If the daemon dies
   * first, the next one finds the lines again.
   */
  readOn(path: string, asked: TranscriptToRead): void {
    this.changeSoon(() => askForReading(this.memory, path, asked));
  }

  /** Changes the queue, at once or as soon as nobody else writes. */
  private changeSoon(change: () => void): void {
    if (this.memory.isInTransaction) change();
    else void this.changeNow(change).catch((error: unknown) => this.handleFailure(error));
    this.wake();
  }

  /** Resolves when the change is made. */
  private async changeNow<T>(change: () => T): Promise<T> {
    const changing = changeWhenFree(this.memory, change);
    const settled = changing.then(
      () => this.wake(),
      () => {},
    );
    this.changing.add(settled);
    void settled.finally(() => this.changing.delete(settled));
    return changing;
  }

  /** Queues a scan for commits that no hook reported; does nothing where commits are not linked to sessions. */
  scanMissedCommits(how: { backfill?: boolean; afterMs?: number } = {}): void {
    if (this.bindsCommits) this.changeSoon(() => askForHistory(this.memory, how));
  }

  /**
   * Reads waiting sessions whose ids begin with `id` before all others. Resolves when they are read, or when the signal aborts.
   */
  async readNow(id: string, signal: AbortSignal): Promise<void> {
    const asked = await this.changeNow(() => askForSessions(this.memory, id));
    if (asked.length === 0) return;
    await this.waitWhile(() => asked.some((job) => isJobUnfinished(this.memory, job)), signal);
  }

  private async waitWhile(isUnfinished: () => boolean, signal: AbortSignal): Promise<void> {
    while (!this.isClosed && !signal.aborted && isUnfinished())
      await sleep(askAgainMs, undefined, { signal, ref: false }).catch(() => {});
  }

  /**
   * Analyses commits before all else; does nothing if commits are not linked to sessions. Resolves when they are analysed, or when
   * the signal aborts.
   */
  async analyse(hashes: readonly string[], signal: AbortSignal): Promise<void> {
    if (!this.bindsCommits) return;
    await this.changeNow(() => askForCommits(this.memory, hashes));
    await this.waitWhile(() => areCommitsAsked(this.memory), signal);
  }

  enqueue(kind: "scrub" | "recut" | "retain", subject: string): void {
    this.changeSoon(() => enqueue(this.memory, { kind, subject, priority: priority[kind] }));
  }

  /** Applies settings that changed to what is stored. */
  applySettings(): void {
    this.housekeeping.applyCutRules();
  }

  /** Call this when there may be jobs to do. */
  wake(): void {
    this.workers.wake();
  }

  /** Runs exclusive work: current jobs are interrupted and resumed afterwards. */
  async runExclusive<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await this.lock.runExclusive(work);
    } finally {
      this.wake();
      this.makeVectors();
    }
  }

  // Background work

  /** What prevents the queue from being processed. */
  get troubles(): string[] {
    return this.workers.troubles;
  }

  /** Whether there is no work, not even in the background. */
  isResting(): boolean {
    return !this.workers.isBusy() && !this.embedPass.isBusy();
  }

  /** Makes vectors, after everything else. */
  private makeVectors(): void {
    if (this.isClosed) return;
    this.embedPass.run().catch((error: unknown) => {
      if (this.isClosed) return;
      this.options.log.error(`embedding sessions failed: ${getErrorMessage(error)}`);
      this.onFailure(error);
    });
  }

  /** Indexes the titles and prompts of changed sessions, a few at a time. */
  private indexSessions(): void {
    if (this.isClosed) return;
    this.runQuietly(() => {
      if (!indexSessions(this.memory)) setImmediate(() => this.indexSessions());
    });
  }

  /** Asks the language model, a little later, about the sessions that were read. */
  private askModelSoon(): void {
    this.modelTimer ??= setTimeout(() => {
      this.modelTimer = undefined;
      this.runQuietly(() => {
        if (this.jobs.askModel()) this.wake();
      });
    }, askModelAfterMs).unref();
  }

  private handleJobDone(): void {
    this.options.onStored?.();
    clearTimeout(this.releaseTimer);
    this.releaseTimer = setTimeout(() => {
      if (!this.isResting()) this.handleJobDone();
      else void this.release();
    }, releaseAfterMs).unref();
    if (this.embedders.second) this.makeVectors();
  }

  private async release(): Promise<void> {
    if (!this.isClosed) this.runQuietly(() => indexAllSessions(this.memory));
    await this.embedders.first?.close();
    collectAtRest();
  }

  /** Runs background work and handles its errors: a failing memory must not end the daemon, which also serves code search. */
  private runQuietly(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.handleFailure(error);
    }
  }

  private handleFailure(error: unknown): void {
    this.options.log.warn(`sessions: ${getErrorMessage(error)}`);
    this.onFailure(error);
  }

  /** Interrupts the current jobs where they can be resumed. */
  async close(): Promise<void> {
    this.isClosed = true;
    this.housekeeping.close();
    await Promise.all([this.workers.close(), this.embedPass.close(), this.care.close(), this.team.close()]);
    await Promise.all(this.changing);
    for (const timer of [this.releaseTimer, this.unloadTimer, this.modelTimer]) clearTimeout(timer);
    // Wait for requests that were accepted while shutting down.
    await this.lock.runExclusive(() => this.memory.close());
  }
}
