import type { FileEdit } from "../agent.ts";
import { bounded, bounds } from "./bounds.ts";

type Hunk = FileEdit["hunks"][number];

const header = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/;

/** The hunks of a unified diff of one file, up to the size limit. */
export function hunksOf(diff: string): Hunk[] {
  const hunks: Hunk[] = [];
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
      hunk.lines.push(bounded(text, bounds.input));
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
