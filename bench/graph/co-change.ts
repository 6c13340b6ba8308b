/**
 * Whether the files that `pm code related` names beside a file are those that real commits changed with it.
 *
 *   npx tsx bench/graph/co-change.ts --checkouts DIR --only hono,entire
 *
 *   --only LIST     only these directories of DIR, with their histories (default: all)
 *   --commits N     the last N commits that changed 2 to 8 files which the graph knows and which still exist (default: 150)
 *   --markdown      print a table for Markdown
 *
 * Each file of a commit is asked about alone; right are the other files of the commit. precision: of the first five named;
 * recall: of the others that were changed, at most five; first: how often the first is one. Beside it: files of the same directory
 * whose names are most alike, and five drawn by a fixed seed. The graph is that of today, so it has the edges that the
 * commits themselves made.
 */
import { execFileSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { join, posix } from "node:path";
import { parseArgs } from "node:util";
import { findFilesAround } from "../../src/code/graph/around.ts";
import { CodeGraph } from "../../src/code/graph/graph.ts";
import { findGrammar } from "../../src/code/languages/index.ts";
import { shuffleBySeed } from "../../src/features/models/evaluate/pairs.ts";
import { printTable } from "../measure.ts";
import { withGraphOf } from "./indexed.ts";

const { values: options } = parseArgs({
  options: {
    checkouts: { type: "string" },
    only: { type: "string" },
    commits: { type: "string", default: "150" },
    markdown: { type: "boolean", default: false },
  },
});
if (options.checkouts === undefined) {
  console.error("usage: npx tsx bench/graph/co-change.ts --checkouts DIR [options, see the file]");
  process.exit(2);
}
const { checkouts } = options;
const shown = 5;

interface Tally {
  asked: number;
  named: number;
  right: number;
  possible: number;
  first: number;
}

const rows: string[][] = [];
for (const name of options.only?.split(",") ?? readdirSync(checkouts).sort()) {
  const root = join(checkouts, name);
  rows.push(
    ...(await withGraphOf(root, async (index) => {
      const files = (await index.files()).filter(
        ({ language }) => findGrammar(language)?.references !== undefined,
      );
      const known = new Set(files.map(({ path }) => path));
      const commits = commitsOf(root, known);
      const graph = await CodeGraph.openForIndex(index, root);
      const around = new Map<string, string[]>();
      const times: number[] = [];
      for (const file of new Set(commits.flat())) {
        const before = performance.now();
        around.set(
          file,
          (await findFilesAround(graph, [file])).map((one) => one.file),
        );
        times.push(performance.now() - before);
      }
      times.sort((a, b) => a - b);
      const all = [...known].sort();
      const ways: Record<string, (file: string) => readonly string[]> = {
        graph: (file) => around.get(file)!,
        directory: (file) => beside(file, all),
        random: (file) => shuffleBySeed(all, file).filter((one) => one !== file),
      };
      const median = times[times.length >> 1]!.toFixed(1);
      return Object.entries(ways).map(([way, namedFor]) => {
        const { asked, named, right, possible, first } = tally(commits, namedFor);
        const shares = [right / named, right / possible, first / asked].map((one) => one.toFixed(3));
        return [name, `${commits.length}`, `${asked}`, way, ...shares, way === "graph" ? median : ""];
      });
    })),
  );
}
printTable(["repository", "commits", "asked", "by", "precision", "recall", "first", "p50 ms"], rows, {
  markdown: options.markdown,
});

function commitsOf(root: string, known: ReadonlySet<string>): string[][] {
  const log = execFileSync(
    "git",
    ["-C", root, "log", "--no-merges", "--no-renames", "--name-only", "--format=%x00", "-n", "4000"],
    {
      encoding: "utf8",
      maxBuffer: 1 << 28,
    },
  );
  return log
    .split("\0")
    .map((part) => part.split("\n").filter((path) => known.has(path)))
    .filter((paths) => paths.length >= 2 && paths.length <= 8)
    .slice(0, Number(options.commits));
}

function tally(commits: readonly string[][], namedFor: (file: string) => readonly string[]): Tally {
  const sum: Tally = { asked: 0, named: 0, right: 0, possible: 0, first: 0 };
  for (const commit of commits) {
    for (const file of commit) {
      const named = namedFor(file).slice(0, shown);
      const right = named.filter((one) => one !== file && commit.includes(one));
      sum.asked++;
      sum.named += named.length;
      sum.right += right.length;
      sum.possible += Math.min(shown, commit.length - 1);
      if (right.length > 0 && right[0] === named[0]) sum.first++;
    }
  }
  return sum;
}

/** Files of a directory, those whose names begin most alike first. */
function beside(file: string, all: readonly string[]): string[] {
  const dir = posix.dirname(file);
  const alike = (other: string) => {
    let length = 0;
    while (length < other.length && other[length] === file[length]) length++;
    return length;
  };
  return all.filter((one) => one !== file && posix.dirname(one) === dir).sort((a, b) => alike(b) - alike(a));
}
