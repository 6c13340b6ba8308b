import { Worker } from "node:worker_threads";
import type { TextKind } from "../embedder.ts";
import type { EmbedAnswer, EmbedTask } from "./worker-messages.ts";

export interface EmbedPoolOptions {
  /** The script of the threads. */
  script: URL;
  task: EmbedTask;
  /** At most. */
  threads: number;
  /** A thread without work for this long is stopped; its memory (75 MB) goes back. Milliseconds. */
  idleMs: number;
}

/**
 * Characters that a thread is given at most before it answers, unless a single text is longer. Keeps it busy with
 * short texts, for which a message takes as long as the model, and lets a query wait for one long text at most.
 */
const mostInFlight = 600;
/** What the model does not take in costs nothing. */
const longestText = 1000;
/** A text during which a thread dies this often is the cause of it. */
const mostAttempts = 2;
/** Threads that die one after the other without a single vector: no text is to blame. */
const mostDeaths = 6;

interface Text {
  text: string;
  /** Its share of `mostInFlight`. */
  weight: number;
  at: number;
  batch: Batch;
  /** Threads that died at it. */
  attempts: number;
}

/** The texts of one call. */
interface Batch {
  kind: TextKind;
  vectors: (Int8Array | null)[];
  missing: number;
  isSettled: boolean;
  settle(error?: unknown): void;
}

/** Threads that turn texts into vectors. They start with the first text and do not keep the process alive. */
export class EmbedPool {
  readonly #options: EmbedPoolOptions;
  readonly #queues: Record<TextKind, Text[]> = { query: [], passage: [] };
  #threads: Thread[] = [];
  #deaths = 0;

  constructor(options: EmbedPoolOptions) {
    this.#options = options;
  }

  /**
   * The vectors of texts, in order; null for a text that has none, or that a thread died of twice. Queries go before
   * passages.
   * @throws Error when no thread can start, or they all die; the signal's reason when it is aborted
   */
  embed(texts: readonly string[], kind: TextKind, signal?: AbortSignal): Promise<(Int8Array | null)[]> {
    return new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      if (texts.length === 0) return resolve([]);
      const batch: Batch = {
        kind,
        vectors: new Array<Int8Array | null>(texts.length).fill(null),
        missing: texts.length,
        isSettled: false,
        settle(error) {
          if (batch.isSettled) return;
          batch.isSettled = true;
          signal?.removeEventListener("abort", abort);
          if (error === undefined) resolve(batch.vectors);
          else reject(error);
        },
      };
      const abort = (): void => batch.settle(signal?.reason);
      signal?.addEventListener("abort", abort);
      texts.forEach((text, at) => {
        const weight = Math.min(text.length, longestText);
        this.#queues[kind].push({ text, weight, at, batch, attempts: 0 });
      });
      this.#dispatch();
    });
  }

  /** Stops the threads; texts under way are rejected. `embed` starts new ones. */
  async close(): Promise<void> {
    await this.#end(new Error("the embedder was closed"));
  }

  #dispatch(): void {
    for (let text = this.#next(); text !== undefined; text = this.#next()) {
      const thread = this.#threadFor(text);
      if (thread === null) return;
      this.#queues[text.batch.kind].shift();
      thread.send(text);
    }
  }

  /** The text whose turn it is, still in its queue; those of aborted calls are dropped. */
  #next(): Text | undefined {
    for (const queue of [this.#queues.query, this.#queues.passage]) {
      while (queue[0]?.batch.isSettled) queue.shift();
      if (queue[0] !== undefined) return queue[0];
    }
    return undefined;
  }

  /** A query rather waits for the text under way than for a thread to start. */
  #threadFor(text: Text): Thread | null {
    const idlestFirst = this.#threads.toSorted((a, b) => a.load - b.load);
    const idlest = idlestFirst.find((thread) => thread.isReady) ?? idlestFirst[0];
    const isQuery = text.batch.kind === "query";
    if (idlest !== undefined && (isQuery || idlest.load === 0)) return idlest;
    if (this.#threads.length < this.#options.threads) return this.#start();
    return idlestFirst.find((thread) => thread.load + text.weight <= mostInFlight) ?? null;
  }

  #start(): Thread {
    const thread = new Thread(this.#options, {
      answered: (text, vector) => {
        this.#deaths = 0;
        settle(text, vector);
        this.#dispatch();
      },
      idle: () => this.#remove(thread),
      unusable: (error) => void this.#end(error),
      died: (texts, error) => this.#recover(thread, texts, error),
    });
    this.#threads.push(thread);
    return thread;
  }

  #remove(thread: Thread): void {
    this.#threads = this.#threads.filter((other) => other !== thread);
    void thread.stop();
  }

  /** A thread died at the first of its texts. */
  #recover(thread: Thread, texts: Text[], error: Error): void {
    this.#remove(thread);
    this.#deaths++;
    if (this.#deaths >= mostDeaths) return void this.#end(error, texts);
    const [culprit, ...others] = texts;
    for (const text of others.toReversed()) this.#queues[text.batch.kind].unshift(text);
    if (culprit !== undefined) {
      culprit.attempts++;
      if (culprit.attempts < mostAttempts) this.#queues[culprit.batch.kind].unshift(culprit);
      else settle(culprit, null);
    }
    this.#dispatch();
  }

  async #end(error: Error, texts: readonly Text[] = []): Promise<void> {
    const threads = this.#threads;
    this.#threads = [];
    this.#deaths = 0;
    const unfinished = [...texts, ...threads.flatMap((thread) => thread.texts)];
    for (const queue of [this.#queues.query, this.#queues.passage]) unfinished.push(...queue.splice(0));
    for (const { batch } of unfinished) batch.settle(error);
    await Promise.all(threads.map((thread) => thread.stop()));
  }
}

