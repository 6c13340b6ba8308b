import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import { locateBuiltFile } from "../../base/built-file.ts";
import type { Config } from "../../base/config/settings.ts";
import { PommelError } from "../../base/errors.ts";
import { readWorkedMs } from "../../base/thread.ts";
import { readBundledWeights } from "../../models/embed/static/static-embedder.ts";
import { type ModelWeights, withSharedWeights } from "../../models/embed/static/token-sums.ts";
import type { FileStamp } from "../../store/index/records.ts";
import { detectHeaderLanguage } from "../languages/index.ts";
import {
  type CachedFile,
  type ParseOutcome,
  type ParseRequest,
  type ParseSettings,
  progressIndex,
  type WorkerData,
} from "./parse-messages.ts";
import { watchParserCount } from "./parser-count.ts";

export type { ParseOutcome } from "./parse-messages.ts";

interface ParsePoolOptions extends Omit<ParseSettings, "grammarDir"> {
  /** The directory of the grammars' .wasm files; by default that of the installation. */
  grammarDir?: string;
  /** How many threads may parse so many files, now that so many do. */
  countThreads: (asked: { files: number; running: number }) => number;
  /** A worker that works for this long without progress is replaced. Milliseconds. */
  deadlineMs?: number;
  /** The worker's script; only tests need another. */
  script?: URL;
}

/**
 * The parsing options of a project's configuration.
 * @param files all of the project's; they decide which language `.h` files are in
 */
export function buildPoolOptions(root: string, config: Config, files: readonly { path: string }[]) {
  return {
    root,
    countThreads: watchParserCount(),
    maxFileSize: config["index.max_file_size"],
    levels: config["index.levels"],
    languages: config["index.languages"],
    headerLanguage: detectHeaderLanguage(files.map(({ path }) => path)),
  } satisfies Partial<ParsePoolOptions>;
}

/** Measured best: larger batches or more of them wait longer, smaller ones cost more messages. */
const batchSize = 16;
const batchesInFlight = 2;
/** So few files are read sooner by one thread: starting another and loading its grammars takes as long. */
const fewFiles = 8;
/** Threads of which each starts at once. A further one waits until they have read something: then it is known what they hold. */
const threadsAtOnce = 2;
/** A larger file takes as long as dozens of others: it is a batch of its own, and while others wait only one thread is at such. Bytes. */
const maxUsualBytes = 150_000;
/** A thread that works so long without finishing a file hangs: the thread ends, and the file is cut by lines. */
const defaultDeadlineMs = 30_000;
/** A thread that waits so long for a file hangs as well, for a disk that does not answer: this many deadlines by the clock. */
const deadlinesToWait = 10;
/** How often threads are looked at within a deadline. */
const looksInDeadline = 3;
/**
 * A worker's JavaScript heap at most; trees live in WASM memory, which the parse deadline bounds. V8's usual young generation would
 * take 40 MB more in all, and one of 8 MB a tenth more CPU time.
 */
const resourceLimits = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 16 };

interface ParseTask {
  request: ParseRequest;
  resolve: (outcome: ParseOutcome | CachedFile) => void;
  reject: (error: Error) => void;
}

/** Threads that turn files into chunks. They start with the first file and do not keep the process alive. */
export class ParsePool {
  readonly #options: ParsePoolOptions;
  readonly #queue: ParseTask[] = [];
  /** Large ones. */
  readonly #slow: ParseTask[] = [];
  #threads: Thread[] = [];
  /** Kept while there are threads, which share them. */
  #weights: ModelWeights | null = null;
  #scheduled = false;
  /** Files that are still to be parsed, as far as is known. */
  #expected = Number.POSITIVE_INFINITY;

  constructor(options: ParsePoolOptions) {
    this.#options = options;
  }

  /** Says how many files wait to be parsed: of few it is not worth starting all threads. */
  expect(files: number): void {
    this.#expected = files;
  }

