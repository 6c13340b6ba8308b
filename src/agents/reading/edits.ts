import { structuredPatch } from "diff";
import type { FileEdit } from "../agent.ts";
import { bounds, boundText } from "./bounds.ts";

/** Edits of files, in the form of a unified diff. */

export type EditHunk = FileEdit["hunks"][number];

/** A file whose whole new content is known. */
export const makeWholeFileEdit = (path: string, content: string): FileEdit => ({
  path,
  hunks: [],
  content: boundText(content, bounds.input),
});

/** A file of which the changed lines are known. */
export const makeHunksEdit = (path: string, hunks: EditHunk[]): FileEdit => ({ path, hunks, content: null });

/** A hunk of these lines, which have their signs; "" is an empty line that did not change. */
export function makeHunk(lines: readonly string[], oldStart = 0, newStart = oldStart): EditHunk {
  const bare = lines.map((line) => boundText(line, bounds.input));
  const without = (sign: string) => bare.filter((line) => !/^\\/.test(line) && !line.startsWith(sign)).length;
  return { oldStart, oldLines: without("+"), newStart, newLines: without("-"), lines: bare };
}

/** A replacement without a known position. */
export function makeReplacementHunk(before: string, after: string): EditHunk {
  return makeHunk([...signLines("-", before), ...signLines("+", after)]);
}

/** The lines of a text as removed ("-") or added ("+") lines of a hunk. */
export function signLines(sign: "-" | "+", written: string): string[] {
  const text = boundText(written, bounds.input);
  if (text === "") return [];
  return text
    .replace(/\n$/, "")
    .split("\n")
    .map((line) => `${sign}${line}`);
}

/** Changed lines at most: beyond it all between the first and the last difference counts as replaced. */
const mostChanges = 1_500;

/** The lines that differ between two versions of a text, as hunks without context. */
export function diffLines(before: string, after: string): EditHunk[] {
  const [old, now] = [before, after].map((text) =>
    text.replaceAll("\r\n", "\n").replace(/(?<=[^\n])$/, "\n"),
  );
  const options = { context: 0, maxEditLength: mostChanges };
  const patch = structuredPatch("", "", old!, now!, undefined, undefined, options);
  const hunks = patch?.hunks ?? [makeMiddleHunk(old!.split("\n"), now!.split("\n"))];
  // Where one side has no lines, a unified diff names the line before.
  return hunks.map(({ oldStart, oldLines, newStart, newLines, lines }) => ({
    oldStart: oldLines === 0 ? oldStart - 1 : oldStart,
    oldLines,
    newStart: newLines === 0 ? newStart - 1 : newStart,
    newLines,
    lines: lines.map((line) => boundText(line, bounds.input)),
  }));
}

function makeMiddleHunk(old: readonly string[], now: readonly string[]): EditHunk {
  const shorter = Math.min(old.length, now.length);
  let start = 0;
  while (start < shorter && old[start] === now[start]) start++;
  let end = 0;
  while (end < shorter - start && old.at(-1 - end) === now.at(-1 - end)) end++;
  const removed = old.slice(start, old.length - end).map((line) => `-${line}`);
  const added = now.slice(start, now.length - end).map((line) => `+${line}`);
  return makeHunk([...removed, ...added], start + 1);
}

const header = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/;

/** The hunks of a unified diff of one file, up to the size limit. */
export function parseUnifiedDiff(diff: string): EditHunk[] {
  const hunks: EditHunk[] = [];
  let room = 4 * bounds.input;
  let left = { old: 0, new: 0 };
  for (const line of diff.split("\n")) {
    const hunk = hunks.at(-1);
    // Line counts end a hunk: a removed line may look like a file header.
    if (hunk && (left.old > 0 || left.new > 0)) {
      const text = line === "" ? " " : line;
      if (!/^[ +\\-]/.test(text)) return hunks;
      if (!text.startsWith("\\")) {
        left.old -= text.startsWith("+") ? 0 : 1;
        left.new -= text.startsWith("-") ? 0 : 1;
      }
      room -= text.length;
      if (room < 0) return hunks.slice(0, -1);
      hunk.lines.push(boundText(text, bounds.input));
      continue;
    }
    const found = header.exec(line);
    if (!found) continue;
    const [oldStart, oldLines, newStart, newLines] = [1, 2, 3, 4].map((at) => Number(found[at] ?? 1));
    left = { old: oldLines!, new: newLines! };
    hunks.push({
      oldStart: oldStart!,
      oldLines: left.old,
      newStart: newStart!,
      newLines: left.new,
      lines: [],
    });
  }
  return hunks;
}
