import { type CallInput, findNamedFile, readEditedLines } from "../../agents/reading/call-input.ts";
import { escapeRegExp } from "../../base/text/escape-reg-exp.ts";
import { readShellCommand, splitShellCommands } from "../../base/text/shell-words.ts";
import requests from "./requests.json" with { type: "json" };

/** What a rule forbids, and whether a call does it. Hooks load this: it imports next to nothing. */

export type RuleCheck =
  /** A program with its subcommand and options, all of which a command has: `git push --force`. */
  | { kind: "command"; words: string[] }
  /** Files that are not to be changed: a path or a glob from the root of the checkout. */
  | { kind: "path"; glob: string; pattern: string }
  /** Files that are not to be made, though those that are there may be changed. */
  | { kind: "created"; glob: string; pattern: string }
  /** A text that is not to be written: into files, and into the trailers of a commit's message. */
  | { kind: "added"; text: string }
  /** A tool that is not to be used; one star at its end stands for any: `mcp__playwright__*`. */
  | { kind: "tool"; name: string };

/** What an agent is about to do, as far as rules are about it. */
export interface CallToCheck {
  /** The tool, as the client names it; "" where that does not matter. */
  tool: string;
  /** The command line; "" for none. */
  command: string;
  /** Files that it changes, from the root of the checkout, with slashes. */
  files: readonly string[];
  /** Those of them that were not there. */
  created: readonly string[];
  /** What it writes into files; "" for nothing. */
  added: string;
}

/**
 * A call as agents make it, in the fields that their tools share.
 * @param toRelative from a path as the agent wrote it; null: it is outside
 * @param isThere whether the file that a call writes whole was there before
 */
export function readCall(
  tool: string,
  input: CallInput,
  toRelative: (path: string) => string | null,
  isThere: (file: string) => boolean,
): CallToCheck {
  const { before, written } = readEditedLines(input);
  const replaced = new Set(before);
  const named = findNamedFile(input);
  const file = written.length === 0 || named === null ? null : toRelative(named);
  const command = typeof input.command === "string" && written.length === 0 ? input.command : "";
  const added = [...written.filter((line) => !replaced.has(line)), ...listTrailers(command)];
  const files = file === null ? [] : [file];
  const created = typeof input.content === "string" ? files.filter((one) => !isThere(one)) : [];
  return { tool, command, files, created, added: added.join("\n") };
}

/** What a message of a commit or a pull request says of who made it: `Co-Authored-By: ...`. */
const listTrailers = (command: string): string[] =>
  /\b(?:commit|pr|mr)\b/.test(command)
    ? command.split("\n").filter((line) => /^\W*(?:[A-Z][\w-]+-by: \S|generated with\b)/i.test(line))
    : [];

/** What of a call a check is about: the command, the file, the line or the tool; null: nothing. */
export function findMatch(
  check: RuleCheck,
  { tool, command, files, created, added }: CallToCheck,
): string | null {
  switch (check.kind) {
    case "tool":
      return isTool(tool, check.name) ? tool : null;
    case "command":
      return splitShellCommands(command).find((one) => isCommand(one, check.words)) ?? null;
    case "path":
    case "created": {
      const pattern = new RegExp(check.pattern);
      return (check.kind === "path" ? files : created).find((file) => pattern.test(file)) ?? null;
    }
    case "added":
      return added.split("\n").find((line) => hasText(line, check.text)) ?? null;
  }
}

/** Options of git that stand before its subcommand, and take a word. */
const ofGit = /^(?:-C|-c|--git-dir|--work-tree)$/;

function isCommand(command: string, [program, ...words]: readonly string[]): boolean {
  const read = readShellCommand(command);
  if (read === null || read.program !== program) return false;
  const args = program === "git" ? dropGlobalOptions(read.args) : read.args;
  const plain = args.filter((arg) => !arg.startsWith("-"));
  const options = new Set(args.flatMap(spellOptions));
  // Asking for help, or what would happen, does nothing.
  if (options.has("--help") || options.has("--dry-run")) return false;
  const [subcommand, ...named] = words.filter((word) => !word.startsWith("-"));
  return (
    (subcommand === undefined || plain[0] === subcommand) &&
    named.every((word) => plain.some((arg) => arg === word || arg.endsWith(`:${word}`))) &&
    words
      .filter((word) => word.startsWith("-"))
      .every((word) => spellOptions(word).some((one) => options.has(one)))
  );
}

function dropGlobalOptions(args: readonly string[]): string[] {
  const left = [...args];
  while (left[0]?.startsWith("-")) left.splice(0, ofGit.test(left[0]) ? 2 : 1);
  return left;
}

/** `--message=x` is `--message`, `-am` is `-a` and `-m`, and a force in any spelling is one. */
function spellOptions(arg: string): string[] {
  if (!arg.startsWith("-")) return [];
  if (/^(?:-f|--force|--force-with-lease|--force-if-includes)(?:=|$)/.test(arg)) return ["--force"];
  if (arg.startsWith("--")) return [arg.replace(/=.*/, "")];
  return [arg, ...[...arg.slice(1)].map((letter) => (letter === "f" ? "--force" : `-${letter}`))];
}

const toolAliases: Readonly<Record<string, string>> = requests.toolAliases;

function isTool(tool: string, name: string): boolean {
  if (name.endsWith("*")) return tool.startsWith(name.slice(0, -1)) && tool !== "";
  return (toolAliases[tool] ?? tool) === (toolAliases[name] ?? name);
}

