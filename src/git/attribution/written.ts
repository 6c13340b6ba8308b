import { align, type Match, type Stretch } from "./align.ts";
import type { FileToAttribute } from "./file-lines.ts";
import { reflowed } from "./reflow.ts";
import { byAgent, type Verdict } from "./verdict.ts";
import type { Write } from "./writes.ts";

/** A line that an agent wrote, and how sure that is. */
export interface WrittenLine {
  write: Write;
  support: number;
  verdict: Verdict;
}

/** Enough for a line alone, of something with a name; a bracket needs neighbours. */
const enough = 0.45;
/** Beyond doubt. */
const sure = 1;
/** A block of this weight that was there before and comes again was put back, not thought of once more. */
const restored = 2.5;
/** Of two who may have written a line the later one, if it has this share of the better one's support. */
const rivalShare = 0.6;

interface Source {
  write: Write;
  /** Its lines (index in the stretch) that are in history already. */
  consumed: ReadonlySet<number>;
}

/**
 * The added lines (index in the file's `lines`) that agents wrote.
 * @param consumed by tool call how often each key is in history already
 */
export function writtenBy(
  file: FileToAttribute,
  writes: readonly Write[],
  consumed: ReadonlyMap<string, ReadonlyMap<number, number>>,
): Map<number, WrittenLine> {
  const stretches: Stretch<Source>[] = [];
  for (const write of writes) {
    const left = new Map(consumed.get(write.toolUse));
    for (const { lines } of write.hunks) {
      const used = new Set<number>();
      lines.forEach(({ key, isNew }, i) => {
        const n = isNew ? (left.get(key) ?? 0) : 0;
        if (n === 0) return;
        left.set(key, n - 1);
        used.add(i);
      });
      stretches.push({ of: { write, consumed: used }, lines });
    }
  }
  const found = new Map<number, WrittenLine>();
  for (const [i, matches] of align(file.lines, stretches)) {
    const best = bestOf(matches);
    if (best) found.set(i, best);
  }
  addReflowed(file, writes, found);
  return found;
}

function bestOf(matches: readonly Match<Source>[]): WrittenLine | null {
  const fits = matches.filter(({ of, at, support }) => support >= (of.consumed.has(at) ? restored : enough));
  if (fits.length === 0) return null;
  const most = Math.max(...fits.map(({ support }) => support));
  const rivals = fits.filter(({ support }) => support >= Math.min(most * rivalShare, 2 * sure));
  const { of, support } = rivals.reduce((a, b) => (b.of.write.at >= a.of.write.at ? b : a));
  const { write } = of;
  const confidence = write.how === "shell" ? 0.95 : support >= sure ? 0.98 : 0.85;
  return { write, support, verdict: byAgent(write, confidence, write.how) };
}

function addReflowed(file: FileToAttribute, writes: readonly Write[], found: Map<number, WrittenLine>): void {
  const open = file.lines.flatMap(({ isAdded }, i) => (isAdded && !found.has(i) ? [i] : []));
  if (open.length === 0) return;
  const texts = writes.flatMap((write) =>
    write.hunks.map(({ lines }) => ({
      of: write,
      lines: lines.filter(({ isNew }) => isNew).map(({ bare }) => bare),
    })),
  );
  for (const [i, write] of reflowed(file.lines, open, texts)) {
    found.set(i, { write, support: sure, verdict: byAgent(write, 0.85, write.how) });
  }
}
