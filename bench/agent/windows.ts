import { type Keyword, shown } from "./keywords.ts";
import type { Reading } from "./reading.ts";
import type { Sources } from "./sources.ts";

/** Lines read before and after a match. */
const around = 60;
/** Windows of a file before the next file's turn. */
const windowsOfFile = 3;

interface Options {
  keywords: readonly Keyword[];
  /** Lines that define what was asked for: an agent has seen them, and reads there first. */
  defined: readonly number[];
  sources: Sources;
  reading: Reading;
}

/** Locates the words in a file, then reads there. */
export function readWindows(file: string, { keywords, defined, sources, reading }: Options): void {
  const lines = sources.linesOf(file);
  const window = (middle: number) => {
    const [first, last] = [Math.max(middle - around, 1), middle + around];
    if (!reading.isOver() && !reading.hasSeen(file, first, last)) reading.read(file, first, last);
  };
  // A short file is read as soon as it is searched.
  if (lines.length <= 2 * around + 1) {
    window(around + 1);
    return;
  }
  for (const line of defined.slice(0, windowsOfFile)) window(line);
  if (reading.isOver() || defined.length >= windowsOfFile) return;
  if (reading.hasSeen(file, 1, lines.length)) return;
  const texts = keywords.map(({ text }) => text);
  let left = sources.matchesIn(file, texts).slice(0, shown);
  reading.print(left.map((n) => `${n}:${lines[n - 1]}`).join("\n"));
  for (let i = defined.length; i < windowsOfFile && left.length > 0; i++) {
    const best = bestOf(left, lines, keywords);
    window(best);
    left = left.filter((n) => Math.abs(n - best) > around);
  }
}

/** The match with the most telling words around it; of several the one in their middle. */
function bestOf(matches: readonly number[], lines: readonly string[], keywords: readonly Keyword[]): number {
  const on = matches.map((n) => {
    const line = lines[n - 1]!.toLowerCase();
    return { n, has: keywords.filter(({ text }) => line.includes(text)) };
  });
  const scored = on.map(({ n }) => {
    const near = on.filter((other) => Math.abs(other.n - n) <= around);
    const distinct = new Set(near.flatMap(({ has }) => has));
    const score = [...distinct].reduce((sum, { weight }) => sum + weight, 0);
    const distance = near.reduce((sum, other) => sum + Math.abs(other.n - n), 0);
    return { n, score, matches: near.length, distance };
  });
  scored.sort((a, b) => b.score - a.score || b.matches - a.matches || a.distance - b.distance);
  return scored[0]!.n;
}
