import { extname } from "node:path/posix";
import { readGitTextIfAny } from "../../git/git.ts";
import type { Lineage } from "../../git/history/ancestry.ts";
import type { ReadObjects } from "../../git/objects.ts";
import { findCommitByHash } from "../../store/memory/commits/commits.ts";
import type { Memory } from "../../store/memory/memory.ts";
import type { AttributionRecord } from "../../store/memory/memory-records.ts";
import { AttributionEvidence } from "../evidence/evidence.ts";
import { slackMs } from "../evidence/period.ts";
import { RecordedCommits } from "../evidence/recorded-commits.ts";
import { TurnActivity } from "../evidence/turn-activity.ts";
import { KeySet, packWriteKeys, type Write } from "../evidence/writes.ts";
import { findBindings, type WeightOfSession, weigh } from "../links/bind.ts";
import { addCopiesWithin, findCopiedFiles, findCopiedLines } from "./copied-files.ts";
import { type FileToAttribute, type MakeBare, readFilesToAttribute } from "./file-lines.ts";
import { countConsumedLines, fillBetween } from "./fill-between.ts";
import { judgeAddedLines, sure, weak } from "./line-verdicts.ts";
import { findLineOrigins, inheritVerdicts } from "./origins.ts";
import { addCopies, addFromSide } from "./other-commits.ts";
import {
  type AttributedChange,
  type AuthorVerdict,
  type ChangeToAttribute,
  isMovedLine,
  isSameVerdict,
  makeUnknownVerdict,
} from "./verdict.ts";
import { findWrittenLines } from "./written.ts";
import type { WrittenLine } from "./written-line.ts";

export interface AttributionSources {
  memory: Memory;
  root: string;
  worktrees: readonly string[];
  /** Unpacks turns once for several commits; without it this one has its own. */
  activity?: TurnActivity;
  recorded?: RecordedCommits;
  makeBare?: MakeBare;
  /** Opened once for several commits; without them git is started for each question. */
  readObjects?: ReadObjects | undefined;
  lineage?: Lineage | undefined;
}

/** Lines that weigh less are in many files; so many of the others make two files versions of one. */
const minTellingWeight = 0.8;
const sharedLines = 2;

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
  const { memory, root, worktrees, lineage, readObjects, makeBare } = sources;
  const { recorded = new RecordedCommits(memory) } = sources;
  const { activity = new TurnActivity(memory, { root, worktrees }) } = sources;
  const files = await readFilesToAttribute(
    { root, readObjects, makeBare },
    change.hash,
    change.files,
    signal,
  );
  if (files.length === 0)
    return { ranges: [], bindings: findBindingsWithoutLines(sources, change, activity) };
  const parentAt = change.parent === null ? null : await readCommitTime(memory, root, change.parent, signal);
  const attributionEvidence = new AttributionEvidence(memory, activity, change, parentAt, recorded);
  const paths = [...new Set(files.flatMap((file) => listOldAndNewPath(file)))];
  const keys = collectWeightyKeys(files);
  const all = attributionEvidence.findRelevantWrites(paths, keys);
  const own = all.filter(({ path }) => paths.includes(path));
  const holders = mapKeysToWrites(all, keys);
  const { parent } = change;
  const consumed =
    parent === null ? new Map() : await countConsumedLines({ memory, root, lineage }, parent, own, signal);
  const origins =
    parent === null ? new Map() : await findLineOrigins({ memory, root }, parent, files, signal);

  const ranges: AttributionRecord[] = [];
  const weighed = new Map<string, WeightOfSession>();
  const { freshSince, until } = attributionEvidence.period;
  const ownOf = new Map(files.map((file) => [file, findOwnWrites(file, all, holders, attributionEvidence)]));
  const written = new Map(
    files.map((file) => [
      file,
      findWrittenLines(file, ownOf.get(file)!, consumed, freshSince, until + slackMs),
    ]),
  );
  for (const lines of written.values()) {
    for (const { write, support } of lines.values())
      if (support >= sure) attributionEvidence.recordWritingSpan(write);
  }
  const attributed: { file: FileToAttribute; verdicts: Map<number, AuthorVerdict> }[] = [];
  for (const file of files) {
    signal?.throwIfAborted();
    const copies = findCopiedFiles(file, attributionEvidence);
    const copied =
      parent === null || copies.length === 0
        ? new Map<number, AuthorVerdict>()
        : await findCopiedLines({ memory, root, parent }, file, copies, signal);
    const verdicts = judgeAddedLines(file, {
      written: written.get(file)!,
      writes: ownOf.get(file)!,
      later: createLaterLineCheck(file, attributionEvidence),
      others: findOtherWrites(file, all, ownOf.get(file)!, holders),
      consumed,
      origins: new Map([...copied, ...(origins.get(file) ?? [])]),
      inherited: inheritVerdicts(memory, change.predecessors, file),
      attributionEvidence,
    });
    await addFromSide({ memory, root, lineage }, change, file, verdicts, signal);
    addCopies({ memory, recorded }, change, file, verdicts);
    attributed.push({ file, verdicts });
  }
  for (const { file, verdicts } of attributed) {
    const copies = findCopiedFiles(file, attributionEvidence);
    if (copies.length > 0) addCopiesWithin(file, verdicts, copies, attributed);
    weigh(file, verdicts, weighed);
    ranges.push(...buildAttributionRanges(file, fillBetween(file, verdicts)));
  }
  return {
    ranges,
    bindings: findBindings(change, ranges, weighed, { attributionEvidence, writes: own, files }),
  };
}

