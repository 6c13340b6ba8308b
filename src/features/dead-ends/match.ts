import { hashFnv1a } from "../../base/text/hash.ts";
import { readShellCommand, splitShellCommands, splitShellWords } from "../../base/text/shell-words.ts";
import { minAgain, pickTellingLines } from "../../base/text/telling-lines.ts";

/** How a call is recognised that was tried before, and failed or was taken back. Hooks load this: it imports next to nothing. */

/** A word that a program did not take, or a program that is not there. */
export interface WrongWord {
  kind: "word";
  /** The program with its subcommands, without the word itself; [] where the word is the program. */
  words: string[];
  word: string;
  /** A subcommand stands right behind `words`; another word anywhere. */
  isSubcommand: boolean;
  /** Where it ran, from the root of the checkout, if it was about what is there; null: anywhere. */
  directory: string | null;
}

/** An address that a program asked for, and that is not there; numbers in it are "#". */
export interface WrongAddress {
  kind: "address";
  words: string[];
  address: string;
  writes: boolean;
}

/** A relative path that begins with what is not there: the shell is in another directory than the path was meant for. */
export interface WrongPath {
  kind: "path";
  /** Where the shell was, from the root of the checkout; "" for the root. */
  directory: string;
  /** The path's first part. */
  first: string;
}

/** Lines that were put into a file and taken out again. */
export interface TakenBackLines {
  kind: "lines";
  path: string;
  /** `hashLine` of each that tells something. */
  lines: number[];
}

export type DeadEndTrace = WrongWord | WrongAddress | WrongPath | TakenBackLines;

/** Options that a wrapper or git takes before its subcommand, with a word of their own. */
const takesWord = /^(?:-C|-c|--git-dir|--work-tree|-R|--repo|--prefix|-w|--workspace|--filter)$/;
/** Runs another program, and may be missing itself. */
const runner = /^(?:timeout|gtimeout|flock|xvfb-run|stdbuf|nice)$/;

export interface SimpleCommand {
  /** The program and its plain words, up to the first that is none. */
  named: string[];
  /** Every word but the program, and what such a word is put together from. */
  parts: Set<string>;
  args: string[];
}

