import { setTimeout as sleep } from "node:timers/promises";
import { collectAfterWork, collectAtRest } from "../../base/collect-garbage.ts";
import { getErrorCode, getErrorMessage, PommelError } from "../../base/errors.ts";
import type { Logger } from "../../base/log.ts";
import { formatIsoTime } from "../../base/text/iso-time.ts";
import type { Indexing } from "../../code/index/index-messages.ts";
import type { IndexReport } from "../../code/index/indexer.ts";
import type { CodeSearch } from "../../code/search/engine.ts";
import type { CodeQuery, EngineAnswer } from "../../code/search/types.ts";
import type { EmbedPass, EmbedProgress } from "../../models/embed/embed-pass.ts";
import type { QueueStatus } from "../../protocol/queue.ts";
import { type CodeIndex, reconciledAt } from "../../store/index/port.ts";

/** An open index and everything that uses it. All of it is replaced if the index turns out to be damaged. */
export interface IndexSession {
  index: CodeIndex;
  search: CodeSearch;
  indexer: Indexing;
  embedPass: EmbedPass;
}

interface IndexWorkOptions {
  open: () => Promise<IndexSession>;
  /** Brings the commits of an index in step with git. */
  indexCommits: (index: CodeIndex, signal: AbortSignal) => Promise<void>;
  /** Files that recent commits touched, which a first index takes first. */
  latelyChanged?: () => Promise<readonly string[]>;
  /** Moves a damaged index aside and returns a message for the user. */
  moveAside: (why: string) => Promise<string>;
  log: Logger;
  /** Parse workers end after this long without work. Milliseconds. */
  releaseAfterMs?: number;
  /** Models and vectors leave memory after this long without a search. Milliseconds. */
  unloadAfterMs?: number;
  /** The first wait before a failed pass is tried again; doubles up to `maxRetryMs`. Milliseconds. */
  retryMs?: number;
}

const maxRetryMs = 300_000;
/** The longest wait before trying a server again. Milliseconds. */
const maxServerRetryMs = 15_000;
const warmUpAfterMs = 3000;

const warmUpQuery: CodeQuery = {
  query: "where is the main entry point",
  limit: 10,
  levels: [],
  paths: [],
  languages: [],
  explain: false,
};

/** Keeps the index up to date for as long as the daemon runs, whatever happens to disk and database. */
export class IndexWork {
  /** Passes over the whole project run one after the other. */
  private passes: Promise<void> = Promise.resolve();
  private passesWaiting = 0;
  /** Passes over history run one after the other, too. */
  private commitPasses: Promise<void> = Promise.resolve();
  private commitPassesWaiting = 0;
  private readonly running = new Set<Promise<void>>();
  private recovery: Promise<void> | null = null;
  private releaseTimer: NodeJS.Timeout | undefined;
  private unloadTimer: NodeJS.Timeout | undefined;
  private readonly stop = new AbortController();
  /** Why the last pass failed; null once one succeeds. */
  private trouble: string | null = null;
  private retries = 0;
  /** Notes that hold for as long as this daemon runs. */
  readonly notes: string[] = [];

  private constructor(
    private readonly options: IndexWorkOptions,
    private session: IndexSession,
  ) {}

  /** @throws PommelError as `open` does */
  static async start(options: IndexWorkOptions): Promise<IndexWork> {
    return new IndexWork(options, await options.open());
  }

  get index(): CodeIndex {
    return this.session.index;
  }

  get search(): CodeSearch {
    return this.session.search;
  }

  /** The embedding progress of a model. */
  progressOf(model: string): EmbedProgress | null {
    return this.session.embedPass.findProgress(model);
  }

  /** Why a model could not embed the last query; null when it could. */
  problemWith(model: string): string | null {
    return this.session.search.findModelProblem(model);
  }

  /** Starts the first pass once the files are watched, so that no change is missed. */
  begin(watching: Promise<unknown>): void {
    this.passes = watching.then(
      () => {},
      () => {},
    );
    this.reconcile();
    // History comes after code, so that code can be searched sooner.
    this.commitPasses = this.passes;
  }

  /** Resolves when the passes over all files that were asked for so far are over. */
  waitForPasses(): Promise<void> {
    return this.passes;
  }

  /** Looks at every file for changes; one waiting pass serves all who ask. */
  reconcile(): void {
    if (this.passesWaiting > 0) return;
    this.pass("scanned for changes", async (indexer) => {
      const isFirst = (await this.index.meta(reconciledAt)) === null;
      return indexer.reconcile(isFirst ? await this.options.latelyChanged?.() : []);
    });
  }

