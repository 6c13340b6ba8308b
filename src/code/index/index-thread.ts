import { setTimeout as sleep } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { locateBuiltFile } from "../../base/built-file.ts";
import { PommelError, toError } from "../../base/errors.ts";
import type { Logger } from "../../base/log.ts";
import { withSharedWeights } from "../../models/embed/static/token-sums.ts";
import type { CodeIndex, CommitIndex } from "../../store/index/port.ts";
import type { IndexedFile } from "../../store/index/records.ts";
import type { IgnoreRules } from "../files/ignore.ts";
import {
  type Doing,
  type FromIndexThread,
  type Indexing,
  type IndexThreadSettings,
  type ToIndexThread,
  writes,
} from "./index-messages.ts";
import type { IndexProgress, IndexReport } from "./indexer.ts";

interface IndexThreadOptions extends IndexThreadSettings {
  /** The watcher's, reloaded when the thread has reloaded its own. */
  rules: IgnoreRules;
  log: Logger;
  /** The thread's script; only tests need another. */
  script?: URL;
  /** How long `close` waits for the transaction at hand. Milliseconds. */
  closeWithinMs?: number;
}

/** The thread and what it was asked. */
interface RunningThread {
  worker: Worker;
  calls: Map<number, ThreadCall>;
}

interface ThreadCall {
  resolve: (value: never) => void;
  reject: (error: Error) => void;
}

const usuallyClosedWithinMs = 5000;
/** V8's usual young generation would take 15 MB more. */
const resourceLimits = { maxYoungGenerationSizeMb: 8 };

const resting: IndexProgress = {
  pending: 0,
  processing: null,
  done: 0,
  total: 0,
  rate_chunks_per_sec: 0,
  eta_seconds: 0,
  is_idle: true,
  last_error: null,
  recent: [],
};

/** The threads of all checkouts that are there, those that were started first in front. */
const alive = new Set<IndexThread>();
/** Of threads that rest no more stay when another one starts: with those that parse each takes some 80 MB. */
const maxAlive = 2;

/** So many checkouts are scanned at a time; others wait for their turn, but not for ever. Milliseconds. */
const maxPasses = 2;
const turnWithinMs = 30_000;
let passes = 0;
const waiting = new Set<() => void>();

/** How often it is looked whether something is still being indexed. Milliseconds. */
const lookEveryMs = 200;

/**
 * Waits until nothing is being indexed, and ends the threads that did: what is done next needs their memory.
 * @throws the signal's reason
 */
export async function waitForRoom(signal: AbortSignal): Promise<void> {
  while (passes > 0 || [...alive].some((thread) => thread.isWorking))
    await sleep(lookEveryMs, undefined, { signal, ref: false });
  for (const thread of alive) void thread.releaseWorkers();
}

/**
 * Keeps the index up to date from a thread of its own, so that what answers questions waits for no transaction. The
 * thread starts when there is something to do, and ends when that is asked for (`releaseWorkers`).
 */
export class IndexThread implements Indexing {
  private running: RunningThread | null = null;
  private nextId = 0;
  private readonly myTurns = new Set<() => void>();
  private lastProgress = resting;
  private closed = false;

  constructor(private readonly options: IndexThreadOptions) {}

  /** An open index whose changes are left to the thread. */
  forwardWrites(index: CodeIndex): CodeIndex {
    const commits: CommitIndex = Object.assign(Object.create(index.commits) as CommitIndex, {
      add: (...args: unknown[]) => this.call({ on: "commits", what: "add" }, args),
      remove: (...args: unknown[]) => this.call({ on: "commits", what: "remove" }, args),
    });
    const forwarded = writes.map((what) => [
      what,
      (...args: unknown[]) => this.call({ on: "index", what }, args),
    ]);
    return Object.assign(Object.create(index) as CodeIndex, Object.fromEntries(forwarded), { commits });
  }

  get isWorking(): boolean {
    return this.running !== null && this.running.calls.size > 0;
  }

  progress(): IndexProgress {
    return this.lastProgress;
  }

  reconcile(lately: readonly string[] = []): Promise<IndexReport> {
    return this.pass({ on: "indexer", what: "reconcile" }, [lately]);
  }

  reindex(glob?: string): Promise<IndexReport> {
    return this.pass({ on: "indexer", what: "reindex" }, glob === undefined ? [] : [glob]);
  }

