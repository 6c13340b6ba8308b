import { posix } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { FileAround } from "../../protocol/graph.ts";
import type { CodeGraph, Edge } from "./graph.ts";

/** What edges count more between files that lie in one directory, and between a file and its test. */
const besideWeight = 2;
const twinWeight = 4;
/** Definitions of a file that are named. */
const namesShown = 5;

/**
 * The files around some others in the graph, the closest first: by the number of edges, and how near they lie, as that is what
 * commits change together (docs/benchmarks.md#who-calls-whom). Guesses do not count.
 */
export async function findFilesAround(graph: CodeGraph, files: readonly string[]): Promise<FileAround[]> {
  const asked = new Set(files);
  const around = new Map<string, { used_by: Set<string>; uses: Set<string>; weight: number }>();
  for (const file of asked) {
    // Each takes up to some tenths of a second, in which nobody else would be answered.
    await nextTurn();
    const counts = new Map<string, number>();
    const take = ({ node, confidence }: Edge, side: "used_by" | "uses") => {
      if (asked.has(node.file) || (confidence !== "resolved" && confidence !== "dispatch")) return;
      const one = around.get(node.file) ?? { used_by: new Set(), uses: new Set(), weight: 0 };
      around.set(node.file, one);
      one[side].add(node.name);
      counts.set(node.file, (counts.get(node.file) ?? 0) + 1);
    };
    for (const edge of (await graph.findCallers(await graph.definitions.listDefinitionsOfFile(file))).edges)
      take(edge, "used_by");
    for (const edge of await graph.findCalleesOfFile(file)) take(edge, "uses");
    for (const [other, count] of counts)
      around.get(other)!.weight += Math.log(1 + count) * measureFileNearness(file, other);
  }
  return [...around]
    .sort(([a, one], [b, other]) => other.weight - one.weight || (a < b ? -1 : 1))
    .map(([file, { used_by, uses }]) => ({
      file,
      used_by: [...used_by].slice(0, namesShown),
      uses: [...uses].slice(0, namesShown),
    }));
}

function measureFileNearness(file: string, other: string): number {
  const beside = posix.dirname(file) === posix.dirname(other) ? besideWeight : 1;
  return extractFileSubject(file) === extractFileSubject(other) ? beside * twinWeight : beside;
}

/** What a file is about, or the one that it tests: `retry` of `retry.test.ts`, `test_retry.py` and `RetryTest.java`. */
function extractFileSubject(file: string): string {
  const [name = ""] = posix.basename(file).split(".");
  return name.replace(/^test_|[_-](?:test|spec)$|Tests?$/g, "").toLowerCase();
}
