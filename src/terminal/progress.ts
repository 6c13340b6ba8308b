import { isatty } from "node:tty";
import { formatDuration } from "../base/text/duration.ts";
import { drawProgressBar } from "./chart.ts";

/** A progress display; all of it goes to stderr. */
export interface Progress {
  /**
   * Call it as often as you like: it is drawn a few times a second at most. `more` follows the numbers. What it waits for takes
   * the place of rate and time left.
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
/** In a log file a line now and then is enough. */
const plainLineMs = 10_000;
const barWidth = 24;

/** A rate is that of so long, the last; and a time left takes half of it to be judged by. Milliseconds. */
const windowMs = 10_000;
/** So much faster may one half of what was seen be than the other, for the rate to count as steady. */
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
  // A log line at once would only say "0 of n".
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

/** How fast something is done, by what was seen of it lately. */
class Pace {
  private readonly seen: { time: number; done: number }[] = [];

  note(time: number, done: number): void {
    const before = this.seen.at(-2);
    if (before !== undefined && time - before.time < redrawMs) this.seen.pop();
    this.seen.push({ time, done });
    // One that is older says how it was when the window began.
    while (this.seen.length > 2 && this.seen[1]!.time <= time - windowMs) this.seen.shift();
  }

  /** Per second, of the last seconds; 0 before anything is done. */
  get rate(): number {
    return computeRate(this.seen[0], this.seen.at(-1));
  }

  /** Whether it may be taken to go on so. */
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
