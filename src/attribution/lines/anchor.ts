import type { NotePlace } from "../../store/memory/chunks/notes.ts";
import { alignLines, type CurrentLine } from "./align.ts";
import { plainLines, toBareLine } from "./line-keys.ts";
import { thresholds } from "./origins.ts";

/**
 * Lines that somebody pointed at, and how they are found again: as a commit's lines are matched with written ones, by keys of the
 * lines and of those around them, regardless of formatting.
 */

export type Anchor = Pick<NotePlace, "lineKeys" | "keysFrom" | "isRepeated"> & { path: string } & AnchorLines;

interface AnchorLines {
  firstLine: number;
  lastLine: number;
}

export interface FoundLines extends AnchorLines {
  /** Some of them have another text now, or all. */
  isChanged: boolean;
}

/** So many lines may be pointed at. */
export const maxAnchoredLines = 200;
/** Lines on each side that are remembered with them. */
const maxLinesAround = 12;
/** Between the lines and those that stayed around them, so many may have changed, too; and so many may have come. */
const maxChangedAround = 2;
const maxNewLines = 8;
/** What belongs together may have drifted apart by so many lines. */
const maxDrift = 40;

/** A line that is not blank, as it was. */
interface KeptLine {
  line: number;
  key: number;
  weight: number;
  isOwn: boolean;
}

/** Weights have two decimals: a key and a weight in one number. */
const weightSteps = 100;

/** @param texts all lines of the file */
export function makeAnchor(
  path: string,
  texts: readonly string[],
  { firstLine, lastLine }: AnchorLines,
): Anchor {
  const from = Math.max(1, firstLine - maxLinesAround);
  const around = plainLines(path, texts).slice(from - 1, lastLine + maxLinesAround);
  const lineKeys = around.map((text) => {
    const { key, weight } = toBareLine(text);
    return key * (weightSteps + 1) + Math.round(weight * weightSteps);
  });
  const anchor = { path, firstLine, lastLine, lineKeys, keysFrom: from, isRepeated: false };
  const others = texts.map((text, i) => (i + 1 >= firstLine && i < lastLine ? "" : text));
  return { ...anchor, isRepeated: findOwnLines(anchor, path, others).found.length > 0 };
}

/**
 * Where the lines are in a version of a file; null: they are not there.
 * @param path of the file: in another one than theirs it takes more to be sure
 */
export function findAnchor(anchor: Anchor, path: string, texts: readonly string[]): FoundLines | null {
  const { kept, found, places } = findOwnLines(anchor, path, texts);
  const own = kept.filter(({ isOwn }) => isOwn);
  const before = kept.findLast(({ line }) => line < anchor.firstLine && places.has(line));
  const after = kept.find(({ line }) => line > anchor.lastLine && places.has(line));
  const above = before === undefined ? 0 : places.get(before.line)!;
  const below = after === undefined ? texts.length + 1 : places.get(after.line)!;
  if (found.length > 0) {
    const [firstLine, lastLine] = [Math.min(...found), Math.max(...found)];
    const isBetween = [...places].every(([was, line]) =>
      was < anchor.firstLine ? line < firstLine : was <= anchor.lastLine || line > lastLine,
    );
    const isSure = !anchor.isRepeated || isBetween;
    return isSure ? { firstLine, lastLine, isChanged: found.length < own.length } : null;
  }
  // Their text is another one where those around them are still beside each other, with others between.
  if (path !== anchor.path || (before === undefined && after === undefined)) return null;
  const lost = {
    above: kept.filter(({ line }) => line > (before?.line ?? 0) && line < anchor.firstLine),
    below: kept.filter(({ line }) => line > anchor.lastLine && line < (after?.line ?? Infinity)),
  };
  const between = texts.flatMap((text, i) => {
    const { key } = toBareLine(text);
    return key !== 0 && i + 1 > above && i + 1 < below ? [{ line: i + 1, key }] : [];
  });
  // A bracket alone is not matched.
  while (lost.above.length > 0 && between[0]?.key === lost.above[0]!.key)
    [lost.above.shift(), between.shift()];
  while (lost.below.length > 0 && between.at(-1)?.key === lost.below.at(-1)!.key)
    [lost.below.pop(), between.pop()];
  const isBeside = lost.above.length <= maxChangedAround && lost.below.length <= maxChangedAround;
  if (!isBeside || between.length === 0 || between.length > own.length + maxNewLines) return null;
  return { firstLine: between[0]!.line, lastLine: between.at(-1)!.line, isChanged: true };
}

/** The lines around, and the numbers that its own have now; those that stand alone are left out. */
function findOwnLines(anchor: Anchor, path: string, texts: readonly string[]) {
  const kept = readKeptLines(anchor);
  const file = plainLines(path, texts).flatMap((text, i): CurrentLine[] => {
    const bare = toBareLine(text);
    return bare.key === 0 ? [] : [{ ...bare, line: i + 1, isAdded: true }];
  });
  const stretch = { of: anchor, lines: kept.map((line) => ({ ...line, bare: "", isNew: true })) };
  const least = path === anchor.path ? thresholds.file : thresholds.other;
  /** By the number that a line had, the one that it has. */
  const places = new Map<number, number>();
  let best: { line: number; was: number; support: number } | undefined;
  for (const [i, matches] of alignLines(file, [stretch])) {
    const match = matches.reduce((a, b) => (b.support > a.support ? b : a));
    if (match.support < least) continue;
    const { line: was, isOwn } = kept[match.at]!;
    const { line } = file[i]!;
    places.set(was, line);
    if (isOwn && match.support > (best?.support ?? 0)) best = { line, was, support: match.support };
  }
  const found =
    best === undefined
      ? []
      : kept.flatMap(({ line: was, isOwn }) => {
          const line = places.get(was);
          const drift = line === undefined ? 0 : Math.abs(line - best!.line - (was - best!.was));
          return isOwn && line !== undefined && drift <= maxDrift ? [line] : [];
        });
  return { kept, found, places };
}

function readKeptLines({ lineKeys, keysFrom, firstLine, lastLine }: Anchor): KeptLine[] {
  return lineKeys.flatMap((packed, i) => {
    const key = Math.floor(packed / (weightSteps + 1));
    const line = keysFrom + i;
    if (key === 0) return [];
    const weight = (packed % (weightSteps + 1)) / weightSteps;
    return [{ line, key, weight, isOwn: line >= firstLine && line <= lastLine }];
  });
}
