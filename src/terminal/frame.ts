import type { Command } from "commander";
import { getErrorCode, getErrorMessage, PommelError } from "../base/errors.ts";
import { startMissingDaemon } from "../client/start-missing-daemon.ts";
import { takeNotice } from "../git/projects/find-project.ts";
import { createOutput, type Output } from "./output.ts";
import { ownStreams, type Streams } from "./streams.ts";

/** The context of every command. */
export interface CommandContext {
  /** The working directory, after `-C`. */
  cwd: string;
  /** `--debug` was given. */
  debug: boolean;
  output: Output;
}

/** A command's code. It returns the exit code; nothing means 0. */
export type CommandAction<Args extends unknown[]> = (
  context: CommandContext,
  ...args: Args
) => Promise<number | undefined> | Promise<void>;

/** The options that every command accepts, before or after its name. */
interface GlobalOptions {
  json?: boolean;
  debug?: boolean;
  color?: boolean;
  cwd?: string;
}

/** For whom a command line runs: this process, or a `pm` that asked the daemon to run it. */
export interface Caller {
  cwd: string;
  streams: Streams;
  isRemote: boolean;
}

export const thisProcess: Caller = {
  get cwd() {
    try {
      return process.cwd();
    } catch (cause) {
      const message = "The current directory no longer exists.";
      throw new PommelError("usage", message, "Go to another directory, or name one with -C.", { cause });
    }
  },
  streams: ownStreams,
  isRemote: false,
};

/** One run of the command line; its commands look up their caller here. */
interface CommandLineRun {
  caller: Caller;
  exitCode: number;
}

const runs = new WeakMap<Command, CommandLineRun>();

/** Parses `args` and runs the command that they name. @returns its exit code */
export async function runProgram(program: Command, args: readonly string[], caller: Caller): Promise<number> {
  const run: CommandLineRun = { caller, exitCode: 0 };
  runs.set(program, run);
  await program.parseAsync(args, { from: "user" });
  return run.exitCode;
}

function findRun(command: Command): CommandLineRun {
  const run = runs.get(command);
  if (run) return run;
  if (command.parent === null) throw new Error("the command line is not run by runProgram");
  return findRun(command.parent);
}

/** Thrown for a command that a daemon does not run for `pm`. */
export class NotRunByDaemon extends Error {}

/** What a command does besides answering. */
interface CommandManner {
  /** The command only looks at the current state, and changes nothing anywhere. */
  looks?: boolean;
  /** Starts a missing daemon afterwards, for the next command. Not for commands that manage or examine the daemon. */
  startsDaemon?: boolean;
}

/**
 * Makes a commander action of a command whose code is imported only when it runs: start-up pays for one
 * command, not for all. The command gets the context, then its arguments, then its own options.
 */
export function run<Args extends unknown[]>(
  load: () => Promise<CommandAction<Args>>,
  manner: CommandManner = {},
): (...given: unknown[]) => Promise<void> {
  return makeAction(load, () => false, manner);
}

/**
 * As `run`, for a command that only reads, asks nothing and uses nothing of its process. A daemon runs it for `pm`, which then
 * need not load it (faces/cli/forward.ts). If no daemon runs, `pm` runs it, and then starts a daemon.
 * @param unless whether these options make the command do more than that
 */
export function query<Args extends unknown[]>(
  load: () => Promise<CommandAction<Args>>,
  {
    unless = () => false,
    looks = false,
  }: CommandManner & { unless?: (options: Record<string, unknown>) => boolean } = {},
): (...given: unknown[]) => Promise<void> {
  return makeAction(load, (options) => !unless(options), { looks, startsDaemon: !looks });
}

function makeAction<Args extends unknown[]>(
  load: () => Promise<CommandAction<Args>>,
  isRunByDaemon: (options: Record<string, unknown>) => boolean,
  { looks = false, startsDaemon = false }: CommandManner,
): (...given: unknown[]) => Promise<void> {
  return async (...given) => {
    // Commander passes the arguments, the options and the command itself.
    const command = given.pop() as Command;
    const options = command.optsWithGlobals<GlobalOptions>();
    const run = findRun(command);
    const { caller } = run;
    if (caller.isRemote && (options.cwd !== undefined || !isRunByDaemon(command.opts())))
      throw new NotRunByDaemon();
    if (options.cwd !== undefined) enter(options.cwd);
    const context: CommandContext = {
      cwd: caller.cwd,
      debug: options.debug ?? false,
      output: createOutput({ json: options.json ?? false, noColor: options.color === false }, caller.streams),
    };
    const execute = await load();
    try {
      run.exitCode = (await execute(context, ...(given as Args))) ?? 0;
      // takeNotice records that it was shown, and a command that only looks writes nothing.
      const notice = context.output.json || looks ? null : takeNotice(context.cwd);
      if (notice !== null) context.output.note(context.output.colors.hint(notice));
    } finally {
      // The daemon starts after the command, which may hold the lock that a daemon needs.
      if (!caller.isRemote && startsDaemon) await startMissingDaemon();
    }
  };
}

/** The Examples section of a command's help: pairs of a command line and what it does. */
export function formatExamples(...pairs: [commandLine: string, does: string][]): string {
  const width = Math.max(...pairs.map(([line]) => line.length));
  return `\nExamples:\n${pairs.map(([line, does]) => `  ${line.padEnd(width)}  ${does}`).join("\n")}`;
}

function enter(dir: string): void {
  try {
    process.chdir(dir);
  } catch (error) {
    const why = getErrorCode(error) === "ENOENT" ? "no such directory" : getErrorMessage(error);
    throw new PommelError("usage", `Cannot change to ${dir}: ${why}.`, "Check the path after -C.");
  }
}
