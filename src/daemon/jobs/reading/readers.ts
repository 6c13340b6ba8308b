import { setTimeout as sleep } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { sharingWeights } from "../../../models/embed/static/weights.ts";
import { builtFile } from "../../../project/built-file.ts";
import { PommelError } from "../../../project/errors.ts";
import type { Logger } from "../../../project/log.ts";
import { asError } from "../../../project/thrown-error.ts";
import type { FromReader, ReadingTurn, ToReader } from "./reader-messages.ts";

interface ReadersOptions {
  log: Logger;
  /** The threads' script; only tests need another. */
  script?: URL;
}

export interface TurnOptions {
  /** Names an owner of jobs (`newOwner`). */
  owner: () => string;
  /** Transcripts that are due, and their unread bytes, about. */
  jobs: number;
  bytes: number;
  /** Interrupts the turn where it can be resumed. */
  signal: AbortSignal;
  /** A job was done. */
  onJob: () => void;
  /** A turn failed: what this owner had begun may still be said to run, and others wait for it. */
  onLost: (owner: string) => void;
}

/** One that reads, or that reads nothing and ends soon. */
interface Reader {
  worker: Worker;
  /** null: it has no turn. */
  turn: { since: number; over: (error: Error | null) => void; onJob: () => void } | null;
  endTimer?: NodeJS.Timeout;
}

/** Two read twice as fast; SQLite has one writer at a time, and what they read has to be held in memory. */
const maxReaders = 2;
/** What one thread reads before another one is there to help. Bytes. */
const worthAnother = 4_000_000;
/** When others wait, a turn is over after so long. Milliseconds. */
const turnMs = 2000;
const endAfterMs = 30_000;
const usuallyClosedWithinMs = 5000;
/** V8's usual young generation would take more than the batch at hand. */
const resourceLimits = { maxYoungGenerationSizeMb: 16 };

/**
 * Reads the transcripts of all projects in threads of their own, so that what answers questions waits for none. They start
 * when there is something to read, and end when there was nothing for a while. Projects take turns.
 */
export class Readers {
  private readonly readers = new Set<Reader>();
  /** Turns that wait for a reader, in their order. */
  private readonly waiting: ((reader: Reader) => void)[] = [];
  private turnTimer: NodeJS.Timeout | undefined;
  private isClosed = false;

  constructor(private readonly options: ReadersOptions) {}

  /**
   * Reads what is due in a project's queue, or part of it when others wait.
   * @throws what keeps its transcripts from being read
   */
  async read(turn: ReadingTurn, options: TurnOptions): Promise<void> {
    const wanted = options.bytes > worthAnother ? Math.min(options.jobs, maxReaders) : 1;
    const ended = await Promise.allSettled(
      Array.from({ length: wanted }, () => this.readWithOne(turn, options)),
    );
    const failed = ended.find((one) => one.status === "rejected");
    if (failed) throw failed.reason;
  }

  async close(): Promise<void> {
    this.isClosed = true;
    clearTimeout(this.turnTimer);
    await Promise.all([...this.readers].map((reader) => this.end(reader)));
  }

  private async readWithOne(
    turn: ReadingTurn,
    { owner: newOwner, signal, onJob, onLost }: TurnOptions,
  ): Promise<void> {
    const reader = await this.free();
    if (signal.aborted || this.isClosed) {
      this.release(reader);
      return;
    }
    const owner = newOwner();
    const leave = () => send(reader, "leave");
    signal.addEventListener("abort", leave);
    let isOver = false;
    try {
      await new Promise<void>((resolve, reject) => {
        reader.turn = {
          since: performance.now(),
          onJob,
          over: (error) => (error === null ? resolve() : reject(error)),
        };
        send(reader, { turn, owner });
      });
      isOver = true;
    } finally {
      signal.removeEventListener("abort", leave);
      if (this.readers.has(reader)) this.release(reader);
      if (!isOver) onLost(owner);
    }
  }

  /** Resolves with a reader that has no turn. */
  private async free(): Promise<Reader> {
    const idle = [...this.readers].find(({ turn, endTimer }) => turn === null && endTimer !== undefined);
    if (idle !== undefined) {
      clearTimeout(idle.endTimer);
      delete idle.endTimer;
      return idle;
    }
    if (this.readers.size < maxReaders) return this.start();
    return new Promise((resolve) => {
      this.waiting.push(resolve);
      this.endTurns();
    });
  }

  private release(reader: Reader): void {
    reader.turn = null;
    const next = this.waiting.shift();
    if (next) next(reader);
    else reader.endTimer = setTimeout(() => void this.end(reader), endAfterMs).unref();
  }

  /** Ends the longest turn while others wait. */
  private endTurns(): void {
    this.turnTimer ??= setTimeout(() => {
      this.turnTimer = undefined;
      if (this.waiting.length === 0) return;
      const [longest] = [...this.readers].sort((a, b) => (a.turn?.since ?? 0) - (b.turn?.since ?? 0));
      if (longest?.turn) send(longest, "leave");
      this.endTurns();
    }, turnMs).unref();
  }

  private start(): Reader {
    const { log, script } = this.options;
    const worker = sharingWeights(
      () => new Worker(script ?? builtFile("reader-worker.cjs"), { resourceLimits }),
    );
    const reader: Reader = { worker, turn: null };
    this.readers.add(reader);
    let reason = "";
    worker.on("message", (message: FromReader) => {
      if (message === "job") reader.turn?.onJob();
      else if (message === "over") reader.turn?.over(null);
      else if ("failed" in message) reader.turn?.over(asError(message.failed));
      else log[message.log](message.message);
    });
    worker.on("error", (error) => {
      reason = `: ${error.message}`;
    });
    worker.on("exit", () => {
      this.readers.delete(reader);
      clearTimeout(reader.endTimer);
      reader.turn?.over(new PommelError("internal", `The thread that reads sessions ended${reason}.`));
      // Whoever waits for it gets another one.
      if (!this.isClosed) for (const next of this.waiting.splice(0, 1)) next(this.start());
    });
    worker.unref();
    return reader;
  }

  private async end(reader: Reader): Promise<void> {
    // None that is about to end gets a turn.
    clearTimeout(reader.endTimer);
    delete reader.endTimer;
    const { worker } = reader;
    const ended = new Promise((resolve) => worker.once("exit", resolve));
    send(reader, "leave");
    send(reader, "end");
    // The process must not end before what waits for this has run: mostly nothing else is left then.
    worker.ref();
    await Promise.race([ended, sleep(usuallyClosedWithinMs, undefined, { ref: false })]);
    await worker.terminate();
  }
}

const send = ({ worker }: Reader, message: ToReader): void => worker.postMessage(message);
