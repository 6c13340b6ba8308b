import { addTo } from "../../base/multimap.ts";
import { findTransferSources, isFileCreation } from "../commands/command-means.ts";
import type { ShellRun, Write } from "./writes.ts";

/**
 * A transcript's times are those of the machine or container that its agent ran on; files and commits have those of this
 * one. How far apart they are shows where one event has both times.
 */

/** Clocks further apart than this are not compared. Milliseconds. */
export const widestOffset = 26 * 3_600_000;
/** Closer ones are the same: what is between a call and its result is unknown. Milliseconds. */
const minOffsetMs = 15_000;
/** What one clock says of two events may differ by this much more. Milliseconds. */
const spread = 60_000;
const slackMs = 2000;
const lateMs = 10_000;
/** Lines that weigh less are in many places. */
const weighty = 0.5;
const blockWeight = 4;
const blockLines = 4;
/** Of a larger change the first ones are enough. */
const mostPaths = 300;

interface ClockEvidence {
  /** With the times of the transcripts. */
  writes: readonly Write[];
  runs: readonly ShellRun[];
  /** Of the change. */
  paths: readonly string[];
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
  /** Sessions whose clocks are wrong, as far as that shows, by nobody knows how much. */
  unclear: ReadonlySet<string>;
}

export function estimateClocks(evidence: ClockEvidence): Clocks {
  const votes = new Map<string, Vote[]>();
  const vote = (uid: string, offsets: Vote) => {
    const session = findClockSession(uid);
    addTo(votes, session, offsets);
  };
  const seen = evidence.paths.slice(0, mostPaths).filter((path) => evidence.seenIn(path).size > 0);
  for (const run of evidence.runs) {
    for (const { hash } of run.commits) {
      const at = evidence.committedAt(hash);
      if (at === null) continue;
      const isThen = at >= run.startedAt - slackMs && at <= run.endedAt + slackMs;
      // A hash is certain.
      for (let n = 0; n < 4; n++) vote(run.sessionUid, [isThen ? 0 : run.endedAt - at]);
    }
    if (seen.length === 0) continue;
    const offsets = findOffsetsByMaking(run, seen, evidence.seenIn);
    if (offsets.length > 0) vote(run.sessionUid, offsets);
  }
  for (const write of evidence.writes) {
    const sights = evidence.seenIn(write.path);
    if (write.startedAt === 0 || sights.size === 0) continue;
    const { offsets, weight } = findOffsetsBySight(write, sights);
    if (offsets.length === 0) continue;
    vote(write.sessionUid, offsets);
    // A whole block at once is no coincidence.
    if (weight >= blockWeight) vote(write.sessionUid, offsets);
  }
  const offsets = new Map<string, number>();
  const right = new Set<string>();
  const unclear = new Set<string>();
  for (const [session, all] of votes) {
    const offset = chooseAgreedOffset(all);
    if (offset !== 0) offsets.set(session, offset);
    else if (all.some((each) => each.includes(0))) right.add(session);
    else if (all.every((each) => each.every((one) => Math.abs(one) > minOffsetMs))) unclear.add(session);
  }
  for (const [session, offset] of findClocksAhead(evidence, votes)) offsets.set(session, offset);
  return { offsets, right, unclear };
}

/** What a session's clock may be ahead by, as one event shows. */
type Vote = readonly number[];

/** A command that makes a file by its name ran when the file's lines showed up. */
function findOffsetsByMaking(run: ShellRun, paths: readonly string[], seenIn: ClockEvidence["seenIn"]): Vote {
  if (!run.mayWrite || run.isBackground) return [];
  for (const path of paths) {
    if (!run.command.includes(path) || !isFileCreation(run.command, path)) continue;
    // What is moved here keeps its time.
    if (findTransferSources(run.command, path) !== null) continue;
    const counts = new Map<number, number>();
    for (const times of seenIn(path).values()) {
      for (const at of times) counts.set(at, (counts.get(at) ?? 0) + 1);
    }
    const together = [...counts].filter(([, count]) => count >= blockLines).map(([at]) => at);
    if (together.length === 0) continue;
    if (together.some((at) => at >= run.startedAt - slackMs && at <= run.endedAt + lateMs)) return [0];
    return together.map((at) => run.startedAt - at);
  }
  return [];
}

/** Subagents run where their session does. */
export function findClockSession(sessionUid: string): string {
  const end = sessionUid.indexOf("/");
  return end === -1 ? sessionUid : sessionUid.slice(0, end);
}

