import { existsSync } from "node:fs";
import { setImmediate, setTimeout as sleep } from "node:timers/promises";
import picomatch from "picomatch";
import { collectWhenGrown } from "../../base/collect-garbage.ts";
import { getErrorCode, getErrorMessage } from "../../base/errors.ts";
import type { Logger } from "../../base/log.ts";
import { readFreeBytes } from "../../base/memory-budget.ts";
import { IndexCache } from "../../store/index/index-cache.ts";
import { type CodeIndex, reconciledAt } from "../../store/index/port.ts";
import type { FileStamp, IndexedFile } from "../../store/index/records.ts";
import type { IgnoreRules } from "../files/ignore.ts";
import { readPathState, scanProject } from "../files/scan.ts";
import type { ParseOutcome } from "../parse/parse-pool.ts";
import { CachingParser, computeParsingRecipe, type ParserOptions } from "./caching-parser.ts";
import { sortByUse } from "./index-order.ts";
import { type IndexProgress, IndexQueue } from "./index-queue.ts";
import { countOutcomeChunks, WriteBatch } from "./write-batch.ts";

export type { IndexProgress } from "./index-queue.ts";

export interface IndexReport {
  indexed: number;
  unchanged: number;
  removed: number;
  skipped: number;
  failed: number;
}

/**
 * Files in flight: so many, or what keeps the threads that parse busy if that is more; few enough to stay current. Beyond so many bytes
 * one more is not taken: what is made of large files takes five times as much.
 */
const maxRunning = { files: 64, bytes: 6_000_000 };
/** The same while the process has less than this left of its memory. Bytes. */
const scarce = { leftBytes: 40 * 2 ** 20, runningBytes: 3_000_000 };
/** Poll interval while a read waits for indexing. Milliseconds. */
const readPauseMs = 50;
/** Waits between tries while the disk is full. Milliseconds. */
const diskFullWaits = [1000, 2000, 5000, 15_000, 60_000];

interface IndexerOptions extends ParserOptions {
  index: CodeIndex;
  /** Shared with the watcher, so that both cover the same files. Reloaded at each pass. */
  rules: IgnoreRules;
  log: Logger;
  /** By default that of the home. */
  cache?: IndexCache;
  /**
   * In the background, as the daemon does, transactions are short unless many files wait, and a full disk is waited for; in the
   * foreground someone waits for the end.
   */
  mode?: "background" | "foreground";
}

/**
 * Keeps the index up to date with the files: finds changes, has workers parse and chunk them, writes the results, many
 * together while many come. The only writer of the index; its process holds the project's writer lock.
 */
export class Indexer {
  private readonly queue = new IndexQueue();
  private readonly forced = new Set<string>();
  private readonly cache: IndexCache;
  private readonly parser: CachingParser;
  private pump: Promise<void> | null = null;
  private report: IndexReport = emptyReport();
  private closed = false;
  /** Why files were indexed without vectors, the last time that happened. */
  private problem: string | undefined;
  private readonly stop = new AbortController();

  constructor(private readonly options: IndexerOptions) {
    this.cache = options.cache ?? new IndexCache();
    this.parser = new CachingParser(options, this.cache);
  }

  progress(): IndexProgress {
    return this.queue.progress();
  }

  /**
   * Walks the project, indexes changed files (by size and mtime, then by hash), removes deleted ones. Resolves when the
   * index is up to date.
   * @param lately as of `sortByUse`
   * @throws PommelError `index_corrupt`, `disk_full` (only when it is not to be waited for), `unreadable`
   */
  async reconcile(lately: readonly string[] = []): Promise<IndexReport> {
    return this.pass(() => false, lately);
  }

  /** Indexes these files before others that wait. */
  prefer(paths: readonly string[]): void {
    this.queue.prefer(paths);
  }

  /** Rebuilds the index for all files, or for those whose path matches the glob or is below it. */
  async reindex(glob?: string): Promise<IndexReport> {
    const matches =
      glob === undefined ? () => true : picomatch([glob, `${glob.replace(/\/$/, "")}/**`], { dot: true });
    return this.pass(matches);
  }

  private async pass(force: (path: string) => boolean, lately: readonly string[] = []): Promise<IndexReport> {
    const { config, index, rules } = this.options;
    this.report = emptyReport();
    rules.reload();
    const recipe = computeParsingRecipe(config);
    const isRecipeNew = (await index.meta("recipe")) !== recipe;
    await this.findChanges(isRecipeNew ? () => true : force, lately);
    await this.drain();
    // Ended early: the next pass finds pending files, and must not take this one for complete.
    if (this.closed || !existsSync(this.options.project.root)) return this.report;
    await index.settle();
    // Where no file could be parsed, parsing is what fails, not a file: the next pass tries all of them again.
    if (isRecipeNew && (this.report.failed === 0 || this.report.indexed > 0))
      await index.setMeta("recipe", recipe);
    await index.setMeta(reconciledAt, String(Date.now()));
    return this.report;
  }

