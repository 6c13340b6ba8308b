import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";
import { codeOf, explanationOf } from "../../project/errors.ts";
import type { Logger } from "../../project/log.ts";
import { embedTexts } from "./embed-texts.ts";
import type { Embedder } from "./embedder.ts";

/** What the pass is doing about one model. */
export interface EmbedProgress {
  state: "resting" | "embedding" | "unavailable";
  /** Why it is unavailable, and what to do; null otherwise. */
  problem: string | null;
  /** Chunks it embedded a second, lately; 0 when it is too early to tell. */
  chunksPerSecond: number;
}

/** What is embedded at once or not at all: a file, a chunk of a session. */
export interface Embeddable {
  texts: readonly string[];
  /** For the rate. */
  chunks: number;
}

/** An item with the vectors of its texts, in order; null where there is none. */
interface Embedded<Item> {
  item: Item;
  vectors: readonly (Int8Array | null)[];
}

/** Vectors of a model, and their length. */
interface VectorSpace {
  model: string;
  dimensions: number;
}

/** Where a pass finds what lacks vectors, and stores them. */
export interface EmbedSource<Key, Item extends Embeddable> {
  /** Chunks that are embedded and stored together, at least. */
  batchSize: number;
  /** What lacks vectors of a model, in the order in which it is to have them. */
  missing(model: Embedder): Promise<Key[]>;
  /** An item as it is now; null where it has changed or gone, or cannot be read. */
  read(key: Key): Promise<Item | null>;
  store(space: VectorSpace, embedded: readonly Embedded<Item>[]): Promise<void>;
  /** Called when nothing lacks vectors of these models: those of models that are not in use can be forgotten. */
  keepModels(models: readonly string[]): Promise<void>;
}

interface EmbedPassOptions {
  source: EmbedSource<unknown, Embeddable>;
  /** The models to embed with. */
  models: readonly Embedder[];
  log: Logger;
  /** The first wait while a model is unavailable; doubles up to `maxRetryMs`. Milliseconds. */
  retryMs?: number;
}

const maxRetryMs = 300_000;
/** The rate is that of so many milliseconds at least. */
const rateWindowMs = 10_000;

/**
 * Makes the vectors that are missing, in the background: those of a model too slow to embed what is stored while it is
 * stored, or of one that was unavailable then, or that was configured since. What is left to do is what the source lacks,
 * so it can end at any moment and go on with the next start.
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
   * Works until nothing lacks a vector of any model; waits for as long as one is unavailable. Asked again meanwhile, it
   * looks once more before it ends.
   * @throws what the source throws
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
    if (!this.stop.signal.aborted) await this.options.source.keepModels(this.works.map(({ id }) => id));
  }
}

/** The work for one model. */
class ModelWork {
  progress: EmbedProgress = { state: "resting", problem: null, chunksPerSecond: 0 };
  private failures = 0;
  private window = { since: 0, chunks: 0 };
  /** What lacks vectors, as far as was looked; the next one last. */
  private waiting: unknown[] = [];
  private isCurrent = false;

  constructor(
    private readonly model: Embedder,
    private readonly options: EmbedPassOptions,
    private readonly stop: AbortSignal,
  ) {}

  get id(): string {
    return this.model.id;
  }

  /** More may lack vectors by now, and goes first. */
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
    const { source } = this.options;
    this.isCurrent = false;
    this.window = { since: Date.now(), chunks: 0 };
    for (; ; await nextTurn()) {
      const items: Embeddable[] = [];
      let chunks = 0;
      while (chunks < source.batchSize) {
        const key = await this.next();
        if (key === undefined || this.stop.aborted) break;
        // What cannot be read has changed: it will be stored again, and then it is looked at again.
        const item = await source.read(key);
        if (item === null) continue;
        items.push(item);
        chunks += item.chunks;
      }
      if (items.length === 0 || this.stop.aborted) return;
      if (this.progress.problem === null) this.progress = { ...this.progress, state: "embedding" };
      await this.embed(items, chunks);
    }
  }

  private async next(): Promise<unknown> {
    if (!this.isCurrent) {
      this.isCurrent = true;
      this.waiting = (await this.options.source.missing(this.model)).toReversed();
    }
    return this.waiting.pop();
  }

  private async embed(items: readonly Embeddable[], chunks: number): Promise<void> {
    // Lengths may be known to the server only.
    if (this.model.dimensions === 0) await this.model.prepare();
    const texts = items.flatMap((item) => item.texts);
    const vectors = await embedTexts(this.model, texts, this.stop);
    this.stop.throwIfAborted();
    let start = 0;
    const embedded = items.map((item) => {
      const its = vectors.slice(start, start + item.texts.length);
      start += its.length;
      return { item, vectors: its };
    });
    await this.options.source.store({ model: this.model.id, dimensions: this.model.dimensions }, embedded);
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
    const wait = Math.min((this.options.retryMs ?? 2000) * 2 ** this.failures++, maxRetryMs);
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