/** What a write holds that is not everywhere. */
interface Weighty {
  lines: readonly { key: number; weight: number }[];
  /** Of all of them. */
  weight: number;
}

const weightyLinesByHunks = new WeakMap<Write["hunks"], Weighty>();

function findWeightyLines({ hunks }: Write): Weighty {
  let found = weightyLinesByHunks.get(hunks);
  if (found === undefined) {
    const lines = hunks
      .flatMap((hunk) => hunk.lines)
      .filter(({ isNew, weight }) => isNew && weight >= weighty);
    found = { lines, weight: lines.reduce((sum, line) => sum + line.weight, 0) };
    weightyLinesByHunks.set(hunks, found);
  }
  return found;
}

/** When most of a write's lines showed up together, against when it says that it wrote them. */
function findOffsetsBySight(
  write: Write,
  seen: ReadonlyMap<number, readonly number[]>,
): { offsets: Vote; weight: number } {
  const { lines, weight: total } = findWeightyLines(write);
  const keys = new Set(lines.map(({ key }) => key));
  if (total < 1.5) return { offsets: [], weight: total };
  const together = new Map<number, number>();
  for (const key of keys) {
    for (const at of seen.get(key) ?? []) together.set(at, (together.get(at) ?? 0) + 1);
  }
  const times = [...together].filter(([, count]) => count >= keys.size / 2).map(([at]) => at);
  const isThen = times.some((at) => at >= write.startedAt - slackMs && at <= write.at + lateMs);
  return { offsets: isThen ? [0] : times.map((at) => write.startedAt - at), weight: total };
}

/** The offset that most agree on; 0 where they do not. */
function chooseAgreedOffset(votes: readonly Vote[]): number {
  if (votes.every((vote) => vote.length === 1 && vote[0] === 0)) return 0;
  const isNear = (one: number) => (other: number) => Math.abs(other - one) <= spread;
  const near = (one: number) => votes.flatMap((vote) => vote.find(isNear(one)) ?? []);
  const best = votes
    .flat()
    .map(near)
    .reduce((a, b) => (b.length > a.length ? b : a));
  const offset = [...best].sort((a, b) => a - b)[best.length >> 1]!;
  const isOff = Math.abs(offset) > minOffsetMs && Math.abs(offset) <= widestOffset;
  return isOff && best.length >= 2 && best.length > votes.length / 2 ? offset : 0;
}

/**
 * Sessions that wrote, by their own clocks after the commit, what it holds: their clocks are ahead, at least by so much
 * that they wrote it before. What was removed before and is written again says nothing.
 */
function findClocksAhead(
  { writes, addedTo, isNew, heldSince, until }: ClockEvidence,
  votes: ReadonlyMap<string, readonly Vote[]>,
): Map<string, number> {
  const offsets = new Map<string, number>();
  const later = new Map<string, Write[]>();
  for (const write of writes) {
    const session = findClockSession(write.sessionUid);
    if (write.startedAt === 0 || votes.has(session)) continue;
    const held = heldSince(write);
    if (held !== null && write.startedAt - held > minOffsetMs)
      offsets.set(session, Math.max(offsets.get(session) ?? 0, write.startedAt - held));
    // A command may write over what is there.
    if (write.startedAt <= until + slackMs || (write.how !== "edit" && !isNew(write.path))) continue;
    addTo(later, session, write);
  }
  for (const [session, own] of later) {
    if (!own.some(({ path }) => addedTo(path).size > 0)) continue;
    const gone = new Set<number>();
    let [matched, missed, blocks, last] = [0, 0, 0, 0];
    for (const write of own.sort((a, b) => a.startedAt - b.startedAt)) {
      for (const hunk of write.hunks) for (const { key } of hunk.removed) gone.add(key);
      const added = addedTo(write.path);
      const { lines, weight } = findWeightyLines(write);
      const here = lines
        .filter(({ key }) => added.has(key) && !gone.has(key))
        .reduce((sum, line) => sum + line.weight, 0);
      if (weight < 1) continue;
      matched += here;
      missed += weight - here;
      if (here < weight * 0.6) continue;
      if (here >= blockWeight) blocks++;
      // The rest was written later, or is in no commit.
      if (matched >= 3 && matched >= missed * (blocks > 1 ? 1 : 1.5)) last = write.startedAt;
    }
    if (last > 0) offsets.set(session, Math.max(offsets.get(session) ?? 0, last - until + 1000));
  }
  return offsets;
}
