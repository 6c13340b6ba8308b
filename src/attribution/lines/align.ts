import type { BareLine } from "./line-keys.ts";

/**
 * Finds stretches of a file's version among written stretches: runs of equal lines, regardless of formatting, over gaps
 * where somebody else changed, added or removed a line. Seeds are single equal lines, each extended both ways, as in
 * sequence alignment's seed and extend.
 */

/** A line of the file as it is now. */
export interface FileLine extends BareLine {
  /** From 1. */
  line: number;
  /** The change in question added it. */
  isAdded: boolean;
}

/** A stretch that somebody wrote; `of` identifies it. */
export interface Stretch<Of> {
  of: Of;
  /** Without blank lines; lines that are not new are context. */
  lines: readonly (BareLine & { isNew: boolean })[];
}

/** An added line that somebody wrote, judged by lines alone. */
export interface Match<Of> {
  of: Of;
  /** Index in `Stretch.lines`. */
  at: number;
  /** The weight of it and its neighbours; 1 is certain. */
  support: number;
}

/** Lines in more places than this say nothing about their origin. */
const maxPlaces = 48;
/** A gap of up to this many lines, on both sides together, is bridged. */
const widestGap = 40;
/** Around a line, on each side, that support it. */
const reach = 5;
/** Pairs with fewer lines between them support each other. */
const closeness = 4;
/** This many lines on each side of a stretch decide whether it continues. */
const beside = 2;
/** Equal lines that were not written, or not added, in this step weigh less, and at most this much in all. */
const contextShare = 0.4;
const maxContext = 1;

/**
 * For every added line (index in `file`) all its possible writers. Lines written once are found once: at their best
 * place.
 */
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
  const all = [...stretches];
  // A line that many wrote, or that is in many places, says little of who wrote this one.
  const writers = new Map<number, number>();
  for (const { lines } of all) {
    for (const key of new Set(lines.filter(({ isNew }) => isNew).map((line) => line.key))) {
      writers.set(key, (writers.get(key) ?? 0) + 1);
    }
  }
  const weights = file.map(
    ({ key, weight }) => weight / Math.sqrt(places.get(key)!.length * Math.max(writers.get(key) ?? 1, 1)),
  );
  const found = new Map<number, Match<Of>[]>();
  for (const stretch of all) alignOne({ file, places, weights }, stretch, found);
  keepBest(found);
  return found;
}

function keepBest<Of>(found: Map<number, Match<Of>[]>): void {
  const best = new Map<Of, Map<number, { i: number; support: number }>>();
  for (const [i, matches] of found) {
    for (const { of, at, support } of matches) {
      const lines = best.get(of) ?? new Map<number, { i: number; support: number }>();
      best.set(of, lines);
      const known = lines.get(at);
      if (!known || support > known.support) lines.set(at, { i, support });
    }
  }
  for (const [i, matches] of found) {
    const kept = matches.filter(({ of, at }) => best.get(of)!.get(at)!.i === i);
    if (kept.length > 0) found.set(i, kept);
    else found.delete(i);
  }
}

interface Aligned {
  file: readonly FileLine[];
  places: ReadonlyMap<number, number[]>;
  /** The weight of each line of the file as evidence for its writer. */
  weights: readonly number[];
}

type Pair = [inFile: number, inStretch: number];

function alignOne<Of>(
  { file, places, weights }: Aligned,
  { of, lines }: Stretch<Of>,
  found: Map<number, Match<Of>[]>,
): void {
  const seen = new Set<number>();
  const isSeen = (i: number, p: number) => seen.has(i * lines.length + p);
  const hasWeighty = lines.some(({ isNew, weight }) => isNew && weight >= 0.15);
  lines.forEach(({ key, isNew, weight }, p) => {
    if (!isNew || (hasWeighty && weight < 0.15)) return;
    const here = places.get(key) ?? [];
    if (here.length > maxPlaces) return;
    for (const i of here) {
      if (!file[i]!.isAdded || isSeen(i, p)) continue;
      const pairs = extend(file, lines, i, p);
      for (const [a, b] of pairs) seen.add(a * lines.length + b);
      record({ file, weights }, { of, lines }, pairs, found);
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
  { file, weights }: Omit<Aligned, "places">,
  { of, lines }: Stretch<Of>,
  pairs: readonly Pair[],
  found: Map<number, Match<Of>[]>,
): void {
  const own: number[] = [];
  const context: number[] = [];
  for (const [a, b] of pairs) {
    const weight = weights[a]!;
    const isOwn = file[a]!.isAdded && lines[b]!.isNew;
    own.push(isOwn ? weight : 0);
    context.push(isOwn ? 0 : weight * contextShare);
  }
  pairs.forEach(([a, b], k) => {
    if (!file[a]!.isAdded || !lines[b]!.isNew) return;
    const [first, last] = neighbours(pairs, k);
    let mine = 0;
    let around = 0;
    for (let n = first; n <= last; n++) {
      mine += own[n]!;
      around += context[n]!;
    }
    const weight = mine + Math.min(around, maxContext);
    const match = { of, at: b, support: weight * density(pairs, first, last, file.length, lines.length) };
    const known = found.get(a);
    if (known) keep(known, match);
    else found.set(a, [match]);
  });
}

/** Two alignments of one stretch may come to the same pair of lines; its matches are the last ones. */
function keep<Of>(known: Match<Of>[], match: Match<Of>): void {
  for (let k = known.length - 1; k >= 0 && known[k]!.of === match.of; k--) {
    if (known[k]!.at !== match.at) continue;
    if (match.support > known[k]!.support) known[k] = match;
    return;
  }
  known.push(match);
}

/** The pairs around one that stand close together, at most `reach` on each side: first and last. */
function neighbours(pairs: readonly Pair[], k: number): [first: number, last: number] {
  const isClose = (one: number, next: number) =>
    pairs[next]![0] - pairs[one]![0] <= closeness && pairs[next]![1] - pairs[one]![1] <= closeness;
  let first = k;
  while (first > 0 && k - first < reach && isClose(first - 1, first)) first--;
  let last = k;
  while (last < pairs.length - 1 && last - k < reach && isClose(last, last + 1)) last++;
  return [first, last];
}

/**
 * How much of both sides is paired where these pairs stand: a few lines that happen to be the same have others between
 * and around them that are not. What lies beyond an end of either side cannot be paired and does not count.
 */
function density(
  pairs: readonly Pair[],
  first: number,
  last: number,
  inFile: number,
  inStretch: number,
): number {
  const [a, b] = pairs[first]!;
  const [x, y] = pairs[last]!;
  // Next to them on both sides there would be more, if it were the same stretch.
  const before = Math.min(beside, a, b, gapTo(pairs, first - 1, first));
  const after = Math.min(beside, inFile - 1 - x, inStretch - 1 - y, gapTo(pairs, last, last + 1));
  return (last - first + 1) / (Math.max(x - a, y - b) + 1 + before + after);
}

function gapTo(pairs: readonly Pair[], one: number, next: number): number {
  const [from, to] = [pairs[one], pairs[next]];
  return from && to ? Math.max(to[0] - from[0], to[1] - from[1]) - 1 : beside;
}
