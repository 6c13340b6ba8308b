import { existsSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { EmbedPass } from "../../models/embed/embed-pass.ts";
import type { Embedder } from "../../models/embed/embedder.ts";
import { closeEmbedders, createEmbedders, type Embedders, modelsOf } from "../../models/embed/embedders.ts";
import type { Config } from "../../project/config/settings.ts";
import { codeOf, messageOf, PommelError } from "../../project/errors.ts";
import type { Logger } from "../../project/log.ts";
import type { Project } from "../../project/paths.ts";
import type { ModelStatus } from "../../protocol/routes.ts";
import type { JobsStatus, MemoryStatus } from "../../protocol/sessions.ts";
import { describeMemory, jobsStatusOf } from "../../queries/sessions/conversations.ts";
import { describeModels } from "../../queries/status/model-status.ts";
import { SessionSearch } from "../../search/sessions/engine.ts";
import { QueryEmbedder } from "../../search/vectors/query-embedder.ts";
import { chunksToEmbed } from "../../sessions/chunks/embed-source.ts";
import type { ScrubbingWork } from "../../sessions/work.ts";
import { flushTerms, sessionChunkCount } from "../../store/memory/chunks/chunks.ts";
import { sessionVectorCounts } from "../../store/memory/chunks/vectors.ts";
import { enqueue } from "../../store/memory/jobs/jobs.ts";
import { Memory } from "../../store/memory/memory.ts";
import { isDamaged } from "../../store/sqlite/database.ts";
import { collectGarbage } from "../lifecycle/collect-garbage.ts";
import { backgroundSync } from "./background-sync.ts";
import { ConversationJobs } from "./conversation-jobs.ts";
import {
  askForReading,
  askForSummary,
  hasNews,
  priority,
  type TranscriptToRead,
  transcriptsToRead,
} from "./conversation-requests.ts";
import { CurrentScrubber } from "./current-scrubber.ts";
import { askForHistory, askForLate } from "./git-jobs.ts";
import { GitJobs } from "./git-work.ts";
import { Housekeeping } from "./housekeeping.ts";
import { isOwnerAlive, newOwner } from "./job-owner.ts";
import { JobWorker } from "./job-worker.ts";
import { RwLock } from "./rw-lock.ts";

const reading = ["transcript"] as const;
/** After the last session that nobody knew of was read. Milliseconds. */
const afterUnknownMs = 5000;

interface MemoryWorkOptions {
  project: Project;
  config: Config;
  /** The project's root and those of its other worktrees, as they are now. */
  roots: () => readonly string[];
  /** Resolves when they were looked for; until then nothing is read. */
  rootsFound: Promise<void>;
  /** The bundled model, where code is searched with it. */
  bundled: Embedder | null;
  /** Resolves when what was seen of changing files is stored; commits are looked at after that. */
  settled?: () => Promise<void>;
  log: Logger;
  /** A session is summed up when nothing new has come for so long. Milliseconds. */
  summariseAfterMs?: number;
  /** Models leave memory after this long without work. Milliseconds. */
  releaseAfterMs?: number;
  /** Vectors leave memory after this long without a search. Milliseconds. */
  unloadAfterMs?: number;
}

/** One open memory with those who use it. */
interface OpenMemory {
  memory: Memory;
  search: SessionSearch;
  jobs: ConversationJobs;
  workers: JobWorker[];
  embedPass: EmbedPass;
  housekeeping: Housekeeping;
}

/** Keeps the memory of conversations in step for as long as the daemon runs. A damaged one is left as it is. */
export class MemoryWork {
  private open: OpenMemory | null = null;
  /** Why the memory is not open though it should be; null when nothing is wrong. */
  private failure: unknown = null;
  private readonly lock = new RwLock();
  private readonly embedders: Embedders;
  private isClosed = false;
  private readonly scrubber: CurrentScrubber;
  private releaseTimer: NodeJS.Timeout | undefined;
  private unloadTimer: NodeJS.Timeout | undefined;
  private retryTimer: NodeJS.Timeout | undefined;

  constructor(private readonly options: MemoryWorkOptions) {
    this.embedders = createEmbedders(options.config, "text", options.bundled);
    this.scrubber = new CurrentScrubber(options);
    const { config, project } = options;
    if (config["sessions.capture"] || existsSync(project.memoryDb)) this.tryToOpen();
  }

  get captures(): boolean {
    return this.options.config["sessions.capture"];
  }

  /** Whether commits are bound to sessions. */
  get bindsCommits(): boolean {
    return this.captures && this.options.config["git.checkpoints"] && this.open !== null;
  }

  /**
   * The open memory.
   * @throws PommelError why it is not open: `memory_corrupt`, `index_too_new`, `unreadable`, `disk_full`; `capture_off`
   *   where nothing is recorded
   */
  get memory(): Memory {
    return this.opened().memory;
  }

  /** The open memory; null where there is none. */
  get memoryIfAny(): Memory | null {
    return this.open?.memory ?? null;
  }

  get search(): SessionSearch {
    clearTimeout(this.unloadTimer);
    const { search } = this.opened();
    this.unloadTimer = setTimeout(() => void search.release(), this.options.unloadAfterMs ?? 900_000).unref();
    return search;
  }

  /** What it takes to change what is stored. @throws PommelError as `memory`; `config_invalid` */
  work(): ScrubbingWork {
    return this.opened().jobs.work();
  }

  private opened(): OpenMemory {
    if (this.open) return this.open;
    if (this.failure !== null) throw this.failure;
    throw new PommelError(
      "capture_off",
      "Sessions are not recorded here.",
      "Turn it on with `pm config set sessions.capture true`.",
    );
  }

  private tryToOpen(): void {
    const { project, log } = this.options;
    try {
      this.open = this.openNow();
      this.failure = null;
      this.open.housekeeping.begin();
      this.wake();
      this.makeVectors();
    } catch (error) {
      this.fail(error);
      log.error(`${project.memoryDb}: ${messageOf(error)}`);
    }
  }

  private openNow(): OpenMemory {
    const { project, config, roots, rootsFound, settled, log } = this.options;
    const { first, second } = this.embedders;
    const memory = Memory.open(project.memoryDb, { readonly: false });
    try {
      const embedder = first && new QueryEmbedder(this.embedders);
      const scrubber = () => this.scrubber.get();
      const git = new GitJobs({
        ...{ project, config, memory, scrubber, roots, log },
        runSync: backgroundSync(config, () => jobs.work(), log),
        settled: settled ?? (() => Promise.resolve()),
      });
      const jobs: ConversationJobs = new ConversationJobs({
        project,
        config,
        memory,
        embedder: first,
        scrubber,
        roots,
        git,
        onUnknown: () => this.scanMissedCommits({ backfill: true, afterMs: afterUnknownMs }),
        onNewMessages: (since) => {
          if (this.bindsCommits) askForLate(memory, since);
        },
        onNewLines: (session, how) => {
          if (jobs.scrubsDeeply()) this.enqueue("deep-scrub", session);
          this.sumUp(session, how);
        },
        alone: (work) => this.alone(work),
        log,
      });
      const owner = newOwner();
      const common = {
        memory,
        owner,
        lock: this.lock,
        isAlive: isOwnerAlive,
        onCorrupt: (error: unknown) => this.suspect(error),
        log,
      };
      const run: ConstructorParameters<typeof JobWorker>[0]["run"] = async (job, how) => {
        await rootsFound;
        try {
          return await jobs.run(job, how);
        } finally {
          this.afterJob();
        }
      };
      return {
        memory,
        search: new SessionSearch({ root: project.root, memory, embedder }),
        jobs,
        // A language model and the network take their time, and nobody waits for that.
        workers: [
          new JobWorker({
            ...common,
            kinds: [...(this.captures ? reading : []), "commit", "scrub", "history", "retain"],
            run,
          }),
          new JobWorker({ ...common, kinds: ["deep-scrub", "summary", "sync"], run }),
        ],
        embedPass: new EmbedPass({
          source: chunksToEmbed(memory, first ? [first.id] : []),
          models: second ? [second] : [],
          log,
        }),
        housekeeping: new Housekeeping({
          memory,
          config,
          isResting: () => this.isResting(),
          scrubVersion: () => this.scrubber.get().version,
          enqueue: (kind, subject) => this.enqueue(kind, subject),
          onFailure: (error) => this.suspect(error),
          log,
        }),
      };
    } catch (error) {
      memory.close();
      throw error;
    }
  }

  private fail(error: unknown): void {
    this.failure = error;
    // A full disk may get room again; what is damaged stays so until somebody has seen to it.
    if (this.isClosed || isDamaged(error) || codeOf(error) === "index_too_new") return;
    this.retryTimer = setTimeout(() => this.tryToOpen(), 10_000).unref();
  }

  /** Something that reads the memory failed: if it is damaged, it is closed and left as it is. */
  suspect(error: unknown): void {
    if (!isDamaged(error) || !this.open || this.isClosed) return;
    const { memory, ...users } = this.open;
    this.open = null;
    this.fail(memory.explain(error));
    this.options.log.error(messageOf(this.failure));
    void closeUsers(users)
      .then(() => memory.close())
      .catch((failure: unknown) => this.options.log.warn(`cannot close the memory: ${messageOf(failure)}`));
  }

  /** For what nobody waits for: a memory that fails must not end the daemon, which has code to search as well. */
  private quietly(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.options.log.warn(`sessions: ${messageOf(error)}`);
      this.suspect(error);
    }
  }

  /** What is read for a report, and what is reported of a memory that cannot be read. */
  report<T>(read: (memory: Memory) => T, otherwise: T): T {
    if (!this.open) return otherwise;
    try {
      return read(this.open.memory);
    } catch (error) {
      this.suspect(error);
      return otherwise;
    }
  }

  /**
   * Lets a transcript be read on.
   * @throws PommelError as `memory`
   */
  readOn(path: string, asked: TranscriptToRead): void {
    askForReading(this.memory, path, asked);
    this.wake();
  }

  /** Whether a transcript holds what was not read yet. */
  hasNews(path: string, stat: { size: number; mtimeMs: number }): boolean {
    return hasNews(this.memory, path, stat);
  }

  /** Lets a session be summed up: at once, or when it has been quiet for a while. */
  sumUp(session: string, { atOnce, withLlm }: { atOnce: boolean; withLlm: boolean }): void {
    const afterMs = atOnce ? 0 : (this.options.summariseAfterMs ?? 60_000);
    askForSummary(this.memory, session, { afterMs, withLlm });
    this.wake();
  }

  /** Lets commits be caught up on that nobody told of; where commits are not bound to sessions, nothing. */
  scanMissedCommits(how: { backfill?: boolean; afterMs?: number } = {}): void {
    if (!this.bindsCommits) return;
    this.quietly(() => askForHistory(this.memory, how));
    this.wake();
  }

  enqueue(kind: "deep-scrub" | "scrub" | "retain", subject: string): void {
    enqueue(this.memory, { kind, subject, priority: priority[kind] });
    this.wake();
  }

  /** There may be jobs to do. */
  wake(): void {
    for (const worker of this.open?.workers ?? []) worker.wake();
  }

  /** Runs what nothing else may run beside: jobs at hand are left and gone on with afterwards. */
  async alone<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await this.lock.alone(work);
    } finally {
      this.wake();
      this.makeVectors();
    }
  }

  /** Behind everything else. */
  private makeVectors(): void {
    this.open?.embedPass.run().catch((error: unknown) => {
      if (this.isClosed) return;
      this.options.log.error(`embedding sessions failed: ${messageOf(error)}`);
      this.suspect(error);
    });
  }

  private afterJob(): void {
    clearTimeout(this.releaseTimer);
    this.releaseTimer = setTimeout(() => {
      if (!this.isResting()) this.afterJob();
      else void this.release();
    }, this.options.releaseAfterMs ?? 30_000).unref();
    if (this.embedders.second && !this.isClosed) this.makeVectors();
  }

  private async release(): Promise<void> {
    this.flush();
    await this.embedders.first?.close();
    collectGarbage();
    // What the first time has freed is given back to the system the second time.
    await sleep(1000, undefined, { ref: false });
    collectGarbage();
  }

  private flush(): void {
    if (this.isClosed) return;
    this.quietly(() => this.open && flushTerms(this.open.memory));
  }

  /** Transcripts that wait to be read on. */
  pending(): number {
    return transcriptsToRead(this.memory);
  }

  jobsStatus(): JobsStatus {
    return this.report(jobsStatusOf, describeMemory(null, this.circumstances()).jobs);
  }

  /** Never fails: a memory that cannot be read is a status, too. */
  status(): MemoryStatus {
    try {
      return describeMemory(this.open?.memory ?? null, this.circumstances());
    } catch (error) {
      this.suspect(error);
      const circumstances = this.circumstances();
      return describeMemory(null, { ...circumstances, problem: circumstances.problem ?? messageOf(error) });
    }
  }

  private circumstances() {
    const { config, project } = this.options;
    const problem = this.failure === null ? null : messageOf(this.failure);
    const version = this.scrubber.lastVersion;
    return {
      config,
      file: project.memoryDb,
      problem,
      llmProblem: this.open?.jobs.llmProblem ?? null,
      ...(version !== null && { scrubVersion: version }),
    };
  }

  models(): ModelStatus[] {
    const life = {
      progressOf: (model: string) => this.open?.embedPass.progressOf(model) ?? null,
      problemWith: () => null,
    };
    return this.report((memory) => {
      const stored = { total: sessionChunkCount(memory), counts: sessionVectorCounts(memory) };
      return describeModels(modelsOf(this.embedders), stored, life);
    }, []);
  }

  /** What a person should know. */
  notes(): string[] {
    const notes = (this.open?.workers ?? []).flatMap(({ trouble }) => trouble ?? []);
    if (this.failure !== null) notes.push(messageOf(this.failure));
    return [...new Set(notes)];
  }

  /** Whether there is nothing to do now, not even in the background. */
  isResting(): boolean {
    if (!this.open) return true;
    const { workers, embedPass } = this.open;
    return workers.every((worker) => !worker.isBusy()) && !embedPass.isBusy();
  }

  async close(): Promise<void> {
    this.isClosed = true;
    for (const timer of [this.releaseTimer, this.unloadTimer, this.retryTimer]) clearTimeout(timer);
    if (this.open) {
      const { memory, ...users } = this.open;
      await closeUsers(users);
      // Requests that came with the last breath.
      await this.lock.alone(() => memory.close());
      this.open = null;
    }
    await closeEmbedders(this.embedders);
  }
}

async function closeUsers({ workers, embedPass, housekeeping }: Omit<OpenMemory, "memory">): Promise<void> {
  housekeeping.close();
  await Promise.all([...workers.map((worker) => worker.close()), embedPass.close()]);
}
