import type { AttributionRecord, Binding } from "../../store/git-records.ts";
import { align } from "./align.ts";
import type { FileToAttribute } from "./file-lines.ts";
import type { ChangeToAttribute } from "./types.ts";
import type { ShellRun, Write } from "./writes.ts";

/** A session has a part in a commit if its lines weigh this much, or are this share of all that weighs. */
const enough = { weight: 1.5, share: 0.25 } as const;
/** A commit without lines of its own is bound by what it took out. */
const enoughRemoved = 1;

/** What a session's lines of a commit weigh. */
export interface Weighed {
  sessionUid: string;
  turn: number;
  weight: number;
}

interface Part {
  turns: Set<number>;
  lines: number;
  weight: number;
  how: Binding["how"];
  confidence: number;
}

/** The sessions that led to a commit. */
export function bindingsOf(
  change: ChangeToAttribute,
  ranges: readonly AttributionRecord[],
  weighed: readonly Weighed[],
  {
    runs,
    writes,
    files,
  }: { runs: readonly ShellRun[]; writes: readonly Write[]; files: readonly FileToAttribute[] },
): Binding[] {
  const parts = new Map<string, Part>();
  const partOf = (uid: string): Part => {
    const known = parts.get(uid);
    if (known) return known;
    const part: Part = { turns: new Set(), lines: 0, weight: 0, how: "lines", confidence: 0 };
    parts.set(uid, part);
    return part;
  };
  for (const { sessionUid, turn, firstLine, lastLine, how } of ranges) {
    // Who wrote what somebody else moved had no part in that.
    if (sessionUid === null || turn === null || how === "moved") continue;
    const part = partOf(sessionUid);
    part.lines += lastLine - firstLine + 1;
    part.turns.add(turn);
  }
  for (const { sessionUid, weight } of weighed) partOf(sessionUid).weight += weight;
  const all = files.reduce(
    (sum, { lines }) => sum + lines.reduce((own, { isAdded, weight }) => own + (isAdded ? weight : 0), 0),
    0,
  );
  for (const [uid, part] of parts) {
    if (part.weight < enough.weight && part.weight < all * enough.share) parts.delete(uid);
    else part.confidence = part.weight >= 2 * enough.weight ? 0.98 : 0.9;
  }
  for (const run of committing(change, runs)) {
    const part = partOf(run.sessionUid);
    if (part.lines === 0) part.how = "command";
    part.confidence = 1;
    part.turns.add(run.turn);
  }
  if (parts.size === 0)
    for (const write of removing(files, writes)) {
      const part = partOf(write.sessionUid);
      part.how = "removed";
      part.confidence = 0.85;
      part.turns.add(write.turn);
    }
  return [...parts]
    .map(([sessionUid, { turns, lines, how, confidence }]) => ({
      sessionUid,
      turns: [...turns].sort((a, b) => a - b),
      lines,
      how,
      confidence,
    }))
    .sort(
      (a, b) => b.lines - a.lines || b.confidence - a.confidence || a.sessionUid.localeCompare(b.sessionUid),
    );
}

/** What makes commits; a rebase or a pull makes those of others again. */
const makesCommits = /\bgit\b[^|;&\n]*\b(?:commit|cherry-pick|merge|revert|am)\b/;
/** Git tells of a commit when it is made, which has whole seconds. Milliseconds. */
const clockMs = 2000;

/**
 * The commands that made the commit, or the one that a rebase made it from: git told its hash, or it was made while
 * they ran, and no other session's did.
 */
function committing(
  { hash, authoredAt, committedAt }: ChangeToAttribute,
  runs: readonly ShellRun[],
): ShellRun[] {
  if (hash === null) return [];
  const during = (at: number) =>
    runs.filter(
      ({ startedAt, endedAt, command }) =>
        startedAt - clockMs <= at && at <= endedAt + clockMs && makesCommits.test(command),
    );
  const told = during(committedAt).filter(({ commits }) => commits.some((short) => hash.startsWith(short)));
  if (told.length > 0) return told;
  const silent = during(authoredAt).filter(({ commits }) => commits.length <= 1);
  return new Set(silent.map(({ sessionUid }) => sessionUid)).size === 1 ? silent : [];
}

/** Of a commit that only took lines out, the last write of each file that took the same lines out. */
function removing(files: readonly FileToAttribute[], writes: readonly Write[]): Write[] {
  return files.flatMap(({ change, removed }) => {
    const gone = removed.flat().map((line) => ({ ...line, isAdded: true }));
    const own = writes.filter(({ path }) => path === change.path || path === change.oldPath);
    const stretches = own.flatMap((write) =>
      write.hunks.map((hunk) => ({
        of: write,
        lines: hunk.removed.map((line) => ({ ...line, isNew: true })),
      })),
    );
    const support = new Map<Write, number>();
    for (const matches of align(gone, stretches).values()) {
      for (const match of matches) support.set(match.of, Math.max(support.get(match.of) ?? 0, match.support));
    }
    const fits = own.filter((write) => (support.get(write) ?? 0) >= enoughRemoved);
    return fits.slice(-1);
  });
}
