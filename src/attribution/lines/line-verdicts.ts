import { canConcernFile } from "../commands/command-means.ts";
import type { AttributionEvidence } from "../evidence/evidence.ts";
import { Judge } from "../evidence/judge.ts";
import { isRenamedLine, type OpaqueCall } from "../evidence/opaque-calls.ts";
import { KeySet, packWriteKeys, type ShellRun, type Write } from "../evidence/writes.ts";
import type { FileToAttribute } from "./file-lines.ts";
import { isCut } from "./fill-between.ts";
import { computeLineKey } from "./line-keys.ts";
import { findUnbrokenLines } from "./reflow.ts";
import { type AuthorVerdict, changeVerdictBasis, makeAgentVerdict, makeUnknownVerdict } from "./verdict.ts";
import { findWrittenLines } from "./written.ts";
import type { WrittenLine } from "./written-line.ts";

/** The weight of a line and its neighbours that makes a match certain. */
export const sure = 1;
/** A line elsewhere must weigh this much with its neighbours to be the one that an agent wrote. */
const minWeightElsewhere = 2;
/** Such a line is nowhere by chance. Characters. */
const minUniqueLineChars = 30;
/** Of its lines, for a file to be written anew. */
const anewShare = 0.7;
/** Lines that weigh less say nothing alone. */
export const weak = 0.15;
/** Lines that weigh less may be in a file by chance several times. */
const commonLineWeight = 1;
/** So many lines of a script's texts in a file show that it wrote that file. */
const scriptLines = 2;

/** What is known of a file's lines. */
export interface LineEvidence {
  written: ReadonlyMap<number, WrittenLine>;
  writes: readonly Write[];
  /** Whether a line is in what was written later, by a clock that may be wrong. */
  later: (i: number) => boolean;
  /** To other files, and texts of commands. */
  others: readonly Write[];
  consumed: Consumed;
  origins: ReadonlyMap<number, AuthorVerdict>;
  inherited: ReadonlyMap<number, { verdict: AuthorVerdict; support: number }>;
  attributionEvidence: AttributionEvidence;
}

type Consumed = ReadonlyMap<string, ReadonlyMap<number, number>>;

