import { isatty } from "node:tty";
import { progressBar } from "./chart.ts";
import { humanDuration } from "./output.ts";

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

/** A bar with rate and time left when stderr is a terminal, else an occasional plain line. */
export function createProgress({
  label,
  unit,
  stream = process.stderr,
  isTerminal = isatty(2),
  now = () => performance.now(),
}: ProgressOptions): Progress {
  const start = now();
  // A log line at once would only say "0 of n".
  let lastDrawn = isTerminal ? Number.NEGATIVE_INFINITY : start;
  let drawn = false;
  return {
    update(done, total, more, waitsFor) {
      const time = now();
      if (time - lastDrawn < (isTerminal ? redrawMs : plainLineMs)) return;
      lastDrawn = time;
      drawn = true;
      const parts =
        waitsFor === undefined ? describe(done, total, unit, time - start) : `${done}/${total} ${unit}`;
      const numbers = [parts, more, waitsFor && `waiting: ${waitsFor}`].filter(Boolean).join(", ");
      if (!isTerminal) {
        stream.write(`${label}: ${numbers}\n`);
        return;
      }
      const line = `${label} ${progressBar(total === 0 ? 0 : done / total, barWidth)} ${numbers}`;
      // A line that wraps could not be redrawn.
      stream.write(`\r${line.slice(0, (stream.columns ?? 80) - 1)}\x1b[K`);
    },
    finish() {
      if (isTerminal && drawn) stream.write("\r\x1b[K");
      drawn = false;
    },
  };
}

/** "340/1000 files, 85/s, 7.8 s left" */
function describe(done: number, total: number, unit: string, elapsedMs: number): string {
  const rate = elapsedMs > 0 ? (done * 1000) / elapsedMs : 0;
  const parts = [`${done}/${total} ${unit}`];
  if (rate > 0) parts.push(`${rate < 10 ? rate.toFixed(1) : Math.round(rate)}/s`);
  if (rate > 0 && done < total) parts.push(`${humanDuration(((total - done) * 1000) / rate)} left`);
  return parts.join(", ");
}
