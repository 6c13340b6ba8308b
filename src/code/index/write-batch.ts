import type { ParseOutcome } from "../parse/parse-pool.ts";

/** What one transaction writes: so many chunks, or what there is after so long (milliseconds). */
interface BatchLimit {
  chunks: number;
  waitMs: number;
}

/** A save, and with some engines a question, waits for a transaction; larger ones write less in all, and leave less to merge. */
const limits = {
  few: { chunks: 256, waitMs: 500 },
  /** Of many files that wait, and of a save among them. */
  many: { chunks: 4096, waitMs: 5000 },
  saved: { chunks: 4096, waitMs: 500 },
  foreground: { chunks: 1024, waitMs: 3000 },
} satisfies Record<string, BatchLimit>;
/** Waiting files that are many. */
const manyFiles = 256;
/** The first of many files are written soon: somebody may wait for the first answer in a new directory. */
const firstFiles = 512;

/** What is going on while files are parsed. */
interface Moment {
  mode: "background" | "foreground" | undefined;
  /** Files that wait or run. */
  pending: number;
  /** Files that this pass has written. */
  indexed: number;
  isSaveRunning: boolean;
}

function chooseLimit({ mode, pending, indexed, isSaveRunning }: Moment): BatchLimit {
  if (mode === "foreground") return limits.foreground;
  if (pending < manyFiles || indexed < firstFiles) return limits.few;
  return isSaveRunning ? limits.saved : limits.many;
}

/** Files that were parsed and are to be written together. */
export class WriteBatch {
  private outcomes: ParseOutcome[] = [];
  private chunks = 0;
  private since = 0;

  constructor(private readonly now: () => Moment) {}

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
    this.chunks += countOutcomeChunks(outcome);
  }

  isDue(): boolean {
    if (this.count === 0) return false;
    const limit = chooseLimit(this.now());
    return this.chunks >= limit.chunks || performance.now() - this.since >= limit.waitMs;
  }

  /** The first of them, as much as is written together. */
  take(): ParseOutcome[] {
    const limit = chooseLimit(this.now());
    let chunks = 0;
    const end = this.outcomes.findIndex((outcome) => {
      const isEnough = chunks >= limit.chunks;
      chunks += countOutcomeChunks(outcome);
      return isEnough;
    });
    if (end < 0) return this.takeAll();
    const taken = this.outcomes.splice(0, end);
    this.chunks -= taken.reduce((sum, outcome) => sum + countOutcomeChunks(outcome), 0);
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

/** How many of a file there are. */
export const countOutcomeChunks = (outcome: ParseOutcome) =>
  outcome.status === "indexed" ? outcome.chunks.length : 0;
