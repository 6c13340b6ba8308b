import { setTimeout as sleep } from "node:timers/promises";
import { EmbedPass } from "../../models/embed/embed-pass.ts";
import type { Embedders } from "../../models/embed/embedders.ts";
import { collectAtRest } from "../../project/collect-garbage.ts";
import type { Config } from "../../project/config/settings.ts";
import { messageOf } from "../../project/errors.ts";
import type { Logger } from "../../project/log.ts";
import type { Project } from "../../project/paths.ts";
import { CurrentScrubber } from "../../redact/project-scrubber.ts";
import { SessionSearch } from "../../search/sessions/engine.ts";
import { QueryEmbedder } from "../../search/vectors/query-embedder.ts";
import { chunksToEmbed } from "../../sessions/chunks/embed.ts";
import { flushTerms } from "../../store/memory/chunks/chunks.ts";
import { dueJobs, nextDue } from "../../store/memory/jobs/job-rows.ts";
import { enqueue, makeDue, recover } from "../../store/memory/jobs/jobs.ts";
import { Memory } from "../../store/memory/memory.ts";
import type { JobKind } from "../../store/memory/memory-records.ts";
import { indexSessions } from "../../store/memory/sessions/session-index.ts";
import { ConversationJobs } from "./conversation-jobs.ts";
import { askForReading, priority, type TranscriptToRead } from "./conversation-requests.ts";
import { doNextJob, type QueueOptions } from "./do-job.ts";
import { askForHistory } from "./git-jobs.ts";
import { Housekeeping, MemoryCare } from "./housekeeping.ts";
import { isOwnerAlive, JobWorker, newOwner } from "./job-worker.ts";
import { RwLock } from "./rw-lock.ts";
import { backgroundSync, TeamShare } from "./sharing.ts";
import type { JobThreads } from "./threads/job-threads.ts";
import { besideKinds, threadKinds } from "./threads/thread-messages.ts";

/** Jobs that change what the others hold in mind. */
const mustBeAlone: ReadonlySet<JobKind> = new Set(["scrub", "retain"]);
/** Jobs that request exclusive access themselves: they think for long before they change anything. */
const asksForIt: ReadonlySet<JobKind> = new Set(["deep-scrub"]);

/** Models leave memory after this long without work, vectors without a search. Milliseconds. */
const releaseAfterMs = 30_000;
const unloadAfterMs = 900_000;
/** A language model is asked about new sessions this long after they were read. Milliseconds. */
const askModelAfterMs = 5_000;

export interface OpenMemoryOptions {
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
  log: Logger;
}

/** A memory that is open, with all that works on it: search, the queue's workers, the embedding pass, housekeeping. */
export class OpenMemory {
  readonly memory: Memory;
  readonly jobs: ConversationJobs;
  readonly embedPass: EmbedPass;
  readonly scrubber: CurrentScrubber;
  private readonly sessionSearch: SessionSearch;
  private readonly workers: readonly JobWorker[];
  private readonly housekeeping: Housekeeping;
  private readonly care: MemoryCare;
  private readonly team: TeamShare;
  private readonly lock = new RwLock();
  private isClosed = false;
  private releaseTimer: NodeJS.Timeout | undefined;
  private modelTimer: NodeJS.Timeout | undefined;
  private unloadTimer: NodeJS.Timeout | undefined;

