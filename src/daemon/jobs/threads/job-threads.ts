import { setTimeout as sleep } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { locateBuiltFile } from "../../../base/built-file.ts";
import { countReaders } from "../../../base/crowding.ts";
import { PommelError, toError } from "../../../base/errors.ts";
import type { Logger } from "../../../base/log.ts";
import { readFreeBytes } from "../../../base/memory-budget.ts";
import { withSharedWeights } from "../../../models/embed/static/token-sums.ts";
import type { FromThread, JobTurn, ToThread } from "./thread-messages.ts";

interface JobThreadsOptions {
  log: Logger;
  /** Waits until there is room in memory for a second thread: indexing code for the first time needs as much. */
  waitForRoom?: (signal: AbortSignal) => Promise<void>;
  /** The threads' script; only tests need another. */
  script?: URL;
  /** What the process may still take, in bytes; only tests need another. */
  readFree?: () => number;
}

interface TurnOptions {
  /** Names an owner of jobs (`newOwner`). */
  owner: () => string;
  /** The number of due jobs, and about how many bytes of transcripts they have to read. */
  jobs: number;
  bytes: number;
  /** The current priority of the next job: smaller is earlier. */
  urgency: () => number;
  /** Interrupts the turn where it can be resumed. */
  signal: AbortSignal;
  /** Resolves when file observations so far are stored. */
  settled: () => Promise<void>;
  /** Called when a job was done. */
  onJob: () => void;
  /** Called when a turn failed: the queue may still say that this owner's jobs run, and others wait for them. */
  onLost: (owner: string) => void;
}

/** A thread that has a turn, or that has none and will soon end. */
interface JobThread {
  worker: Worker;
  /** null: the thread has no turn. */
  turn:
    | (Pick<TurnOptions, "urgency" | "settled" | "onJob"> & {
        since: number;
        over: (error: Error | null) => void;
      })
    | null;
  endTimer?: NodeJS.Timeout;
}

/**
 * Two threads read transcripts twice as fast. More would not fit into the memory that the daemon may hold, and SQLite has one writer
 * at a time.
 */
const maxThreads = 2;
/** From this much unread text on, a second thread is worth its start. Bytes. */
const worthAnother = 4_000_000;
/** What a second thread holds while it reads. Bytes. */
const helperBytes = 100 * 2 ** 20;
/** How often it is looked whether there is memory for one. Milliseconds. */
const lookEveryMs = 1000;
/** The length of a turn when others wait. Milliseconds. */
const turnMs = 2000;
const endAfterMs = 30_000;
const usuallyClosedWithinMs = 5000;
/**
 * V8's default young generation would take more memory than the batch being read. And if a heap may reach 2 GB, V8 lets it grow to
 * four times what is in use before it collects; with a lower limit, to 1.6 times. Transcripts need less: a line has at most 64 MB.
 */
const resourceLimits = { maxYoungGenerationSizeMb: 16, maxOldGenerationSizeMb: 1024 };

/**
 * Reads the transcripts of all projects and analyses their commits in threads, so that answers wait for neither. Threads start
 * when there is something to do, and end when there was nothing for a while. The project with the most urgent next job has its
 * turn; equally urgent ones take turns.
 */
export class JobThreads {
  private readonly threads = new Set<JobThread>();
  /** Turns that wait for a thread, the oldest first. */
  private readonly waiting: (Pick<TurnOptions, "urgency"> & { start: (thread: JobThread) => void })[] = [];
  private turnTimer: NodeJS.Timeout | undefined;
  private isClosed = false;

  constructor(private readonly options: JobThreadsOptions) {
    countReaders(0);
  }

  /**
   * Does the due jobs of a project's queue, or only some of them when others wait.
   * @throws an error that keeps the project's jobs from being done
   */
  async runTurns(turn: JobTurn, options: TurnOptions): Promise<void> {
    const wanted = options.bytes > worthAnother ? Math.min(options.jobs, maxThreads) : 1;
    const over = new AbortController();
    const isMuch = options.bytes > worthAnother;
    if (isMuch) countReaders(1);
    const own = this.take(turn, options).finally(() => {
      if (isMuch) countReaders(-1);
      over.abort();
    });
    const helping = Array.from({ length: wanted - 1 }, () => this.help(turn, options, over.signal));
    const ended = await Promise.allSettled([own, ...helping]);
    const failed = ended.find((one) => one.status === "rejected");
    if (failed) throw failed.reason;
  }

  /** Has a second thread read the turn's transcripts while there is room for it, until all are read. */
  private async help(turn: JobTurn, options: TurnOptions, over: AbortSignal): Promise<void> {
    const signal = AbortSignal.any([over, options.signal]);
    let isOverBudget: boolean;
    do {
      try {
        await this.options.waitForRoom?.(signal);
        while (this.freeBytes < helperBytes) await sleep(lookEveryMs, undefined, { signal, ref: false });
      } catch {
        return;
      }
      const leave = new AbortController();
      const onJob = () => {
        options.onJob();
        if (this.freeBytes < 0) leave.abort();
      };
      await this.take(
        { ...turn, kinds: ["transcript"] },
        { ...options, onJob, signal: AbortSignal.any([options.signal, leave.signal]) },
        () => !leave.signal.aborted,
      );
      isOverBudget = leave.signal.aborted;
    } while (isOverBudget);
  }

