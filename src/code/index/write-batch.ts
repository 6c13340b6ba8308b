import type { ParseOutcome } from "../parse/parse-pool.ts";

/** What one transaction writes: so many chunks, or what there is after so long (milliseconds). */
interface BatchLimit {
  chunks: number;
  waitMs: number;
}

/**
 * Each transaction of a pass may be four times as large as all before it together. What is found first is stored soon, as somebody
 * may wait for the first answer in a new directory; and few segments of words are left, which need not be merged at the end.
 */
const growth = 4;
/** A save, and with some engines a question, waits for a transaction; larger ones write less in all. */
const smallest: BatchLimit = { chunks: 256, waitMs: 500 };
const largest: BatchLimit = { chunks: 4096, waitMs: 5000 };
/**
 * A busy machine parses a tenth in the same time, and its dozens of small segments would have to be merged: a transaction may also
 * wait for such a share of what the pass has taken so far.
 */
const waitPerElapsed = 1 / 3;
/** Where somebody waits for the end, and what is written stays in an open transaction. */
const foreground: BatchLimit = { chunks: 1024, waitMs: 3000 };

/** What is going on while files are parsed. */
interface ParsingState {
  mode: "background" | "foreground" | undefined;
  /** Chunks that were written since there was nothing to do. */
  written: number;
  /** Since there was nothing to do. Milliseconds. */
  elapsedMs: number;
  isSaveRunning: boolean;
}

export function chooseLimit({ mode, written, elapsedMs, isSaveRunning }: ParsingState): BatchLimit {
  if (mode === "foreground") return foreground;
  const chunks = Math.min(Math.max(growth * written, smallest.chunks), largest.chunks);
  if (isSaveRunning) return { chunks, waitMs: smallest.waitMs };
  const waitMs = Math.min((smallest.waitMs * chunks) / smallest.chunks, largest.waitMs);
  return { chunks, waitMs: Math.max(waitMs, elapsedMs * waitPerElapsed) };
}

/** Files that were parsed and are to be written together. */
export class WriteBatch {
  private outcomes: ParseOutcome[] = [];
  private chunks = 0;
  private since = 0;

  constructor(private readonly now: () => ParsingState) {}

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