  /** How many files the threads can be given before one of them has nothing to do. */
  get room(): number {
    return (this.#threads.length + (this.#mayStart() ? 1 : 0)) * batchSize * batchesInFlight;
  }

  /** Has a thread ready for the first file: starting takes longer than parsing some. */
  begin(): void {
    if (this.#threads.length === 0) this.#startThread();
  }

  /**
   * Reads, parses and chunks a file. Never rejects because of the file: one that crashes its parser is cut by lines,
   * and if that fails, skipped as unreadable.
   * @param knownHash hash of the indexed version; a file with the same bytes is not parsed
   * @param cachedHashes of versions that are not parsed, either
   * @param withText whether the chunks have their texts; then they are not embedded
   * @param text another version of the file than the one on disk
   */
  parse(
    stamp: FileStamp,
    knownHash: string | null,
    {
      withText = false,
      cachedHashes = [],
      text,
    }: { withText?: boolean; cachedHashes?: readonly string[]; text?: string } = {},
  ): Promise<ParseOutcome | CachedFile> {
    return new Promise((resolve, reject) => {
      const request = { stamp, knownHash, cachedHashes, withText, text, linesOnly: false };
      this.#queueOf(request).push({ request, resolve, reject });
      this.#schedule();
    });
  }

  #queueOf({ stamp }: ParseRequest): ParseTask[] {
    return stamp.size > maxUsualBytes ? this.#slow : this.#queue;
  }

  /** Stops the threads and frees their memory; files under way are rejected. `parse` starts new ones. */
  async close(): Promise<void> {
    const threads = this.#threads;
    this.#threads = [];
    this.#weights = null;
    const unfinished = [...this.#takeQueued(), ...threads.flatMap((thread) => thread.tasks)];
    await Promise.all(threads.map((thread) => thread.stop()));
    for (const task of unfinished) task.reject(new Error("the parser was closed"));
  }

  /** Waits for the other calls of this turn, so that they share batches. */
  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    queueMicrotask(() => {
      this.#scheduled = false;
      this.#dispatch();
    });
  }

  #takeQueued(): ParseTask[] {
    return [...this.#queue.splice(0), ...this.#slow.splice(0)];
  }

  #dispatch(): void {
    while (this.#queue.length > 0) {
      const thread = this.#idlest();
      if (thread === null) break;
      const isFew = this.#queue.length <= fewFiles || !this.#mayStart();
      const isAlone = this.#threads.length === 1 && isFew;
      const share = Math.ceil(this.#queue.length / (isAlone ? 1 : this.#most));
      thread.send(this.#queue.splice(0, Math.min(batchSize, share)));
    }
    while (this.#slow.length > 0) {
      const isOneAtIt = this.#threads.some((thread) => thread.isSlow);
      const thread = this.#queue.length > 0 && isOneAtIt ? null : this.#resting();
      if (thread === null) return;
      thread.send(this.#slow.splice(0, 1), true);
    }
  }

  /** Threads that may parse now, if there is enough to do for them. */
  get #most(): number {
    return this.#options.countThreads({ files: Number.POSITIVE_INFINITY, running: this.#threads.length });
  }

  /** Ends a thread that has nothing left to do, where fewer must do. */
  #endIfTooMany(thread: Thread): void {
    if (thread.batches.length > 0 || this.#threads.length <= this.#most) return;
    this.#threads = this.#threads.filter((other) => other !== thread);
    void thread.stop();
  }

  /** What a slow file has to itself is not given others. */
  #idlest(): Thread | null {
    const most = this.#most;
    const usable = this.#threads.filter((thread) => !thread.isSlow);
    const least = usable.slice(0, most).sort((a, b) => a.batches.length - b.batches.length)[0];
    if (least !== undefined && least.batches.length === 0) return least;
    // Nothing waits for a slow file.
    const mayStart = least === undefined ? this.#threads.length < most : this.#mayStart();
    if (mayStart) return this.#startThread();
    return least !== undefined && least.batches.length < batchesInFlight ? least : null;
  }

  #resting(): Thread | null {
    const resting = this.#threads.find((thread) => thread.batches.length === 0);
    return resting ?? (this.#mayStart() ? this.#startThread() : null);
  }

  #mayStart(): boolean {
    const running = this.#threads.length;
    if (running >= threadsAtOnce && !this.#threads.every((thread) => thread.hasAnswered)) return false;
    return running < this.#options.countThreads({ files: this.#expected, running });
  }

  #startThread(): Thread {
    this.#weights ??= this.#readWeights();
    const events: ThreadEvents = {
      settled: () => {
        this.#endIfTooMany(thread);
        this.#dispatch();
      },
      failed: (tasks) => this.#recover(thread, tasks),
      unusable: (error) => this.#failAll(error),
    };
    const thread = withSharedWeights(() => new Thread(this.#options, events));
    this.#threads.push(thread);
    return thread;
  }

  /** null: none are wanted, or the threads will say what is wrong with them. */
  #readWeights(): ModelWeights | null {
    if (!this.#options.withVectors) return null;
    try {
      return readBundledWeights(this.#options.modelDir);
    } catch {
      return null;
    }
  }

  /** The installation is broken. */
  #failAll(cause: Error): void {
    const hint = "Reinstall Pommel; in a checkout, run `npm run build`.";
    const error = new PommelError("internal", `the parser cannot start: ${cause.message}`, hint, { cause });
    const threads = this.#threads;
    this.#threads = [];
    const unfinished = [...this.#takeQueued(), ...threads.flatMap((thread) => thread.tasks)];
    for (const thread of threads) void thread.stop();
    for (const task of unfinished) task.reject(error);
  }

  /** A thread died at its first task: retry that one without its grammar, and the others unchanged. */
  #recover(thread: Thread, [culprit, ...others]: ParseTask[]): void {
    this.#threads = this.#threads.filter((other) => other !== thread);
    for (const task of others.reverse()) this.#queueOf(task.request).unshift(task);
    if (culprit !== undefined) {
      if (culprit.request.linesOnly) {
        culprit.resolve({ status: "skipped", reason: "unreadable", ...culprit.request.stamp });
      } else {
        culprit.request = { ...culprit.request, linesOnly: true };
        this.#queueOf(culprit.request).push(culprit);
      }
    }
    this.#schedule();
  }
}

interface ThreadEvents {
  /** A batch is done. */
  settled: () => void;
  /** The thread died; its unfinished tasks, beginning with the culprit. */
  failed: (tasks: ParseTask[]) => void;
  /** The thread could not even start. */
  unusable: (error: Error) => void;
}

/** A worker with the batches it was given. */
class Thread {
  readonly batches: ParseTask[][] = [];
  /** What it was given last is a slow file. */
  isSlow = false;
  readonly #worker: Worker;
  readonly #events: ThreadEvents;
  readonly #progress = new Int32Array(new SharedArrayBuffer(12));
  readonly #deadlineMs: number;
  /** Files in batches that were answered. */
  #answered = 0;
  #timer: NodeJS.Timeout | undefined;
  #stopped = false;

  constructor(options: ParsePoolOptions, events: ThreadEvents) {
    const {
      countThreads: _,
      deadlineMs = defaultDeadlineMs,
      script = locateBuiltFile("parse-worker.mjs"),
      ...given
    } = options;
    const settings = { grammarDir: fileURLToPath(locateBuiltFile("grammars")), ...given };
    this.#events = events;
    this.#deadlineMs = deadlineMs;
    const workerData: WorkerData = { settings, progress: this.#progress };
    this.#worker = new Worker(script, { workerData, resourceLimits });
    this.#worker.on("message", (outcomes: (ParseOutcome | CachedFile)[]) => this.#settle(outcomes));
    this.#worker.on("error", (error: Error) => {
      if (this.#isReady || this.#stopped) this.#fail();
      else events.unusable(error);
    });
    this.#worker.on("exit", () => this.#fail());
    this.#worker.unref();
  }

  get tasks(): ParseTask[] {
    return this.batches.flat();
  }

  get hasAnswered(): boolean {
    return this.#answered > 0;
  }

  get #isReady(): boolean {
    return Atomics.load(this.#progress, progressIndex.ready) === 1;
  }

  /** Files it has finished, whether answered or not. */
  get #finished(): number {
    return Atomics.load(this.#progress, progressIndex.finished);
  }

  send(batch: ParseTask[], isSlow = false): void {
    this.isSlow = isSlow;
    if (this.batches.length === 0) {
      this.#worker.ref();
      this.#watch();
    }
    this.batches.push(batch);
    this.#worker.postMessage(batch.map((task) => task.request));
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    clearInterval(this.#timer);
    await this.#worker.terminate();
  }

  /** @param outcomes of the first files of the first batch that are not answered yet */
  #settle(outcomes: (ParseOutcome | CachedFile)[]): void {
    if (this.#stopped) return;
    const [batch = []] = this.batches;
    const tasks = batch.splice(0, outcomes.length);
    this.#answered += tasks.length;
    if (batch.length === 0) {
      this.batches.shift();
      this.isSlow = false;
    }
    if (this.batches.length === 0) {
      this.#worker.unref();
      clearInterval(this.#timer);
    }
    tasks.forEach((task, i) => {
      task.resolve(outcomes[i]!);
    });
    this.#events.settled();
  }

  /** The worker counts files, so a deadline is for one file, not for a batch. */
  #watch(): void {
    let last = this.#readProgress();
    clearInterval(this.#timer);
    this.#timer = setInterval(() => {
      const now = this.#readProgress();
      // Starting a thread may be slow under load.
      if (now.finished !== last.finished || !this.#isReady) last = now;
      else if (now.worked - last.worked >= this.#deadlineMs) this.#fail();
      else if (now.at - last.at >= this.#deadlineMs * deadlinesToWait) this.#fail();
    }, this.#deadlineMs / looksInDeadline);
  }

  #readProgress(): { finished: number; worked: number; at: number } {
    const worked = readWorkedMs(Atomics.load(this.#progress, progressIndex.thread));
    return { finished: this.#finished, worked, at: performance.now() };
  }

  #fail(): void {
    if (this.#stopped) return;
    void this.stop();
    const tasks = this.tasks;
    // Those before it in the batch were parsed, but their results died with the thread.
    const at = this.#finished - this.#answered;
    const culprit = tasks.splice(Math.min(at, tasks.length - 1), 1);
    this.#events.failed([...culprit, ...tasks]);
  }
}
