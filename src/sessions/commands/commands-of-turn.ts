import type { ToolResult, ToolUse } from "../../agents/agent.ts";
import { toAbsolutePath } from "../../agents/reading/tool-calls.ts";
import { shortenText } from "../../base/text/text-size.ts";
import type { CommandToStore } from "../../store/memory/commands.ts";
import { findErrorRule } from "../chunks/units/error-formats.ts";
import {
  extractErrorLines,
  failedTests,
  hasFailureReport,
  isDisplayCommand,
  showsThatItWorks,
} from "../chunks/units/tool-results.ts";
import { classifyToolUse, type Turn } from "../turn-content.ts";
import { type CommandStep, parseSteps } from "./steps.ts";

/** Characters that are kept of an error, and of what the agent says a command is for. */
const maxCommandChars = { error: 1200, purpose: 160, line: 600 } as const;

/** The user declined it, the client or a hook of it refused it or could not start it, or it went on in the background. */
const neverEnded =
  /^\s*(?:The user doesn't want to|\[Request interrupted|<tool_use_error>|InputValidationError|Command running in background|Process running with session ID|Permission (?:to use|for this action)|Claude requested permissions|PreToolUse:\w+ hook|ENOENT: [^\n]* posix_spawn|claude-\S+ is temporarily unavailable|The user (?:rejected this tool call|denied this operation)|\[Operation Cancelled\]|exec command rejected by user)/;
const exitStatus = /^(?:Error: )?(?:Exit code|Exit Code:|Process exited with code) (-?\d+)/m;
const waits = /\bsleep\b/;
/** What `echo "exit: $?"` prints. */
const printedStatus = /(?:exit|status|code|rc)\b[^\n\d]{0,12}(\d{1,3})\s*$/im;

/**
 * The commands that a turn ran, with how they went. What only looks is left out.
 * @param relativize from a path as the agent wrote it to the one that is stored (`relative-paths.ts`)
 */
export function extractCommands(turn: Turn, relativize: (path: string) => string): CommandToStore[] {
  const results = new Map<string, { result: ToolResult; at: number | null }>();
  for (const { at, entries } of turn.lines) {
    for (const entry of entries)
      if (entry.kind === "tool_result" && !results.has(entry.id))
        results.set(entry.id, { result: entry, at });
  }
  return turn.lines.flatMap(({ seq, at, entries, cwd = null }) =>
    entries.flatMap((entry) => {
      if (entry.kind !== "tool_use" || classifyToolUse(entry) !== "command") return [];
      const answer = results.get(entry.id);
      if (answer === undefined || neverEnded.test(answer.result.text)) return [];
      const runs = extractRuns(entry, answer.result);
      // A call of several commands does not say how long each took.
      const isTimed = runs.length === 1 && !waits.test(String(entry.input.command));
      const tookMs = !isTimed || at === null || answer.at === null ? null : Math.max(answer.at - at, 0);
      return runs.map(({ step, ...run }, i) => ({
        seq,
        step: i,
        at,
        tookMs,
        line: shortenText(step.text, maxCommandChars.line),
        name: step.name,
        form: step.form,
        purpose: readPurpose(entry),
        directory: relativizeDirectory(step.directory, readDirectory(entry, cwd), relativize),
        ...run,
      }));
    }),
  );
}

/** PowerShell could not parse the line, and ran nothing of it. */
const refusedByShell = /is not a valid statement separator|^\s*\+ CategoryInfo\s*: ParserError\b/m;

/** A line that was refused as a whole, as a call of its last program. */
const takeAsOne = (line: string): CommandStep[] =>
  parseSteps(line)
    .slice(-1)
    .map((step) => ({ ...step, text: line }));

type RunStep = Pick<CommandToStore, "outcome" | "status" | "error" | "signatures"> & { step: CommandStep };

function extractRuns({ input }: ToolUse, { text, isError }: ToolResult): RunStep[] {
  const line = String(input.command);
  const steps = isError && refusedByShell.test(text) ? takeAsOne(line) : parseSteps(line);
  if (steps.length === 0) return [];
  const printed = line.includes("$?") ? printedStatus.exec(text)?.[1] : undefined;
  const status = Number(exitStatus.exec(text)?.[1] ?? printed ?? (isError ? Number.NaN : 0));
  const reports = !isDisplayCommand(line) && hasFailureReport(text);
  const printsFailure = printed !== undefined && status !== 0;
  const failed = findFailedStep(steps, {
    isError: isError || printsFailure,
    reports: printsFailure || reports,
    text,
  });
  return steps.map((step): RunStep => {
    if (step === failed) {
      const body = text.replace(exitStatus, "").trim();
      const error =
        extractErrorLines(body, maxCommandChars.error) ||
        shortenText(body.slice(-2000), maxCommandChars.error);
      const known = Number.isNaN(status) || status === 0 ? null : status;
      const reported = extractSignatures(body);
      const signatures = reported.length > 0 ? reported : extractLineSignatures(error);
      return { step, outcome: "failed", status: known, error, signatures };
    }
    const isKnown = failed === null && !isError;
    return {
      step,
      outcome: isKnown ? "worked" : "unknown",
      status: isKnown && step.decides ? 0 : null,
      error: null,
      // What it prints where all is well says nothing where it fails.
      signatures:
        isKnown && step === steps.at(-1) && showsThatItWorks(step.text) ? extractSignatures(text) : [],
    };
  });
}

/** The step that failed, the last that can have; null: none did, or it cannot be told which. */
function findFailedStep(
  steps: readonly CommandStep[],
  { isError, reports, text }: { isError: boolean; reports: boolean; text: string },
): CommandStep | null {
  const named = isError ? findNamedStep(steps, text) : null;
  if (named !== null) return named;
  const decides = steps.findLast((step) => step.decides);
  if (isError) return decides ?? (reports ? steps.at(-1)! : null);
  return reports ? (steps.findLast((step) => !step.decides) ?? null) : null;
}

/** What an error quotes, and a step was given. Characters. */
const quotedArgument = /["'`]([^"'`\n]{8,200})["'`]/g;

/** The one step that was given what the error is about: `git add x && git push` fails for `x` in its first; null: not one. */
function findNamedStep(steps: readonly CommandStep[], text: string): CommandStep | null {
  for (const [, argument = ""] of text.slice(0, 2_000).matchAll(quotedArgument)) {
    const given = steps.filter((step) => step.text.includes(argument));
    if (given.length === 1 && steps.length > 1) return given[0]!;
  }
  return null;
}

const readPurpose = ({ input: { description } }: ToolUse) =>
  typeof description === "string"
    ? shortenText(description.replace(/\s+/g, " ").trim(), maxCommandChars.purpose)
    : "";

/** Where a call ran: some clients name it with each. */
const readDirectory = ({ input: { workdir } }: ToolUse, cwd: string | null): string | null =>
  typeof workdir === "string" && workdir !== "" ? toAbsolutePath(workdir, cwd) : cwd;

/** Relative to the project's root, "" for the root itself; absolute outside of it. */
function relativizeDirectory(path: string, cwd: string | null, relativize: (path: string) => string): string {
  const within = toAbsolutePath(path === "" ? "." : path, cwd);
  return relativize(`${within}/_`).replace(/\/?_$/, "");
}

/**
 * An error without what differs from run to run, so that the same error is recognised in another file, on another line,
 * on another day.
 */

/** Lines that accompany any error of a tool, and say nothing of it. */
const saysNothing =
  /^(?:traceback \(most recent call last\):|during handling of the above exception.*|the above exception was the direct cause.*|goroutine # \[running\]:|stack ?trace:|note: run with `rust_backtrace=.*|[a-z]*: ?downloading .*|<path> #s?|\[(?:build|setup) failed\]|fail <path> \[\w+ failed\]|too many errors|error trace:.*|error: not equal:|(?:error: )?expect\(received\)\.(?:not\.)?\w+\(.*\)|exit code|exit status|fail|failed|error|errors?:?|ok|pass|# ?#?|\*|make(?: # )?: \*\*\* .*|npm err! .*lifecycle.*|\[[\w:-]*\] error task failed|error task failed|# (?:issues?|problems?|errors?|tests?)(?: failed| found)?[.:]?|[\w*]+: #|\* [\w-]+: #|test (?:files|suites).*|tests? .*(?:failed|passed).*|(?:--- )?fail: \S+(?: \(#\))?|fail \S+(?: #)?|.*exited with code #.*|command failed with exit.*|.*task failed.*|err_pnpm_\w+ .*|npm err! (?:code|errno|path|command|a complete log).*|error: could not compile .*|for more information about this error.*|some errors have detailed explanations.*|error: aborting due to .*|husky - .*|\[(?:failed|skipped|started|completed|title)\] .*|[✖×] \S.*:|test suites?: .*|tests?: .*|error context: .*|tserror: .*unable to compile typescript.*|unable to compile typescript.*|error: command .* (?:failed|exited).*|error: process completed.*|error: recipe .* failed.*|error: script .* exited.*|lerna err! .*|nx run .*failed.*|command exited with .*)$/;

/** Signatures of an error of each kind, and characters of one. */
const maxSignatures = { tests: 6, lines: 12, rules: 4 } as const;
const maxLength = 200;
const minLetters = 10;
/** Characters of the lines that report an error. */
const maxReported = 8_000;

/** What stands in front of a signature that is of no line: of a test's name, of a rule or class of error. */
export const signaturePrefixes = { test: "test: ", rule: "rule: " } as const;

/** What an output reports: the tests that failed, its lines that say something, and the rules that they name. */
export function extractSignatures(output: string, most: number = maxSignatures.lines): string[] {
  const reported = extractErrorLines(output, maxReported);
  const tests = new Set(failedTests(output).flatMap((name) => testSignature(name) ?? []));
  const rules = new Set(
    reported.split("\n").flatMap((line) => {
      const rule = findErrorRule(line);
      return rule === null ? [] : `${signaturePrefixes.rule}${rule.toLowerCase()}`;
    }),
  );
  return [
    ...[...tests].slice(0, maxSignatures.tests),
    ...extractLineSignatures(reported, most),
    ...[...rules].slice(0, maxSignatures.rules),
  ];
}

/** null for what is no name: a package, a file with a count. */
function testSignature(name: string): string | null {
  const text = name
    .toLowerCase()
    .replace(/\s*\[\w+ failed\]$/, "")
    .replace(/\s*(?:\([^)]*\)|\s[\d.]+\s?m?s)$/g, "")
    .replace(/\s+- .*$/, "")
    .trim()
    .slice(0, maxLength);
  return /^\S*test\S*$|::| > |[a-z].*\s/.test(text) && !/^[\w.-]+(?:\/[\w.-]+)+$/.test(text)
    ? `${signaturePrefixes.test}${text}`
    : null;
}

/** One for each line of the error that says something, each once, in order. */
export function extractLineSignatures(error: string, most: number = maxSignatures.lines): string[] {
  const found = new Set<string>();
  for (const line of error.split("\n")) {
    const signature = normalizeErrorLine(line);
    if (signature !== null) found.add(signature);
    if (found.size === most) break;
  }
  return [...found];
}

/** null for a line that says nothing of its own. */
export function normalizeErrorLine(line: string): string | null {
  const text = line
    .slice(0, 600)
    .replace(/\u001b\[[\d;]*m/g, "")
    .toLowerCase()
    // Dates and times, before numbers take them apart.
    .replace(/\b\d{4}[-/]\d\d[-/]\d\d(?:[t ]\d\d:\d\d:\d\d\S*)?/g, "")
    .replace(/\bhttps?:\/\/\S+/g, "<url>")
    // A place: file:12:3, then any path.
    .replace(/(?:[a-z]:)?(?:[\w@.~-]*[/\\])+[\w@.~*-]*(?=[:\s,;()'"\]]|$)/g, "<path>")
    .replace(
      /\b[\w-]+\.(?:[cm]?[jt]sx?|go|py|rs|java|kt|rb|php|cs?|cpp|h|hpp|swift|sh|json|ya?ml|toml|md|sql)\b/g,
      "<path>",
    )
    .replace(/<path>(?::\d+)+:?/g, "<path>")
    .replace(/\b0x[\da-f]+\b|\b[\da-f]{7,}\b|\b[\da-f]{8}-[\da-f-]{27}\b/g, "#")
    // A number in a word is part of a name: TS2304.
    .replace(/(?<![a-z])\d+(?:\.\d+)*(?:ms|s|m|kb|mb|gb|%)?/g, "#")
    .replace(/\s+/g, " ")
    .trim()
    .replace(/^\[[\w:.-]+\] /, "")
    .replace(/^(?:<path>:?|#|[-|>^~*•\s])+ ?/, "")
    .slice(0, maxLength)
    .trim();
  const letters = text.replace(/<\w+>/g, "").match(/\p{L}/gu)?.length ?? 0;
  return letters < minLetters || saysNothing.test(text) ? null : text;
}
