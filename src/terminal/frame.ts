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

/** A command's code. What it returns is the exit code; nothing means 0. */
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

/** Whom a command line is run for: this process, or the `pm` that has its daemon run it. */
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

/** A run of the command line, of which its commands find the caller. */
interface Run {
  caller: Caller;
  exitCode: number;
}

const runs = new WeakMap<Command, Run>();

/** Parses `args` and runs the command that they name. @returns its exit code */
export async function runProgram(program: Command, args: readonly string[], caller: Caller): Promise<number> {
  const run: Run = { caller, exitCode: 0 };
  runs.set(program, run);
  await program.parseAsync(args, { from: "user" });
  return run.exitCode;
}

function findRun(command: Command): Run {
  const run = runs.get(command);
  if (run) return run;
  if (command.parent === null) throw new Error("the command line is not run by runProgram");
  return findRun(command.parent);
}

/** The command is not run for others. */
export class NotForwarded extends Error {}

/** How a command behaves beside its answer. */
interface Manner {
  /** It looks at how things are, and changes nothing anywhere. */
  looks?: boolean;
  /** Afterwards a missing daemon is started, for the next time. Not for commands that manage or examine the daemon. */
  startsDaemon?: boolean;
}

/**
 * Makes a commander action of a command whose code is imported only when it runs: start-up pays for one
 * command, not for all. The command gets the context, then its arguments, then its own options.
 */
export function run<Args extends unknown[]>(
  load: () => Promise<CommandAction<Args>>,
  manner: Manner = {},
): (...given: unknown[]) => Promise<void> {
  return makeAction(load, () => false, manner);
}

/**
 * As `run`, for a command that only reads, asks nothing and uses nothing of its process: a daemon runs it for `pm`, which
 * then need not load it (faces/cli/forward.ts), and which starts a daemon where none runs.
 * @param unless of the command's options: where it does more than that
 */
export function query<Args extends unknown[]>(
  load: () => Promise<CommandAction<Args>>,
  {
    unless = () => false,
    looks = false,
  }: Manner & { unless?: (options: Record<string, unknown>) => boolean } = {},
): (...given: unknown[]) => Promise<void> {
  return makeAction(load, (options) => !unless(options), { looks, startsDaemon: !looks });
}

function makeAction<Args extends unknown[]>(
  load: () => Promise<CommandAction<Args>>,
  isForwarded: (options: Record<string, unknown>) => boolean,
  { looks = false, startsDaemon = false }: Manner,
): (...given: unknown[]) => Promise<void> {
  return async (...given) => {
    // Commander passes the arguments, the options and the command itself.
    const command = given.pop() as Command;
    const options = command.optsWithGlobals<GlobalOptions>();
    const run = findRun(command);
    const { caller } = run;
    if (caller.isRemote && (options.cwd !== undefined || !isForwarded(command.opts())))
      throw new NotForwarded();
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
      // Afterwards: what works without a daemon may hold the lock that a daemon needs.
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
