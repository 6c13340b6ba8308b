import { readFileSync } from "node:fs";
import { basename, isAbsolute, join } from "node:path";
import type { FileEdit } from "../../agents/agent.ts";
import { getOrCreate } from "../../base/multimap.ts";
import { escapeRegExp } from "../../base/text/escape-reg-exp.ts";
import { formatIsoTime } from "../../base/text/iso-time.ts";
import { quoteForShell } from "../../base/text/shell.ts";
import { joinWithin, shortenText } from "../../base/text/text-size.ts";
import type { Fix, KnownError } from "../../protocol/fix.ts";
import { certain } from "../../protocol/reading/evidence.ts";
import {
  type CommandRecord,
  type ErrorSignature,
  listCommands,
  listCommandsWithErrors,
  listErrorSignatures,
  listSignaturesOfCommand,
} from "../../store/memory/commands.ts";
import { readCommitsOfSessions } from "../../store/memory/commits/commits-of-turns.ts";
import type { Memory } from "../../store/memory/memory.ts";
import { findSessionById } from "../../store/memory/sessions/sessions.ts";
import { isFailureLine } from "../chunks/units/error-formats.ts";
import {
  extractLineSignatures,
  extractSignatures,
  normalizeErrorLine,
} from "../commands/commands-of-turn.ts";
import { parseSteps } from "../commands/steps.ts";
import { findTask, writesWhatFound } from "../commands/tasks.ts";
import { isUsageError } from "../commands/usage-errors.ts";
import { createRelativizer } from "../relative-paths.ts";
import { listEdits, readStoredTurns } from "../turn-content.ts";
import rules from "./rules.json" with { type: "json" };
import {
  collectSignatureWords,
  isLine,
  isOfAnyFailure,
  isOfLine,
  isRule,
  measureSpecificity,
  weighSignatures,
} from "./signature-weights.ts";
import { extractConcern, isProse, isTouching } from "./touching.ts";

interface Likeness {
  verdict: "found" | "maybe" | "none";
  /** Known signatures, with how much each is like one of those that were asked for: 0 to 1. */
  signatures: Map<string, number>;
}

/** The least likeness, from 0 to 1, of lines that are not the same. */
const minLike = { found: 0.85, maybe: 0.7 } as const;

/** Finds the known errors that are most like the one asked about, apart from what differs from run to run. */
function findClosestSignatures(
  asked: readonly string[],
  known: readonly ErrorSignature[],
  weights: ReadonlyMap<string, number>,
): Likeness {
  const same = asked.filter((each) => !isRule(each) && (weights.get(each) ?? 0) > 0);
  if (same.length > 0) return { verdict: "found", signatures: new Map(same.map((each) => [each, 1])) };
  const like = new Map<string, number>();
  let isFound = false;
  const rarity = makeRarity(known);
  const telling = known.filter((one) => isOfLine(one) && (weights.get(one.signature) ?? 0) > 0);
  for (const each of asked.filter(isLine)) {
    if (measureSpecificity(each) === 0) continue;
    for (const { signature } of telling) {
      const likeness = measureSimilarity(each, signature, rarity);
      if (likeness >= minLike.maybe) like.set(signature, Math.max(likeness, like.get(signature) ?? 0));
      if (likeness >= minLike.found && extractNamed(each) === extractNamed(signature)) isFound = true;
    }
  }
  if (like.size === 0) {
    const rules = asked.filter((each) => isRule(each) && (weights.get(each) ?? 0) > 0);
    return {
      verdict: rules.length > 0 ? "maybe" : "none",
      signatures: new Map(rules.map((each) => [each, 1])),
    };
  }
  return { verdict: isFound ? "found" : "maybe", signatures: like };
}