/** A name is a whole one; other texts are found anywhere. */
function hasText(line: string, text: string): boolean {
  for (let at = line.indexOf(text); at >= 0; at = line.indexOf(text, at + 1)) {
    const [before = " ", after = " "] = [line[at - 1], line[at + text.length]];
    const isInside =
      (/\w/.test(text[0]!) && /\w/.test(before)) || (/\w/.test(text.at(-1)!) && /\w/.test(after));
    if (!isInside) return true;
  }
  return false;
}

/** What a prompt calls it by that asks for it: a subcommand of git, or a tool. */
const asks: Readonly<Record<string, string>> = requests.asks;
const refusal = requests.refusals.join("|");
const refuses = new RegExp(refusal, "i");
/** "don't open a PR, just commit": what follows is wanted. */
const negated = new RegExp(
  `(?:${refusal}|${requests.complaints})(?:(?![,;] *(?:${requests.turns.join("|")})\\b)[^.!?\\n]){0,40}$`,
  "i",
);
const negativeQuestion = new RegExp(requests.negativeQuestions, "i");

/** "yes, go ahead": what for, is in what the agent asked. */
const agrees = new RegExp(`^\\s*(?:${requests.agreements.join("|")})\\b`, "i");
const maxAgreementChars = 60;

/** It is to go on: "commit after each step". */
const steady = new RegExp(requests.steady.join("|"), "i");

/** Asked for: then it is no breach, until the next prompt or in all of the session. Refused: a request that went on has ended. */
export type RuleRequest = "now" | "always" | "refused";

/** What a prompt says of what a rule forbids; null: nothing. */
export function readRequest(check: RuleCheck, prompt: string): RuleRequest | null {
  const named = findNamed(check, prompt);
  const asked = named.filter((at) => !isNegated(prompt, at));
  if (asked.length > 0) return asked.some((at) => steady.test(cutSentence(prompt, at))) ? "always" : "now";
  if (named.length > 0) return "refused";
  return prompt.length <= maxAgreementChars && agrees.test(prompt) && !refuses.test(prompt) ? "now" : null;
}

/** A sentence is looked at so far before and behind what it names: a prompt may be a log that names it a thousand times. Characters. */
const maxSentenceChars = 300;

/** "Shouldn't we commit that?" asks for it. */
function isNegated(prompt: string, at: number): boolean {
  const before = prompt.slice(Math.max(0, at - maxSentenceChars), at);
  const isQuestion = /^[^.!?\n]*\?/.test(prompt.slice(at, at + maxSentenceChars));
  return negated.test(isQuestion ? before.replace(negativeQuestion, "") : before);
}

/** Where a prompt names what a rule is about. */
function findNamed(check: RuleCheck, prompt: string): number[] {
  switch (check.kind) {
    case "path":
      return findSubject(check.glob, prompt);
    case "added":
      return findSubject(check.text, prompt);
    case "created":
      return findAll(findNamesOfFiles(check.glob), prompt);
    case "tool":
      return findAll(findNamesOfTool(check.name), prompt);
    case "command":
      return namesDetails(check.words, prompt) ? findAll(findNamesOfCommand(check.words), prompt) : [];
  }
}

/** The sentence that a place is in. */
function cutSentence(text: string, at: number): string {
  const [begin] = /[^.!?\n]*$/.exec(text.slice(Math.max(0, at - maxSentenceChars), at)) ?? [""];
  const [rest = ""] = text.slice(at, at + maxSentenceChars).split(/[.!?\n](?:\s|$)/);
  return begin + rest;
}

const details: Readonly<Record<string, string>> = requests.details;

/** Who asks for a push does not ask for one to main, nor by force: what a rule says of it beyond the subcommand is to be named, too. */
const namesDetails = ([, ...words]: readonly string[], prompt: string): boolean => {
  const subcommand = words.find((word) => !word.startsWith("-"));
  return words
    .filter((word) => word !== subcommand && word !== "create")
    .every((word) => {
      const names = Object.hasOwn(details, word) ? details[word]! : escapeRegExp(word.replace(/^-+/, ""));
      return new RegExp(names, "i").test(prompt);
    });
};

function findNamesOfCommand([program = "", ...words]: readonly string[]): RegExp {
  const word = words.find((one) => !one.startsWith("-")) ?? program;
  return findAsked(word) ?? makeWordPattern(word);
}

/** A server of MCP goes by its name, another tool by the table. */
export function findNamesOfTool(tool: string): RegExp {
  const [, server] = /^mcp__(.+?)(?:__|\*|$)/.exec(tool) ?? [];
  return findAsked(toolAliases[tool] ?? tool) ?? makeWordPattern(server ?? tool);
}

const findAsked = (name: string): RegExp | null =>
  Object.hasOwn(asks, name) ? new RegExp(asks[name]!, "i") : null;

const makeWordPattern = (word: string): RegExp =>
  new RegExp(`(?<![\\w-])${escapeRegExp(word)}(?![\\w-])`, "i");

/** "write a README", "document it in docs/x.md" */
function findNamesOfFiles(glob: string): RegExp {
  const [, ending = ""] = /\.(\w+)$/.exec(glob) ?? [];
  return ending === "md" ? new RegExp(requests.documents, "i") : makeWordPattern(ending || glob);
}

function findSubject(subject: string, prompt: string): number[] {
  const at = prompt.indexOf(subject.replace(/\/?\*.*$/, "") || subject);
  return at < 0 ? [] : [at];
}

const findAll = (pattern: RegExp, text: string): number[] =>
  [...text.matchAll(new RegExp(pattern.source, "gi"))].map(({ index }) => index);
