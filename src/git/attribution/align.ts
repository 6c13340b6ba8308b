import type { BareLine } from "./line-keys.ts";

/**
 * Finds stretches of a file's version among stretches that somebody wrote: runs of equal lines, whatever a formatter
 * made of them, over gaps where somebody else changed, added or took out a line. Seeds are single equal lines, each
 * extended both ways, as in sequence alignment's seed and extend.
 */

/** A line of the file as it is now. */
export interface FileLine extends BareLine {
  /** From 1. */
  line: number;
  /** It came with the change that is looked at. */
  isAdded: boolean;
}

/** A stretch that somebody wrote. */
export interface Stretch<Of> {
  of: Of;
  /** Without blank lines; those that are not new are what stood around. */
  lines: readonly (BareLine & { isNew: boolean })[];
}

/** An added line that somebody wrote, as far as lines can tell. */
export interface Match<Of> {
  of: Of;
  /** Index in `Stretch.lines`. */
  at: number;
  /** What it and its neighbours weigh together; 1 is beyond doubt. */
  support: number;
}

/** Lines that are in so many places say nothing of where they come from. */
const mostPlaces = 48;
/** A gap of so many lines, on both sides together, is stepped over. */
const widestGap = 40;
/** Around a line, on each side, that support it. */
const reach = 5;
/** What is equal but was not written, or not added, in this step, weighs less, and not more than this in all. */
const contextShare = 0.4;
const mostContext = 1;

/** For every added line (index in `file`) everybody who may have written it. */
export function align<Of>(
  file: readonly FileLine[],
  stretches: Iterable<Stretch<Of>>,
): Map<number, Match<Of>[]> {
  const places = new Map<number, number[]>();
  file.forEach(({ key }, i) => {
    const known = places.get(key);
    if (known) known.push(i);
    else places.set(key, [i]);
  });
  const found = new Map<number, Match<Of>[]>();
  for (const stretch of stretches) alignOne(file, places, stretch, found);
  return found;
}

type Pair = [inFile: number, inStretch: number];

function alignOne<Of>(
  file: readonly FileLine[],
  places: ReadonlyMap<number, number[]>,
  { of, lines }: Stretch<Of>,
  found: Map<number, Match<Of>[]>,
): void {
  const seen = new Set<number>();
  const isSeen = (i: number, p: number) => seen.has(i * lines.length + p);
  const hasWeighty = lines.some(({ isNew, weight }) => isNew && weight >= 0.15);
  lines.forEach(({ key, isNew, weight }, p) => {
    if (!isNew || (hasWeighty && weight < 0.15)) return;
    const here = places.get(key) ?? [];
    if (here.length > mostPlaces) return;
    for (const i of here) {
      if (!file[i]!.isAdded || isSeen(i, p)) continue;
      const pairs = extend(file, lines, i, p);
      for (const [a, b] of pairs) seen.add(a * lines.length + b);
      record(file, places, { of, lines }, pairs, found);
    }
  });
}

function extend(file: readonly FileLine[], lines: readonly BareLine[], i: number, p: number): Pair[] {
  const isSame = (a: number, b: number) =>
    a < file.length && b < lines.length && file[a]!.key === lines[b]!.key;
  const before: Pair[] = [];
  for (let a = i - 1, b = p - 1; a >= 0 && b >= 0 && isSame(a, b); a--, b--) before.push([a, b]);
  const pairs: Pair[] = before.reverse();
  let [a, b] = [i, p];
  while (a < file.length && b < lines.length) {
    if (isSame(a, b)) {
      pairs.push([a++, b++]);
      continue;
    }
    const step = overGap(isSame, file, a, b);
    if (step === null) break;
    a += step[0];
    b += step[1];
  }
  return pairs;
}

/** The shortest way over lines that differ to two equal ones, or to one that says something. */
function overGap(
  isSame: (a: number, b: number) => boolean,
  file: readonly FileLine[],
  a: number,
  b: number,
): Pair | null {
  for (let gap = 1; gap <= widestGap; gap++) {
    for (let inFile = 0; inFile <= gap; inFile++) {
      const [x, y] = [a + inFile, b + gap - inFile];
      if (!isSame(x, y)) continue;
      if (file[x]!.weight >= 0.8 || (file[x]!.weight >= 0.15 && isSame(x + 1, y + 1)))
        return [inFile, gap - inFile];
    }
  }
  return null;
}

function record<Of>(
  file: readonly FileLine[],
  places: ReadonlyMap<number, number[]>,
  { of, lines }: Stretch<Of>,
  pairs: readonly Pair[],
  found: Map<number, Match<Of>[]>,
): void {
  const own: number[] = [];
  const context: number[] = [];
  for (const [a, b] of pairs) {
    const weight = file[a]!.weight / Math.sqrt(places.get(file[a]!.key)!.length);
    const isOwn = file[a]!.isAdded && lines[b]!.isNew;
    own.push(isOwn ? weight : 0);
    context.push(isOwn ? 0 : weight * contextShare);
  }
  pairs.forEach(([a, b], k) => {
    if (!file[a]!.isAdded || !lines[b]!.isNew) return;
    let mine = 0;
    let around = 0;
    for (let n = Math.max(0, k - reach); n <= Math.min(pairs.length - 1, k + reach); n++) {
      mine += own[n]!;
      around += context[n]!;
    }
    const match = { of, at: b, support: mine + Math.min(around, mostContext) };
    const known = found.get(a);
    if (known) known.push(match);
    else found.set(a, [match]);
  });
}