/** Who wrote the added lines, by index in `lines`; of lines that say nothing alone only where they are known. */
export function judgeAddedLines(file: FileToAttribute, evidence: LineEvidence): Map<number, AuthorVerdict> {
  const { written, writes, later, others, consumed, origins, inherited, attributionEvidence } = evidence;
  const { path, status } = file.change;
  const { sightings, period } = attributionEvidence;
  const { freshSince } = period;
  const judge = new Judge(attributionEvidence);
  const moved =
    others.length > 0 ? findWrittenLines(file, others, new Map(), 0) : new Map<number, WrittenLine>();
  const spelledBy = findWritingScripts(moved);
  let called: KeySet | null = null;
  const isCalled = (key: number) => {
    called ??= collectKeysAddedBy([...writes, ...others]);
    return called.has(key);
  };
  const replaced = findReplacedLines(file, attributionEvidence);
  const verbatim = findVerbatimKeys(file, writes, consumed);
  const spare = findSpareKeys(file, evidence, freshSince);
  const seen = sightings.getSightings(path);
  const fresh = sightings.getFreshSightings(path);
  const unbroken = findUnbrokenLines(file.lines, seen);
  const mayBeLeftOut = writes.some((write) => write.at >= freshSince && isCut(write));
  const isAnew =
    status === "A" || file.lines.filter(({ isAdded }) => isAdded).length >= file.lines.length * anewShare;
  const verdicts = new Map<number, AuthorVerdict>();
  file.lines.forEach(({ isAdded, key, bare, weight }, i) => {
    if (!isAdded) return;
    const origin = origins.get(i);
    const match = written.get(i);
    const before = inherited.get(i);
    const times = seen.get(key);
    const isSeen = match ? attributionEvidence.compareWithSightings(times, match.write) : "no";
    const elsewhereMatch = moved.get(i);
    const replacement = replaced.get(key);
    const whole = unbroken.get(i);
    const line = {
      path,
      bare,
      key,
      isNewFile: status === "A",
      isAnew,
      spelledBy,
      // A call's own text is found by its words.
      unbroken: whole && !isCalled(whole.key) ? whole : null,
    };
    const isVerbatim = () =>
      (weight >= 0.5 && spare.has(key)) ||
      (weight >= 0.8 && (verbatim.has(key) || later(i))) ||
      (bare.length >= minUniqueLineChars && isCalled(key));
    if (origin) verdicts.set(i, origin);
    else if (match && isSeen === "before" && match.support >= sure && !before)
      verdicts.set(i, makeUnknownVerdict("several"));
    else if (match && (isSeen === "yes" || isSeen === "mixed") && match.support >= sure)
      verdicts.set(i, applyBasis(match.verdict, times === undefined ? "written_unseen" : "written"));
    else if (before) verdicts.set(i, before.verdict);
    else if (match && isSeen === "yes")
      verdicts.set(i, applyBasis(match.verdict, times === undefined ? "written_unseen" : "written"));
    // Seen at another time: the clock, a slow watcher, or somebody put it back. It is still the call's text.
    else if (match && isSeen !== "before" && match.support >= sure)
      verdicts.set(i, applyBasis(match.verdict, "written_elsewhen"));
    else if (match && isSeen === "mixed") verdicts.set(i, makeUnknownVerdict("several"));
    else if (elsewhereMatch && elsewhereMatch.support >= chooseNeededWeight(elsewhereMatch.write, path))
      verdicts.set(i, {
        ...changeVerdictBasis(
          elsewhereMatch.verdict,
          elsewhereMatch.write.toolUse === "" ? "replied" : "elsewhere",
          elsewhereMatch.write.how === "shell" ? "shell" : "moved",
        ),
        toolUse: elsewhereMatch.write.toolUse || null,
      });
    else if (replacement && weight >= weak)
      verdicts.set(i, makeAgentVerdict(replacement, "command" in replacement ? "shell" : "edit", "replaced"));
    else if (times !== undefined && weight >= weak)
      verdicts.set(
        i,
        excludeVerbatim(judge.judgeByFirstSeen(line, fresh.get(key) ?? times, writes), isVerbatim),
      );
    // A short line says as much where no call has one like it.
    else if (weight >= 0.5 || (weight >= weak && !isCalled(key)))
      verdicts.set(
        i,
        mayBeLeftOut
          ? makeUnknownVerdict("left_out")
          : excludeVerbatim(judge.judgeByAbsence(line), isVerbatim),
      );
  });
  addBetween(file, verdicts);
  withdrawCommon(file, writes, verdicts);
  // Beside lines that an agent may have written a line is not older than all sessions.
  const isOfAgents = [...verdicts.values()].some(
    ({ author, basis }) => author === "agent" || basis === "verbatim",
  );
  if (isOfAgents) {
    for (const [i, { basis }] of verdicts)
      if (basis === "not_covered") verdicts.set(i, makeUnknownVerdict("several"));
  }
  return verdicts;
}

/** How far its neighbours may be from a line that several may have written. Lines. */
const nextTo = 3;

