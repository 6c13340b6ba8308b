import { isatty } from "node:tty";
import { formatDuration } from "../base/text/duration.ts";
import { drawProgressBar } from "./chart.ts";

/** A progress display; all of it goes to stderr. */
export interface Progress {
  /**
   * Call it as often as you like: it redraws at most a few times a second. `more` is shown after the numbers, and `waitsFor` in
   * place of the rate and the time left.
   */
  update(done: number, total: number, more?: string, waitsFor?: string): void;
  /** Removes the bar. Call it before anything else is printed. */
  finish(): void;
}

interface ProgressOptions {
  /** What is being done: "Indexing". */
  label: string;
  /** What is counted: "files". */
  unit: string;
  /** Where to write, and whether that is a terminal that can redraw a line. */
  stream?: { write(text: string): unknown; columns?: number | undefined };
  isTerminal?: boolean;
  /** Milliseconds, from any start. */
  now?: () => number;
}

const redrawMs = 100;
/** How often a log file gets a line. */
const plainLineMs = 10_000;
const barWidth = 24;

/** The rate is measured over the last `windowMs`; the time left is shown after half of that. Milliseconds. */
const windowMs = 10_000;
/** The rate counts as steady if neither half of the window was faster than the other by more than this factor. */
const steadyWithin = 1.5;

/** A bar with rate and time left when stderr is a terminal, else an occasional plain line. */
export function createProgress({
  label,
  unit,
  stream = process.stderr,
  isTerminal = isatty(2),
  now = () => performance.now(),
}: ProgressOptions): Progress {
  const seen = new Pace();
  // In a log, an immediate line would only say "0 of n".
  let lastDrawn = isTerminal ? Number.NEGATIVE_INFINITY : now();
  let drawn = false;
  return {
    update(done, total, more, waitsFor) {
      const time = now();
      seen.note(time, done);
      if (time - lastDrawn < (isTerminal ? redrawMs : plainLineMs)) return;
      lastDrawn = time;
      drawn = true;
      const counts = `${done}/${total} ${unit}`;
      const pace = waitsFor === undefined ? describePace(seen, { done, total, unit }) : [];
      const numbers = [counts, ...pace, more, waitsFor && `waiting: ${waitsFor}`].filter(Boolean).join(", ");
      if (!isTerminal) {
        stream.write(`${label}: ${numbers}\n`);
        return;
      }
      const line = `${label} ${drawProgressBar(total === 0 ? 0 : done / total, barWidth)} ${numbers}`;
      // A line that wraps could not be redrawn.
      stream.write(`\r${line.slice(0, (stream.columns ?? 80) - 1)}\x1b[K`);
    },
    finish() {
      if (isTerminal && drawn) stream.write("\r\x1b[K");
      drawn = false;
    },
  };
}

/** Measures how fast something is done, from its recent progress. */
class Pace {
  private readonly seen: { time: number; done: number }[] = [];

  note(time: number, done: number): void {
    const before = this.seen.at(-2);
    if (before !== undefined && time - before.time < redrawMs) this.seen.pop();
    this.seen.push({ time, done });
    // Keep one entry from before the window: it says how much was done when the window began.
    while (this.seen.length > 2 && this.seen[1]!.time <= time - windowMs) this.seen.shift();
  }

  /** Per second, of the last seconds; 0 before anything is done. */
  get rate(): number {
    return computeRate(this.seen[0], this.seen.at(-1));
  }

  /** Whether the rate is likely to go on. */
  get isSteady(): boolean {
    const [first, last] = [this.seen[0], this.seen.at(-1)];
    if (first === undefined || last === undefined || last.time - first.time < windowMs / 2) return false;
    const middle = this.seen.findLast(({ time }) => time <= (first.time + last.time) / 2);
    const [before, after] = [computeRate(first, middle), computeRate(middle, last)];
    return Math.min(before, after) > 0 && Math.max(before, after) <= steadyWithin * Math.min(before, after);
  }
}

function computeRate(from?: { time: number; done: number }, to?: { time: number; done: number }): number {
  if (from === undefined || to === undefined || to.time <= from.time) return 0;
  return Math.max(0, ((to.done - from.done) * 1000) / (to.time - from.time));
}

/** "85 files/s", "7.8 s left" */
function describePace(
  { rate, isSteady }: Pace,
  { done, total, unit }: { done: number; total: number; unit: string },
): string[] {
  if (rate === 0) return [];
  const shown = `${rate < 10 ? rate.toFixed(1) : Math.round(rate)} ${unit}/s`;
  const hasTime = isSteady && done < total;
  return [shown, hasTime ? `${formatDuration(((total - done) * 1000) / rate)} left` : ""];
}