/** Those to a file, by its names. */
function findOwnWrites(
  file: FileToAttribute,
  all: readonly Write[],
  holders: ReadonlyMap<number, readonly number[]>,
  evidence: AttributionEvidence,
): Write[] {
  const own = new Set([...listOldAndNewPath(file), ...findEarlierNames(file, all, holders, evidence)]);
  return all.filter(({ path }) => own.has(path));
}

/**
 * The names that a new file had before it was committed: of files that agents wrote, that nobody ever committed, and that
 * have lines of it.
 */
function findEarlierNames(
  { change: { path: own, status }, lines }: FileToAttribute,
  all: readonly Write[],
  holders: ReadonlyMap<number, readonly number[]>,
  evidence: AttributionEvidence,
): string[] {
  if (status !== "A") return [];
  const shared = new Map<string, number>();
  for (const key of new Set(lines.flatMap((line) => (line.weight >= minTellingWeight ? [line.key] : [])))) {
    const paths = new Set((holders.get(key) ?? []).map((at) => all[at]!.path));
    for (const path of paths) if (path !== "") shared.set(path, (shared.get(path) ?? 0) + 1);
  }
  return [...shared].flatMap(([path, count]) =>
    count >= sharedLines && extname(path) === extname(own) && evidence.isNeverCommitted(path) ? [path] : [],
  );
}

/** Asked only for lines that would be a human's. */
function createLaterLineCheck(file: FileToAttribute, evidence: AttributionEvidence): (i: number) => boolean {
  let found: ReadonlyMap<number, WrittenLine> | null = null;
  return (i) => {
    // A command may write over what is there.
    found ??= findWrittenLines(
      file,
      evidence
        .findLaterWritesTo(listOldAndNewPath(file))
        .filter(({ how }) => how === "edit" || file.change.status === "A"),
      new Map(),
      0,
    );
    return (found.get(i)?.support ?? 0) >= sure;
  };
}

/** Of the added lines that say something alone. */
function collectWeightyKeys(files: readonly FileToAttribute[]): KeySet {
  const keys = new KeySet();
  for (const { lines } of files) {
    for (const { isAdded, key, weight } of lines) if (isAdded && weight >= weak) keys.add(key);
  }
  return keys;
}