  private get freeBytes(): number {
    return (this.options.readFree ?? readFreeBytes)();
  }

  async close(): Promise<void> {
    this.isClosed = true;
    clearTimeout(this.turnTimer);
    await Promise.all([...this.threads].map((thread) => this.end(thread)));
  }

  /** @param mayRest whether the thread may wait for its next turn afterwards */
  private async take(
    turn: JobTurn,
    { owner: newOwner, urgency, signal, settled, onJob, onLost }: TurnOptions,
    mayRest = () => true,
  ): Promise<void> {
    const thread = await this.findFreeThread(urgency);
    if (signal.aborted || this.isClosed) {
      this.release(thread);
      return;
    }
    const owner = newOwner();
    const leave = () => send(thread, "leave");
    signal.addEventListener("abort", leave);
    let isOver = false;
    try {
      await new Promise<void>((resolve, reject) => {
        thread.turn = {
          since: performance.now(),
          urgency,
          settled,
          onJob,
          over: (error) => (error === null ? resolve() : reject(error)),
        };
        send(thread, { turn, owner });
      });
      isOver = true;
    } finally {
      signal.removeEventListener("abort", leave);
      if (this.threads.has(thread)) this.release(thread, { mayRest: mayRest() });
      if (!isOver) onLost(owner);
    }
  }

  /** Resolves with a thread that has no turn. */
  private async findFreeThread(urgency: TurnOptions["urgency"]): Promise<JobThread> {
    const idle = [...this.threads].find(({ turn, endTimer }) => turn === null && endTimer !== undefined);
    if (idle !== undefined) {
      clearTimeout(idle.endTimer);
      delete idle.endTimer;
      return idle;
    }
    if (this.threads.size < maxThreads) return this.start();
    return new Promise((start) => {
      this.waiting.push({ urgency, start });
      this.endTurns();
    });
  }

  private release(thread: JobThread, { mayRest = true } = {}): void {
    thread.turn = null;
    const next = this.takeNext();
    if (next !== null) next.start(thread);
    else if (!mayRest) void this.end(thread);
    else thread.endTimer = setTimeout(() => void this.end(thread), endAfterMs).unref();
  }

  /** Takes the most urgent of the waiting turns. */
  private takeNext(): (typeof this.waiting)[number] | null {
    const urgencies = this.waiting.map(({ urgency }) => urgency());
    return this.waiting.splice(urgencies.indexOf(Math.min(...urgencies)), 1)[0] ?? null;
  }

  /** While others wait, ends the longest of the turns that do nothing more urgent. */
  private endTurns(): void {
    this.turnTimer ??= setTimeout(() => {
      this.turnTimer = undefined;
      if (this.waiting.length === 0) return;
      const first = Math.min(...this.waiting.map(({ urgency }) => urgency()));
      const [longest] = [...this.threads]
        .filter(({ turn }) => turn !== null && turn.urgency() >= first)
        .sort((a, b) => a.turn!.since - b.turn!.since);
      if (longest) send(longest, "leave");
      this.endTurns();
    }, turnMs).unref();
  }

  private start(): JobThread {
    const { log, script } = this.options;
    const worker = withSharedWeights(
      () => new Worker(script ?? locateBuiltFile("job-thread.cjs"), { resourceLimits }),
    );
    const thread: JobThread = { worker, turn: null };
    this.threads.add(thread);
    let reason = "";
    worker.on("message", (message: FromThread) => {
      if (message === "settle") void thread.turn?.settled().finally(() => send(thread, "settled"));
      else if (message === "job") thread.turn?.onJob();
      else if (message === "over") thread.turn?.over(null);
      else if ("failed" in message) thread.turn?.over(toError(message.failed));
      else log[message.log](message.message);
    });
    worker.on("error", (error) => {
      reason = `: ${error.message}`;
    });
    worker.on("exit", () => {
      this.threads.delete(thread);
      clearTimeout(thread.endTimer);
      thread.turn?.over(
        new PommelError("internal", `The thread that reads sessions and analyses commits ended${reason}.`),
      );
      // The next waiting turn gets a new thread.
      if (!this.isClosed) this.takeNext()?.start(this.start());
    });
    worker.unref();
    return thread;
  }

  private async end(thread: JobThread): Promise<void> {
    // A thread that is about to end gets no turn.
    clearTimeout(thread.endTimer);
    delete thread.endTimer;
    const { worker } = thread;
    const ended = new Promise((resolve) => worker.once("exit", resolve));
    send(thread, "leave");
    send(thread, "end");
    // The process must not end before the callers that wait for this have run, and mostly nothing else keeps it alive.
    worker.ref();
    await Promise.race([ended, sleep(usuallyClosedWithinMs, undefined, { ref: false })]);
    await worker.terminate();
  }
}

const send = ({ worker }: JobThread, message: ToThread): void => worker.postMessage(message);
