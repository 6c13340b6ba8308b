import type { ChangedHunk } from "../../git/diff/changes-types.ts";
import type { ReviewHunk, ReviewLine } from "../../protocol/operations/review.ts";

/** Lines that stay, before and after a change. */
const context = 3;

/**
 * Changes with the lines around them; those that are close to each other are one hunk.
 * @param after the file's lines after the change; empty: nothing is around them
 * @param authorOf the author of a line after the change, as a place in the answer's list
 */
export function hunksAround(
  changes: readonly ChangedHunk[],
  after: readonly string[],
  authorOf: (line: number) => number | null,
): ReviewHunk[] {
  return grouped(changes).map((group) => {
    const first = group[0]!;
    const start = Math.max(1, first.newStart - context);
    const lines: ReviewLine[] = [];
    let next = start;
    const stay = (end: number) => {
      for (; next < end && next <= after.length; next++)
        lines.push({ mark: " ", text: after[next - 1]!, by: null });
    };
    for (const { newStart, removed, added } of group) {
      stay(newStart);
      lines.push(...removed.map((text): ReviewLine => ({ mark: "-", text, by: null })));
      lines.push(...added.map((text, i): ReviewLine => ({ mark: "+", text, by: authorOf(newStart + i) })));
      next = newStart + added.length;
    }
    stay(next + context);
    const isAround = after.length > 0;
    return {
      old_start: Math.max(1, isAround ? first.oldStart - (first.newStart - start) : first.oldStart),
      new_start: isAround ? start : Math.max(1, first.newStart),
      lines,
    };
  });
}

function grouped(changes: readonly ChangedHunk[]): ChangedHunk[][] {
  const groups: ChangedHunk[][] = [];
  for (const change of changes) {
    const last = groups.at(-1)?.at(-1);
    const isNear = last && change.newStart - (last.newStart + last.added.length) <= 2 * context;
    if (isNear) groups.at(-1)!.push(change);
    else groups.push([change]);
  }
  return groups;
}

/** The first changes with at most so many changed lines; a longer one is cut. */
export function within(
  changes: readonly ChangedHunk[],
  most: number,
): { shown: ChangedHunk[]; leftOut: number } {
  const shown: ChangedHunk[] = [];
  let [left, leftOut] = [most, 0];
  for (const change of changes) {
    const removed = change.removed.slice(0, left);
    const added = change.added.slice(0, left - removed.length);
    const taken = removed.length + added.length;
    if (taken > 0) shown.push({ ...change, removed, added });
    left -= taken;
    leftOut += change.removed.length + change.added.length - taken;
  }
  return { shown, leftOut };
}