function settle({ batch, at }: Text, vector: Int8Array | null): void {
  batch.vectors[at] = vector;
  batch.missing--;
  if (batch.missing === 0) batch.settle();
}

interface ThreadEvents {
  answered: (text: Text, vector: Int8Array | null) => void;
  /** It has had nothing to do for a while. */
  idle: () => void;
  /** It could not even start. */
  unusable: (error: Error) => void;
  /** It is gone; its unfinished texts, the one it died at first. */
  died: (texts: Text[], error: Error) => void;
}

/** A worker with the texts it was given, which it answers in order. */
class Thread {
  readonly texts: Text[] = [];
  isReady = false;
  readonly #worker: Worker;
  readonly #events: ThreadEvents;
  readonly #idleMs: number;
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;

  constructor({ script, task, idleMs }: EmbedPoolOptions, events: ThreadEvents) {
    this.#events = events;
    this.#idleMs = idleMs;
    this.#worker = new Worker(script, { workerData: task });
    this.#worker.on("message", (answer: EmbedAnswer) => this.#take(answer));
    let error = new Error("a thread of the embedder ended");
    this.#worker.on("error", (cause: Error) => {
      error = cause;
    });
    // Unlike the error, the exit comes after all answers.
    this.#worker.on("exit", () => this.#fail(error));
    this.#worker.unref();
  }

  /** Characters that it has not answered yet. */
  get load(): number {
    return this.texts.reduce((sum, text) => sum + text.weight, 0);
  }

  send(text: Text): void {
    clearTimeout(this.#timer);
    if (this.texts.length === 0) this.#worker.ref();
    this.texts.push(text);
    this.#worker.postMessage(text.text);
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    await this.#worker.terminate();
  }

  #take(answer: EmbedAnswer): void {
    if (this.#isStopped) return;
    if (answer.kind === "ready") {
      this.isReady = true;
      return;
    }
    const text = this.texts.shift()!;
    if (this.texts.length === 0) {
      this.#worker.unref();
      this.#timer = setTimeout(this.#events.idle, this.#idleMs).unref();
    }
    this.#events.answered(text, answer.vector);
  }

  #fail(error: Error): void {
    if (this.#isStopped) return;
    this.#isStopped = true;
    clearTimeout(this.#timer);
    if (this.isReady) this.#events.died(this.texts, error);
    else this.#events.unusable(error);
  }
}
