import type { FileEdit } from "../agent.ts";
import { bounded } from "../reading/bounded.ts";
import { bounds } from "../reading/bounds.ts";

type Hunk = FileEdit["hunks"][number];

const header = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/;

/** The hunks of a unified diff of one file, from the first one on, as long as there is room for them. */
export function hunksOf(diff: string): Hunk[] {
  const hunks: Hunk[] = [];
  let room = 4 * bounds.input;
  let left = { old: 0, new: 0 };
  for (const line of diff.split("\n")) {
    const hunk = hunks.at(-1);
    // The numbers of lines say where a hunk ends: a removed line may look like the beginning of the next file.
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

/**
 * Hunks of an edit that the human changed before it was made: only lines that the agent had proposed stay new, the
 * others are as good as if they had been there.
 */
export function onlyProposed(hunks: readonly Hunk[], proposal: string): Hunk[] {
  const proposed = new Set(proposal.split("\n").map((line) => line.trim()));
  return hunks.map((hunk) => {
    const lines = hunk.lines.map((line) =>
      line.startsWith("+") && !proposed.has(line.slice(1).trim()) ? ` ${line.slice(1)}` : line,
    );
    const count = (other: string) =>
      lines.filter((line) => !/^\\/.test(line) && !line.startsWith(other)).length;
    return { ...hunk, lines, oldLines: count("+"), newLines: count("-") };
  });
}