  /** Indexes these files before others that wait, because somebody asks about them. */
  prefer(paths: readonly string[]): void {
    if (!this.stop.signal.aborted) this.session.indexer.prefer(paths);
  }

  /** Looks at git's history for commits that are new, or gone; one waiting pass serves all who ask. */
  updateCommits(): void {
    if (this.commitPassesWaiting > 0) return;
    this.commitPassesWaiting++;
    this.commitPasses = this.commitPasses.then(async () => {
      this.commitPassesWaiting--;
      const { index } = this.session;
      try {
        await this.options.indexCommits(index, this.stop.signal);
      } catch (error) {
        if (this.stop.signal.aborted || index !== this.index) return;
        // Indexed commits stay searchable. The next commit, or the next start, tries again.
        this.options.log.error(`indexing commits failed: ${getErrorMessage(error)}`);
        this.suspect(error);
      }
    });
    this.track(this.commitPasses);
  }

  /** Forgets and indexes again the files that match each glob, or all files. */
  reindex(globs: readonly string[] | "all"): void {
    if (globs === "all") this.pass("reindexed everything", (indexer) => indexer.reindex());
    else for (const glob of globs) this.pass(`reindexed ${glob}`, (indexer) => indexer.reindex(glob));
  }

  /** Files or directories that a watcher saw change, relative to the root. Runs beside a pass. */
  update(paths: readonly string[]): void {
    this.track(this.tryWork((indexer) => indexer.update([...paths])));
  }

  private pass(what: string, work: (indexer: Indexing) => Promise<IndexReport>): void {
    this.passesWaiting++;
    this.passes = this.passes.then(async () => {
      this.passesWaiting--;
      const started = Date.now();
      await this.tryWork(async (indexer) => {
        const { indexed, removed, unchanged, skipped, failed } = await work(indexer);
        const seconds = (Date.now() - started) / 1000;
        this.options.log.info(
          `${what}: ${indexed} indexed, ${removed} removed, ${unchanged} unchanged, ${skipped} skipped, ` +
            `${failed} failed in ${seconds} s`,
        );
        this.trouble = null;
        this.retries = 0;
      });
    });
    this.track(this.passes);
  }

  /** Runs one piece of work and handles its failure; never rejects. */
  private async tryWork(work: (indexer: Indexing) => Promise<unknown>): Promise<void> {
    if (this.stop.signal.aborted) return;
    const session = this.session;
    clearTimeout(this.releaseTimer);
    try {
      await work(session.indexer);
    } catch (error) {
      // Failures of a session that was closed or replaced meanwhile do not matter.
      if (this.stop.signal.aborted || session !== this.session || this.recovery) return;
      if (getErrorCode(error) === "index_corrupt") this.recover(getErrorMessage(error));
      else this.retryLater(error);
    }
    collectAfterWork();
    this.releaseWorkersSoon();
    if (session === this.session && !this.recovery) this.makeVectors(session);
  }

  /** Makes vectors with the lowest priority: full-text search and the first model find new chunks without them. */
  private makeVectors({ embedPass }: IndexSession): void {
    embedPass.run().catch((error: unknown) => {
      if (this.stop.signal.aborted || embedPass !== this.session.embedPass) return;
      this.options.log.error(`embedding failed: ${getErrorMessage(error)}`);
      this.suspect(error);
    });
  }

  private track(work: Promise<void>): void {
    this.running.add(work);
    void work.finally(() => this.running.delete(work));
  }

  /** A full disk or an unreadable directory may pass; what is indexed stays searchable meanwhile. */
  private retryLater(error: unknown): void {
    void this.waitAfterFailure(error).then(
      () => this.reconcile(),
      () => {},
    );
  }

  /** Reports the problem and waits, longer each time. Rejects when the daemon stops. */
  private waitAfterFailure(error: unknown): Promise<void> {
    const most = getErrorCode(error) === "index_unavailable" ? maxServerRetryMs : maxRetryMs;
    const wait = Math.min((this.options.retryMs ?? 2000) * 2 ** this.retries++, most);
    this.trouble = getErrorMessage(error);
    this.options.log.error(`indexing failed, next try in ${wait / 1000} s: ${this.trouble}`);
    return sleep(wait, undefined, { signal: this.stop.signal, ref: false });
  }

