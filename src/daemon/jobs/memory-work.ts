import { existsSync } from "node:fs";
import { explainError, getErrorCode, getErrorMessage, PommelError } from "../../base/errors.ts";
import type { Embedder } from "../../models/embed/embedder.ts";
import { closeEmbedders, createEmbedders, type Embedders } from "../../models/embed/embedders.ts";
import type { SessionSearch } from "../../sessions/search/engine.ts";
import type { ScrubbingWork } from "../../sessions/work.ts";
import { recoverMemory } from "../../store/memory/backups/put-in-place.ts";
import { countUnfinishedJobs } from "../../store/memory/jobs/job-rows.ts";
import type { Memory } from "../../store/memory/memory.ts";
import { isDamaged } from "../../store/sqlite/database.ts";
import type { JobSurroundings } from "./memory-workers.ts";
import { ServedMemory } from "./open-memory.ts";
import { askForOldLines, hasNews, type TranscriptToRead } from "./session-requests.ts";

interface MemoryWorkOptions extends JobSurroundings {
  /** The bundled model, if code is searched with it. */
  bundled: Embedder | null;
}

/**
 * Keeps the memory open and up to date while the daemon runs. Tries again if it cannot be opened; leaves a damaged one
 * as it is.
 */
export class MemoryWork {
  /** null where the memory is not open. */
  open: ServedMemory | null = null;
  /** Why the memory is not open though it should be; null if there is no problem. */
  failure: unknown = null;
  private readonly embedders: Embedders;
  private isClosed = false;
  private retryTimer: NodeJS.Timeout | undefined;

  constructor(private readonly options: MemoryWorkOptions) {
    const { config, project, bundled } = options;
    this.embedders = createEmbedders(config, "text", bundled);
    if (this.captures || existsSync(project.memoryDb)) this.tryToOpen();
  }

  get roots(): readonly string[] {
    return this.options.roots();
  }

  get captures(): boolean {
    return this.options.config["sessions.capture"];
  }

  /** Whether commits are linked to sessions. */
  get bindsCommits(): boolean {
    return this.open?.bindsCommits ?? false;
  }

  /**
   * The open memory.
   * @throws PommelError why it is not open: `memory_corrupt`, `index_too_new`, `unreadable`, `disk_full`; `capture_off`
   *   where nothing is recorded
   */
  get memory(): Memory {
    return this.requireOpen().memory;
  }

  /** The open memory, or null. */
  get memoryIfAny(): Memory | null {
    return this.open?.memory ?? null;
  }

  get search(): SessionSearch {
    return this.requireOpen().search;
  }

  /** Everything needed to change what is stored. @throws PommelError as `memory`; `config_invalid` */
  getScrubbingWork(): ScrubbingWork {
    return this.requireOpen().jobs.buildScrubbingWork();
  }

  private requireOpen(): ServedMemory {
    if (this.open) return this.open;
    if (this.failure !== null) throw this.failure;
    throw new PommelError(
      "capture_off",
      "Sessions are not recorded here.",
      "`pm init` turns it on, unless sessions.capture is false.",
    );
  }

  private tryToOpen(): void {
    const { project, log } = this.options;
    try {
      const removed = recoverMemory(project.memoryDb);
      if (removed.length > 0) log.info(`removed what killed processes left: ${removed.join(", ")}`);
      this.open = new ServedMemory(this.options, this.embedders, (error) => this.suspect(error));
      this.failure = null;
      this.open.begin();
    } catch (error) {
      // This is tried again and again, so log only a new reason.
      if (getErrorMessage(this.failure) !== getErrorMessage(error))
        log.error(`${project.memoryDb}: ${explainError(error)}`);
      this.fail(error);
    }
  }

  private fail(error: unknown): void {
    this.failure = error;
    // A full disk may get room again, but a damaged memory stays damaged until somebody repairs it.
    if (this.isClosed || isDamaged(error) || getErrorCode(error) === "index_too_new") return;
    this.retryTimer = setTimeout(() => this.tryToOpen(), 10_000).unref();
  }

  /** Whether a newer Pommel has migrated the memory while it is open here: its daemon has to take over. */
  isOutgrown(): boolean {
    return (this.open?.memory.findOutgrownError() ?? null) !== null;
  }

  /** Handles a failed read of the memory: if it is damaged, it is closed and left as it is. */
  suspect(error: unknown): void {
    if (!isDamaged(error) || !this.open || this.isClosed) return;
    const { open } = this;
    this.open = null;
    this.fail(error);
    this.options.log.error(getErrorMessage(this.failure));
    open
      .close()
      .catch((failure: unknown) =>
        this.options.log.warn(`cannot close the memory: ${getErrorMessage(failure)}`),
      );
  }

  /** Reads data for a report, with a fallback for a memory that cannot be read. */
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
   * Queues the import of a transcript's new lines.
   * @throws PommelError as `memory`
   */
  readOn(path: string, asked: TranscriptToRead): void {
    this.requireOpen().readOn(path, asked);
  }

  /** Whether a transcript has new lines. */
  hasNews(path: string, stat: { size: number; mtimeMs: number }): boolean {
    return hasNews(this.memory, path, stat);
  }

  /** Transcripts not fully imported. */
  pending(): number {
    return countUnfinishedJobs(this.memory, "transcript");
  }

  /** Queues a scan for commits that no hook reported; does nothing where commits are not linked to sessions. */
  scanMissedCommits(how: { backfill?: boolean; afterMs?: number } = {}): void {
    this.open?.scanMissedCommits(how);
  }

  /** Reads waiting sessions whose ids begin with `id` before all others. */
  async readNow(id: string, signal: AbortSignal): Promise<void> {
    await this.open?.readNow(id, signal);
  }

  /** Analyses commits before all else; does nothing if commits are not linked to sessions. */
  async analyse(hashes: readonly string[], signal: AbortSignal): Promise<void> {
    await this.open?.analyse(hashes, signal);
  }

  /** Queues another scrub of everything by the current rules. */
  scrub(): void {
    this.requireOpen().enqueue("scrub", "memory");
  }

  /** Queues sessions that were stored earlier for the language model of `scrub.llm`. @returns how many */
  scrubOldLines(): number {
    const open = this.requireOpen();
    const sessions = askForOldLines(open.memory);
    open.wake();
    return sessions;
  }

  /** Applies changed settings that need no restart. */
  applySettings(): void {
    this.open?.applySettings();
  }

  /** There may be jobs to do. */
  wake(): void {
    this.open?.wake();
  }

  /** Runs exclusive work: current jobs are interrupted and resumed afterwards. */
  async runExclusive<T>(work: () => Promise<T>): Promise<T> {
    return this.requireOpen().runExclusive(work);
  }

  /** Whether there is no work, not even in the background. */
  isResting(): boolean {
    return this.open?.isResting() ?? true;
  }

  async close(): Promise<void> {
    this.isClosed = true;
    clearTimeout(this.retryTimer);
    await this.open?.close();
    this.open = null;
    await closeEmbedders(this.embedders);
  }
}
