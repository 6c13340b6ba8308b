import type { Memory } from "../../store/memory/memory.ts";
import { observationsOf } from "../../store/memory/observations.ts";
import type { Deeds } from "./deeds.ts";
import type { FileToAttribute } from "./file-lines.ts";
import type { ChangeToAttribute } from "./types.ts";
import { byAgent, human, unknown, type Verdict } from "./verdict.ts";
import type { ShellRun, Write } from "./writes.ts";

/** A command's last write may be noticed a little before it starts or after it ends. Milliseconds. */
const runSlack = { before: 250, after: 1500 } as const;
/** What formats a file on save does so this soon after. Milliseconds. */
const editSlack = 2500;
/** Work that ends in a commit began this long before, at most. Milliseconds. */
const workMs = 3 * 86_400_000;
/** Weaker matches than this are not believed against what was seen. */
const doubtful = 1;

/** What is known of a time besides who wrote what: commands that ran, when lines showed up, who was at work. */
export class Witness {
  private readonly since: number;
  private readonly until: number;
  readonly runs: ShellRun[];
  readonly shellWrites: Write[];
  private presence: { wasActive: boolean; isCovered: boolean } | null = null;

  constructor(
    private readonly memory: Memory,
    private readonly deeds: Deeds,
    private readonly change: ChangeToAttribute,
    /** When the commit before was made; null: there was none. */
    private readonly parentAt: number | null,
  ) {
    this.until = change.committedAt;
    this.since = Math.min(change.authoredAt, change.committedAt) - workMs;
    const { runs, writes } = deeds.shellBetween(this.since, this.until);
    this.runs = runs;
    this.shellWrites = writes;
  }

  /** For added lines of a file when each showed up for the last time; nothing where nobody watched. */
  seenIn(path: string): Map<number, number> {
    const seen = new Map<number, number>();
    for (const { at, keys } of observationsOf(this.memory, path, {
      since: this.since,
      until: this.until + 2000,
    })) {
      for (const key of keys) seen.set(key, Math.max(at, seen.get(key) ?? 0));
    }
    return seen;
  }

  /** Whether a match is believed although the line was seen to show up at another time. */
  agrees(seenAt: number | undefined, write: Write, support: number): boolean {
    if (seenAt === undefined || write.at === 0) return true;
    if (Math.abs(seenAt - write.at) <= 10_000 || this.runAt(seenAt) !== null) return true;
    // Seen later than it was written: somebody wrote it again, or only moved what is beyond doubt.
    return support >= doubtful * 2;
  }

  /** Who wrote a line that no tool call wrote, by when it showed up. */
  bySight(seenAt: number, writes: readonly Write[]): Verdict {
    const run = this.runAt(seenAt);
    if (run !== null) return byAgent(run, 0.85, "shell");
    const edit = writes.findLast(({ at }) => seenAt >= at - 500 && seenAt <= at + editSlack);
    if (edit) return byAgent(edit, 0.75, "edit");
    return human(0.95);
  }

  private runAt(at: number): ShellRun | null {
    return (
      this.runs.findLast(
        ({ startedAt, endedAt, mayWrite }) =>
          mayWrite && at >= startedAt - runSlack.before && at <= endedAt + runSlack.after,
      ) ?? null
    );
  }

  /** Who wrote a line that nothing is known of: a human, where only a human can have. */
  byAbsence(path: string): Verdict {
    if (!this.change.isOwn) return unknown;
    this.presence ??= this.lookAround();
    const { wasActive, isCovered } = this.presence;
    if (!isCovered) return unknown;
    if (!wasActive) return human(0.9);
    const name = path.split("/").at(-1)!;
    // A command that names no file may have written any: a formatter, a generator.
    const isOpen = this.runs.some(
      ({ mayWrite, endedAt, command }) =>
        mayWrite && endedAt >= this.windowStart() && (command.includes(name) || !/\.\w{1,5}\b/.test(command)),
    );
    return isOpen ? unknown : human(0.8);
  }

  private windowStart(): number {
    const { authoredAt } = this.change;
    return Math.max(Math.min(this.parentAt ?? 0, authoredAt), authoredAt - workMs);
  }

  private lookAround() {
    const start = this.windowStart();
    const first = this.deeds.firstSession();
    return {
      wasActive: this.deeds.wasActive(start, this.until),
      isCovered: first !== null && first <= this.change.authoredAt,
    };
  }
}

/** Brackets and blank lines go with what stands around them. */
export function fillBetween(
  { change, lines }: FileToAttribute,
  verdicts: ReadonlyMap<number, Verdict>,
): Map<number, Verdict> {
  const byLine = new Map<number, Verdict>();
  const trivial = new Set<number>();
  lines.forEach(({ line, isAdded, weight }, i) => {
    if (!isAdded) return;
    const verdict = verdicts.get(i);
    if (verdict) byLine.set(line, verdict);
    else if (weight < 0.5) trivial.add(line);
  });
  const known = new Set(lines.filter(({ isAdded }) => isAdded).map(({ line }) => line));
  for (const { newStart, added } of change.hunks) {
    const last = newStart + added.length - 1;
    let above: Verdict | null = null;
    for (let line = newStart; line <= last; line++) {
      const own = byLine.get(line);
      if (own) {
        above = own;
        continue;
      }
      let end = line;
      const isOpen = (at: number) => at <= last && !byLine.has(at) && (trivial.has(at) || !known.has(at));
      while (isOpen(end)) end++;
      if (end === line) {
        above = null;
        continue;
      }
      const below = end <= last ? (byLine.get(end) ?? null) : null;
      const filler = fillerOf(above, below, end > last || byLine.has(end));
      for (let at = line; at < end; at++) if (filler) byLine.set(at, filler);
      line = end - 1;
    }
  }
  return byLine;
}

function fillerOf(above: Verdict | null, below: Verdict | null, isBelowClear: boolean): Verdict | null {
  if (above && below) return above;
  if (above && isBelowClear) return above;
  return below;
}
