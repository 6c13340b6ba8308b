import { ParsePool, poolOptionsOf } from "../code/parse/parse-pool.ts";
import type { Config } from "../project/config/settings.ts";
import { roleOf } from "../search/code/path-role.ts";
import type { ChunkRecord, DocComment, FileStamp } from "../store/index/records.ts";
import { questionOfDocs } from "./doc-sentence.ts";
import type { Pair } from "./pairs.ts";
import { shuffled } from "./pairs.ts";

/** A doc comment's sentence, and its function. */
export interface DocPair extends Pair {
  file: string;
  /** The comments to hide, so that the question is not found verbatim. */
  docs: readonly DocComment[];
}

interface MiningOptions {
  root: string;
  config: Config;
  /** Files to search for functions. */
  stamps: readonly FileStamp[];
  seed: string;
  /** Number of pairs. */
  count: number;
  /** What is asked for; default: functions. */
  level?: "method" | "class";
  signal?: AbortSignal | undefined;
}

/** Files parsed at a time. */
const batchSize = 64;
/** Preferred maximum of pairs per file. */
const usualPerFile = 3;
/** Extra pairs, because duplicates are removed. */
const surplus = 1.25;

/**
 * Up to `count` documented functions of the project's own code (no tests, examples, generated files), from as many
 * files as it takes, in an order that depends on the seed alone.
 */
export async function mineDocPairs(options: MiningOptions): Promise<DocPair[]> {
  const { root, config, stamps, seed, count, level = "method", signal } = options;
  const own = stamps.filter(({ path }) => roleOf(path) === "source");
  const order = shuffled(own, `${seed} files`);
  const pool = new ParsePool({ ...poolOptionsOf(root, config, stamps), withVectors: false });
  const perFile: DocPair[][] = [];
  let promised = 0;
  try {
    for (let next = 0; next < order.length && promised < count * surplus; next += batchSize) {
      signal?.throwIfAborted();
      const batch = order.slice(next, next + batchSize);
      for (const outcome of await Promise.all(
        batch.map((stamp) => pool.parse(stamp, null, { withText: true })),
      )) {
        if (outcome.status !== "indexed") continue;
        const pairs = pairsOfFile(outcome.path, outcome.chunks, level);
        if (pairs.length === 0) continue;
        perFile.push(shuffled(pairs, `${seed} ${outcome.path}`));
        promised += Math.min(pairs.length, usualPerFile);
      }
    }
  } finally {
    await pool.close();
  }
  return inTurns(withoutTwins(perFile)).slice(0, count);
}

/** The documented functions, or classes, among a file's chunks. */
export function pairsOfFile(
  file: string,
  chunks: readonly ChunkRecord[],
  wanted: ChunkRecord["level"] = "method",
): DocPair[] {
  return chunks.flatMap(({ level, name, docs, startLine, endLine }) => {
    if (level !== wanted) return [];
    const query = docs
      .toReversed()
      .map(({ text }) => questionOfDocs(text, name))
      .find((question) => question !== null);
    return query ? [{ query, file, docs, targets: [{ file, lines: [startLine, endLine] }] }] : [];
  });
}

/** Removes questions with two answers. */
function withoutTwins(perFile: readonly DocPair[][]): DocPair[][] {
  const counts = new Map<string, number>();
  const keyOf = ({ query }: DocPair) => query.toLowerCase();
  for (const pair of perFile.flat()) counts.set(keyOf(pair), (counts.get(keyOf(pair)) ?? 0) + 1);
  return perFile.map((pairs) => pairs.filter((pair) => counts.get(keyOf(pair)) === 1));
}

/** Interleaves lists. */
function inTurns<T>(lists: readonly T[][]): T[] {
  const longest = Math.max(0, ...lists.map((list) => list.length));
  return Array.from({ length: longest }, (_, turn) =>
    lists.flatMap((list) => list.slice(turn, turn + 1)),
  ).flat();
}

/** Blanks out comments and keeps lines. A docstring stays a string, because its function may have no other body. */
export function withoutDocs(text: string, docs: readonly Pick<DocComment, "start" | "end">[]): string {
  let result = "";
  let next = 0;
  for (const { start, end } of docs.toSorted((a, b) => a.start - b.start)) {
    result += text.slice(next, start) + blanked(text.slice(start, end));
    next = end;
  }
  return result + text.slice(next);
}

function blanked(docs: string): string {
  const quotes = /^[a-zA-Z]{0,2}("""|'''|["'])/.exec(docs);
  const blank = (part: string) => part.replace(/[^\r\n]/g, " ");
  if (quotes === null) return blank(docs);
  const [opening, mark] = quotes as unknown as [string, string];
  return `${opening}${blank(docs.slice(opening.length, -mark.length))}${mark}`;
}
