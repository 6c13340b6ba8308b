import { lstatSync, readFileSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { LRUCache } from "lru-cache";
import type { CommitFileRecord } from "../store/memory/memory-records.ts";
import { computeLineKey, stripFormatting } from "./lines/line-keys.ts";

/** Lines that a commit added, and how many of them are in its files today. Blank and trivial lines do not count. */
export interface Survival {
  added: number;
  surviving: number;
}

/** Larger files are as good as gone: reading them would take longer than the answer is worth. Bytes. */
const largestFile = 8_000_000;
/** Lines of files that are cached, at four bytes each. */
const maxLines = 500_000;

/**
 * How much of a commit is left in the working tree: its added lines that its files still hold, at any place and in any
 * formatting. A line that was there before as well counts as often as it occurs.
 * @param files the keys of its lines: `listDistinctiveKeys`
 * @param pathNow the current path of a file that has moved; null: it is gone
 */
export function measureKeySurvival(
  now: FilesNow,
  files: readonly { path: string; keys: Uint32Array }[],
  pathNow: (path: string) => string | null,
): Survival {
  let [added, surviving] = [0, 0];
  for (const { path, keys } of files) {
    if (keys.length === 0) continue;
    added += keys.length;
    const left = now.readLineKeys(path) ?? now.readLineKeys(pathNow(path));
    if (left !== null) surviving += countCommonKeys(keys, left);
  }
  return { added, surviving };
}

/** The keys of a commit's lines in a file, without those of lines that say nothing; ascending. */
export function listDistinctiveKeys({ added }: Pick<CommitFileRecord, "added">): Uint32Array {
  return Uint32Array.from(added.flatMap(({ key }) => (isDistinctive(key) ? [key] : []))).sort();
}

/** How many keys two ascending lists share, each as often as both have it. */
function countCommonKeys(a: Uint32Array, b: Uint32Array): number {
  let [i, j, count] = [0, 0, 0];
  while (i < a.length && j < b.length) {
    if (a[i]! < b[j]!) i++;
    else if (a[i]! > b[j]!) j++;
    else {
      count++;
      i++;
      j++;
    }
  }
  return count;
}

/** The lines of files in the working tree, cached until the files change. */
export class FilesNow {
  private readonly known = new LRUCache<string, { stamp: string; keys: Uint32Array }>({
    maxSize: maxLines,
    // A file takes room, too, also an empty one.
    sizeCalculation: ({ keys }) => 1 + keys.length,
  });

  constructor(private readonly root: string) {}

  /** A different text whenever the file may have changed; null without a readable file. */
  readFileStamp(path: string | null): string | null {
    if (path === null || !isInside(path)) return null;
    try {
      const stat = lstatSync(join(this.root, path));
      return stat.isFile() && stat.size <= largestFile ? `${stat.mtimeMs}/${stat.size}` : null;
    } catch {
      return null;
    }
  }

  /** The keys of its lines, ascending; null without such a file. */
  readLineKeys(path: string | null): Uint32Array | null {
    const stamp = this.readFileStamp(path);
    if (path === null || stamp === null) return null;
    const known = this.known.get(path);
    if (known?.stamp === stamp) return known.keys;
    const keys = readKeys(join(this.root, path));
    if (keys !== null) this.known.set(path, { stamp, keys });
    return keys;
  }
}

function readKeys(file: string): Uint32Array | null {
  try {
    return Uint32Array.from(readFileSync(file, "utf8").split("\n"), computeLineKey).sort();
  } catch {
    return null;
  }
}

/** A path may come from another machine's memory. */
function isInside(path: string): boolean {
  return !isAbsolute(path) && !path.split(/[/\\]/).includes("..");
}

/** Lines that are in every other file, so finding them again means nothing. */
const trivialLines =
  `else { } else { try { finally { do { begin end fi done esac then do else else: try: finally: pass break continue
  return return; return null return true return false return nil default: /** */ * // # -- --- """ ''' <> </> </div> <div> {} [] ()`
    .split(/\s+/)
    .concat(
      "} else {",
      "else {",
      "} finally {",
      "return null",
      "return true",
      "return false",
      "return nil",
      "try {",
    );

let trivial: Set<number> | null = null;

/** Whether a line with that key is distinctive. Keys cannot be reversed: those of trivial lines are known. */
export function isDistinctive(key: number): boolean {
  trivial ??= new Set([
    0,
    ...trivialLines.map(computeLineKey),
    ...listPunctuationLines().map(computeLineKey),
  ]);
  return !trivial.has(key);
}

/** All lines of up to three characters that are neither a letter nor a digit. */
function listPunctuationLines(): string[] {
  const signs = [...'(){}[]<>;,:"*/=+-|&.#?!'].filter((sign) => stripFormatting(`x${sign}x`).length === 3);
  const two = signs.flatMap((sign) => signs.map((next) => sign + next));
  return [...signs, ...two, ...two.flatMap((pair) => signs.map((sign) => pair + sign))];
}
