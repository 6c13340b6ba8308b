import { diffWordsWithSpace } from "diff";
import type { ReviewHunk, ReviewLine } from "../../../protocol/operations/review.ts";

/** A stretch of characters of a line, from and to. */
export type Stretch = readonly [from: number, to: number];

/** A line as it is drawn. */
export interface DiffLine extends ReviewLine {
  /** Its number before and after the change; null: it is not there. */
  before: number | null;
  after: number | null;
  /** What of it differs from the line that it replaced, or that replaced it. */
  changed: readonly Stretch[];
}

/** Lines in a row that one author wrote, with those they replaced; or lines that stay. */
export interface Segment {
  /** A place in the answer's `authors`; null: nothing was added. */
  by: number | null;
  lines: DiffLine[];
}

/** Divides a hunk by who wrote it. */
export function segmentsOf({ old_start, new_start, lines }: ReviewHunk): Segment[] {
  const segments: Segment[] = [];
  let [before, after] = [old_start, new_start];
  let last: Segment | null = null;
  for (const line of lines) {
    const drawn: DiffLine = {
      ...line,
      before: line.mark === "+" ? null : before++,
      after: line.mark === "-" ? null : after++,
      changed: [],
    };
    // Removed lines belong to those that take their place.
    const isReplaced = last?.lines.at(-1)?.mark === "-" && line.mark === "+";
    if (last && isReplaced) last.by = line.by;
    const startsAnew = line.mark === "-" && last?.lines.at(-1)?.mark !== "-";
    if (last === null || (!isReplaced && (startsAnew || last.by !== line.by || marks(last, line)))) {
      last = { by: line.by, lines: [] };
      segments.push(last);
    }
    last.lines.push(drawn);
  }
  for (const segment of segments) markWords(segment.lines);
  return segments;
}

/** Whether a line that stays follows one that was removed. */
const marks = (segment: Segment, line: ReviewLine) => segment.lines.at(-1)?.mark === "-" && line.mark === " ";

/** Lines beyond this length are compared as a whole. Characters. */
const maxCompared = 500;
/** Lines that have less in common are different ones. */
const leastCommon = 0.4;

function markWords(lines: readonly DiffLine[]): void {
  const removed = lines.filter(({ mark }) => mark === "-");
  const added = lines.filter(({ mark }) => mark === "+");
  if (removed.length !== added.length) return;
  removed.forEach((old, i) => {
    const now = added[i]!;
    if (old.text.length > maxCompared || now.text.length > maxCompared) return;
    const parts = diffWordsWithSpace(old.text, now.text);
    const common = parts.reduce(
      (sum, { added, removed, value }) => sum + (added || removed ? 0 : value.trim().length),
      0,
    );
    if (common < leastCommon * Math.max(old.text.trim().length, now.text.trim().length)) return;
    old.changed = stretches(
      parts.filter(({ added }) => !added),
      ({ removed }) => removed,
    );
    now.changed = stretches(
      parts.filter(({ removed }) => !removed),
      ({ added }) => added,
    );
  });
}

function stretches<P extends { value: string }>(
  parts: readonly P[],
  isChanged: (part: P) => boolean,
): Stretch[] {
  let at = 0;
  return parts.flatMap((part) => {
    const from = at;
    at += part.value.length;
    return isChanged(part) ? [[from, at] as const] : [];
  });
}

/** A row with both sides: what was, and what is. */
export type Pair = readonly [DiffLine | null, DiffLine | null];

/** The lines of a segment side by side. */
export function pairsOf(lines: readonly DiffLine[]): Pair[] {
  const removed = lines.filter(({ mark }) => mark === "-");
  const added = lines.filter(({ mark }) => mark === "+");
  const changed = Array.from(
    { length: Math.max(removed.length, added.length) },
    (_, i): Pair => [removed[i] ?? null, added[i] ?? null],
  );
  return [...lines.filter(({ mark }) => mark === " ").map((line): Pair => [line, line]), ...changed];
}