/** What a line is about: what it quotes, and flags. Another unknown flag is another error. */
const extractNamed = (signature: string) =>
  (signature.match(/(["'`]).+?\1|(?<=\s)--?[\w-]+/g) ?? []).sort().join(" ");

function makeRarity(known: readonly ErrorSignature[]): (word: string) => number {
  const having = new Map<string, number>();
  for (const { signature } of known)
    for (const word of collectSignatureWords(signature)) having.set(word, (having.get(word) ?? 0) + 1);
  return (word) => Math.log(1 + (known.length + 1) / ((having.get(word) ?? 0) + 0.5));
}

/** A line that was pasted without its beginning or end: so many words, all of which the whole line has. */
const minPartWords = 4;

/** The share of the words of both that they have in common, by how rare they are; of a part of a line, of the part's. */
function measureSimilarity(a: string, b: string, rarity: (word: string) => number): number {
  const [mine, other] = [collectSignatureWords(a), collectSignatureWords(b)];
  const isPart =
    mine.size >= minPartWords &&
    [...mine].every((word) => other.has(word)) &&
    extractNamed(a) === extractNamed(b);
  if (isPart) return 1;
  const sum = (words: readonly string[]) => words.reduce((total, word) => total + rarity(word), 0);
  const common = sum([...mine].filter((word) => other.has(word)));
  return common === 0 ? 0 : common / sum([...new Set([...mine, ...other])]);
}

interface KnownErrors {
  verdict: Likeness["verdict"];
  errors: KnownError[];
}

interface FixRequest {
  error: string;
  limit: number;
  /** Only errors that were met from then on. Milliseconds; null: whenever. */
  since?: number | null;
  /** Only what was known then. Milliseconds; null: everything. */
  until?: number | null;
  /** Sessions that are left out, by their ids: what they met is known to whoever asks. */
  leaves?: (session: string) => boolean;
}

/** Characters of an error that are read, and of a diff that is shown. */
const maxChars = { error: 20_000, diff: 1500 } as const;
/** Signatures of a question, and edits and commands of a fix. */
const maxCounts = { signatures: 24, edits: 6, commands: 6 } as const;

/**
 * The same error before, without its paths, numbers and hashes; and what was done after which it did not come back.
 * @param roots of the project and its worktrees
 */
export function findFixes(
  roots: readonly string[],
  memory: Memory,
  { error, limit, since = null, until = null, leaves = () => false }: FixRequest,
): KnownErrors {
  const asked = listAskedSignatures(error);
  const known = listErrorSignatures(memory, { until });
  const weights = weighSignatures(known);
  const { verdict, signatures } = findClosestSignatures(asked, known, weights);
  if (verdict === "none") return { verdict, errors: [] };
  const met = listCommandsWithErrors(memory, [...signatures.keys()], { until }).filter(
    ({ command }) => !leaves(command.sessionUid) && (since === null || (command.at ?? 0) >= since),
  );
  if (met.length === 0) return { verdict: "none", errors: [] };
  const errors = groupFailures(met, (own) =>
    own.reduce((sum, each) => sum + (signatures.get(each) ?? 0) * (weights.get(each) ?? 0), 0),
  );
  return {
    verdict,
    errors: errors.slice(0, limit).map((group) => toKnownError(roots, memory, group, until)),
  };
}

/** Of the lines that report something; of a text without such, of all. */
function listAskedSignatures(error: string): string[] {
  const text = error.length > maxChars.error ? error.slice(-maxChars.error) : error;
  const reported = extractSignatures(text, maxCounts.signatures);
  return reported.length > 0 ? reported : extractLineSignatures(text, maxCounts.signatures);
}

interface ErrorGroup {
  /** The latest first. */
  runs: CommandRecord[];
  /** Of the lines in common. */
  signatures: string[];
  score: number;
}

/** Failures that have the same lines in common with the question; the best first, then the latest. */
function groupFailures(
  found: ReturnType<typeof listCommandsWithErrors>,
  scoreOf: (signatures: readonly string[]) => number,
): ErrorGroup[] {
  const groups = new Map<string, ErrorGroup>();
  for (const { command, signatures } of found) {
    const key = `${command.name}\0${signatures.toSorted().join("\n")}`;
    getOrCreate(groups, key, () => ({ runs: [], signatures, score: scoreOf(signatures) })).runs.push(command);
  }
  return [...groups.values()].sort(
    (a, b) => b.score - a.score || (b.runs[0]!.at ?? 0) - (a.runs[0]!.at ?? 0),
  );
}

function toKnownError(
  roots: readonly string[],
  memory: Memory,
  { runs, signatures }: ErrorGroup,
  until: number | null,
): KnownError {
  const { run, fix } = findBestFixed(runs, (one) =>
    findFix(roots, memory, { failure: one, signatures }, until),
  );
  return {
    error: putCommonFirst(run.error ?? "", signatures),
    command: run.line,
    directory: run.directory,
    times: runs.length,
    sessions: new Set(runs.map(({ sessionId }) => sessionId)).size,
    first_at: formatIsoTime(runs.at(-1)!.at),
    last_at: formatIsoTime(runs[0]!.at),
    session_id: run.sessionUid,
    author: run.author,
    turn: run.turn,
    fix,
  };
}

/** The latest that was fixed by an edit, else the latest that was fixed, else the latest. */
function findBestFixed(
  runs: readonly CommandRecord[],
  fixOf: (run: CommandRecord) => Fix | null,
): { run: CommandRecord; fix: Fix | null } {
  let best: { run: CommandRecord; fix: Fix } | null = null;
  for (const run of runs) {
    const fix = fixOf(run);
    if (fix === null) continue;
    // A formatter that was told to write mends all alike; what somebody edited to please it is of one file.
    const isWritten = fix.edits.length === 0 && fix.commands.some((line) => writesWhatFound(line, run.line));
    if (fix.edits.length > 0 || isWritten) return { run, fix };
    best ??= { run, fix };
  }
  return best ?? { run: runs[0]!, fix: null };
}

/** The lines in common first. */
function putCommonFirst(error: string, signatures: readonly string[]): string {
  const lines = error.split("\n");
  const isCommon = (line: string) => signatures.includes(normalizeErrorLine(line) ?? "");
  return [...lines.filter(isCommon), ...lines.filter((line) => !isCommon(line))].join("\n");
}

interface Failed {
  failure: CommandRecord;
  /** Of the lines that it is asked for. */
  signatures: readonly string[];
}

/**
 * What made an error go away: the edits that touch it, or a command that repairs, between the failure and the next run of
 * the same form that does not report it; for a wrong call the call that then worked. Null: that is not known.
 */
function findFix(
  roots: readonly string[],
  memory: Memory,
  { failure, signatures }: Failed,
  until: number | null,
): Fix | null {
  // Another failure of the same program has these lines as well, and another cause.
  if (signatures.every(isOfAnyFailure)) return null;
  const later = listCommands(memory, { sessionId: failure.sessionId, until })
    .filter(({ seq }) => seq > failure.seq)
    .reverse();
  const isWrongCall = isUsageError(failure.error ?? "") && !isOfCode(failure, signatures);
  const found =
    findFixByWriting(memory, { failure, signatures }, later) ??
    // What a program says of how it was called is not mended in the code.
    (isWrongCall ? null : findFixByEdits(roots, memory, { failure, signatures }, later)) ??
    findFixByCall(roots, memory, { failure, signatures }, later);
  if (found === null) return null;
  const { end, edits, commands } = found;
  const commits = readCommitsOfSessions(memory, [failure.sessionUid]).get(failure.sessionUid) ?? [];
  const commit = commits.findLast(
    ({ turns, committedAt, confidence }) =>
      confidence >= certain &&
      committedAt >= (end.at ?? 0) - 60_000 &&
      turns.some((turn) => turn >= failure.turn),
  );
  return {
    session_id: failure.sessionUid,
    author: failure.author,
    turn: end.turn,
    timestamp: formatIsoTime(end.at),
    edits: edits
      .slice(-maxCounts.edits)
      .map(({ path, diff }) => ({ path, diff: shortenText(diff, maxChars.diff) })),
    commands,
    commit: commit === undefined ? null : { hash: commit.hash, subject: commit.subject },
    stands: isStillThere(roots[0] ?? "", edits),
  };
}

interface FoundFix {
  /** The run that shows that the error is gone. */
  end: CommandRecord;
  edits: FixEdit[];
  commands: string[];
}

/** Installs, generates or rewrites what the next run then finds. */
const repairs = new RegExp(`\\b(?:${rules.repairs.join("|")})\\b|${rules.repairingOptions.join("|")}`);

/** A formatter or linter that only looked, and then was told to write; what it could not put right it may still report. */
function findFixByWriting(
  memory: Memory,
  { failure, signatures }: Failed,
  later: readonly CommandRecord[],
): FoundFix | null {
  const end = later
    .slice(0, maxCallsLater)
    .find(
      (run) =>
        run.name === failure.name &&
        writesWhatFound(run.line, failure.line) &&
        (run.outcome === "worked" || reportsOthersOnly(memory, signatures, run)),
    );
  return end === undefined ? null : { end, edits: [], commands: [end.line] };
}

/** Whether a run failed for other errors than these. */
function reportsOthersOnly(
  memory: Memory,
  signatures: readonly string[],
  { id, outcome }: CommandRecord,
): boolean {
  const reported = outcome === "failed" ? listSignaturesOfCommand(memory, id) : [];
  return reported.length > 0 && !reported.some((each) => signatures.includes(each));
}

function findFixByEdits(
  roots: readonly string[],
  memory: Memory,
  { failure, signatures }: Failed,
  later: readonly CommandRecord[],
): FoundFix | null {
  const end =
    findContinued(failure, later) ?? later.find((run) => hasProvenGone(memory, failure, signatures, run));
  if (end === undefined) return null;
  const lines = putCommonFirst(failure.error ?? "", signatures);
  const own = lines.split("\n").filter((line) => signatures.includes(normalizeErrorLine(line) ?? ""));
  const concern = extractConcern(
    [...own, ...(own.length > 0 ? pickPlaceLines(lines, own) : [lines])].join("\n"),
  );
  const between = dropUndone(listEditsBetween(memory, roots, failure, end)).filter(
    (edit) => !deletesFile(edit) && (!isAbsolute(edit.path) || namesFile(failure, edit)),
  );
  const touching = between.filter(({ path, diff }) => isTouching(concern, path, diff));
  const edits =
    touching.length > 0 ? touching : isOfConflict(failure) ? between : pickOnlyChange(between, failure, end);
  // One line may do both: `git stash && git checkout main`.
  const repairing = later
    .slice(0, later.indexOf(end))
    .filter(
      ({ outcome, name, line }) =>
        outcome === "worked" &&
        (name !== end.name || writesWhatFound(line, failure.line)) &&
        ((writesWhatFound(line, failure.line) && name === failure.name) ||
          (repairs.test(line) && isRepairable.test(failure.error ?? "")) ||
          (findTask(line) === "build" && lacksBuilt.test(failure.error ?? "")) ||
          (isOfGit(failure) && changesGit.test(line)) ||
          (end.line === failure.line && isOfSameObject(line, failure))),
    );
  // Run again, it just worked: there is nothing to learn from that.
  if (edits.length === 0 && repairing.length === 0) return null;
  const ran = edits.length > 0 ? [] : repairing.map(({ line }) => line).slice(-maxCounts.commands);
  return { end, edits, commands: [...new Set([...ran, end.line])] };
}

/** A scratch file outside of the project mends what is about it alone. */
const namesFile = ({ line, error }: CommandRecord, { path }: FixEdit): boolean =>
  `${line}\n${error ?? ""}`.includes(basename(path));

/** Whether another command of the same program is about the same thing: `gh pr ready 91` for `gh pr merge 91 --squash`. */
function isOfSameObject(line: string, failure: CommandRecord): boolean {
  const [program, ...words] = listArguments(line);
  const [failed, ...theirs] = listArguments(failure.line);
  const ofName = new Set(failure.name.split(" "));
  return (
    program === failed &&
    words.some((word) => /\d|[/._]/.test(word) && !ofName.has(word) && theirs.includes(word))
  );
}

const isOfConflict = (failure: CommandRecord): boolean =>
  isOfGit(failure) && /\bcould not apply\b|\bconflicts?\b/i.test(failure.error ?? "");

/** What stopped at a conflict goes on once that is solved: `git rebase --continue`. */
function findContinued(failure: CommandRecord, later: readonly CommandRecord[]): CommandRecord | undefined {
  if (!isOfConflict(failure)) return undefined;
  return later.find(
    ({ name, outcome, line }) => name === failure.name && outcome === "worked" && /\s--continue\b/.test(line),
  );
}

/** What a command can repair: what is missing, out of date, or not in form. */
const isRepairable = new RegExp(`\\b(?:${rules.repairable.join("|")})\\b`, "i");

/** What is missing in what a build makes. */
const lacksBuilt =
  /(?:not found|cannot find|could not resolve|no such|does not provide|missing)\b[^\n]*[/\\](?:dist|build|out|lib|target|\.next|generated)[/\\]/i;

/** Whether an error is of the code that a program works on. */
const isOfCode = ({ error }: CommandRecord, signatures: readonly string[]): boolean =>
  signatures.some((each) => !isLine(each)) || (error ?? "").split("\n").some(isFailureLine);

const isOfGit = ({ name }: Pick<CommandRecord, "name">) => /^git\b/.test(name);
/** What stands in git's way is put out of it by git. */
const changesGit = new RegExp(`^git (?:${rules.changesInGit.join("|")})\\b`);

/** Files that are changed between two runs of the same line, of which one must have mended it. */
const maxOnlyFiles = { lint: 6, other: 2 } as const;

/** All that changed before the very same line worked, where that is little: nothing else can have mended it. */
function pickOnlyChange(edits: FixEdit[], failure: CommandRecord, end: CommandRecord): FixEdit[] {
  if (end.line !== failure.line || end.outcome !== "worked" || doesAnything.test(end.name) || isOfGit(end))
    return [];
  const ofCode = edits.filter(({ path }) => !isProse(path));
  // A linter names files in lines of their own, and all that it says is of the code.
  const most = findTask(end.line) === "lint" ? maxOnlyFiles.lint : maxOnlyFiles.other;
  return new Set(ofCode.map(({ path }) => path)).size <= most ? ofCode : [];
}

/** How a file of code begins. */
const fileStart = new RegExp(rules.fileStarts.join("|"));

/** Whether an edit deletes a file: the test that failed is gone, and nothing is mended. */
const deletesFile = ({ added, removed }: FixEdit): boolean =>
  added.every((line) => line === "") && removed.length > 1 && fileStart.test(removed[0]!);

/** Without the edits whose lines a later one took out again, as those that print something to look at it. */
function dropUndone(edits: FixEdit[]): FixEdit[] {
  return edits.filter(({ path, added }, at) => {
    const lines = added.filter((line) => line.length >= minLine);
    if (lines.length === 0) return true;
    const removed = new Set(
      edits
        .slice(at + 1)
        .filter((later) => later.path === path)
        .flatMap((later) => later.removed),
    );
    return !lines.every((line) => removed.has(line));
  });
}

/** A test's error names its place in a line of its own, as does a compiler that prints code. */
const pickPlaceLines = (lines: string, own: readonly string[]): string[] =>
  own.some((line) => /[\w/.-]+\.\w+:\d+/.test(line))
    ? []
    : lines.split("\n").filter((line) => /[\w/.-]+\.\w+:\d+|^FAIL\s|[._](?:test|spec)\.\w+/.test(line));

/** Whether a run would have reported the error, and did not. */
function hasProvenGone(
  memory: Memory,
  failure: CommandRecord,
  signatures: readonly string[],
  run: CommandRecord,
): boolean {
  // Git means the same everywhere in a repository.
  const isElsewhere = run.directory !== failure.directory && !isOfGit(failure);
  if (run.outcome === "unknown" || isElsewhere || (onlyTells.test(run.line) && !onlyTells.test(failure.line)))
    return false;
  const isWider = run.name === failure.name && isBroad(run.line) && coversWords(failure.line, run.line);
  const isAlike = run.form === failure.form || (run.name === failure.name && isNoNarrower(run, failure));
  if (!isWider && !(isAlike && hasAllArguments(run.line, failure.line))) return false;
  return run.outcome === "worked" || reportsOthersOnly(memory, signatures, run);
}

/** It runs nothing of what failed. */
const onlyTells = new RegExp(`\\s(?:${rules.tellingOptions.join("|")})(?=\\s|$)`);
/** Options that say how, and not what of all there is. */
const saysHow = new RegExp(`^(?:${rules.optionsOfManner.join("|")})$`);

/** Whether a run differs from another only in options that leave nothing out. */
function isNoNarrower(run: CommandRecord, failure: CommandRecord): boolean {
  const theirs = new Set(listArguments(failure.line));
  return listArguments(withoutVariables(run.line)).every((word) => theirs.has(word) || saysHow.test(word));
}

/** Names nothing that differs from run to run: it checks all there is. */
const isBroad = (line: string) => !(parseSteps(line)[0]?.shape ?? "…").includes("…");

/** Whether a line has every word of a wider one: options and "all of it" aside. */
const coversWords = (line: string, wider: string): boolean =>
  hasAllArguments(
    line,
    listArguments(wider)
      .filter((word) => !word.startsWith("-") && word !== "./...")
      .join(" "),
  );

/** Whether a line is about all that another is: another path or test of the same form is another matter. */
function hasAllArguments(line: string, other: string): boolean {
  const words = new Set(listArguments(line));
  return listArguments(other).every((word) => words.has(word));
}

const listArguments = (line: string) =>
  line
    .split(/\s+/)
    .map((word) => word.replace(/^(["'])(.*)\1$/, "$2"))
    .filter(
      (word) => word !== "" && !/^(?:-v|-vv|--verbose|-q|--quiet|-count=\d+|--|--?fix|--write)$/.test(word),
    );

/**
 * A wrong call: the next call of the same program, if that is another one and worked. Where the error does not say that the
 * call was wrong, it must be a call about the same things, with nothing changed in between.
 */
function findFixByCall(
  roots: readonly string[],
  memory: Memory,
  { failure, signatures }: Failed,
  later: readonly CommandRecord[],
): FoundFix | null {
  const next = later
    .slice(0, maxCallsLater)
    .filter(({ line }) => !onlyTells.test(line) || onlyTells.test(failure.line));
  const advised = next.find((run) => run.outcome === "worked" && isAdvised(run, failure));
  if (advised !== undefined) return { end: advised, edits: [], commands: [advised.line] };
  // What a call of such a program is about are its arguments.
  const isAboutTheSame = doesAnything.test(failure.name)
    ? (run: CommandRecord) => run.line !== failure.line && hasAllArguments(run.line, failure.line)
    : (run: CommandRecord) => sharesArguments(run, failure);
  const end = next.find(
    (run) => (run.name === failure.name && isAboutTheSame(run)) || isCalledAnew(run, failure),
  );
  if (end?.outcome !== "worked") return null;
  const isSameLine = withoutVariables(end.line) === withoutVariables(failure.line);
  // Git means the same everywhere in a repository: what failed was something else in the line.
  if (isSameLine && (end.directory === failure.directory || isOfGit(end))) return null;
  if (doesAnything.test(end.name) && !isAboutTheSame(end)) return null;
  const shown = isSameLine ? `cd ${quoteForShell(end.directory || ".")} && ${end.line}` : end.line;
  const found = { end, edits: [], commands: [shown] };
  if (isUsageError(failure.error ?? "")) return found;
  if (
    isOfCode(failure, signatures) ||
    end.directory !== failure.directory ||
    !hasAllArguments(end.line, withoutRefused(failure))
  )
    return null;
  return listEditsBetween(memory, roots, failure, end).length === 0 ? found : null;
}

/** Whether a call has half at least of what a failed one was about: what its error names may be another. */
function sharesArguments(run: CommandRecord, failure: CommandRecord): boolean {
  const { name, error } = failure;
  const ofName = new Set(name.split(" "));
  // A line that the shell refused as a whole has other programs before the one that is compared.
  const called = parseSteps(failure.line).at(-1)?.text ?? failure.line;
  const about = listArguments(withoutVariables(called)).filter(
    (word) => !word.startsWith("-") && !ofName.has(word) && !(error ?? "").includes(word),
  );
  const words = new Set(listArguments(run.line));
  return about.length === 0 || about.filter((word) => words.has(word)).length * 2 >= about.length;
}

/** Characters of an argument that an error names by no accident. */
const minRefused = 6;

/**
 * A failed call without what the error names: values of options, as in "/tmp/x is outside of the results" for
 * `--output /tmp/x`, and names that are given a value, as in `no container named "web"` for `web=image:2`.
 */
const withoutRefused = ({ line, error }: CommandRecord): string =>
  listArguments(line)
    .filter((word, at, words) => {
      const [, given] = /^([\w.-]+)=./.exec(word) ?? [];
      if (given !== undefined && new RegExp(`["'\`]${escapeRegExp(given)}["'\`]`).test(error ?? ""))
        return false;
      const isValue = (value: string | undefined, option: string | undefined) =>
        value !== undefined &&
        option?.startsWith("--") === true &&
        (value.length >= minRefused
          ? (error ?? "").includes(value)
          : new RegExp(`["'\`]${escapeRegExp(value)}["'\`]`).test(error ?? ""));
      return !isValue(word, words[at - 1]) && !isValue(words[at + 1], word);
    })
    .join(" ");

/** Whether a program that failed said to run just this: "use 'git cherry-pick --skip'". */
const isAdvised = ({ line }: CommandRecord, { error, line: failed }: CommandRecord): boolean =>
  line !== failed &&
  line.includes(" ") &&
  new RegExp(`["'\`(]${escapeRegExp(line)}["'\`)]`).test(error ?? "");

/** An argument that two calls share by no accident. Characters. */
const minShared = 8;

/** Whether a call is the failed one through another program: `npx jest shares` for `pnpm --filter api exec jest shares`. */
function isCalledAnew({ line, name, outcome }: CommandRecord, failure: CommandRecord): boolean {
  if (outcome !== "worked" || name === failure.name) return false;
  const tool = name.split(" ").at(-1)!;
  const mine = listArguments(line);
  const theirs = new Set(listArguments(failure.line));
  return theirs.has(tool) && mine.some((word) => word.length >= minShared && theirs.has(word));
}

const withoutVariables = (line: string) => line.replace(/^(?:\w+=\S* )+/, "");

/** Their next call is about something else. */
const doesAnything = new RegExp(`^(?:${rules.doAnything.join("|")})\\b`);

/** After so many other commands the agent is at something else. */
const maxCallsLater = 8;

interface FixEdit {
  path: string;
  diff: string;
  added: string[];
  removed: string[];
}

function listEditsBetween(
  memory: Memory,
  [root = "", ...worktrees]: readonly string[],
  from: CommandRecord,
  to: CommandRecord,
): FixEdit[] {
  const edits: FixEdit[] = [];
  const cwd = findSessionById(memory, from.sessionId)?.cwd ?? "";
  const relativize = createRelativizer({ root, worktrees, cwd });
  for (const turn of readStoredTurns(memory, from.sessionId, { first: from.turn, last: to.turn })) {
    for (const { line, edit } of listEdits(turn))
      if (line.seq > from.seq && line.seq < to.seq) edits.push(describeEdit(edit, relativize(edit.path)));
  }
  return edits.filter(({ diff }) => diff !== "");
}

function describeEdit({ hunks, content }: FileEdit, path: string): FixEdit {
  const isWhole = content !== null && hunks.length === 0;
  const lines = isWhole ? content.split("\n").map((line) => `+${line}`) : hunks.flatMap((hunk) => hunk.lines);
  const changed = lines.filter((line) => /^[+-]/.test(line));
  return {
    path,
    diff: joinWithin(changed, maxChars.diff * 2),
    added: listChanged(changed, "+"),
    removed: listChanged(changed, "-"),
  };
}

const listChanged = (changed: readonly string[], sign: string): string[] =>
  changed.filter((line) => line.startsWith(sign)).map((line) => line.slice(1).trim());

/** Shorter lines are anywhere. */
const minLine = 8;

function isStillThere(root: string, edits: readonly FixEdit[]): boolean | null {
  let there = 0;
  let all = 0;
  for (const { path, added } of edits) {
    const lines = added.filter((line) => line.length >= minLine);
    if (lines.length === 0) continue;
    try {
      const text = readFileSync(join(root, path), "utf8");
      there += lines.filter((line) => text.includes(line)).length;
    } catch {
      // The file is gone.
    }
    all += lines.length;
  }
  return all === 0 ? null : there / all >= 0.5;
}
