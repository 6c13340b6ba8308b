import type { FileEdit } from "./agent.ts";
import { bounded } from "./bounded.ts";
import { bounds } from "./bounds.ts";

/** What was put in the place of what, where nobody says where. */
export function replacement(before: string, after: string): FileEdit["hunks"][number] {
  const removed = linesOf(bounded(before, bounds.input)).map((line) => `-${line}`);
  const added = linesOf(bounded(after, bounds.input)).map((line) => `+${line}`);
  return {
    oldStart: 0,
    oldLines: removed.length,
    newStart: 0,
    newLines: added.length,
    lines: [...removed, ...added],
  };
}

function linesOf(text: string): string[] {
  return text === "" ? [] : text.replace(/\n$/, "").split("\n");
}