/** The simple commands of a line; one that runs another counts as well: it may not take it. */
export const readCommands = (line: string): readonly SimpleCommand[] =>
  splitShellCommands(line).flatMap((text) => {
    const read = readShellCommand(text);
    if (read === null) return [];
    const [first = "", ...rest] = splitShellWords(text);
    const commands = [toSimpleCommand(read.program, read.args)];
    if (first.replace(/^.*\//, "") !== read.program && /^[a-z][\w.-]*$/.test(first))
      commands.push(toSimpleCommand(first, rest));
    if (runner.test(read.program)) {
      const at = read.args.findIndex((arg) => /^[a-z][\w.-]*$/.test(arg));
      if (at >= 0) commands.unshift(toSimpleCommand(read.args[at]!, read.args.slice(at + 1)));
    }
    return commands;
  });

const toSimpleCommand = (program: string, args: string[]): SimpleCommand => ({
  named: [program, ...listPlainWords(args)],
  parts: splitParts(args),
  args,
});

function listPlainWords(args: readonly string[]): string[] {
  const plain: string[] = [];
  for (let i = 0; i < args.length; i++) {
    if (takesWord.test(args[i]!)) i++;
    else if (!args[i]!.startsWith("-")) plain.push(args[i]!);
  }
  return plain;
}

/** `--json=a,b` is also `--json`, `a` and `b`, and `-oP` also `-o` and `-P`; what has spaces is a text. */
const splitParts = (args: readonly string[]): Set<string> =>
  new Set(
    args.flatMap((arg) => {
      if (/\s/.test(arg)) return [];
      if (isCluster(arg)) return [arg, ...[...arg.slice(1)].map((letter) => `-${letter}`)];
      return [arg, ...(/[=,]/.test(arg) ? arg.split(/[=,]/) : [])];
    }),
  );

/** One-letter options in one word. */
export const isCluster = (arg: string): boolean => /^-[A-Za-z]{2,4}$/.test(arg);

/** How shells say that a program is not there. */
export const missesProgram =
  /(?:command not found: |not found in PATH: )([\w.-]+)|(?:^|[:\s])([\w.-]+): (?:command )?not found\s*$/i;

/** @param directory where they run, from the root of the checkout; null: not known */
export function isSameCall(
  trace: WrongWord | WrongAddress,
  commands: readonly SimpleCommand[],
  directory: string | null,
): boolean {
  return commands.some((command) => {
    if (trace.kind === "word" && trace.words.length === 0) return command.named[0] === trace.word;
    if (!trace.words.every((word, i) => (i === 0 ? command.named[0] === word : command.named.includes(word))))
      return false;
    if (trace.kind === "address")
      return (
        command.args.some((arg) => toAddress(arg) === trace.address) &&
        doesWrite(command.args) === trace.writes
      );
    const isThere = trace.directory === null || trace.directory === directory;
    if (trace.isSubcommand) return isThere && command.named[trace.words.length] === trace.word;
    return isThere && command.parts.has(trace.word);
  });
}

/** Programs whose paths are on another machine, or of a repository's root. */
const elsewhere = /^(?:gh|glab|ssh|scp|rsync|curl|wget|docker|podman|kubectl|aws|gcloud|az)$/;

/** The relative paths of a line with their first parts, as far as the shell is where it was. */
export function listRelativePaths(commands: readonly SimpleCommand[]): { path: string; first: string }[] {
  const paths: { path: string; first: string }[] = [];
  for (const { named, args } of commands) {
    // `git -C` and its like say themselves from where a path goes.
    const isElsewhere = args.includes("-C") || elsewhere.test(named[0]!);
    for (const arg of isElsewhere ? [] : args) {
      const [, first] = /^(?:\.\/)?([\w@][\w.@-]*)\/[\w.@/-]*$/.exec(arg) ?? [];
      if (first !== undefined) paths.push({ path: arg, first });
    }
    if (named[0] === "cd" || named[0] === "pushd") break;
  }
  return paths;
}

export const isSamePath = (
  { directory, first }: WrongPath,
  commands: readonly SimpleCommand[],
  here: string | null,
): boolean => here === directory && listRelativePaths(commands).some((one) => one.first === first);

/** An address without its numbers and its question: `repos/a/b/pulls/7` is `repos/a/b/pulls/#`; null: it is none. */
export function toAddress(arg: string): string | null {
  if (/^-|\s/.test(arg) || !/\w\/\w/.test(arg)) return null;
  return arg
    .replace(/[?#].*$/, "")
    .replace(/^\//, "")
    .replace(/(?<![A-Za-z])\d+(?![A-Za-z])/g, "#");
}

/** Whether a request changes something: by its method, or as it sends fields. */
export const doesWrite = (args: readonly string[]): boolean => {
  const at = args.findIndex((arg) => /^(?:-X|--method|--request)(?:=|$)/.test(arg));
  if (at >= 0) return !/GET|HEAD/i.test(args[at]!.split("=")[1] ?? args[at + 1] ?? "");
  return args.some((arg) => /^(?:-f|-F|--field|--raw-field|--input|-d|--data\S*)(?:=|$)/.test(arg));
};

export const hashLine = (line: string): number => hashFnv1a(line.trim());

/** Whether what is written into a file has most of the lines that were taken back. @param added lines */
export function areSameLines({ lines }: TakenBackLines, added: readonly string[]): boolean {
  const written = new Set(pickTellingLines(added).map(hashLine));
  const again = lines.filter((line) => written.has(line)).length;
  return again >= minAgain.lines && again >= minAgain.share * lines.length;
}
