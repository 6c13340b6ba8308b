import type { ToolResult } from "../../../agents/agent.ts";
import { cutMiddle } from "../../../agents/reading/bounds.ts";
import { joinWithin, shortenText } from "../../../base/text/text-size.ts";
import { isErrorLine, isFailureLine } from "./error-formats.ts";
import outputs from "./outputs.json" with { type: "json" };
import type { ToolSays } from "./tool-uses.ts";

/** The outcome of a tool use: the little of it that a memory needs. */

/** Characters that are shown: of an error, of a command's output, of changed lines, of a subagent's answer. */
const maxResultChars = {
  error: 600,
  output: 300,
  changed: 400,
  answer: 2_000,
  errors: 800,
  other: 200,
} as const;

export interface ResultSays {
  /** After `[TOOL_RESULT] `; "" where nothing is worth showing. */
  shown: string;
  /** The human's words in it: the answer to a question, or the reason for declining a tool use. */
  userText: string;
  /** A subagent's answer. */
  answer: string;
  errors: string;
  /** A command or a service failed; not that the agent used a tool wrongly, or was stopped. */
  fails: boolean;
  /** A check (tests, types, a build) went well. */
  passes: boolean;
}

/** How Claude Code reports that the user declined, with the user's reply. */
const declined = /^(?:The user doesn't want to (?:proceed|take this action)|\[Request interrupted by user)/;
const declineMessage = /the user said:\s*\n([\s\S]+)$/;

/** The tool was used wrongly: not a problem of the project. */
const misuse = /^\s*(?:<tool_use_error>|<error>\s*|InputValidationError)/;

const emptyResult: ResultSays = {
  shown: "",
  userText: "",
  answer: "",
  errors: "",
  fails: false,
  passes: false,
};

const clean = (text: string): string =>
  text.replace(/<\/?(?:tool_use_error|error|system-reminder)>/g, "").trim();

/** Characters of a line of output that are shown. */
const maxLineLength = 120;

/** The first and the last lines of an output. */
function shortenOutput(output: string, most: number): string {
  const lines = output
    .split("\n")
    .map((line) => line.trimEnd())
    .filter((line) => line !== "");
  const shorten = (some: readonly string[], room: number) =>
    joinWithin(
      some.map((line) => shortenText(line, maxLineLength)),
      room,
    );
  if (lines.length <= 6) return shorten(lines, most);
  return `${shorten(lines.slice(0, 3), most / 2)}\n[${lines.length - 6} lines]\n${shorten(lines.slice(-3), most / 2)}`;
}

/** A search's results, in brief: running it again would find them. */
function shortenMatches(output: string): string {
  const lines = output.split("\n").filter((line) => line.trim() !== "");
  const first = shortenText(lines[0] ?? "", maxLineLength);
  return lines.length <= 1 ? first : `${first} [${lines.length - 1} more lines]`;
}

/** A few of the lines that an edit changed, from both sides. */
function shortenChange(changed: readonly string[]): string {
  const telling = changed.filter((line) => line.slice(1).trim() !== "");
  const shortened = (sign: string) =>
    telling.filter((line) => line.startsWith(sign)).map((line) => shortenText(line.trimEnd(), 120));
  const removed = shortened("-").slice(0, 3);
  return joinWithin([...removed, ...shortened("+").slice(0, 7 - removed.length)], maxResultChars.changed);
}

/** @param changed lines of an edit (`listChangedLines`); empty for other tools */
export function sayResult(result: ToolResult, use: ToolSays | null, changed: readonly string[]): ResultSays {
  const text = clean(result.text);
  if (declined.test(text)) {
    const userText = declineMessage.exec(text)?.[1]?.trim() ?? "";
    return { ...emptyResult, shown: "declined by the user", userText };
  }
  if (result.isError) {
    const isMisuse =
      misuse.test(result.text) || (use !== null && use.command === null && use.files.length > 0);
    if (isMisuse) return { ...emptyResult, shown: `error: ${shortenText(text, maxResultChars.output)}` };
    const errors =
      extractErrorLines(text, maxResultChars.errors) || keepFirstLines(text, maxResultChars.errors);
    // Nothing found is an exit status, not an error.
    const fails = !(use?.command != null && isDisplayCommand(use.command));
    return {
      ...emptyResult,
      shown: `error: ${cutMiddle(text, maxResultChars.error)}`,
      errors: fails ? errors : "",
      fails,
    };
  }
  if (use === null) return { ...emptyResult, shown: shortenOutput(text, maxResultChars.output) };
  if (use.asks) return { ...emptyResult, shown: "answered", userText: text };
  if (use.edits) return { ...emptyResult, shown: shortenChange(changed) };
  if (use.delegates || result.subagent !== null) {
    const answer = cutMiddle(text, maxResultChars.answer);
    return { ...emptyResult, shown: answer, answer };
  }
  if (use.command !== null) {
    const fails = !isDisplayCommand(use.command) && hasFailureReport(text);
    return {
      ...emptyResult,
      shown: fails
        ? joinWithin(
            [shortenOutput(text, 200), extractErrorLines(text, maxResultChars.output)],
            maxResultChars.error,
          )
        : shortenOutput(text, maxResultChars.output),
      errors: fails ? extractErrorLines(text, maxResultChars.errors) : "",
      fails,
      passes: !fails && showsThatItWorks(use.command),
    };
  }
  // The content of a file, or of a todo list that was just given, is not repeated.
  if (use.files.length > 0 || /^(?:Todos have been|Updated task|Task #\d+ created)/.test(text))
    return emptyResult;
  return {
    ...emptyResult,
    shown: use.reads ? shortenMatches(text) : shortenOutput(text, maxResultChars.other),
  };
}

/** The parts of a command's output that show that something went wrong. */

/** Characters of output that are searched, at its beginning and its end each. */
const looked = 8_000;

/** Words of compilers, test runners and shells in many languages; not "terror", but "TypeError". */
const errorWord = new RegExp(`\\b(?:${outputs.errorWords.join("|")})\\b`, "i");
/** `TypeError`, `ENOENT`. */
const errorName = /[a-z](?:Error|Exception)\b|\bE[A-Z]{4,}\b/;

/** Lines that say that all is well, though they have such words in them. */
const allIsWell = new RegExp(outputs.allIsWell.join("|"), "i");

/** A line that means a failed check, whatever the exit status. */
const failedCheck = new RegExp(outputs.failedChecks.join("|"));

/** Names of failed tests, as they were printed. */
export function failedTests(output: string): string[] {
  const ends = keepBothEnds(output).replace(ansi, "");
  return testNames.flatMap((pattern) => Array.from(ends.matchAll(pattern), ([, name = ""]) => name.trim()));
}

/** Names of failed tests: Go, pytest, vitest and jest, cargo, TAP, JUnit, Bun. */
const testNames = outputs.testNames.map((pattern) => new RegExp(pattern, "gm"));

/** Commands that print files and histories: an "error" in their output is just content. */
const showing = new RegExp(`^(?:${outputs.showing.join("|")})\\b`);

/** Whether a command only shows something that is there already. */
export function isDisplayCommand(command: string): boolean {
  const steps = command
    .split(/&&|;|\n/)
    .map((step) => step.trim())
    .filter((step) => step !== "" && !/^(?:cd|export|set|source|\.)\s/.test(step) && !step.startsWith("#"));
  return steps.length > 0 && steps.every((step) => showing.test(step));
}

/** Commands whose success means that something works. */
const checking = new RegExp(`\\b(?:${outputs.checking.join("|")})\\b`, "i");

/** Whether it shows that something works if a command succeeds: tests, types, a build. */
export function showsThatItWorks(command: string): boolean {
  return checking.test(command) && !isDisplayCommand(command);
}

function keepBothEnds(output: string): string {
  return output.length <= 2 * looked ? output : `${output.slice(0, looked)}\n${output.slice(-looked)}`;
}

/** Whether the output of a command says that it failed, whatever its exit status (`npm test | tail`). */
export function hasFailureReport(output: string): boolean {
  return keepBothEnds(output)
    .split("\n")
    .some((line) => (failedCheck.test(line) || isFailureLine(line)) && !allIsWell.test(line));
}

/** Colours of a terminal. */
const ansi = /\u001b\[[\d;]*m/g;

/** What PowerShell prints below each error: its class, which is the same for many. */
const ofAnyErrorRecord = /^\s*\+ (?:CategoryInfo|FullyQualifiedErrorId)\b/;

/**
 * The lines that report an error, each once, up to `most` characters: names of failed tests first, then what known tools
 * print, then what has a word for it.
 */
export function extractErrorLines(output: string, most: number): string {
  const ends = keepBothEnds(output);
  const found = new Set<string>();
  for (const pattern of testNames) for (const [, name = ""] of ends.matchAll(pattern)) found.add(name.trim());
  const lines = ends
    .split("\n")
    .map((line) => line.replace(ansi, "").slice(0, 400))
    .filter((line) => !ofAnyErrorRecord.test(line));
  const add = (line: string) => found.add(shortenText(line.trim(), 240));
  for (const line of lines) if (isErrorLine(line) && !allIsWell.test(line)) add(line);
  for (const line of lines)
    if ((errorWord.test(line) || errorName.test(line)) && !allIsWell.test(line)) add(line);
  return joinWithin([...found], most);
}

/** The error message of a tool other than a command: its first lines. */
function keepFirstLines(text: string, most: number): string {
  return shortenText(
    text
      .split("\n")
      .map((line) => line.trim())
      .filter((line) => line !== "")
      .slice(0, 8)
      .join("\n"),
    most,
  );
}
