import { createHash } from "node:crypto";
import { lstatSync } from "node:fs";
import { join } from "node:path";
import { setImmediate, setTimeout as sleep } from "node:timers/promises";
import picomatch from "picomatch";
import { modelId } from "../../models/embed/static/static-embedder.ts";
import { collectWhenGrown } from "../../project/collect-garbage.ts";
import type { Config } from "../../project/config/settings.ts";
import { codeOf, messageOf } from "../../project/errors.ts";
import type { Logger } from "../../project/log.ts";
import type { Project } from "../../project/paths.ts";
import { IndexCache } from "../../store/index/index-cache.ts";
import { type CodeIndex, reconciledAt } from "../../store/index/port.ts";
import type { FileStamp, IndexedFile } from "../../store/index/records.ts";
import type { IgnoreRules } from "../files/ignore.ts";
import { scanProject } from "../files/scan.ts";
import { type ParseOutcome, ParsePool, poolOptionsOf } from "../parse/parse-pool.ts";
import { type IndexProgress, IndexQueue } from "./index-queue.ts";
import { ParsedFiles } from "./parsed-files.ts";

export type { IndexProgress } from "./index-queue.ts";

export interface IndexReport {
  indexed: number;
  unchanged: number;
  removed: number;
  skipped: number;
  failed: number;
}

/** Bump when chunks, their tokens or what is read for edges change, so that every index is rebuilt. */
const chunkerVersion = 13;

/**
 * Files in flight at most: enough to keep two workers busy, few enough to stay current. Beyond so many bytes one more is not taken:
 * what is made of large files takes five times as much.
 */
const maxRunning = { files: 64, bytes: 6_000_000 };
/**
 * Parsed files are written together: so many chunks, or what there is after so long (milliseconds). A save, and with some
 * engines a question, waits for a transaction; larger ones write less in all, and leave less to merge.
 */
const maxTogether = {
  few: { chunks: 256, waitMs: 500 },
  /** Of many files that wait, and of a save among them. */
  many: { chunks: 4096, waitMs: 5000 },
  saved: { chunks: 4096, waitMs: 500 },
  foreground: { chunks: 1024, waitMs: 3000 },
};
/** Waiting files that are many. */
const manyFiles = 256;
/** The first of many files are written soon: somebody may wait for the first answer in a new directory. */
const firstFiles = 512;
/** Poll interval while a read waits for indexing. Milliseconds. */
const readPauseMs = 50;
/** Waits between tries while the disk is full. Milliseconds. */
const diskFullWaits = [1000, 2000, 5000, 15_000, 60_000];

export interface IndexerOptions {
  project: Project;
  config: Config;
  /** Shared with the watcher, so that both cover the same files. Reloaded at each pass. */
  rules: IgnoreRules;
  index: CodeIndex;
  /** Whether to embed the chunks with the bundled model. */
  withVectors: boolean;
  /** The model's directory; set by tests only. */
  modelDir?: string | undefined;
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
  private pool: ParsePool | null = null;
  private readonly cache: IndexCache;
  /** Set with the pool, as what it makes of a file depends on its settings. */
  private known: ParsedFiles | null = null;
  private pump: Promise<void> | null = null;
  private report: IndexReport = emptyReport();
  private closed = false;
  /** Why files were indexed without vectors, the last time that happened. */
  private problem: string | undefined;
  /** Files that are being parsed for `read`. */
  private reading = 0;
  private readonly stop = new AbortController();

  constructor(private readonly options: IndexerOptions) {
    this.cache = options.cache ?? new IndexCache();
  }

  progress(): IndexProgress {
    return this.queue.progress();
  }

  /**
   * Walks the project, indexes changed files (by size and mtime, then by hash), removes deleted ones. Resolves when the
   * index is up to date.
   * @throws PommelError `index_corrupt`, `disk_full` (only when it is not to be waited for), `unreadable`
   */
  async reconcile(): Promise<IndexReport> {
    return this.pass(() => false);
  }

  /** Rebuilds the index for all files, or for those whose path matches the glob or is below it. */
  async reindex(glob?: string): Promise<IndexReport> {
    const matches =
      glob === undefined ? () => true : picomatch([glob, `${glob.replace(/\/$/, "")}/**`], { dot: true });
    return this.pass(matches);
  }