  /** Queues files that changed, and removes those that are gone. What it knows of all files is garbage before they are indexed. */
  private async findChanges(force: (path: string) => boolean, lately: readonly string[]): Promise<void> {
    const { index, project, rules } = this.options;
    const known = await index.readKnownFiles();
    const stamps: FileStamp[] = [];
    const gone = new Set(known.keys());
    for await (const item of scanProject(project.root, rules)) {
      if (item.kind === "file") {
        stamps.push(item.stamp);
        gone.delete(item.stamp.path);
      } else {
        const { path, reason } = item;
        this.report.skipped++;
        gone.delete(path);
        if (known.get(path)?.hash !== null)
          await index.replace({ status: "skipped", path, size: 0, mtimeMs: 0, reason });
      }
    }
    if (!(await this.removeGone(gone))) return;
    this.report.removed += gone.size;
    this.parser.setUp(stamps);
    const changed: FileStamp[] = [];
    for (const stamp of stamps) {
      const before = known.get(stamp.path);
      const isForced = force(stamp.path);
      if (isForced) this.forced.add(stamp.path);
      if (isForced || before === undefined || isChanged(stamp, before)) {
        changed.push(stamp);
      } else if (before.hash === null) {
        this.report.skipped++;
      } else {
        this.report.unchanged++;
      }
    }
    for (const stamp of sortByUse(changed, stamps, lately)) this.queue.add(stamp, "scanned");
  }

  /**
   * Indexes changes seen by a watcher: paths of files or directories, relative to the root, existing or not. Resolves
   * when they are searchable.
   */
  async update(paths: readonly string[]): Promise<void> {
    const { project, rules } = this.options;
    for (const path of paths) {
      const stamp = readPathState(project.root, path);
      if (stamp === "directory") await this.updateBelow(path);
      else if (stamp === null || rules.ignores(path, false)) await this.forget(path);
      else this.queue.add(stamp, "saved");
    }
    await this.drain();
  }

  /** Removes a path and everything known below it. */
  private async forget(path: string): Promise<void> {
    const { index } = this.options;
    this.queue.repeat(path);
    await this.removeGone((await index.readKnownFiles(path)).keys());
  }

  /**
   * Removes files that are not there any more. Of a project whose directory is gone all are kept: it may be back, or was moved and
   * takes its index along.
   * @returns whether the directory is there
   */
  private async removeGone(paths: Iterable<string>): Promise<boolean> {
    const { index, project } = this.options;
    if (!existsSync(project.root)) return false;
    await index.remove([...paths]);
    return true;
  }

  /** A new or replaced directory, perhaps with its own ignore rules. */
  private async updateBelow(path: string): Promise<void> {
    const { index, project, rules } = this.options;
    rules.reload();
    const known = await index.readKnownFiles(path);
    const gone = new Set(known.keys());
    if (!rules.ignores(path, true)) {
      for await (const item of scanProject(project.root, rules, path)) {
        if (item.kind !== "file") continue;
        gone.delete(item.stamp.path);
        if (isChanged(item.stamp, known.get(item.stamp.path))) this.queue.add(item.stamp, "saved");
      }
    }
    await this.removeGone(gone);
  }

  /**
   * The chunks of a file on disk, with their texts; null for a missing or excluded one. Waits while files are being
   * indexed.
   */
  async read(path: string): Promise<IndexedFile | null> {
    while (!this.queue.isIdle() && !this.closed) await sleep(readPauseMs, undefined, { ref: false });
    const stamp = readPathState(this.options.project.root, path);
    if (this.closed || stamp === null || stamp === "directory") return null;
    return this.parser.read(stamp);
  }

  /** Ends the parse workers until they are needed again. */
  async releaseWorkers(): Promise<void> {
    if (this.queue.isIdle()) await this.parser.release();
  }

  /** Stops after the files being written. The next `reconcile` finds pending ones. */
  async close(): Promise<void> {
    this.closed = true;
    this.stop.abort();
    await this.parser.close();
    await this.pump?.catch(() => {});
    this.cache.close();
  }

  /** Works until the queue is empty. One loop at a time; later callers await it. */
  private async drain(): Promise<void> {
    while (!this.queue.isIdle() && !this.closed) {
      this.pump ??= this.runQueue().finally(() => {
        this.pump = null;
      });
      await this.pump;
    }
  }

