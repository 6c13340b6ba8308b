import { lstatSync, readFileSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import type { CommitFileRecord } from "../store/git-records.ts";
import { bareLine, lineKey } from "./attribution/line-keys.ts";

/** Lines that a commit added, and how many of them stand in its files today. Blank and trivial lines do not count. */
export interface Survival {
  added: number;
  surviving: number;
}

/** Larger files are as good as gone: reading them would take longer than the answer is worth. Bytes. */
const largestFile = 8_000_000;

/**
 * How much of a commit is left in the working tree: its added lines that its files still hold, wherever in them, however
 * formatted. A line that stood there before as well is counted as often as it stands there.
 * @param root what paths are relative to
 * @param pathNow what a file that is not at its path any more is called today; null: it is gone
 */
export function survivalOf(
  root: string,
  files: readonly Pick<CommitFileRecord, "path" | "added">[],
  pathNow: (path: string) => string | null = () => null,
): Survival {
  let [added, surviving] = [0, 0];
  for (const { path, added: lines } of files) {
    const keys = lines.flatMap(({ key }) => (isTelling(key) ? [key] : []));
    if (keys.length === 0) continue;
    added += keys.length;
    const left = keysIn(root, path) ?? keysIn(root, pathNow(path));
    if (left === null) continue;
    for (const key of keys) {
      const count = left.get(key) ?? 0;
      if (count === 0) continue;
      left.set(key, count - 1);
      surviving++;
    }
  }
  return { added, surviving };
}

/** How often each key stands in a file of today; null where there is no such file. */
function keysIn(root: string, path: string | null): Map<number, number> | null {
  if (path === null || !isInside(path)) return null;
  const file = join(root, path);
  try {
    const stat = lstatSync(file);
    if (!stat.isFile() || stat.size > largestFile) return null;
    const keys = new Map<number, number>();
    for (const line of readFileSync(file, "utf8").split("\n")) {
      const key = lineKey(line);
      keys.set(key, (keys.get(key) ?? 0) + 1);
    }
    return keys;
  } catch {
    return null;
  }
}

/** A path may come from another machine's memory. */
export function isInside(path: string): boolean {
  return !isAbsolute(path) && !path.split(/[/\\]/).includes("..");
}

/** Lines that stand in every other file, so that finding them again says nothing. */
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

/** Whether a line with that key says something. Keys cannot be read back: those of trivial lines are known. */
export function isTelling(key: number): boolean {
  trivial ??= new Set([0, ...trivialLines.map(lineKey), ...punctuation().map(lineKey)]);
  return !trivial.has(key);
}

/** All lines of up to three characters that are neither a letter nor a digit. */
function punctuation(): string[] {
  const signs = [...'(){}[]<>;,:"*/=+-|&.#?!'].filter((sign) => bareLine(`x${sign}x`).length === 3);
  const two = signs.flatMap((sign) => signs.map((next) => sign + next));
  return [...signs, ...two, ...two.flatMap((pair) => signs.map((sign) => pair + sign))];
}