/** A line that anybody may have written is of those who wrote what is on both sides of it. */
function addBetween({ lines }: FileToAttribute, verdicts: Map<number, AuthorVerdict>): void {
  const isOpen = (verdict: AuthorVerdict | undefined) =>
    verdict?.author === "unknown" && (verdict.basis === "several" || verdict.basis === "verbatim");
  const neighbour = (i: number, step: 1 | -1): AuthorVerdict | null => {
    for (let n = 1; n <= nextTo; n++) {
      const at = i + n * step;
      if (!lines[at]?.isAdded || Math.abs(lines[at].line - lines[i]!.line) > nextTo) return null;
      const verdict = verdicts.get(at);
      if (verdict && !isOpen(verdict)) return verdict;
    }
    return null;
  };
  const found = new Map<number, AuthorVerdict>();
  for (const [i, verdict] of verdicts) {
    if (!isOpen(verdict)) continue;
    const [above, below] = [neighbour(i, -1), neighbour(i, 1)];
    if (above === null || below === null || above.author !== below.author || above.author === "unknown")
      continue;
    if (above.sessionUid !== below.sessionUid) continue;
    // A longer line is not the same by chance.
    if (verdict.basis === "verbatim" && above.author === "human" && lines[i]!.weight >= commonLineWeight)
      continue;
    found.set(i, above);
  }
  for (const [i, verdict] of found) verdicts.set(i, verdict);
}

/**
 * When a line showed up is known of its text, not of its place: where a file has a common line several times, and a call
 * wrote one of them, it is a human's only beside other lines of a human. So is a common line between lines of an agent.
 */
function withdrawCommon(
  { lines }: FileToAttribute,
  writes: readonly Write[],
  verdicts: Map<number, AuthorVerdict>,
): void {
  if (![...verdicts.values()].some(({ author }) => author === "human")) return;
  const places = new Map<number, number>();
  for (const { key } of lines) places.set(key, (places.get(key) ?? 0) + 1);
  const called = new Set<number>();
  for (const { hunks } of writes) {
    for (const line of hunks.flatMap((hunk) => hunk.lines)) {
      if (line.isNew || line.isBack) called.add(line.key);
    }
  }
  const isAgents = (i: number) => lines[i]?.isAdded === true && verdicts.get(i)?.author === "agent";
  const isCommon = (i: number) => {
    const { key, weight } = lines[i]!;
    if (weight >= commonLineWeight || !called.has(key)) return false;
    return places.get(key)! > 1 || (isAgents(i - 1) && isAgents(i + 1));
  };
  const isHumans = (i: number, step: 1 | -1): boolean => {
    for (let at = i + step; lines[at]?.isAdded; at += step) {
      if (Math.abs(lines[at]!.line - lines[i]!.line) > nextTo) return false;
      if (verdicts.has(at) && !isCommon(at)) return verdicts.get(at)!.author === "human";
    }
    return false;
  };
  for (const [i, { author, basis }] of [...verdicts]) {
    if (author !== "human" || (basis !== "alone" && basis !== "absence") || !isCommon(i)) continue;
    if (!isHumans(i, -1) && !isHumans(i, 1)) verdicts.set(i, makeUnknownVerdict("several"));
  }
}

/** Words for words in a call's text, but too little to be sure: then it is not a human's either, nor older. */
const excludeVerbatim = (verdict: AuthorVerdict, isVerbatim: () => boolean): AuthorVerdict =>
  (verdict.author === "human" || verdict.basis === "not_covered") && isVerbatim()
    ? makeUnknownVerdict("verbatim")
    : verdict;

/** A line that was committed before and comes again is a copy, whenever it showed up. */
const applyBasis = (
  verdict: AuthorVerdict,
  basis: "written" | "written_unseen" | "written_elsewhen",
): AuthorVerdict =>
  verdict.how === "moved"
    ? verdict
    : changeVerdictBasis(
        verdict,
        verdict.how === "shell" && basis !== "written_elsewhen" ? "in_command" : basis,
      );