  /**
   * Runs some queries before a user has to wait, because a daemon's first ones take several times as long as later ones. It does so
   * after the answer for which the project was opened, as that was mostly no question about code.
   */
  async warmUp(): Promise<void> {
    this.scheduleUnload();
    try {
      await sleep(warmUpAfterMs, undefined, { signal: this.stop.signal, ref: false });
      for (let i = 0; i < 3; i++) await this.search.search(warmUpQuery);
    } catch (error) {
      this.suspect(error);
    }
  }

  /** Something that reads the index failed: if the index is damaged, it is rebuilt. */
  suspect(error: unknown): void {
    if (getErrorCode(error) === "index_corrupt") this.recover(getErrorMessage(error));
  }

  private recover(why: string): void {
    if (this.recovery || this.stop.signal.aborted) return;
    this.recovery = this.startOver(why)
      .then(() => {
        this.reconcile();
        this.updateCommits();
      })
      .catch((error: unknown) => this.options.log.error(getErrorMessage(error)))
      .finally(() => {
        this.recovery = null;
      });
    this.track(this.recovery);
  }

  /** Replaces a damaged index with an empty one, as soon as that is possible. */
  private async startOver(why: string): Promise<void> {
    const { indexer, embedPass, index } = this.session;
    await Promise.all([indexer.close(), embedPass.close()]);
    await index.close();
    this.notes.push(await this.options.moveAside(why));
    for (;;) {
      try {
        this.session = await this.options.open();
        return;
      } catch (error) {
        await this.waitAfterFailure(error);
      }
    }
  }

  /**
   * Asks the index.
   * @throws PommelError `usage`; `index_corrupt` after it has begun to rebuild the index
   */
  async ask(query: CodeQuery): Promise<EngineAnswer> {
    this.scheduleUnload();
    try {
      return await this.session.search.search(query);
    } catch (error) {
      this.suspect(error);
      if (!this.recovery || getErrorCode(error) === "usage") throw error;
      throw new PommelError(
        "index_corrupt",
        "The index is damaged and is being rebuilt.",
        "Try again in a moment; `pm status --watch` shows how far it is.",
        { cause: error },
      );
    }
  }

  queue(): Omit<QueueStatus, "code_is_idle"> {
    const { recent, is_idle, last_error, ...progress } = this.session.indexer.progress();
    return {
      ...progress,
      is_idle: is_idle && this.running.size === 0 && this.trouble === null,
      last_error: this.trouble ?? last_error,
      recent: recent.map(({ path, chunks, took, skipped, at }) => ({
        path,
        chunks,
        took_ms: took,
        skipped,
        at: formatIsoTime(at) ?? "",
      })),
    };
  }

  /** Whether there is no work, not even in the background. */
  isResting(): boolean {
    return this.queue().is_idle && !this.session.embedPass.isBusy();
  }

  private releaseWorkersSoon(): void {
    clearTimeout(this.releaseTimer);
    this.releaseTimer = setTimeout(() => {
      if (this.session.embedPass.isBusy()) this.releaseWorkersSoon();
      else void this.releaseSession(this.session).catch((error: unknown) => this.suspect(error));
    }, this.options.releaseAfterMs ?? 30_000).unref();
  }

  private async releaseSession({ index, indexer }: IndexSession): Promise<void> {
    if (!this.stop.signal.aborted && index === this.index) await index.settle();
    await indexer.releaseWorkers();
    collectAtRest();
  }

  private scheduleUnload(): void {
    clearTimeout(this.unloadTimer);
    this.unloadTimer = setTimeout(() => {
      // The pass needs the models as well.
      if (this.session.embedPass.isBusy()) this.scheduleUnload();
      else void this.session.search.release();
    }, this.options.unloadAfterMs ?? 900_000).unref();
  }

  /** Stops after the files that are being written and closes the index. */
  async close(): Promise<void> {
    const wasIdle = this.queue().is_idle;
    this.stop.abort();
    clearTimeout(this.releaseTimer);
    clearTimeout(this.unloadTimer);
    await Promise.all([this.session.indexer.close(), this.session.embedPass.close()]);
    await Promise.allSettled(this.running);
    try {
      const isInStep = wasIdle && (await this.index.meta(reconciledAt)) !== null;
      if (isInStep) await this.index.setMeta(reconciledAt, String(Date.now()));
    } finally {
      await this.index.close();
    }
  }
}
