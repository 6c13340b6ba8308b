import type { ShellRun, Write } from "./writes.ts";

/**
 * A transcript's times are those of the machine or container that its agent ran on; files and commits have those of this
 * one. How far apart they are shows where one event has both times.
 */

/** Clocks further apart than this are not compared. Milliseconds. */
export const widestOffset = 26 * 3_600_000;
/** Closer ones are the same: what is between a call and its result is unknown. Milliseconds. */
const least = 15_000;
/** What one clock says of two events may differ by this much more. Milliseconds. */
const spread = 60_000;
const slackMs = 2000;
const lateMs = 10_000;
/** Lines that weigh less are in many places. */
const weighty = 0.5;
const blockWeight = 4;

export interface ClockEvidence {
  /** With the times of the transcripts. */
  writes: readonly Write[];
  runs: readonly ShellRun[];
  /** When lines showed up in a file. */
  seenIn(path: string): ReadonlyMap<number, readonly number[]>;
  /** When a commit was made, of which only the beginning of the hash is known. */
  committedAt(short: string): number | null;
  /** The keys that the change added to a file. */
  addedTo(path: string): ReadonlySet<number>;
  /** Files that are new in the change. */
  isNew(path: string): boolean;
  /** When the first commit was made that holds lines of a call; null: none that is stored. */
  heldSince(write: Write): number | null;
  /** Nothing later can have led to the change. */
  until: number;
}

/** By session, without those of subagents. */
export interface Clocks {
  /** A session's clock less this machine's, where they differ. Milliseconds. */
  offsets: ReadonlyMap<string, number>;
  /** Sessions whose clocks are right. */
  right: ReadonlySet<string>;
}

export function clocksOf(evidence: ClockEvidence): Clocks {
  const votes = new Map<string, number[]>();
  const vote = (uid: string, offset: number) => {
    const session = clockOf(uid);
    const known = votes.get(session);
    if (known) known.push(offset);
    else votes.set(session, [offset]);
  };
  for (const run of evidence.runs) {
    for (const short of run.commits) {
      const at = evidence.committedAt(short);
      if (at === null) continue;
      const isThen = at >= run.startedAt - slackMs && at <= run.endedAt + slackMs;
      const offset = isThen ? 0 : run.endedAt - at;
      // A hash is certain.
      if (Number.isFinite(offset)) for (let n = 0; n < 4; n++) vote(run.sessionUid, offset);
    }
  }
  for (const write of evidence.writes) {
    const offset = offsetBySight(write, evidence.seenIn(write.path));
    if (offset === null) continue;
    vote(write.sessionUid, offset.ms);
    // A whole block at once is no coincidence.
    if (offset.weight >= blockWeight) vote(write.sessionUid, offset.ms);
  }
  const offsets = new Map<string, number>();
  const right = new Set<string>();
  for (const [session, all] of votes) {
    const offset = agreed(all);
    if (offset !== 0) offsets.set(session, offset);
    else if (all.includes(0)) right.add(session);
  }
  for (const [session, offset] of ahead(evidence, votes)) offsets.set(session, offset);
  return { offsets, right };
}

/** Subagents run where their session does. */
export const clockOf = (sessionUid: string): string => sessionUid.split("/", 1)[0]!;

/** Whether most of a write's lines showed up together, and how far from when it says that it wrote them. */
function offsetBySight(
  write: Write,
  seen: ReadonlyMap<number, readonly number[]>,
): { ms: number; weight: number } | null {
  if (write.startedAt === 0 || seen.size === 0) return null;
  const lines = write.hunks
    .flatMap((hunk) => hunk.lines)
    .filter(({ isNew, weight }) => isNew && weight >= weighty);
  const keys = new Set(lines.map(({ key }) => key));
  const total = lines.reduce((sum, { weight }) => sum + weight, 0);
  if (total < 1.5) return null;
  const together = new Map<number, number>();
  for (const key of keys) {
    for (const at of seen.get(key) ?? []) together.set(at, (together.get(at) ?? 0) + 1);
  }
  const times = [...together].filter(([, count]) => count >= keys.size / 2).map(([at]) => at);
  if (times.length === 0) return null;
  if (times.some((at) => at >= write.startedAt - slackMs && at <= write.at + lateMs))
    return { ms: 0, weight: total };
  const offsets = times.map((at) => write.startedAt - at);
  return { ms: offsets.reduce((a, b) => (Math.abs(b) < Math.abs(a) ? b : a)), weight: total };
}

/** The offset that most agree on; 0 where they do not. */
function agreed(offsets: readonly number[]): number {
  const near = (one: number) => offsets.filter((other) => Math.abs(other - one) <= spread);
  const best = offsets.map(near).reduce((a, b) => (b.length > a.length ? b : a));
  const offset = [...best].sort((a, b) => a - b)[best.length >> 1]!;
  const isOff = Math.abs(offset) > least && Math.abs(offset) <= widestOffset;
  return isOff && best.length >= 2 && best.length > offsets.length / 2 ? offset : 0;
}

/**
 * Sessions that wrote, by their own clocks after the commit, what it holds: their clocks are ahead, at least by so much
 * that they wrote it before. What was removed before and is written again says nothing.
 */
function ahead(
  { writes, addedTo, isNew, heldSince, until }: ClockEvidence,
  votes: ReadonlyMap<string, readonly number[]>,
): Map<string, number> {
  const offsets = new Map<string, number>();
  const later = new Map<string, Write[]>();
  for (const write of writes) {
    const session = clockOf(write.sessionUid);
    if (write.startedAt === 0 || votes.has(session)) continue;
    const held = heldSince(write);
    if (held !== null && write.startedAt - held > least)
      offsets.set(session, Math.max(offsets.get(session) ?? 0, write.startedAt - held));
    // A command may write over what is there.
    if (write.startedAt <= until + slackMs || (write.how !== "edit" && !isNew(write.path))) continue;
    later.set(session, [...(later.get(session) ?? []), write]);
  }
  for (const [session, own] of later) {
    const gone = new Set<number>();
    let [matched, missed, last] = [0, 0, 0];
    for (const write of own.sort((a, b) => a.startedAt - b.startedAt)) {
      for (const hunk of write.hunks) for (const { key } of hunk.removed) gone.add(key);
      const added = addedTo(write.path);
      const lines = write.hunks
        .flatMap((hunk) => hunk.lines)
        .filter(({ isNew, weight }) => isNew && weight >= weighty);
      const weight = lines.reduce((sum, line) => sum + line.weight, 0);
      const here = lines
        .filter(({ key }) => added.has(key) && !gone.has(key))
        .reduce((sum, line) => sum + line.weight, 0);
      if (weight < 1) continue;
      matched += here;
      missed += weight - here;
      if (matched < missed * 1.5) break;
      if (here >= weight * 0.6) last = write.startedAt;
    }
    if (last > 0 && matched >= 3)
      offsets.set(session, Math.max(offsets.get(session) ?? 0, last - until + 1000));
  }
  return offsets;
}
