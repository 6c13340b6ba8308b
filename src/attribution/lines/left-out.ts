import { leftOutIn } from "../../agents/reading/bounds.ts";
import type { Write } from "../evidence/writes.ts";
import type { FileToAttribute } from "./file-lines.ts";
import { byAgent } from "./verdict.ts";
import type { WrittenLine, WrittenPlace } from "./written-line.ts";

/** Very long writes are stored without their middle (agents/bounds.ts). */

/** Lines next to the middle that are kept in part, or were changed since. */
const nextTo = 4;
/** How far its length may change by formatting, or by partial lines at both ends: a share, and characters. */
const tolerance = { share: 0.02, characters: 1000 };

/** Whether lines of it are missing, so that other lines may be its, too. */
export function isCut({ hunks }: Write): boolean {
  return hunks.some(({ lines }) => lines.some(({ bare }) => leftOutIn(bare) !== null));
}

/**
 * The lines between the last of the beginning and the first of the end are the ones that were left out, if they are as
 * long as those.
 * @param found by index in the file's `lines`; gets them, too
 */
export function addLeftOut(file: FileToAttribute, found: Map<number, WrittenLine & WrittenPlace>): void {
  const ends = new Map<WrittenPlace["of"], { mark: number; before: number; after: number }>();
  for (const [i, { of, at }] of found) {
    const end = ends.get(of) ?? { mark: markOf(of), before: -1, after: Number.POSITIVE_INFINITY };
    ends.set(of, end);
    if (at < end.mark && at >= end.mark - nextTo) end.before = Math.max(end.before, i);
    if (at > end.mark && at <= end.mark + nextTo) end.after = Math.min(end.after, i);
  }
  for (const [of, { mark, before, after }] of ends) {
    if (mark === -1 || before === -1 || !Number.isFinite(after) || after <= before + 1) continue;
    const missing = leftOutIn(of.lines[mark]!.bare)!;
    const length = lengthBetween(file, file.lines[before]!.line, file.lines[after]!.line);
    if (Math.abs(length - missing) > missing * tolerance.share + tolerance.characters) continue;
    const { write } = of;
    const verdict = byAgent(write, write.how, "written");
    for (let i = before + 1; i < after; i++) {
      if (file.lines[i]!.isAdded && !found.has(i)) found.set(i, { write, support: 1, verdict, of, at: mark });
    }
  }
}

const markOf = ({ lines }: WrittenPlace["of"]) => lines.findIndex(({ bare }) => leftOutIn(bare) !== null);

/** Characters of the added lines between two of the file. */
function lengthBetween({ change }: FileToAttribute, above: number, below: number): number {
  let length = 0;
  for (const { newStart, added } of change.hunks) {
    const from = Math.max(above + 1 - newStart, 0);
    for (let i = from; i < added.length && newStart + i < below; i++) length += added[i]!.length + 1;
  }
  return length;
}
