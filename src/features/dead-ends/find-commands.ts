import { addTo, getOrCreate } from "../../base/multimap.ts";
import { dayMs } from "../../base/text/day.ts";
import { normalizeErrorLine } from "../../sessions/commands/commands-of-turn.ts";
import { readStoredTurns } from "../../sessions/turn-content.ts";
import { type CommandRecord, listCommands } from "../../store/memory/commands.ts";
import type { Memory } from "../../store/memory/memory.ts";
import {
  doesWrite,
  isSameCall,
  missesProgram,
  readCommands,
  type SimpleCommand,
  toAddress,
  type WrongAddress,
  type WrongWord,
} from "./match.ts";

/**
 * Calls that a program did not take: an option that it does not have, a program that is not there, an address that is not
 * there. What a check reports of the code is none: the same call works once the code is right.
 */

export interface WrongCall {
  trace: WrongWord | WrongAddress;
  /** The latest first. */
  runs: PastRun[];
  /** The line of the error that says so. */
  error: string;
  /** What then worked in place of the latest; null: not known. */
  instead: string | null;
}

/** The latest commands that are read. */
const maxRuns = 20_000;
/** Programs and what they have change. Milliseconds. */
export const rememberedMs = 90 * dayMs;
/** Lines of an error that are looked at, later commands in which one that worked may be, and runs whose output is read. */
const maxCounts = { lines: 30, later: 8, printed: 10 } as const;
/** One address may have been missing by itself. */
const minAddressRuns = 2;

const rejectsWord =
  /\b(?:unknown|unrecogni[sz]ed|unexpected|invalid|unsupported|illegal|bad|no such)\s+(?:(?:json|shorthand|long|short|positional)\s+)?(?:flag|option|argument|command|subcommand|switch|parameter|field|choice|property)s?\b|\bflag provided but not defined\b|\bis not a \S+ command\b/i;
const namesSubcommand = /\bcommand\b|\bsubcommand\b|\bis not a\b/i;
/** What is missing where the program ran. */
const missesName =
  /\b(?:missing script|no rule to make target|no (?:such )?(?:task|script|recipe|target)\b|unknown (?:task|script|target)|no module named)/i;
const missesAddress = /\bHTTP[ /]?(?:[\d.]+ )?(?:404|405|410)\b|\bstatus(?: code)?:? ?(?:404|405|410)\b/i;
const showsUsage = /^\s*usage:/i;

type Wrong = Pick<WrongCall, "trace" | "error">;

/** A command that a session ran, as far as it matters here. */
export interface PastRun
  extends Pick<
    CommandRecord,
    "sessionId" | "sessionUid" | "turn" | "seq" | "step" | "at" | "name" | "line" | "directory" | "outcome"
  > {
  status: number | null;
  error: string | null;
  /** What it did not take, where that is known already. */
  wrong?: Wrong | null;
}

/** A run, with its simple commands where somebody asks for them. */
class ReadRun {
  private read: readonly SimpleCommand[] | null = null;
  constructor(readonly record: PastRun) {}
  get commands(): readonly SimpleCommand[] {
    this.read ??= readCommands(this.record.line);
    return this.read;
  }
}

/**
 * @param looks runs that the memory of commands leaves out
 * @param until only what was known then. Milliseconds; null: now
 */
export function findWrongCalls(
  memory: Memory,
  looks: readonly PastRun[],
  until: number | null = null,
): WrongCall[] {
  const since = (until ?? Date.now()) - rememberedMs;
  // What a colleague's machine lacks is no matter here.
  const stored = listCommands(memory, { until, limit: maxRuns }).filter(({ author }) => author === null);
  const runs = [...stored, ...looks]
    .filter(({ at }) => at !== null && at >= since && (until === null || at < until))
    .sort((a, b) => b.at! - a.at! || b.seq - a.seq || b.step - a.step)
    .map((record) => new ReadRun(record));
  const worked = runs.filter(({ record }) => record.outcome === "worked");
  const bySession = new Map<number, ReadRun[]>();
  for (const run of runs) addTo(bySession, run.record.sessionId, run);
  const calls = new Map<string, WrongCall & { failed: ReadRun[] }>();
  for (const run of runs) {
    if (run.record.outcome !== "failed") continue;
    const wrong = findWrong(run, worked);
    if (wrong === null) continue;
    const key = JSON.stringify(wrong.trace);
    const call = getOrCreate(calls, key, () => ({ ...wrong, runs: [], failed: [], instead: null }));
    call.runs.push(run.record);
    call.failed.push(run);
  }
  return [...calls.values()]
    .filter(({ trace, error, failed }) => {
      const isEnough = trace.kind !== "address" || failed.length >= minAddressRuns;
      return isEnough && !hasWorked(memory, { trace, error }, worked);
    })
    .map(({ failed, ...call }) => ({ ...call, instead: findInstead(call.trace, failed, bySession) }));
}

function hasWorked(memory: Memory, { trace, error }: Wrong, worked: readonly ReadRun[]): boolean {
  const needed = [trace.words[0] ?? "", trace.kind === "word" ? trace.word : "/"];
  const same = worked.filter(
    (run) =>
      needed.every((text) => run.record.line.includes(text)) &&
      isSameCall(trace, run.commands, run.record.directory),
  );
  // Behind a pipe, or in front of a `;`, it may have failed all the same: what it printed tells.
  return (
    same.some(({ record }) => record.status === 0) ||
    same.slice(0, maxCounts.printed).some(({ record }) => !hasPrinted(memory, record, error))
  );
}