  /**
   * @param onFailure called with every failure in the background
   * @throws PommelError as `Memory.open`
   */
  constructor(
    private readonly options: OpenMemoryOptions,
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
      this.sessionSearch = new SessionSearch({ root: project.root, memory, embedder });
      this.workers = this.createWorkers();
      this.embedPass = new EmbedPass({
        source: chunksToEmbed(memory, first ? [first.id] : []),
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
        work: () => this.jobs.work(),
        isResting: () => this.isResting(),
        log,
      });
    } catch (error) {
      this.memory.close();
      throw error;
    }
  }

  private createJobs(): ConversationJobs {
    const { memory, embedders, options } = this;
    const { project, config, roots, log } = options;
    return new ConversationJobs({
      ...{ project, config, memory, roots, log },
      scrubber: () => this.scrubber.get(),
      runSync: backgroundSync(config, () => this.jobs.work(), log),
      embedder: embedders.first,
      alone: (work) => this.alone(work),
    });
  }

  private createWorkers(): JobWorker[] {
    const { memory } = this;
    const { config, rootsFound, log } = this.options;
    const owner = newOwner();
    const queueOf = (kinds: readonly JobKind[], after: readonly JobKind[]): QueueOptions => ({
      ...{ memory, kinds, after, owner, log },
      isAlive: isOwnerAlive,
      run: async (job, how) => {
        await rootsFound;
        return this.jobs.run(job, how).finally(() => this.afterJob());
      },
      inTurn: ({ kind }, leave, work) => this.inTurn(kind, leave, work),
    });
    const workerWith = (next: (signal: AbortSignal) => Promise<boolean>) =>
      new JobWorker({ next, nextDue: () => nextDue(memory), onCorrupt: this.onFailure, log });
    const inThreads = threadKinds.filter((kind) => kind !== "transcript" || config["sessions.capture"]);
    const beside = queueOf(besideKinds, inThreads);
    // A language model and the network are slow, and nobody waits for these jobs.
    const slow = queueOf(["deep-scrub", "summary", "sync"], []);
    const byModel = queueOf(["model-summary"], []);
    return [
      workerWith(
        async (signal) => (await doNextJob(beside, signal)) || (await this.workInThreads(inThreads, signal)),
      ),
      workerWith((signal) => doNextJob(slow, signal)),
      workerWith((signal) => doNextJob(byModel, signal)),
    ];
  }

  private inTurn<T>(kind: JobKind, leave: () => void, work: () => Promise<T>): Promise<T> {
    if (mustBeAlone.has(kind)) return this.lock.alone(work);
    return asksForIt.has(kind) ? work() : this.lock.together(leave, work);
  }

  /** Has the jobs that are due, of those kinds, done in threads. @returns false when none is */
  private async workInThreads(kinds: readonly JobKind[], signal: AbortSignal): Promise<boolean> {
    const { memory, lock } = this;
    const { project, config, roots, rootsFound, settled, threads } = this.options;
    await rootsFound;
    const { jobs, total: bytes } = dueJobs(memory, kinds);
    if (jobs === 0) return false;
    const leave = new AbortController();
    const turn = { project, config, roots: roots(), kinds, hasScrubbingModel: this.jobs.hasScrubbingModel };
    const work = () =>
      threads.work(turn, {
        ...{ jobs, bytes },
        settled: settled ?? (() => Promise.resolve()),
        signal: AbortSignal.any([signal, leave.signal]),
        owner: newOwner,
        onJob: () => this.afterTurn(),
        onLost: (lost) => void this.putBack(lost),
      });
    await lock.together(() => leave.abort(), work);
    this.modelTimer ??= setTimeout(() => {
      this.modelTimer = undefined;
      this.quietly(() => {
        if (this.jobs.askModel()) this.wake();
      });
    }, askModelAfterMs).unref();
    return true;
  }

  /** What an owner had begun waits again. Tried until it succeeds: another thread waits for it. */
  private async putBack(owner: string): Promise<void> {
    while (!this.isClosed) {
      try {
        recover(this.memory, (other) => other !== owner);
        return;
      } catch (error) {
        this.options.log.debug(`what was being read is not put back yet: ${messageOf(error)}`);
        await sleep(1000, undefined, { ref: false });
      }
    }
  }

  begin(): void {
    this.housekeeping.begin();
    this.care.begin();
    this.team.begin();
    // The model may be there by now, or not be wanted any more.
    this.quietly(() => {
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

  /** Queues the import of a transcript's new lines. */
  readOn(path: string, asked: TranscriptToRead): void {
    askForReading(this.memory, path, asked);
    this.wake();
  }

  /** Queues a scan for commits that no hook reported; does nothing where commits are not linked to sessions. */
  scanMissedCommits(how: { backfill?: boolean; afterMs?: number } = {}): void {
    if (!this.bindsCommits) return;
    this.quietly(() => askForHistory(this.memory, how));
    this.wake();
  }

  enqueue(kind: "scrub" | "recut" | "retain", subject: string): void {
    enqueue(this.memory, { kind, subject, priority: priority[kind] });
    this.wake();
  }

  /** Applies settings that changed to what is stored. */
  applySettings(): void {
    this.housekeeping.applyCutRules();
  }

  /** There may be jobs to do. */
  wake(): void {
    for (const worker of this.workers) worker.wake();
  }

  /** Runs exclusive work: current jobs are interrupted and resumed afterwards. */
  async alone<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await this.lock.alone(work);
    } finally {
      this.wake();
      this.makeVectors();
    }
  }

  // Background work

  /** What prevents the queue from being processed. */
  get troubles(): string[] {
    return this.workers.flatMap(({ trouble }) => trouble ?? []);
  }

  /** Whether there is no work, not even in the background. */
  isResting(): boolean {
    return this.workers.every((worker) => !worker.isBusy()) && !this.embedPass.isBusy();
  }

  /** Behind everything else. */
  private makeVectors(): void {
    if (this.isClosed) return;
    this.embedPass.run().catch((error: unknown) => {
      if (this.isClosed) return;
      this.options.log.error(`embedding sessions failed: ${messageOf(error)}`);
      this.onFailure(error);
    });
  }

  /** Makes sessions that changed findable by what they are called and were asked; a few at a time. */
  private indexSessions(): void {
    if (this.isClosed) return;
    this.quietly(() => {
      if (!indexSessions(this.memory)) setImmediate(() => this.indexSessions());
    });
  }

  /** What a thread did may have made other jobs due. */
  private afterTurn(): void {
    if (this.isClosed) return;
    this.afterJob();
    this.wake();
  }

  private afterJob(): void {
    this.indexSessions();
    clearTimeout(this.releaseTimer);
    this.releaseTimer = setTimeout(() => {
      if (!this.isResting()) this.afterJob();
      else void this.release();
    }, releaseAfterMs).unref();
    if (this.embedders.second) this.makeVectors();
  }

  private async release(): Promise<void> {
    if (!this.isClosed) this.quietly(() => flushTerms(this.memory));
    await this.embedders.first?.close();
    collectAtRest();
  }

  /** For work in the background: a memory that fails must not end the daemon, which also serves code search. */
  private quietly(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.options.log.warn(`sessions: ${messageOf(error)}`);
      this.onFailure(error);
    }
  }

  /** Interrupts the current jobs where they can be resumed. */
  async close(): Promise<void> {
    this.isClosed = true;
    this.housekeeping.close();
    await Promise.all([
      ...this.workers.map((worker) => worker.close()),
      this.embedPass.close(),
      this.care.close(),
      this.team.close(),
    ]);
    for (const timer of [this.releaseTimer, this.unloadTimer, this.modelTimer]) clearTimeout(timer);
    // Requests accepted while shutting down.
    await this.lock.alone(() => this.memory.close());
  }
}
