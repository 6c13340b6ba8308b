import { GitFailure, gitText } from "../../git/git.ts";
import { commitByHash } from "../../store/memory/commits/commits.ts";
import type { AttributionRecord } from "../../store/memory/git-records.ts";
import type { Memory } from "../../store/memory/memory.ts";
import { AttributionEvidence } from "../evidence/judge.ts";
import { TurnActivity } from "../evidence/turn-activity.ts";
import type { Write } from "../evidence/writes.ts";
import { bindingsOf, type Weighed } from "./bind.ts";
import { consumedBefore } from "./consumed.ts";
import { type FileToAttribute, filesOf } from "./file-lines.ts";
import { fillBetween } from "./fill-between.ts";
import { isCut } from "./left-out.ts";
import { inheritedFrom, originsOf } from "./origins.ts";
import type { AttributedChange, ChangeToAttribute } from "./types.ts";
import { isSameVerdict, unknown, type Verdict } from "./verdict.ts";
import { writtenBy } from "./written.ts";

export interface AttributionSources {
  memory: Memory;
  root: string;
  worktrees: readonly string[];
  /** Unpacks turns once for several commits; without it this one has its own. */
  activity?: TurnActivity;
}

/** A transcript's times and git's are of clocks and roundings of their own. Milliseconds. */
const slack = 2000;
/** The weight of a line and its neighbours that makes a match certain. */
const sure = 1;
/** A line elsewhere must weigh this much with its neighbours to be the one that an agent wrote. */
const elsewhere = 2;

/**
 * Finds who wrote the lines that a change added, in this order: a line that was there before keeps its author; lines
 * from a tool call, or in a command, are the agent's; lines of a commit that this one replaces keep their verdicts; the
 * time when a line showed up shows its author; lines that only a human can have written are a human's. Everything else
 * is unknown.
 */
export async function attributeChange(
  sources: AttributionSources,
  change: ChangeToAttribute,
  signal?: AbortSignal,
): Promise<AttributedChange> {
  const { memory, root, worktrees, activity = new TurnActivity(memory, { root, worktrees }) } = sources;
  const files = await filesOf(root, change.hash, change.files, signal);
  if (files.length === 0) return { ranges: [], bindings: bindingsWithoutLines(change, activity, memory) };
  const parentAt = change.parent === null ? null : await timeOf(memory, root, change.parent, signal);
  const attributionEvidence = new AttributionEvidence(memory, activity, change, parentAt);
  const paths = [...new Set(files.flatMap((file) => pathsOf(file)))];
  const writes = activity.writesTo(paths, attributionEvidence.until + slack);
  const named = attributionEvidence.shellWrites.flatMap((write) => {
    const path = paths.find((each) => isSamePath(each, write.path));
    return path === undefined ? [] : [{ ...write, path }];
  });
  const all = [...writes, ...named].sort((a, b) => a.at - b.at);
  const { parent } = change;
  const consumed = parent === null ? new Map() : await consumedBefore({ memory, root }, parent, all, signal);
  const origins = parent === null ? new Map() : await originsOf({ memory, root }, parent, files, signal);

  const ranges: AttributionRecord[] = [];
  const weighed: Weighed[] = [];
  for (const file of files) {
    signal?.throwIfAborted();
    const own = new Set(pathsOf(file));
    const verdicts = verdictsOf(file, {
      writes: all.filter(({ path }) => own.has(path)),
      others: file.removed.length > 0 || files.length > 1 ? all.filter(({ path }) => !own.has(path)) : [],
      consumed,
      origins: origins.get(file) ?? new Map(),
      inherited: inheritedFrom(memory, change.predecessors, file),
      attributionEvidence,
    });
    for (const [i, verdict] of verdicts) {
      const { sessionUid, turn } = verdict;
      if (sessionUid === null || turn === null || verdict.how === "moved") continue;
      weighed.push({ sessionUid, turn, weight: file.lines[i]!.weight });
    }
    ranges.push(...rangesOf(file, fillBetween(file, verdicts)));
  }
  return {
    ranges,
    bindings: bindingsOf(change, ranges, weighed, { attributionEvidence, writes: all, files }),
  };
}