/** Whether what a run printed has the same line of error. */
function hasPrinted(memory: Memory, { sessionId, turn: number, seq }: PastRun, error: string): boolean {
  const signature = normalizeErrorLine(error);
  const [turn] = readStoredTurns(memory, sessionId, { first: number, last: number });
  const entries = (turn?.lines ?? []).flatMap((line) =>
    line.entries.map((entry) => ({ seq: line.seq, entry })),
  );
  const calls = new Set(
    entries.flatMap(({ seq: at, entry }) => (at === seq && entry.kind === "tool_use" ? [entry.id] : [])),
  );
  return entries.some(
    ({ entry }) =>
      entry.kind === "tool_result" &&
      calls.has(entry.id) &&
      entry.text
        .split("\n")
        .some((line) => line.includes(error.trim()) || normalizeErrorLine(line) === signature),
  );
}

/** A program that lies in a place of its own is what is worked on here. */
const isOwnProgram = (line: string): boolean => /^(?:\w+=\S* )*(?:\S+ )?(?:\.{0,2}|~|\$\w*)\//.test(line);

function findWrong(run: ReadRun, worked: readonly ReadRun[]): Wrong | null {
  const { record, commands } = run;
  if (record.wrong !== undefined) return record.wrong;
  if (isOwnProgram(record.line)) return null;
  for (const error of (record.error ?? "").split("\n").slice(0, maxCounts.lines)) {
    const [, shell, posix] = missesProgram.exec(error) ?? [];
    const program = shell ?? posix;
    if (program !== undefined && commands.some(({ named }) => named[0] === program))
      return {
        error,
        trace: { kind: "word", words: [], word: program, isSubcommand: false, directory: null },
      };
    for (const command of commands) {
      const trace = findTrace(error, command, record, worked);
      if (trace !== null) return { error, trace };
    }
  }
  return null;
}

function findTrace(
  error: string,
  { args, named, parts }: SimpleCommand,
  { name, directory }: PastRun,
  worked: readonly ReadRun[],
): WrongWord | WrongAddress | null {
  const program = named[0]!;
  const subcommands = name.split(" ").filter((word, i) => i > 0 && named.includes(word));
  const words = name.startsWith(`${program} `) ? [program, ...subcommands] : [program];
  const isOfPlace = missesName.test(error);
  if (isOfPlace || rejectsWord.test(error)) {
    const word = findNamed(error, parts);
    if (word === null) return null;
    const without = words.filter((one, i) => i === 0 || one !== word);
    return {
      kind: "word",
      words: without,
      word,
      isSubcommand: namesSubcommand.test(error) && named[without.length] === word,
      directory: isOfPlace ? directory : null,
    };
  }
  if (missesAddress.test(error)) {
    const address = args.map(toAddress).find((one) => one !== null) ?? null;
    return address === null ? null : { kind: "address", words, address, writes: doesWrite(args) };
  }
  const word = showsUsage.test(error) ? findUnseenOption(words, args, worked) : null;
  return word === null ? null : { kind: "word", words, word, isSubcommand: false, directory: null };
}

/** Who reports an error stands before it: "pytest: error: ...". */
const reporter = /^\s*[\w.-]+: (?=\S)/;

/** The word of a call that an error names. */
function findNamed(error: string, parts: ReadonlySet<string>): string | null {
  const named = new Set(
    (error.replace(reporter, "").match(/[\w@%+./:-]+/g) ?? []).map((word) =>
      stripDashes(word.replace(/[.:]+$/, "")),
    ),
  );
  const meant = [...parts].filter((part) => named.has(stripDashes(part)) && stripDashes(part) !== "");
  return meant.find((part) => part.startsWith("-")) ?? meant.at(-1) ?? null;
}

const stripDashes = (word: string): string => word.replace(/^-+/, "");

/** The only option of a call that no call that worked has. */
function findUnseenOption(
  words: readonly string[],
  args: readonly string[],
  worked: readonly ReadRun[],
): string | null {
  const [program = ""] = words;
  const seen = new Set(
    worked
      .filter(({ record }) => record.line.includes(program))
      .flatMap(({ commands }) => commands.flatMap(({ parts }) => [...parts])),
  );
  const options = args.filter((arg) => /^--?[A-Za-z]/.test(arg)).map((arg) => arg.replace(/=.*/s, ""));
  const unseen = [...new Set(options)].filter((option) => !seen.has(option));
  return unseen.length === 1 && seen.size > 0 ? unseen[0]! : null;
}

/** The next call in the session that worked, is about the same and is not the same call again. */
function findInstead(
  trace: WrongCall["trace"],
  failed: readonly ReadRun[],
  bySession: ReadonlyMap<number, ReadRun[]>,
): string | null {
  for (const { record: run } of failed) {
    const later = (bySession.get(run.sessionId) ?? [])
      .filter(({ record: { seq, step } }) => seq > run.seq || (seq === run.seq && step > run.step))
      .reverse()
      .slice(0, maxCounts.later);
    const next = later.find(
      ({ record: { outcome, line, name }, commands }) =>
        outcome === "worked" &&
        (name === run.name || trace.words.length === 0) &&
        doesSameWork(line, run.line) &&
        (trace.kind === "word" || commands.some(({ args }) => doesWrite(args) === trace.writes)) &&
        !isSameCall(trace, commands, run.directory),
    );
    if (next !== undefined) return next.record.line;
  }
  return null;
}

/** Whether two lines share a word that tells something: what they are about. */
function doesSameWork(line: string, other: string): boolean {
  const words = new Set(other.split(/\s+/).filter((word) => !word.startsWith("-")));
  return line.split(/\s+/).some((word) => words.has(word));
}