/** The writes that hold an added line as a new one, by the line's key: their places in `all`. */
function mapKeysToWrites(all: readonly Write[], keys: KeySet): Map<number, number[]> {
  const found = new Map<number, number[]>();
  for (const [at, write] of all.entries()) {
    for (const key of packWriteKeys(write).added) {
      if (!keys.has(key)) continue;
      const known = found.get(key);
      if (known === undefined) found.set(key, [at]);
      else if (known.at(-1) !== at) known.push(at);
    }
  }
  return found;
}

/** What was written elsewhere and holds lines that the change added here; oldest first. */
function findOtherWrites(
  file: FileToAttribute,
  all: readonly Write[],
  own: readonly Write[],
  holders: ReadonlyMap<number, readonly number[]>,
): Write[] {
  const isOwn = new Set(own);
  const found = new Set<number>();
  for (const { isAdded, key, weight } of file.lines) {
    if (isAdded && weight >= weak) for (const at of holders.get(key) ?? []) found.add(at);
  }
  return [...found]
    .sort((a, b) => a - b)
    .map((at) => all[at]!)
    .filter((write) => !isOwn.has(write));
}

const listOldAndNewPath = ({ change: { path, oldPath } }: FileToAttribute) =>
  oldPath === null ? [path] : [path, oldPath];

/** A change without text: its committer is the only evidence. */
function findBindingsWithoutLines(
  { memory, recorded }: AttributionSources,
  change: ChangeToAttribute,
  activity: TurnActivity,
) {
  const attributionEvidence = new AttributionEvidence(memory, activity, change, null, recorded);
  return findBindings(change, [], new Map(), { attributionEvidence, writes: [], files: [] });
}

async function readCommitTime(
  memory: Memory,
  root: string,
  hash: string,
  signal?: AbortSignal,
): Promise<number | null> {
  const known = findCommitByHash(memory, hash);
  if (known) return known.committedAt;
  const shown = await readGitTextIfAny(
    root,
    ["show", "-s", "--no-show-signature", "--format=%ct", "--end-of-options", hash],
    signal,
  );
  return shown === null ? null : Number(shown) * 1000;
}

/** All added lines of a file, in ranges; those without a verdict are unknown. */
function buildAttributionRanges(
  { change, printed }: FileToAttribute,
  byLine: ReadonlyMap<number, AuthorVerdict>,
): AttributionRecord[] {
  const ranges: (AttributionRecord & { verdict: AuthorVerdict })[] = [];
  for (const { newStart, added, removed } of change.hunks) {
    for (let line = newStart; line < newStart + added.length; line++) {
      const known = printed.has(line) ? undefined : byLine.get(line);
      const isPart =
        known !== undefined && !isMovedLine(known) && keepsMost(added[line - newStart]!, removed);
      const verdict = isPart ? makeUnknownVerdict("several") : (known ?? makeUnknownVerdict());
      const last = ranges.at(-1);
      if (last && last.lastLine === line - 1 && isSameVerdict(last.verdict, verdict)) last.lastLine = line;
      else ranges.push({ path: change.path, firstLine: line, lastLine: line, ...verdict, verdict });
    }
  }
  return ranges.map(({ verdict: _, ...range }) => range);
}

/** Longer lines hold more than what somebody writes at once: one-line JSON, a minified picture, a paragraph. Characters. */
const minLongLine = 400;

/** Whether a long line is a removed one of which less than half was changed: then it has no one author. */
function keepsMost(line: string, removed: readonly string[]): boolean {
  if (line.length < minLongLine) return false;
  return removed.some((before) => {
    if (before.length < line.length / 2) return false;
    const left = countWords(before);
    let kept = 0;
    for (const [word, count] of countWords(line)) kept += word.length * Math.min(count, left.get(word) ?? 0);
    return kept >= line.length / 2;
  });
}

function countWords(line: string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const word of line.match(/[\p{L}\p{N}_]+|[^\p{L}\p{N}_\s]+|\s+/gu) ?? [])
    counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}
