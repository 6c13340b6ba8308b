import { setTimeout as sleep } from "node:timers/promises";
import type { Embedder } from "../../models/embed/embedder.ts";
import { codeOf, explanationOf } from "../../project/errors.ts";
import type { Logger } from "../../project/log.ts";
import type { CodeIndex } from "../../store/index/code-index.ts";
import { keepModels, pathsWithoutVectors, storeVectors } from "../../store/index/code-vectors.ts";
import type { IndexedFile } from "../../store/index/records.ts";
import { embedTexts } from "./embed-texts.ts";

/** What the pass is doing about one model. */
export interface EmbedProgress {
  state: "resting" | "embedding" | "unavailable";
  /** Why it is unavailable, and what to do; null otherwise. */
  problem: string | null;
  /** Chunks it embedded a second, lately; 0 when it is too early to tell. */
  chunksPerSecond: number;
}

interface EmbedPassOptions {
  index: CodeIndex;
  /** The models in use; the vectors of all others are forgotten in the end. */
  models: readonly Embedder[];
  /** The chunks of a file with their texts; null when there are none to be had. May take its time: others go first. */
  read: (path: string) => Promise<IndexedFile | null>;
  log: Logger;
  /** The first wait while a model is unavailable; doubles up to `longestRetryMs`. Milliseconds. */
  retryMs?: number;
}

const longestRetryMs = 300_000;
/** Chunks gathered from several files before they are embedded together. */
const enoughChunks = 64;
/** The rate is that of so many milliseconds at least. */
const rateWindowMs = 10_000;

/**
 * Makes the vectors that files lack, in the background: those of a model too slow to embed a file while it is indexed,
 * or of one that was unavailable then, or that was configured since. What is left to do is what the index lacks, so
 * it can end at any moment and go on with the next start.
 */
export class EmbedPass {
  private readonly works: ModelWork[];
  private running: Promise<void> | null = null;
  private isWanted = false;
  private readonly stop = new AbortController();

  constructor(private readonly options: EmbedPassOptions) {
    this.works = options.models.map((model) => new ModelWork(model, options, this.stop.signal));
  }

  /**
   * Works until no file lacks a vector of any model; waits for as long as one is unavailable. Asked again meanwhile, it
   * looks once more before it ends.
   * @throws PommelError `index_corrupt`
   */
  run(): Promise<void> {
    this.isWanted = true;
    for (const work of this.works) work.lookAgain();
    this.running ??= this.work().finally(() => {
      this.running = null;
    });
    return this.running;
  }

  /** Whether it is at work just now, not waiting for a model that is unavailable. */
  isBusy(): boolean {
    return this.works.some((work) => work.progress.state === "embedding");
  }

  /** For a model in use. */
  progressOf(model: string): EmbedProgress | null {
    return this.works.find((work) => work.id === model)?.progress ?? null;
  }

  /** Stops in the middle; what is stored by then stays. */
  async close(): Promise<void> {
    this.stop.abort();
    await this.running?.catch(() => {});
  }

  private async work(): Promise<void> {
    while (this.isWanted && !this.stop.signal.aborted) {
      this.isWanted = false;
      const done = await Promise.allSettled(this.works.map((work) => work.run()));
      const failed = done.find((result) => result.status === "rejected");
      if (failed) throw failed.reason;
    }
    if (!this.stop.signal.aborted) {
      keepModels(
        this.options.index,
        this.works.map(({ id }) => id),
      );
    }
  }
}

/** The work for one model. */
class ModelWork {
  progress: EmbedProgress = { state: "resting", problem: null, chunksPerSecond: 0 };
  private failures = 0;
  private window = { since: 0, chunks: 0 };
  /** Files that lack vectors, as far as was looked. */
  private waiting: string[] = [];
  private isCurrent = false;

  constructor(
    private readonly model: Embedder,
    private readonly options: EmbedPassOptions,
    private readonly stop: AbortSignal,
  ) {}

  get id(): string {
    return this.model.id;
  }

  /** Other files may lack vectors by now, and they go first. */
  lookAgain(): void {
    this.isCurrent = false;
  }

  async run(): Promise<void> {
    while (!this.stop.aborted) {
      try {
        await this.embedAll();
        this.progress = { state: "resting", problem: null, chunksPerSecond: 0 };
        return;
      } catch (error) {
        if (this.stop.aborted) return;
        if (!isPassing(error)) throw error;
        await this.pause(error);
      }
    }
  }

  private async embedAll(): Promise<void> {
    // Lengths may be known to the server only. A model without work need not be loaded.
    if (this.model.dimensions === 0) await this.model.prepare();
    this.isCurrent = false;
    this.window = { since: Date.now(), chunks: 0 };
    for (;;) {
      const files: IndexedFile[] = [];
      let chunks = 0;
      while (chunks < enoughChunks) {
        const path = this.next();
        if (path === undefined || this.stop.aborted) break;
        // One that cannot be read has changed: it will be indexed, and then it is looked at again.
        const file = await this.options.read(path);
        if (file === null) continue;
        files.push(file);
        chunks += file.chunks.length;
      }
      if (files.length === 0 || this.stop.aborted) return;
      if (this.progress.problem === null) this.progress = { ...this.progress, state: "embedding" };
      await this.embedFiles(files, chunks);
    }
  }

  private next(): string | undefined {
    if (!this.isCurrent) {
      this.waiting = pathsWithoutVectors(this.options.index, {
        model: this.model.id,
        dimensions: this.model.dimensions,
      }).reverse();
      this.isCurrent = true;
    }
    return this.waiting.pop();
  }

  /** Files are embedded together, each is stored on its own. */
  private async embedFiles(files: readonly IndexedFile[], chunks: number): Promise<void> {
    const texts = files.flatMap((file) => file.chunks.map((chunk) => chunk.text));
    const vectors = await embedTexts(this.model, texts, this.stop);
    this.stop.throwIfAborted();
    const { id: model, dimensions } = this.model;
    let start = 0;
    for (const file of files) {
      const its = vectors.slice(start, start + file.chunks.length);
      storeVectors(this.options.index, file, { model, dimensions, vectors: its });
      start += its.length;
    }
    this.failures = 0;
    this.progress = { state: "embedding", problem: null, chunksPerSecond: this.rateWith(chunks) };
  }

  /** Counts in two windows by turns, so that the rate follows a server that slows down. */
  private rateWith(chunks: number): number {
    this.window.chunks += chunks;
    const ms = Date.now() - this.window.since;
    const rate = (this.window.chunks / Math.max(ms, 1)) * 1000;
    if (ms > 2 * rateWindowMs) {
      this.window = { since: Date.now() - ms / 2, chunks: this.window.chunks / 2 };
    }
    return rate;
  }

  /** Says what is wrong and waits, longer each time. */
  private async pause(error: unknown): Promise<void> {
    const wait = Math.min((this.options.retryMs ?? 2000) * 2 ** this.failures++, longestRetryMs);
    const problem = explanationOf(error);
    if (problem !== this.progress.problem) {
      this.options.log.warn(`${this.model.id}: ${problem} Next try in ${wait / 1000} s.`);
    }
    this.progress = { state: "unavailable", problem, chunksPerSecond: 0 };
    await sleep(wait, undefined, { signal: this.stop, ref: false }).catch(() => {});
  }
}

/** A server may come back, a disk may get room again. */
function isPassing(error: unknown): boolean {
  return ["embedder_unavailable", "disk_full"].includes(codeOf(error));
}
