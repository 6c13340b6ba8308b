import { dayMs } from "../../base/text/day.ts";
import type { Write } from "../evidence/writes.ts";
import { alignLines, type LineMatch, type WrittenStretch } from "./align.ts";
import type { FileToAttribute } from "./file-lines.ts";
import { addLeftOut } from "./fill-between.ts";
import { LooseText, matchReflowedLines } from "./reflow.ts";
import { makeAgentVerdict } from "./verdict.ts";
import type { WriteSource, WrittenLine, WrittenPlace } from "./written-line.ts";

/**
 * Enough for a single line that contains a name; a bracket needs neighbours. Lines written before the parent commit are
 * mostly in it: what is left is a block, and single lines only look the same.
 */
const minSupport = { fresh: 0.45, older: 1, old: 2 } as const;
/** Milliseconds. */
const oldMs = 3 * dayMs;
/** Beyond doubt. */
const sure = 1;
/** A block of this weight that was there before and comes again was put back, not thought of once more. */
const restored = 2.5;
/** Of two who may have written a line the later one, if it has this share of the better one's support. */
const rivalShare = 0.6;

/**
 * The added lines (index in the file's `lines`) that agents wrote.
 * @param consumed by tool call how often each key is in history already
 * @param freshSince lines written since then are not in the parent commit; milliseconds since the epoch
 * @param until later ones are in it only where others were squashed into it; milliseconds since the epoch
 */
export function findWrittenLines(
  file: FileToAttribute,
  writes: readonly Write[],
  consumed: ReadonlyMap<string, ReadonlyMap<number, number>>,
  freshSince: number,
  until = Number.POSITIVE_INFINITY,
): Map<number, WrittenLine> {
  const neededBy = ({ startedAt, at }: Write) =>
    startedAt > until
      ? minSupport.older
      : at === 0 || at >= freshSince
        ? minSupport.fresh
        : at >= freshSince - oldMs
          ? minSupport.older
          : minSupport.old;
  const stretches: WrittenStretch<WriteSource>[] = [];
  for (const write of writes) {
    const known = consumed.get(write.toolUse);
    const left = new Map(known);
    for (const { lines } of write.hunks) {
      const used = new Set<number>();
      if (known === undefined) {
        stretches.push({ of: { write, lines, consumed: used }, lines });
        continue;
      }
      lines.forEach(({ key, isNew }, i) => {
        const n = isNew ? (left.get(key) ?? 0) : 0;
        if (n === 0) return;
        left.set(key, n - 1);
        used.add(i);
      });
      stretches.push({ of: { write, lines, consumed: used }, lines });
    }
  }
  const found = new Map<number, WrittenLine & WrittenPlace>();
  for (const [i, matches] of alignLines(file.lines, stretches)) {
    const best = chooseBestMatch(matches, neededBy);
    if (best) found.set(i, best);
  }
  addRedacted(file, found);
  addInPlace(file, found);
  addLeftOut(file, found);
  addReflowed(file, writes, found);
  return found;
}

function chooseBestMatch(
  matches: readonly LineMatch<WriteSource>[],
  neededBy: (write: Write) => number,
): (WrittenLine & WrittenPlace) | null {
  const fits = matches.filter(
    ({ of, at, support }) => support >= (of.consumed.has(at) ? restored : neededBy(of.write)),
  );
  if (fits.length === 0) return null;
  const most = Math.max(...fits.map(({ support }) => support));
  const rivals = fits.filter(({ support }) => support >= Math.min(most * rivalShare, 2 * sure));
  const { of, at, support } = rivals.reduce((a, b) => (b.of.write.at >= a.of.write.at ? b : a));
  const { write } = of;
  const verdict = of.consumed.has(at)
    ? makeAgentVerdict(write, "moved", "moved")
    : makeAgentVerdict(write, write.how, "written");
  return { write, support, verdict, of, at };
}

/** The transcript has a secret redacted in the written text: the surrounding lines identify the line. */
function addRedacted({ lines }: FileToAttribute, found: Map<number, WrittenLine & WrittenPlace>): void {
  lines.forEach(({ isAdded }, i) => {
    if (!isAdded || found.has(i)) return;
    const beside = found.get(i - 1) ?? found.get(i + 1);
    if (!beside) return;
    const at = beside.at + (found.has(i - 1) ? 1 : -1);
    const isOther = (place: WrittenPlace | undefined, step: number) =>
      place !== undefined && (place.of !== beside.of || place.at !== at + step);
    if (isOther(found.get(i - 1), -1) || isOther(found.get(i + 1), 1)) return;
    if (/\[REDACTED_/.test(beside.of.lines[at]?.bare ?? "")) found.set(i, { ...beside, at });
  });
}

/** Lines with as many characters are nowhere by chance, and so many short ones are passed over. */
const longLine = 30;
const longestGap = 4;

/** Short lines that only look like others, between lines of a call that has them at that place. */
function addInPlace({ lines }: FileToAttribute, found: Map<number, WrittenLine & WrittenPlace>): void {
  for (let i = 1; i < lines.length; i++) {
    const above = found.get(i - 1);
    if (above === undefined || found.has(i)) continue;
    let end = i;
    while (end < lines.length && end - i < longestGap && isOpenAt(above, end, end - i + 1)) end++;
    const below = found.get(end);
    if (end === i || below?.of !== above.of || below.at !== above.at + end - i + 1) continue;
    for (let at = i; at < end; at++) found.set(at, { ...above, at: above.at + at - i + 1 });
  }

  function isOpenAt({ of, at }: WrittenPlace, i: number, step: number): boolean {
    const { key, bare, isAdded } = lines[i]!;
    const line = of.lines[at + step];
    const isWritten = line?.key === key && (line.isNew || line.isBack === true);
    return isAdded && !found.has(i) && bare.length < longLine && isWritten;
  }
}

function addReflowed(file: FileToAttribute, writes: readonly Write[], found: Map<number, WrittenLine>): void {
  const open = file.lines.flatMap(({ isAdded }, i) => (isAdded && !found.has(i) ? [i] : []));
  if (open.length === 0) return;
  const texts = writes.flatMap((write) =>
    write.hunks.map((hunk) => ({ of: write, text: getLooseText(hunk) })),
  );
  for (const [i, write] of matchReflowedLines(file.lines, open, texts)) {
    found.set(i, { write, support: sure, verdict: makeAgentVerdict(write, write.how, "formatted") });
  }
}

type WrittenHunk = Write["hunks"][number];

/** A write is compared with the files of many commits. */
const texts = new WeakMap<WrittenHunk, LooseText>();

function getLooseText(hunk: WrittenHunk): LooseText {
  const known = texts.get(hunk);
  if (known) return known;
  const text = new LooseText(hunk.lines.filter(({ isNew }) => isNew).map(({ bare }) => bare));
  texts.set(hunk, text);
  return text;
}