  update(paths: readonly string[]): Promise<void> {
    return this.call({ on: "indexer", what: "update" }, [paths]);
  }

  /** Nobody waits for it: a thread that ends has nothing to index. */
  prefer(paths: readonly string[]): void {
    this.call({ on: "indexer", what: "prefer" }, [paths]).catch(() => {});
  }

  read(path: string): Promise<IndexedFile | null> {
    return this.call({ on: "indexer", what: "read" }, [path]);
  }

  /** Ends the thread, with those that parse, until it is needed again. */
  async releaseWorkers(): Promise<void> {
    if (!this.isWorking) await this.end();
  }

  /** Waits for the transaction at hand, but not for ever. */
  async close(): Promise<void> {
    this.closed = true;
    for (const begin of this.myTurns) begin();
    await this.end();
  }

  private async pass<T>(doing: Doing, args: readonly unknown[]): Promise<T> {
    await new Promise<void>((resolve) => {
      const begin = () => {
        clearTimeout(timer);
        waiting.delete(begin);
        this.myTurns.delete(begin);
        passes++;
        resolve();
      };
      const timer = setTimeout(() => begin(), turnWithinMs).unref();
      waiting.add(begin);
      this.myTurns.add(begin);
      if (passes < maxPasses) begin();
    });
    try {
      return await this.call<T>(doing, args);
    } finally {
      passes--;
      const [next] = waiting;
      if (passes < maxPasses) next?.();
    }
  }

  private call<T>(doing: Doing, args: readonly unknown[]): Promise<T> {
    if (this.closed) return Promise.reject(makeClosedError());
    return new Promise<T>((resolve, reject) => {
      this.running ??= this.start();
      const { worker, calls } = this.running;
      const id = this.nextId++;
      calls.set(id, { resolve, reject });
      worker.postMessage({ id, args, ...doing } satisfies ToIndexThread);
    });
  }

  private start(): RunningThread {
    for (const other of [...alive].slice(0, Math.max(0, alive.size + 1 - maxAlive)))
      void other.releaseWorkers();
    alive.add(this);
    const { project, config, withVectors, modelDir, script } = this.options;
    const workerData: IndexThreadSettings = { project, config, withVectors, modelDir };
    const worker = withSharedWeights(
      () => new Worker(script ?? locateBuiltFile("index-worker.cjs"), { workerData, resourceLimits }),
    );
    const running: RunningThread = { worker, calls: new Map() };
    let reason = "";
    worker.on("message", (message: FromIndexThread) => this.receive(message, running));
    worker.on("error", (error) => {
      reason = `: ${error.message}`;
    });
    worker.on("exit", () => {
      if (this.running === running) {
        this.leave();
        // Where nobody waits for it, nobody else says so.
        this.options.log.error(
          `the thread that writes the index ended${reason}; it starts again when needed`,
        );
      }
      failAll(running, new PommelError("internal", `the thread that writes the index ended${reason}`));
    });
    worker.unref();
    return running;
  }

  private leave(): void {
    this.running = null;
    this.lastProgress = resting;
    alive.delete(this);
  }

  private async end(): Promise<void> {
    const { running } = this;
    if (running === null) return;
    this.leave();
    const { worker } = running;
    const ended = new Promise((resolve) => worker.once("exit", resolve));
    worker.postMessage("end" satisfies ToIndexThread);
    const { closeWithinMs = usuallyClosedWithinMs } = this.options;
    // The process must not end before what waits for this has run: mostly nothing else is left then.
    worker.ref();
    await Promise.race([ended, sleep(closeWithinMs, undefined, { ref: false })]);
    failAll(running, makeClosedError());
    await worker.terminate();
  }

  private receive(message: FromIndexThread, running: RunningThread): void {
    const { rules, log } = this.options;
    if ("log" in message) log[message.log](message.message);
    else if ("reloaded" in message) rules.reload();
    else if ("id" in message) settleCall(message, running);
    else if (this.running === running) this.lastProgress = message.progress;
  }
}

function settleCall(answer: Extract<FromIndexThread, { id: number }>, { calls }: RunningThread): void {
  const call = calls.get(answer.id);
  calls.delete(answer.id);
  if ("failed" in answer) call?.reject(toError(answer.failed));
  else call?.resolve(answer.done as never);
}

function failAll({ calls }: RunningThread, error: Error): void {
  for (const { reject } of calls.values()) reject(error);
  calls.clear();
}

const makeClosedError = () => new Error("the index was closed");
