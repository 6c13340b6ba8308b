import { KeySet } from "../evidence/writes.ts";
import type { BareLine } from "./line-keys.ts";

/**
 * Finds stretches of a file's version among written stretches: runs of equal lines, regardless of formatting, over gaps
 * where somebody else changed, added or removed a line. Seeds are single equal lines, each extended both ways, as in
 * sequence alignment's seed and extend.
 */

/** A line of the file as it is now. */
export interface CurrentLine extends BareLine {
  /** From 1. */
  line: number;
  /** The change in question added it. */
  isAdded: boolean;
}

/** A stretch that somebody wrote; `of` identifies it. */
export interface WrittenStretch<Of> {
  of: Of;
  /** Without blank lines; lines that are not new are context. */
  lines: readonly (BareLine & { isNew: boolean; isBack?: boolean })[];
}

/** An added line that somebody wrote, judged by lines alone. */
export interface LineMatch<Of> {
  of: Of;
  /** Index in `WrittenStretch.lines`. */
  at: number;
  /** The weight of it and its neighbours; 1 is certain. */
  support: number;
}

/** Lines in more places than this say nothing about their origin. */
const maxPlaces = 48;
/** A gap of up to this many lines, on both sides together, is bridged. */
const widestGap = 40;
/** Around a line, on each side, that support it. */
const maxNeighboursPerSide = 5;
/** Pairs with fewer lines between them support each other. */
const closeness = 4;
/** This many lines on each side of a stretch decide whether it continues. */
const beside = 2;
/** Equal lines that were not written, or not added, in this step weigh less, and at most this much in all. */
const contextShare = 0.4;
const maxContext = 1;

/** A stretch as it is compared: thousands are, with each file. */
interface PackedStretch {
  keys: Uint32Array;
  isNew: Uint8Array;
  /** Of its new lines, those that begin a match: all, or where some say something alone, those. */
  seeds: Uint32Array;
}

/** By the lines of a stretch, which are those of a call that the files of many commits are compared with. */
const packed = new WeakMap<WrittenStretch<unknown>["lines"], PackedStretch>();

function packStretch(lines: WrittenStretch<unknown>["lines"]): PackedStretch {
  const known = packed.get(lines);
  if (known) return known;
  const keys = new Uint32Array(lines.length);
  const isNew = new Uint8Array(lines.length);
  const hasWeighty = lines.some((line) => line.isNew && line.weight >= 0.15);
  const seeds: number[] = [];
  for (const [p, line] of lines.entries()) {
    keys[p] = line.key;
    if (!line.isNew) continue;
    isNew[p] = 1;
    if (!hasWeighty || line.weight >= 0.15) seeds.push(p);
  }
  const stretch = { keys, isNew, seeds: Uint32Array.from(seeds) };
  packed.set(lines, stretch);
  return stretch;
}

interface FileIndex {
  keys: Uint32Array;
  places: ReadonlyMap<number, number[]>;
  /** Most lines of stretches are nowhere in the file. */
  mayHave: KeySet;
}

/** A file is compared with what was written to it, elsewhere, and before. */
const indexed = new WeakMap<readonly CurrentLine[], FileIndex>();

function indexFileLines(file: readonly CurrentLine[]): FileIndex {
  const known = indexed.get(file);
  if (known) return known;
  const keys = Uint32Array.from(file, ({ key }) => key);
  const mayHave = new KeySet();
  const places = new Map<number, number[]>();
  for (const [i, key] of keys.entries()) {
    const others = places.get(key);
    if (others) others.push(i);
    else {
      places.set(key, [i]);
      mayHave.add(key);
    }
  }
  const index = { keys, places, mayHave };
  indexed.set(file, index);
  return index;
}

/** The file that stretches are looked for in. */
interface Aligned extends FileIndex {
  file: readonly CurrentLine[];
  /** The weight of each line of the file as evidence for its writer. */
  weights: readonly number[];
}

/**
 * For every added line (index in `file`) all its possible writers. Lines written once are found once: at their best
 * place.
 */
export function alignLines<Of>(
  file: readonly CurrentLine[],
  stretches: Iterable<WrittenStretch<Of>>,
): Map<number, LineMatch<Of>[]> {
  const found = new Map<number, LineMatch<Of>[]>();
  const all = [...stretches];
  if (all.length === 0) return found;
  const { keys, places, mayHave } = indexFileLines(file);
  // A line that many wrote, or that is in many places, says little of who wrote this one.
  const writers = new Map<number, number>();
  const lastWriter = new Map<number, number>();
  const inFile: WrittenStretch<Of>[] = [];
  for (const [n, stretch] of all.entries()) {
    const own = packStretch(stretch.lines);
    let isInFile = false;
    for (let p = 0; p < own.keys.length; p++) {
      const key = own.keys[p]!;
      if (own.isNew[p] === 0 || !mayHave.has(key)) continue;
      isInFile = true;
      if (lastWriter.get(key) === n) continue;
      lastWriter.set(key, n);
      writers.set(key, (writers.get(key) ?? 0) + 1);
    }
    if (isInFile) inFile.push(stretch);
  }
  if (inFile.length === 0) return found;
  const weights = file.map(
    ({ key, weight }) => weight / Math.sqrt(places.get(key)!.length * Math.max(writers.get(key) ?? 1, 1)),
  );
  const aligned: Aligned = { file, keys, places, mayHave, weights };
  for (const stretch of inFile) alignStretch(aligned, stretch, found);
  keepBest(found);
  return found;
}

