import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { FileEdit } from "../../agents/agent.ts";
import { getOrCreate } from "../../base/multimap.ts";
import { formatIsoTime } from "../../base/text/iso-time.ts";
import { joinWithin, shortenText } from "../../base/text/text-size.ts";
import { tokenize } from "../../base/text/tokens.ts";
import { certain } from "../../protocol/reading/evidence.ts";
import { findErrorRule } from "../../sessions/chunks/units/error-formats.ts";
import {
  extractLineSignatures,
  extractSignatures,
  normalizeErrorLine,
  signaturePrefixes,
} from "../../sessions/commands/commands-of-turn.ts";
import { parseSteps } from "../../sessions/commands/steps.ts";
import { isUsageError } from "../../sessions/commands/usage-errors.ts";
import { createRelativizer } from "../../sessions/relative-paths.ts";
import { listEdits, readStoredTurns } from "../../sessions/turn-content.ts";
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
import type { Fix, FixAnswer, KnownError } from "./operation.ts";
import { extractConcern, isTouching } from "./touching.ts";

/** How much like another an error is, without what differs from run to run. */

type Known = ErrorSignature;

interface Likeness {
  verdict: "found" | "maybe" | "none";
  /** Known signatures, with how much each is like one of those that were asked for: 0 to 1. */
  signatures: Map<string, number>;
}

/** A line that so many sessions met says little of what was wrong. */
const commonLimits = { share: 0.1, sessions: 12 } as const;
/** The likeness of lines that are not the same. */
const minLike = { found: 0.85, maybe: 0.7 } as const;
/** Words that any error may have. */
const anyError = new Set(
  "error fail failed failur not found cannot could is no such the a an to of in at for with but and it unexpect expect got want undefin invalid exit code statu test type".split(
    " ",
  ),
);

/** How much a signature says, by how many sessions met it: 0 for one that accompanies everything. */
export function weighSignatures(known: readonly Known[]): Map<string, number> {
  const most = Math.max(1, ...known.filter(isOfLine).map(({ sessions }) => sessions));
  return new Map(
    known.map(({ signature, sessions, worked }) => {
      const isCommon =
        sessions >= commonLimits.sessions && sessions > commonLimits.share * most * 2 && isLine(signature);
      // What is printed where all is well as often says nothing.
      const isNoise = isCommon || 2 * worked >= sessions;
      return [signature, isNoise ? 0 : measureSpecificity(signature) / (1 + Math.log2(sessions))] as const;
    }),
  );
}

const isRule = (signature: string) => signature.startsWith(signaturePrefixes.rule);
const isLine = (signature: string) => !isRule(signature) && !signature.startsWith(signaturePrefixes.test);
const isOfLine = ({ signature }: Known) => isLine(signature);

/** By the words that not any error has; 0 where there is none. */
function measureSpecificity(signature: string): number {
  if (!isLine(signature)) return isRule(signature) ? ofRule : 1;
  const words = new Set(listSignatureWords(signature).filter((word) => !anyError.has(word)));
  return words.size === 0 ? 0 : Math.min(1, 0.4 + 0.2 * words.size);
}

/** A rule or a class of error is met in many places, which are mended alike. */
const ofRule = 0.5;