/** Lines of calls that are nowhere else: in one place of the file, and in one call, or long. */
function findVerbatimKeys(file: FileToAttribute, writes: readonly Write[], consumed: Consumed): Set<number> {
  const places = new Map<number, number>();
  for (const { key } of file.lines) places.set(key, (places.get(key) ?? 0) + 1);
  const calls = new Map<number, { calls: Set<string>; bare: string }>();
  for (const { toolUse, hunks } of writes) {
    const used = consumed.get(toolUse);
    for (const { lines } of hunks) {
      for (const { key, isNew, bare } of lines) {
        if (!isNew || used?.has(key) || !places.has(key)) continue;
        const known = calls.get(key) ?? { calls: new Set(), bare };
        known.calls.add(toolUse);
        calls.set(key, known);
      }
    }
  }
  const isOwn = ([key, known]: [number, { calls: Set<string>; bare: string }]) =>
    known.bare.length >= minUniqueLineChars || (places.get(key) === 1 && known.calls.size === 1);
  return new Set([...calls].filter(isOwn).map(([key]) => key));
}

/** Lines that calls wrote more often since the commit before than they are found. */
function findSpareKeys(
  file: FileToAttribute,
  { written, writes, consumed }: Pick<LineEvidence, "written" | "writes" | "consumed">,
  freshSince: number,
): Set<number> {
  const left = new Map<number, number>();
  // Nobody asks for others.
  const here = new KeySet();
  for (const { isAdded, key } of file.lines) if (isAdded) here.add(key);
  for (const { at, toolUse, hunks } of writes) {
    if (at !== 0 && at < freshSince) continue;
    const used = consumed.get(toolUse);
    for (const { lines } of hunks) {
      for (const { key, isNew } of lines)
        if (isNew && here.has(key) && !used?.has(key)) left.set(key, (left.get(key) ?? 0) + 1);
    }
  }
  for (const i of written.keys()) {
    const { key } = file.lines[i]!;
    left.set(key, (left.get(key) ?? 0) - 1);
  }
  return new Set([...left].filter(([, count]) => count > 0).map(([key]) => key));
}

/** The calls whose scripts hold several lines of a file as texts. */
function findWritingScripts(moved: ReadonlyMap<number, WrittenLine>): Set<string> {
  const counts = new Map<string, number>();
  for (const { write, support } of moved.values()) {
    if (write.path === "" && support >= sure) counts.set(write.toolUse, (counts.get(write.toolUse) ?? 0) + 1);
  }
  return new Set([...counts].flatMap(([toolUse, count]) => (count >= scriptLines ? [toolUse] : [])));
}

/** Removed lines of a hunk among which the one before a renaming is looked for. */
const maxRenamed = 300;

/** By the key of a line that a command's replacement, or a tool that renames, makes of a removed one, the call. */
function findReplacedLines(
  { change }: FileToAttribute,
  evidence: AttributionEvidence,
): Map<number, ShellRun | OpaqueCall> {
  const found = new Map<number, ShellRun | OpaqueCall>();
  const renaming = evidence
    .findRecentOpaqueCalls(change.path)
    .filter(({ isRewriting, startedAt }) => isRewriting && startedAt <= evidence.lastCall);
  if (renaming.length > 0) {
    for (const { removed, added } of change.hunks) {
      for (const line of added) {
        const near = removed.slice(0, maxRenamed);
        const call = renaming.find((each) => near.some((old) => isRenamedLine(each, old, line)));
        if (call) found.set(computeLineKey(line), call);
      }
    }
  }
  const substitutions = change.hunks.some(({ removed }) => removed.length > 0)
    ? evidence.findSubstitutionsIn(change.path).filter(({ run }) => run.startedAt <= evidence.lastCall)
    : [];
  for (const { run, replace } of substitutions) {
    for (const { removed } of change.hunks) {
      for (const line of removed) {
        const made = replace(line);
        if (made !== line) found.set(computeLineKey(made), run);
      }
    }
  }
  return found;
}

/** A command's text that names the file is about it; other texts must hold a block of it. */
const chooseNeededWeight = ({ path, command }: Write, here: string): number =>
  path === "" && command !== undefined && canConcernFile(command, here) ? sure : minWeightElsewhere;

function collectKeysAddedBy(writes: readonly Write[]): KeySet {
  const keys = new KeySet();
  for (const write of writes) for (const key of packWriteKeys(write).added) keys.add(key);
  return keys;
}
