import type { FileEdit } from "../agent.ts";
import { bounded } from "./bounded.ts";
import { bounds } from "./bounds.ts";

/** What was put in the place of what, where nobody says where. */
export function replacement(before: string, after: string): FileEdit["hunks"][number] {
  const removed = hunkLines("-", before);
  const added = hunkLines("+", after);
  return {
    oldStart: 0,
    oldLines: removed.length,
    newStart: 0,
    newLines: added.length,
    lines: [...removed, ...added],
  };
}

/** The lines of a text, as a hunk has those that were taken out ("-") or put in ("+"). */
export function hunkLines(sign: "-" | "+", written: string): string[] {
  const text = bounded(written, bounds.input);
  if (text === "") return [];
  return text
    .replace(/\n$/, "")
    .split("\n")
    .map((line) => `${sign}${line}`);
}
