import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";
import { explainError, getErrorCode } from "../../base/errors.ts";
import type { Logger } from "../../base/log.ts";
import { Rerun } from "../../base/rerun.ts";
import { embedTexts } from "./embed-texts.ts";
import type { Embedder } from "./embedder.ts";

/** The pass's progress for one model. */
export interface EmbedProgress {
  state: "resting" | "embedding" | "unavailable";
  /** Why it is unavailable, and what to do; null otherwise. */
  problem: string | null;
  /** Recent rate; 0 when unknown yet. */
  chunksPerSecond: number;
}

/** A unit of embedding: a file, a chunk of a session. */
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

/** Finds items without vectors, and stores vectors. */
export interface EmbedSource<Key, Item extends Embeddable> {
  /** Minimum number of chunks embedded and stored together. */
  batchSize: number;
  /** Items without vectors of a model, in the order to embed them. */
  missing(model: Embedder): Promise<Key[]>;
  /** The current item; null when it changed, disappeared or is unreadable. */
  read(key: Key): Promise<Item | null>;
  /** Vectors of texts that were embedded before; those unknown are missing. Absent where none are kept. */
  known?(space: VectorSpace, texts: ReadonlySet<string>): Promise<ReadonlyMap<string, Int8Array>>;
  store(space: VectorSpace, embedded: readonly Embedded<Item>[]): Promise<void>;
  /** Called when all vectors of these models exist; vectors of other models can be deleted. */
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
/** Minimum window for the rate. Milliseconds. */
const rateWindowMs = 10_000;

/**
 * Computes missing vectors in the background: of models that are too slow for ingestion, were unavailable, or were
 * configured later. All state is in the source, so it can stop at any moment and resume at the next start.
 */
export class EmbedPass {
  private readonly works: EmbedWork[];
  private readonly runs = new Rerun(() => this.embedMissing());
  private readonly stop = new AbortController();

  constructor(private readonly options: EmbedPassOptions) {
    this.works = options.models.map((model) => new EmbedWork(model, options, this.stop.signal));
  }

  /**
   * Runs until no vectors are missing; waits while a model is unavailable. If called again meanwhile, checks once more
   * before it ends.
   * @throws what the source throws
   */
  run(): Promise<void> {
    for (const work of this.works) work.lookAgain();
    return this.runs.request();
  }

  /** Whether it is working rather than pending for a model. */
  isBusy(): boolean {
    return this.works.some((work) => work.progress.state === "embedding");
  }

  /** Progress of a configured model. */
  findProgress(model: string): EmbedProgress | null {
    return this.works.find((work) => work.id === model)?.progress ?? null;
  }

  /** Stops at once; stored vectors stay. */
  async close(): Promise<void> {
    this.stop.abort();
    await this.runs.cancel();
  }

  private async embedMissing(): Promise<void> {
    const done = await Promise.allSettled(this.works.map((work) => work.run()));
    const failed = done.find((result) => result.status === "rejected");
    if (failed) throw failed.reason;
    if (!this.stop.signal.aborted) await this.options.source.keepModels(this.works.map(({ id }) => id));
  }
}

/** The work for one model. */
class EmbedWork {
  progress: EmbedProgress = { state: "resting", problem: null, chunksPerSecond: 0 };
  private failures = 0;
  private window = { since: 0, chunks: 0 };
  /** Pending items, the next one last. */
  private pending: unknown[] = [];
  private isCurrent = false;

  constructor(
    private readonly model: Embedder,
    private readonly options: EmbedPassOptions,
    private readonly stop: AbortSignal,
  ) {}

  get id(): string {
    return this.model.id;
  }

  /** Newly missing items go first. */
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
        await this.waitAfterFailure(error);
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
        const key = await this.takeNext();
        if (key === undefined || this.stop.aborted) break;
        // Unreadable items changed and will be stored again.
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

  private async takeNext(): Promise<unknown> {
    if (!this.isCurrent) {
      this.isCurrent = true;
      this.pending = (await this.options.source.missing(this.model)).toReversed();
    }
    return this.pending.pop();
  }

  private async embed(items: readonly Embeddable[], chunks: number): Promise<void> {
    // Only the server may know the dimensions.
    if (this.model.dimensions === 0) await this.model.prepare();
    const space = { model: this.model.id, dimensions: this.model.dimensions };
    const texts = items.flatMap((item) => item.texts);
    const known = await this.options.source.known?.(space, new Set(texts));
    const unknown = texts.filter((text) => !known?.has(text));
    const made = await embedTexts(this.model, unknown, this.stop);
    this.stop.throwIfAborted();
    let next = 0;
    const vectors = texts.map((text) => known?.get(text) ?? made[next++]!);
    let start = 0;
    const embedded = items.map((item) => {
      const its = vectors.slice(start, start + item.texts.length);
      start += its.length;
      return { item, vectors: its };
    });
    await this.options.source.store(space, embedded);
    this.failures = 0;
    this.progress = { state: "embedding", problem: null, chunksPerSecond: this.updateRate(chunks) };
  }

  /** Alternates two windows, so that the rate follows a server that slows down. */
  private updateRate(chunks: number): number {
    this.window.chunks += chunks;
    const ms = Date.now() - this.window.since;
    const rate = (this.window.chunks / Math.max(ms, 1)) * 1000;
    if (ms > 2 * rateWindowMs) {
      this.window = { since: Date.now() - ms / 2, chunks: this.window.chunks / 2 };
    }
    return rate;
  }

  /** Logs the problem and waits, longer each time. */
  private async waitAfterFailure(error: unknown): Promise<void> {
    const wait = Math.min((this.options.retryMs ?? 2000) * 2 ** this.failures++, maxRetryMs);
    const problem = explainError(error);
    if (problem !== this.progress.problem) {
      this.options.log.warn(`${this.model.id}: ${problem} Next try in ${wait / 1000} s.`);
    }
    this.progress = { state: "unavailable", problem, chunksPerSecond: 0 };
    await sleep(wait, undefined, { signal: this.stop, ref: false }).catch(() => {});
  }
}

/** Whether the error is temporary: an unavailable server, a full disk. */
function isPassing(error: unknown): boolean {
  return ["embedder_unavailable", "disk_full"].includes(getErrorCode(error));
}