interface Evidence {
  writes: readonly Write[];
  /** To other files of the change. */
  others: readonly Write[];
  consumed: ReadonlyMap<string, ReadonlyMap<number, number>>;
  origins: ReadonlyMap<number, Verdict>;
  inherited: ReadonlyMap<number, { verdict: Verdict; support: number }>;
  attributionEvidence: AttributionEvidence;
}

/** Who wrote the added lines, by index in `lines`; of lines that say nothing alone only where they are known. */
function verdictsOf(file: FileToAttribute, evidence: Evidence): Map<number, Verdict> {
  const { writes, others, consumed, origins, inherited, attributionEvidence } = evidence;
  const { freshSince } = attributionEvidence;
  const written = writtenBy(file, writes, consumed, freshSince);
  const moved = others.length > 0 ? writtenBy(file, others, new Map(), 0) : new Map();
  const seen = attributionEvidence.seenIn(file.change.path);
  const mayBeLeftOut = writes.some((write) => write.at >= freshSince && isCut(write));
  const verdicts = new Map<number, Verdict>();
  file.lines.forEach(({ isAdded, key, weight }, i) => {
    if (!isAdded) return;
    const origin = origins.get(i);
    const match = written.get(i);
    const before = inherited.get(i);
    const times = seen.get(key);
    const isSeen = match ? attributionEvidence.agrees(times, match.write) : "no";
    if (origin) verdicts.set(i, origin);
    else if (match && isSeen !== "no" && match.support >= sure) verdicts.set(i, match.verdict);
    else if (before) verdicts.set(i, before.verdict);
    else if (match && isSeen === "yes") verdicts.set(i, match.verdict);
    else if (match && (isSeen === "mixed" || match.support >= sure)) verdicts.set(i, unknown);
    else if ((moved.get(i)?.support ?? 0) >= elsewhere)
      verdicts.set(i, { ...moved.get(i)!.verdict, how: "moved", confidence: 0.8 });
    else if (times !== undefined && weight >= 0.15)
      verdicts.set(i, attributionEvidence.byFirstSeen(file.change.path, times, writes));
    else if (weight >= 0.5)
      verdicts.set(i, mayBeLeftOut ? unknown : attributionEvidence.byAbsence(file.change));
  });
  return verdicts;
}

const pathsOf = ({ change: { path, oldPath } }: FileToAttribute) =>
  oldPath === null ? [path] : [path, oldPath];

/** Of a command only the end of a path may be known. */
function isSamePath(path: string, inCommand: string): boolean {
  const named = inCommand.replace(/^(?:\.\/)+/, "");
  return path === named || (named.length > 2 && path.endsWith(`/${named}`)) || named.endsWith(`/${path}`);
}

/** A change without text: its committer is the only evidence. */
function bindingsWithoutLines(change: ChangeToAttribute, activity: TurnActivity, memory: Memory) {
  const attributionEvidence = new AttributionEvidence(memory, activity, change, null);
  return bindingsOf(change, [], [], { attributionEvidence, writes: [], files: [] });
}

async function timeOf(
  memory: Memory,
  root: string,
  hash: string,
  signal?: AbortSignal,
): Promise<number | null> {
  const known = commitByHash(memory, hash);
  if (known) return known.committedAt;
  try {
    return (
      Number(await gitText(root, ["show", "-s", "--no-show-signature", "--format=%ct", hash], signal)) * 1000
    );
  } catch (error) {
    if (error instanceof GitFailure) return null;
    throw error;
  }
}

/** All added lines of a file, in ranges; those without a verdict are unknown. */
function rangesOf({ change }: FileToAttribute, byLine: ReadonlyMap<number, Verdict>): AttributionRecord[] {
  const ranges: (AttributionRecord & { verdict: Verdict })[] = [];
  for (const { newStart, added } of change.hunks) {
    for (let line = newStart; line < newStart + added.length; line++) {
      const verdict = byLine.get(line) ?? unknown;
      const last = ranges.at(-1);
      if (last && last.lastLine === line - 1 && isSameVerdict(last.verdict, verdict)) last.lastLine = line;
      else ranges.push({ path: change.path, firstLine: line, lastLine: line, ...verdict, verdict });
    }
  }
  return ranges.map(({ verdict: _, ...range }) => range);
}