function keepBest<Of>(found: Map<number, LineMatch<Of>[]>): void {
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

type AlignedPair = [inFile: number, inStretch: number];

function alignStretch<Of>(
  aligned: Aligned,
  stretch: WrittenStretch<Of>,
  found: Map<number, LineMatch<Of>[]>,
): void {
  const { file, places, mayHave } = aligned;
  const own = packStretch(stretch.lines);
  const { length } = own.keys;
  const seen = new Set<number>();
  for (const p of own.seeds) {
    const key = own.keys[p]!;
    if (!mayHave.has(key)) continue;
    const here = places.get(key)!;
    if (here.length > maxPlaces) continue;
    for (const i of here) {
      if (!file[i]!.isAdded || seen.has(i * length + p)) continue;
      const pairs = extend(aligned, own.keys, i, p);
      for (const [a, b] of pairs) seen.add(a * length + b);
      record(aligned, stretch, pairs, found);
    }
  }
}

function extend({ file, keys }: Aligned, lines: Uint32Array, i: number, p: number): AlignedPair[] {
  const before: AlignedPair[] = [];
  for (let a = i - 1, b = p - 1; a >= 0 && b >= 0 && keys[a] === lines[b]; a--, b--) before.push([a, b]);
  const pairs: AlignedPair[] = before.reverse();
  let [a, b] = [i, p];
  while (a < keys.length && b < lines.length) {
    if (keys[a] === lines[b]) {
      pairs.push([a++, b++]);
      continue;
    }
    const step = findPairAcrossGap(file, keys, lines, a, b);
    if (step === null) break;
    a += step[0];
    b += step[1];
  }
  return pairs;
}

/** The shortest way over lines that differ to two equal ones, or to one that says something. */
function findPairAcrossGap(
  file: readonly CurrentLine[],
  keys: Uint32Array,
  lines: Uint32Array,
  a: number,
  b: number,
): AlignedPair | null {
  for (let gap = 1; gap <= widestGap; gap++) {
    const first = Math.max(0, gap - (lines.length - 1 - b));
    const last = Math.min(gap, keys.length - 1 - a);
    for (let inFile = first; inFile <= last; inFile++) {
      const [x, y] = [a + inFile, b + gap - inFile];
      if (keys[x] !== lines[y]) continue;
      const { weight } = file[x]!;
      const hasNext = x + 1 < keys.length && y + 1 < lines.length;
      if (weight >= 0.8 || (weight >= 0.15 && hasNext && keys[x + 1] === lines[y + 1]))
        return [inFile, gap - inFile];
    }
  }
  return null;
}

function record<Of>(
  { file, weights }: Aligned,
  { of, lines }: WrittenStretch<Of>,
  pairs: readonly AlignedPair[],
  found: Map<number, LineMatch<Of>[]>,
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
    const [first, last] = findPairNeighbourhood(pairs, k);
    let mine = 0;
    let around = 0;
    for (let n = first; n <= last; n++) {
      mine += own[n]!;
      around += context[n]!;
    }
    const weight = mine + Math.min(around, maxContext);
    const match = {
      of,
      at: b,
      support: weight * measurePairDensity(pairs, first, last, file.length, lines.length),
    };
    const known = found.get(a);
    if (known) keep(known, match);
    else found.set(a, [match]);
  });
}

/** Two alignments of one stretch may come to the same pair of lines; its matches are the last ones. */
function keep<Of>(known: LineMatch<Of>[], match: LineMatch<Of>): void {
  for (let k = known.length - 1; k >= 0 && known[k]!.of === match.of; k--) {
    if (known[k]!.at !== match.at) continue;
    if (match.support > known[k]!.support) known[k] = match;
    return;
  }
  known.push(match);
}

/** The pairs around one that stand close together, at most `maxNeighboursPerSide` on each side: first and last. */
function findPairNeighbourhood(pairs: readonly AlignedPair[], k: number): [first: number, last: number] {
  const isClose = (one: number, next: number) =>
    pairs[next]![0] - pairs[one]![0] <= closeness && pairs[next]![1] - pairs[one]![1] <= closeness;
  let first = k;
  while (first > 0 && k - first < maxNeighboursPerSide && isClose(first - 1, first)) first--;
  let last = k;
  while (last < pairs.length - 1 && last - k < maxNeighboursPerSide && isClose(last, last + 1)) last++;
  return [first, last];
}

/**
 * How much of both sides is paired where these pairs stand: a few lines that happen to be the same have others between
 * and around them that are not. What lies beyond an end of either side cannot be paired and does not count.
 */
function measurePairDensity(
  pairs: readonly AlignedPair[],
  first: number,
  last: number,
  inFile: number,
  inStretch: number,
): number {
  const [a, b] = pairs[first]!;
  const [x, y] = pairs[last]!;
  // Next to them on both sides there would be more, if it were the same stretch.
  const before = Math.min(beside, a, b, measureGap(pairs, first - 1, first));
  const after = Math.min(beside, inFile - 1 - x, inStretch - 1 - y, measureGap(pairs, last, last + 1));
  return (last - first + 1) / (Math.max(x - a, y - b) + 1 + before + after);
}

function measureGap(pairs: readonly AlignedPair[], one: number, next: number): number {
  const [from, to] = [pairs[one], pairs[next]];
  return from && to ? Math.max(to[0] - from[0], to[1] - from[1]) - 1 : beside;
}