  private async runQueue(): Promise<void> {
    await this.parser.ready();
    const running = new Map<Promise<void>, number>();
    const mayTake = () => {
      if (running.size >= Math.max(maxRunning.files, this.parser.room)) return false;
      let { bytes } = parsed;
      for (const size of running.values()) bytes += size;
      return bytes < (readFreeBytes() < scarce.leftBytes ? scarce.runningBytes : maxRunning.bytes);
    };
    let written = 0;
    const began = performance.now();
    const parsed = new WriteBatch(() => ({
      mode: this.options.mode,
      written,
      elapsedMs: performance.now() - began,
      isSaveRunning: this.queue.isSaveRunning(),
    }));
    let failure: unknown;
    let waits = 0;
    while (!this.closed && failure === undefined) {
      const isDue = parsed.isDue();
      this.parser.expect(this.queue.pending);
      const stamp = !isDue && mayTake() ? this.queue.take() : null;
      if (stamp) {
        const work: Promise<void> = this.parse(stamp, parsed)
          .catch((error: unknown) => {
            this.queue.putBack(stamp.path);
            failure ??= error;
          })
          .finally(() => running.delete(work));
        running.set(work, stamp.size);
      } else if (isDue || (running.size === 0 && parsed.count > 0)) {
        try {
          written += await this.write(parsed.take());
          waits = 0;
        } catch (error) {
          failure = error;
        }
        // One transaction after the other would leave no time for questions.
        await setImmediate();
      } else if (running.size > 0) {
        await Promise.race(running.keys());
      } else {
        return;
      }
      if (failure !== undefined && this.isWorthWaiting(failure)) {
        await Promise.all(running.keys());
        await this.waitForDisk(getErrorMessage(failure), waits++);
        failure = undefined;
      }
    }
    await Promise.all(running.keys());
    for (const { path } of parsed.takeAll()) this.queue.putBack(path);
    if (failure !== undefined && !this.closed) throw failure;
  }

  private isWorthWaiting(error: unknown): boolean {
    return getErrorCode(error) === "disk_full" && this.options.mode !== "foreground";
  }

  private async waitForDisk(message: string, tries: number): Promise<void> {
    this.queue.lastError = message;
    this.options.log.error(message);
    const wait = diskFullWaits[Math.min(tries, diskFullWaits.length - 1)]!;
    await sleep(wait, undefined, { signal: this.stop.signal }).catch(() => {});
    if (!this.closed) this.queue.lastError = null;
  }

  private async parse(stamp: FileStamp, parsed: WriteBatch): Promise<void> {
    const { index, log } = this.options;
    const before = (await index.readKnownFiles(stamp.path)).get(stamp.path);
    const isForced = this.forced.has(stamp.path);
    const outcome = await this.parser.parse(stamp, before, isForced).catch((error: unknown) => {
      if (!this.closed) log.warn(`${stamp.path} could not be parsed: ${getErrorMessage(error)}`);
      return null;
    });
    if (outcome !== null) parsed.add(outcome);
    else if (this.closed) this.queue.putBack(stamp.path);
    else {
      this.report.failed++;
      this.finishFile({ path: stamp.path, chunks: 0, took: 0, skipped: "not_parsed" });
    }
  }

  /** @returns how many chunks they have */
  private async write(outcomes: readonly ParseOutcome[]): Promise<number> {
    const { index, mode } = this.options;
    try {
      await index.write(outcomes, mode === "foreground" && this.queue.pending > outcomes.length);
    } catch (error) {
      for (const { path } of outcomes) this.queue.putBack(path);
      throw error;
    }
    await this.parser.remember(outcomes);
    // Both what was written and what wrote it.
    collectWhenGrown();
    let written = 0;
    for (const outcome of outcomes) {
      if (outcome.status === "indexed") this.noteProblem(outcome.vectorProblem);
      this.report[outcome.status === "gone" ? "removed" : outcome.status]++;
      const chunks = countOutcomeChunks(outcome);
      written += chunks;
      this.finishFile({
        path: outcome.path,
        chunks,
        took: Math.round(outcome.tookMs ?? 0),
        skipped: findSkipReason(outcome),
      });
    }
    return written;
  }

  private finishFile({
    path,
    ...figures
  }: {
    path: string;
    chunks: number;
    took: number;
    skipped: string | null;
  }): void {
    this.forced.delete(path);
    this.queue.finish(path, figures);
  }

  /** Without vectors a file is found by its words; they can be made later. Every thread has the same problem. */
  private noteProblem(problem: string | undefined): void {
    if (problem !== undefined && problem !== this.problem) this.options.log.warn(problem);
    this.problem = problem ?? this.problem;
  }
}

const isChanged = (stamp: FileStamp, before: FileStamp | undefined) =>
  before?.size !== stamp.size || before.mtimeMs !== stamp.mtimeMs;

function findSkipReason(outcome: ParseOutcome): string | null {
  if (outcome.status === "indexed") return null;
  return outcome.status === "skipped" ? outcome.reason : outcome.status;
}

function emptyReport(): IndexReport {
  return { indexed: 0, unchanged: 0, removed: 0, skipped: 0, failed: 0 };
}