  private async pass(force: (path: string) => boolean): Promise<IndexReport> {
    const { index, rules } = this.options;
    this.report = emptyReport();
    rules.reload();
    const recipe = this.recipe();
    const isRecipeNew = (await index.meta("recipe")) !== recipe;
    await this.findChanges(isRecipeNew ? () => true : force);
    await this.drain();
    // Ended early: the next pass finds pending files, and must not take this one for complete.
    if (this.closed) return this.report;
    await index.settle();
    // Where no file could be parsed, parsing is what fails, not a file: the next pass tries all of them again.
    if (isRecipeNew && (this.report.failed === 0 || this.report.indexed > 0))
      await index.setMeta("recipe", recipe);
    await index.setMeta(reconciledAt, String(Date.now()));
    return this.report;
  }

  /** Queues files that changed, and removes those that are gone. What it knows of all files is garbage before they are indexed. */
  private async findChanges(force: (path: string) => boolean): Promise<void> {
    const { index, project, rules } = this.options;
    const known = await index.known();
    const stamps: FileStamp[] = [];
    const gone = new Set(known.keys());
    for await (const item of scanProject(project.root, rules)) {
      if (item.kind === "file") {
        stamps.push(item.stamp);
        gone.delete(item.stamp.path);
      } else {
        this.report.skipped++;
        gone.delete(item.path);
        const before = known.get(item.path);
        if (!before || before.hash !== null) {
          await index.replace({
            ...{ status: "skipped", path: item.path, size: 0, mtimeMs: 0 },
            reason: item.reason,
          });
        }
      }
    }
    await index.remove([...gone]);
    this.report.removed += gone.size;
    if (this.pool === null) this.pool = this.createPool(stamps);
    for (const stamp of stamps) {
      const before = known.get(stamp.path);
      const isForced = force(stamp.path);
      if (isForced) this.forced.add(stamp.path);
      if (isForced || !before || before.size !== stamp.size || before.mtimeMs !== stamp.mtimeMs) {
        this.queue.add(stamp, "scanned");
      } else if (before.hash === null) {
        this.report.skipped++;
      } else {
        this.report.unchanged++;
      }
    }
  }