const listSignatureWords = (signature: string) =>
  tokenize(signature.replace(/<\w+>|#/g, " ")).filter((word) => word.length > 1);

function findClosestSignatures(asked: readonly string[], known: readonly Known[]): Likeness {
  const weights = weighSignatures(known);
  const same = asked.filter((each) => !isRule(each) && (weights.get(each) ?? 0) > 0);
  if (same.length > 0) return { verdict: "found", signatures: new Map(same.map((each) => [each, 1])) };
  const like = new Map<string, number>();
  let isFound = false;
  const rarity = makeRarity(known);
  const lines = known.filter(isOfLine);
  for (const each of asked.filter(isLine)) {
    if (measureSpecificity(each) === 0) continue;
    for (const { signature } of lines) {
      if ((weights.get(signature) ?? 0) === 0) continue;
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

function makeRarity(known: readonly Known[]): (word: string) => number {
  const having = new Map<string, number>();
  for (const { signature } of known)
    for (const word of new Set(listSignatureWords(signature))) having.set(word, (having.get(word) ?? 0) + 1);
  return (word) => Math.log(1 + (known.length + 1) / ((having.get(word) ?? 0) + 0.5));
}

/** The share of the words of both that they have in common, by how rare they are. */
function measureSimilarity(a: string, b: string, rarity: (word: string) => number): number {
  const [mine, other] = [new Set(listSignatureWords(a)), new Set(listSignatureWords(b))];
  let common = 0;
  let all = 0;
  for (const word of new Set([...mine, ...other])) {
    const weight = rarity(word);
    all += weight;
    if (mine.has(word) && other.has(word)) common += weight;
  }
  return all === 0 ? 0 : common / all;
}

interface FixRequest {
  error: string;
  limit: number;
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
  { error, limit, until = null, leaves = () => false }: FixRequest,
): FixAnswer {
  const asked = listAskedSignatures(error);
  const known = listErrorSignatures(memory, { until });
  const { verdict, signatures } = findClosestSignatures(asked, known);
  if (verdict === "none") return { verdict, errors: [], mentions: [] };
  const weights = weighSignatures(known);
  const met = listCommandsWithErrors(memory, [...signatures.keys()], { until }).filter(
    ({ command }) => !leaves(command.sessionUid),
  );
  const errors = groupFailures(met, (own) =>
    own.reduce((sum, each) => sum + (signatures.get(each) ?? 0) * (weights.get(each) ?? 0), 0),
  );
  return {
    verdict,
    errors: errors.slice(0, limit).map((group) => toKnownError(roots, memory, group, until)),
    mentions: [],
  };
}

/** Of the lines that report something; of a text without such, of all. */
function listAskedSignatures(error: string): string[] {
  const text = error.length > maxChars.error ? error.slice(-maxChars.error) : error;
  const reported = extractSignatures(text, maxCounts.signatures);
  return reported.length > 0 ? reported : extractLineSignatures(text, maxCounts.signatures);
}

interface Group {
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
): Group[] {
  const groups = new Map<string, Group>();
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
  { runs, signatures }: Group,
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
    if (fix.edits.length > 0) return { run, fix };
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
  const later = listCommands(memory, { sessionId: failure.sessionId, until })
    .filter(({ seq }) => seq > failure.seq)
    .reverse();
  const found =
    findFixByEdits(roots, memory, { failure, signatures }, later) ??
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

interface Found {
  /** The run that shows that the error is gone. */
  end: CommandRecord;
  edits: Edit[];
  commands: string[];
}

/** Installs, generates or rewrites what the next run then finds. */
const repairs =
  /\b(?:install|ci|add|tidy|download|sync|restore|update|upgrade|generate|codegen|gen|migrate|fmt|format|fix|fixlint|prebuild|rebuild|clean|init|setup|get|vendor|lock|pull|rebase|login)\b|--fix\b|--write\b|-w\b/;

function findFixByEdits(
  roots: readonly string[],
  memory: Memory,
  { failure, signatures }: Failed,
  later: readonly CommandRecord[],
): Found | null {
  const end = later.find((run) => hasProvenGone(memory, failure, signatures, run));
  if (end === undefined) return null;
  const lines = putCommonFirst(failure.error ?? "", signatures);
  const own = lines.split("\n").filter((line) => signatures.includes(normalizeErrorLine(line) ?? ""));
  const concern = extractConcern(
    [...own, ...(own.length > 0 ? pickPlaceLines(lines, own) : [lines])].join("\n"),
  );
  const edits = listEditsBetween(memory, roots, failure, end).filter(({ path, diff }) =>
    isTouching(concern, path, diff),
  );
  const repairing = later.filter(
    ({ seq, outcome, name, line }) =>
      seq < end.seq && outcome === "worked" && name !== end.name && repairs.test(line),
  );
  // Run again, it just worked: there is nothing to learn from that.
  if (edits.length === 0 && repairing.length === 0) return null;
  const between = edits.length > 0 ? [] : repairing.map(({ line }) => line).slice(-maxCounts.commands);
  return { end, edits, commands: [...new Set([...between, end.line])] };
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
  if (run.outcome === "unknown" || run.directory !== failure.directory) return false;
  const isWider = run.name === failure.name && isBroad(run.line) && coversWords(failure.line, run.line);
  if (!isWider && (run.form !== failure.form || !hasAllArguments(run.line, failure.line))) return false;
  if (run.outcome === "worked") return true;
  const reported = listSignaturesOfCommand(memory, run.id);
  return reported.length > 0 && !reported.some((each) => signatures.includes(each));
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
    .filter((word) => word !== "" && !/^(?:-v|-vv|--verbose|-q|--quiet|-count=\d+|--)$/.test(word));

/**
 * A wrong call: the next call of the same program, if that is another one and worked. Where the error does not say that the
 * call was wrong, it must be a call about the same things, with nothing changed in between.
 */
function findFixByCall(
  roots: readonly string[],
  memory: Memory,
  { failure, signatures }: Failed,
  later: readonly CommandRecord[],
): Found | null {
  const end = later.slice(0, maxCallsLater).find(({ name }) => name === failure.name);
  if (end?.outcome !== "worked" || (end.line === failure.line && end.directory === failure.directory))
    return null;
  if (doesAnything.test(end.name)) return null;
  const found = { end, edits: [], commands: [end.line] };
  if (isUsageError(failure.error ?? "")) return found;
  const isOfCode = signatures.some((each) => !isLine(each)) || findErrorRule(failure.error ?? "") !== null;
  if (isOfCode || end.directory !== failure.directory || !hasAllArguments(end.line, failure.line))
    return null;
  return listEditsBetween(memory, roots, failure, end).length === 0 ? found : null;
}

/** Their next call is about something else. */
const doesAnything =
  /^(?:ssh|scp|curl|wget|psql|mysql|sqlite3|redis-cli|aws|gh api|docker exec|kubectl exec)\b/;

/** After so many other commands the agent is at something else. */
const maxCallsLater = 8;

interface Edit {
  path: string;
  diff: string;
  added: string[];
}

function listEditsBetween(
  memory: Memory,
  [root = "", ...worktrees]: readonly string[],
  from: CommandRecord,
  to: CommandRecord,
): Edit[] {
  const edits: Edit[] = [];
  const cwd = findSessionById(memory, from.sessionId)?.cwd ?? "";
  const relativize = createRelativizer({ root, worktrees, cwd });
  for (const turn of readStoredTurns(memory, from.sessionId, { first: from.turn, last: to.turn })) {
    for (const { line, edit } of listEdits(turn))
      if (line.seq > from.seq && line.seq < to.seq) edits.push(describeEdit(edit, relativize(edit.path)));
  }
  return edits.filter(({ diff }) => diff !== "");
}

function describeEdit({ hunks, content }: FileEdit, path: string): Edit {
  const isWhole = content !== null && hunks.length === 0;
  const lines = isWhole ? content.split("\n").map((line) => `+${line}`) : hunks.flatMap((hunk) => hunk.lines);
  const changed = lines.filter((line) => /^[+-]/.test(line));
  return {
    path,
    diff: joinWithin(changed, maxChars.diff * 2),
    added: changed.filter((line) => line.startsWith("+")).map((line) => line.slice(1).trim()),
  };
}

/** Shorter lines are anywhere. */
const minLine = 8;

function isStillThere(root: string, edits: readonly Edit[]): boolean | null {
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
