import { diffWordsWithSpace } from "diff";
import { useEffect, useState } from "preact/hooks";
import { type ColouredPiece, loadParser, type Parser } from "./highlight.ts";

/** A stretch of characters of a line, from and to. */
export type CharacterRange = readonly [from: number, to: number];

/** A line that stays, was added, or was removed. */
interface MarkedLine {
  mark: " " | "+" | "-";
  text: string;
  /** Who wrote it, by number; null: nobody added it here, or nobody says. */
  by: number | null;
}

export interface DiffHunk {
  /** The number of its first line before and after the change; null: it says none. */
  old_start: number | null;
  new_start: number | null;
  lines: readonly MarkedLine[];
}

/** The hunks of a unified diff; of a part of one without numbers, as an edit that only its input says. */
export function parseDiff(lines: readonly string[]): DiffHunk[] {
  const hunks: (DiffHunk & { lines: MarkedLine[] })[] = [];
  const hasNames = /^(?:diff |Index: |--- \S)/.test(lines[0] ?? "");
  const first = hasNames ? lines.findIndex((line) => line.startsWith("@@ ")) : 0;
  // What ends with a line break has no line behind it.
  const end = lines.at(-1) === "" ? lines.length - 1 : lines.length;
  for (const line of first < 0 ? [] : lines.slice(first, end)) {
    const [head, old, now] = /^@@(?: -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@)?/.exec(line) ?? [];
    if (head !== undefined || hunks.length === 0)
      hunks.push({ old_start: toStart(old), new_start: toStart(now), lines: [] });
    if (head !== undefined || line.startsWith("\\ No newline")) continue;
    const mark = line[0] === "+" || line[0] === "-" ? line[0] : " ";
    hunks.at(-1)!.lines.push({ mark, text: line.slice(1), by: null });
  }
  return hunks.filter((hunk) => hunk.lines.length > 0);
}

const toStart = (number: string | undefined) => (number === undefined ? null : Number(number));

/** The change that takes a hunk's change back. */
export function reverseHunk({ old_start, new_start, lines }: DiffHunk): DiffHunk {
  const reversed: MarkedLine[] = [];
  let added: MarkedLine[] = [];
  for (const line of lines) {
    if (line.mark === "-") added.push({ ...line, mark: "+" });
    else if (line.mark === "+") reversed.push({ ...line, mark: "-" });
    else {
      reversed.push(...added, line);
      added = [];
    }
  }
  return { old_start: new_start, new_start: old_start, lines: [...reversed, ...added] };
}

/** A line as it is drawn. */
export interface DiffLine extends MarkedLine {
  /** Its number before and after the change; null: it is not there. */
  before: number | null;
  after: number | null;
  /** What of it differs from the line that it replaced, or that replaced it. */
  changed: readonly CharacterRange[];
}

/** Lines in a row that one author wrote, with those they replaced; or lines that stay. */
export interface DiffSegment {
  /** A place in the answer's `authors`; null: nothing was added. */
  by: number | null;
  lines: DiffLine[];
}

/** Divides a hunk by who wrote it. */
export function splitIntoSegments({ old_start, new_start, lines }: DiffHunk): DiffSegment[] {
  const segments: DiffSegment[] = [];
  let [before, after] = [old_start, new_start];
  let last: DiffSegment | null = null;
  for (const line of lines) {
    const drawn: DiffLine = {
      ...line,
      before: line.mark === "+" || before === null ? null : before++,
      after: line.mark === "-" || after === null ? null : after++,
      changed: [],
    };
    // Removed lines belong to those that take their place.
    const isReplaced = last?.lines.at(-1)?.mark === "-" && line.mark === "+";
    if (last && isReplaced) last.by = line.by;
    const startsAnew = line.mark === "-" && last?.lines.at(-1)?.mark !== "-";
    if (
      last === null ||
      (!isReplaced && (startsAnew || last.by !== line.by || isKeptAfterRemoved(last, line)))
    ) {
      last = { by: line.by, lines: [] };
      segments.push(last);
    }
    last.lines.push(drawn);
  }
  for (const segment of segments) markWords(segment.lines);
  return segments;
}

/** Whether a line that stays follows one that was removed. */
const isKeptAfterRemoved = (segment: DiffSegment, line: MarkedLine) =>
  segment.lines.at(-1)?.mark === "-" && line.mark === " ";

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
    old.changed = listChangedStretches(
      parts.filter(({ added }) => !added),
      ({ removed }) => removed,
    );
    now.changed = listChangedStretches(
      parts.filter(({ removed }) => !removed),
      ({ added }) => added,
    );
  });
}

function listChangedStretches<P extends { value: string }>(
  parts: readonly P[],
  isChanged: (part: P) => boolean,
): CharacterRange[] {
  let at = 0;
  return parts.flatMap((part) => {
    const from = at;
    at += part.value.length;
    return isChanged(part) ? [[from, at] as const] : [];
  });
}

/** A row with both sides: what was, and what is. */
export type DiffRow = readonly [DiffLine | null, DiffLine | null];

/** The lines of a segment side by side. */
export function pairLines(lines: readonly DiffLine[]): DiffRow[] {
  const removed = lines.filter(({ mark }) => mark === "-");
  const added = lines.filter(({ mark }) => mark === "+");
  const changed = Array.from(
    { length: Math.max(removed.length, added.length) },
    (_, i): DiffRow => [removed[i] ?? null, added[i] ?? null],
  );
  return [...lines.filter(({ mark }) => mark === " ").map((line): DiffRow => [line, line]), ...changed];
}

/** The parser for a file's language; null until it is loaded, and where none is known. */
export function useParser(path: string): Parser | null {
  const [parser, setParser] = useState<Parser | null>(null);
  useEffect(() => {
    let isWanted = true;
    void loadParser({ path }).then((found) => isWanted && setParser(found));
    return () => {
      isWanted = false;
    };
  }, [path]);
  return parser;
}

/** Divides pieces where a stretch begins or ends, and marks what lies in one. */
export function withStretches(
  pieces: readonly ColouredPiece[],
  stretches: readonly CharacterRange[],
): (ColouredPiece & { isChanged: boolean })[] {
  if (stretches.length === 0) return pieces.map((piece) => ({ ...piece, isChanged: false }));
  const edges = [...new Set(stretches.flat())].sort((a, b) => a - b);
  let at = 0;
  return pieces.flatMap(({ text, style }) => {
    const end = at + text.length;
    const cuts = [at, ...edges.filter((edge) => edge > at && edge < end), end];
    const parts = cuts.slice(1).map((to, i) => {
      const from = cuts[i]!;
      return {
        text: text.slice(from - at, to - at),
        style,
        isChanged: stretches.some(([start, stop]) => from >= start && to <= stop),
      };
    });
    at = end;
    return parts;
  });
}