  /**
   * Indexes changes seen by a watcher: paths of files or directories, relative to the root, existing or not. Resolves
   * when they are searchable.
   */
  async update(paths: readonly string[]): Promise<void> {
    const { project, rules } = this.options;
    for (const path of paths) {
      const stamp = stampOf(project.root, path);
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
    await index.remove([...(await index.known(path)).keys()]);
  }

  /** A new or replaced directory, perhaps with its own ignore rules. */
  private async updateBelow(path: string): Promise<void> {
    const { index, project, rules } = this.options;
    rules.reload();
    const known = await index.known(path);
    const gone = new Set(known.keys());
    if (!rules.ignores(path, true)) {
      for await (const item of scanProject(project.root, rules, path)) {
        if (item.kind !== "file") continue;
        gone.delete(item.stamp.path);
        this.enqueueIfChanged(item.stamp, known.get(item.stamp.path));
      }
    }
    await index.remove([...gone]);
  }

  private enqueueIfChanged(stamp: FileStamp, before: FileStamp | undefined): void {
    if (before?.size !== stamp.size || before.mtimeMs !== stamp.mtimeMs) this.queue.add(stamp, "saved");
  }

  /**
   * The chunks of a file on disk, with their texts; null for a missing or excluded one. Waits while files are being
   * indexed.
   */
  async read(path: string): Promise<IndexedFile | null> {
    while (!this.queue.isIdle() && !this.closed) await sleep(readPauseMs, undefined, { ref: false });
    const stamp = stampOf(this.options.project.root, path);
    if (this.closed || stamp === null || stamp === "directory") return null;
    const pool = await this.poolInUse();
    this.reading++;
    const outcome = await pool.parse(stamp, null, { withText: true }).catch(() => null);
    this.reading--;
    return outcome?.status === "indexed" ? outcome : null;
  }

  /** Ends the parse workers until they are needed again. */
  async releaseWorkers(): Promise<void> {
    if (this.queue.isIdle() && this.reading === 0) await this.pool?.close();
  }

  /** Stops after the files being written. The next `reconcile` finds pending ones. */
  async close(): Promise<void> {
    this.closed = true;
    this.stop.abort();
    await this.pool?.close();
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
    const pool = await this.poolInUse();
    const running = new Map<Promise<void>, number>();
    const mayTake = () => {
      if (running.size >= maxRunning.files) return false;
      let { bytes } = parsed;
      for (const size of running.values()) bytes += size;
      return bytes < maxRunning.bytes;
    };
    const parsed = new ToWrite(() => this.together());
    let failure: unknown;
    let waits = 0;
    while (!this.closed && failure === undefined) {
      const isDue = parsed.isDue();
      const stamp = !isDue && mayTake() ? this.queue.take() : null;
      if (stamp) {
        const work: Promise<void> = this.parse(stamp, pool, parsed)
          .catch((error: unknown) => {
            this.queue.putBack(stamp.path);
            failure ??= error;
          })
          .finally(() => running.delete(work));
        running.set(work, stamp.size);
      } else if (isDue || (running.size === 0 && parsed.count > 0)) {
        try {
          await this.write(parsed.take());
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
        await this.waitForDisk(messageOf(failure), waits++);
        failure = undefined;
      }
    }
    await Promise.all(running.keys());
    for (const { path } of parsed.takeAll()) this.queue.putBack(path);
    if (failure !== undefined && !this.closed) throw failure;
  }

  private together(): Together {
    if (this.options.mode === "foreground") return maxTogether.foreground;
    if (this.queue.pending < manyFiles || this.report.indexed < firstFiles) return maxTogether.few;
    return this.queue.isSaveRunning() ? maxTogether.saved : maxTogether.many;
  }

  private isWorthWaiting(error: unknown): boolean {
    return codeOf(error) === "disk_full" && this.options.mode !== "foreground";
  }

  private async waitForDisk(message: string, tries: number): Promise<void> {
    this.queue.lastError = message;
    this.options.log.error(message);
    const wait = diskFullWaits[Math.min(tries, diskFullWaits.length - 1)]!;
    await sleep(wait, undefined, { signal: this.stop.signal }).catch(() => {});
    if (!this.closed) this.queue.lastError = null;
  }

  private async parse(stamp: FileStamp, pool: ParsePool, parsed: ToWrite): Promise<void> {
    const { index, log } = this.options;
    const before = (await index.known(stamp.path)).get(stamp.path);
    const isForced = this.forced.has(stamp.path);
    // What is indexed anew on request is made anew.
    const cachedHashes = (!(isForced && before) && this.known?.hashesOf(stamp)) || [];
    const outcome = await this.outcomeOf(stamp, pool, {
      knownHash: (isForced ? null : before?.hash) ?? null,
      cachedHashes,
    }).catch((error: unknown) => {
      if (!this.closed) log.warn(`${stamp.path} could not be parsed: ${messageOf(error)}`);
      return null;
    });
    if (outcome !== null) parsed.add(outcome);
    else if (this.closed) this.queue.putBack(stamp.path);
    else {
      this.report.failed++;
      this.done({ path: stamp.path, chunks: 0, took: 0, skipped: "not_parsed" });
    }
  }

  private async outcomeOf(
    stamp: FileStamp,
    pool: ParsePool,
    { knownHash, cachedHashes }: { knownHash: string | null; cachedHashes: readonly string[] },
  ): Promise<ParseOutcome> {
    const outcome = await pool.parse(stamp, knownHash, { cachedHashes });
    if (outcome.status !== "cached") return outcome;
    const known = this.known?.get(outcome);
    return known ?? this.outcomeOf(stamp, pool, { knownHash, cachedHashes: [] });
  }

  private async write(outcomes: readonly ParseOutcome[]): Promise<void> {
    const { index, mode } = this.options;
    try {
      await index.write(outcomes, mode === "foreground" && this.queue.pending > outcomes.length);
    } catch (error) {
      for (const { path } of outcomes) this.queue.putBack(path);
      throw error;
    }
    await this.known?.add(outcomes);
    // Both what was written and what wrote it.
    collectWhenGrown();
    for (const outcome of outcomes) {
      if (outcome.status === "indexed") this.noteProblem(outcome.vectorProblem);
      this.report[outcome.status === "gone" ? "removed" : outcome.status]++;
      this.done({
        path: outcome.path,
        chunks: chunksOf(outcome),
        took: Math.round(outcome.tookMs ?? 0),
        skipped: whySkipped(outcome),
      });
    }
  }

  private done({
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

  /** For a save before the first scan has finished, the known files decide what `.h` means. */
  private async poolInUse(): Promise<ParsePool> {
    if (this.pool !== null) return this.pool;
    const files = await this.options.index.files();
    this.pool ??= this.createPool(files);
    return this.pool;
  }

  private createPool(files: readonly { path: string }[]): ParsePool {
    const { config, project, withVectors, modelDir } = this.options;
    const options = poolOptionsOf(project.root, config, files);
    const model = withVectors ? `${modelId} ${modelDir ?? ""}` : "";
    const { headerLanguage } = options;
    this.known = new ParsedFiles(this.cache, { recipe: this.recipe(), headerLanguage, model });
    return new ParsePool({ ...options, withVectors, modelDir });
  }

  /** Fingerprint of all inputs besides the files; when it changes, every file is indexed again. */
  private recipe(): string {
    const { config } = this.options;
    const parts = [
      chunkerVersion,
      config["index.levels"],
      config["index.languages"],
      config["index.max_file_size"],
    ];
    return createHash("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, 16);
  }
}

function whySkipped(outcome: ParseOutcome): string | null {
  if (outcome.status === "indexed") return null;
  return outcome.status === "skipped" ? outcome.reason : outcome.status;
}

const chunksOf = (outcome: ParseOutcome) => (outcome.status === "indexed" ? outcome.chunks.length : 0);

interface Together {
  chunks: number;
  waitMs: number;
}

/** Files that were parsed and are to be written together. */
class ToWrite {
  private outcomes: ParseOutcome[] = [];
  private chunks = 0;
  private since = 0;

  /** @param max what is written together now */
  constructor(private readonly max: () => Together) {}

  get count(): number {
    return this.outcomes.length;
  }

  /** Of the files, as they are on disk. */
  get bytes(): number {
    return this.outcomes.reduce((sum, outcome) => sum + (outcome.status === "gone" ? 0 : outcome.size), 0);
  }

  add(outcome: ParseOutcome): void {
    if (this.count === 0) this.since = performance.now();
    this.outcomes.push(outcome);
    this.chunks += chunksOf(outcome);
  }

  isDue(): boolean {
    if (this.count === 0) return false;
    const max = this.max();
    return this.chunks >= max.chunks || performance.now() - this.since >= max.waitMs;
  }

  /** The first of them, as much as is written together. */
  take(): ParseOutcome[] {
    const max = this.max();
    let chunks = 0;
    const end = this.outcomes.findIndex((outcome) => {
      const isEnough = chunks >= max.chunks;
      chunks += chunksOf(outcome);
      return isEnough;
    });
    if (end < 0) return this.takeAll();
    const taken = this.outcomes.splice(0, end);
    this.chunks -= taken.reduce((sum, outcome) => sum + chunksOf(outcome), 0);
    this.since = performance.now();
    return taken;
  }

  takeAll(): ParseOutcome[] {
    const taken = this.outcomes;
    this.outcomes = [];
    this.chunks = 0;
    return taken;
  }
}

function emptyReport(): IndexReport {
  return { indexed: 0, unchanged: 0, removed: 0, skipped: 0, failed: 0 };
}

/** The current state of a path: a file's stamp, a directory, or null. */
function stampOf(root: string, path: string): FileStamp | "directory" | null {
  const stat = lstatSync(join(root, path), { throwIfNoEntry: false });
  if (stat?.isDirectory()) return "directory";
  return stat?.isFile() ? { path, size: stat.size, mtimeMs: Math.trunc(stat.mtimeMs) } : null;
}
