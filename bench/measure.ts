/** What the benchmarks share: measures, tables, and a place to work in. */

import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export {
  average,
  type MeasuredAnswer,
  measureQuality,
  ndcg,
  percentile,
} from "../src/features/models/evaluate/measures.ts";

export interface Target {
  path: string;
  start_line?: number | undefined;
  end_line?: number | undefined;
}

interface Place {
  file: string;
  start_line: number;
  end_line: number;
}

/**
 * The rank (from 1) of the first result that covers the target, or 0: same file, and overlapping lines if it names any.
 */
export function rankOf(target: Target, results: readonly Place[]): number {
  const found = results.findIndex(
    (result) =>
      (result.file === target.path ||
        result.file.endsWith(`/${target.path}`) ||
        target.path.endsWith(`/${result.file}`)) &&
      (target.start_line === undefined ||
        target.end_line === undefined ||
        (result.start_line <= target.end_line && result.end_line >= target.start_line)),
  );
  return found + 1;
}

/** Every other name in alphabetical order: one half to choose numbers with, the other to confirm them. */
export function half(names: readonly string[]): { choose: Set<string>; confirm: Set<string> } {
  const sorted = [...names].sort();
  return {
    choose: new Set(sorted.filter((_, i) => i % 2 === 0)),
    confirm: new Set(sorted.filter((_, i) => i % 2 === 1)),
  };
}

/** Prints a table: aligned for a terminal, or as Markdown. */
export function printTable(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  { markdown }: { markdown: boolean },
): void {
  if (markdown) {
    const line = (row: readonly string[]) => `| ${row.join(" | ")} |`;
    console.log([line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n"));
    return;
  }
  const widths = head.map((title, i) => Math.max(title.length, ...rows.map((row) => row[i]!.length)));
  for (const row of [head, ...rows]) console.log(row.map((cell, i) => cell.padEnd(widths[i]!)).join("  "));
}

/** A directory that is removed when the process ends. */
export function scratchDir(name: string): string {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), `pommel-${name}-`)));
  process.on("exit", () => rmSync(dir, { recursive: true, force: true }));
  return dir;
}
