import type { Command } from "commander";
import { codeOf, messageOf, PommelError } from "../project/errors.ts";
import { createOutput, type Output } from "./output.ts";

/** What every command is given. */
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

/**
 * Makes a commander action of a command whose code is imported only when it runs: start-up pays for one
 * command, not for all. The command gets the context, then its arguments, then its own options.
 */
export function run<Args extends unknown[]>(
  load: () => Promise<CommandAction<Args>>,
): (...given: unknown[]) => Promise<void> {
  return async (...given) => {
    // Commander passes the arguments, the options and the command itself.
    const command = given.pop() as Command;
    const options = command.optsWithGlobals<GlobalOptions>();
    if (options.cwd !== undefined) enter(options.cwd);
    const context: CommandContext = {
      cwd: process.cwd(),
      debug: options.debug ?? false,
      output: createOutput({ json: options.json ?? false, noColor: options.color === false }),
    };
    const action = await load();
    process.exitCode = (await action(context, ...(given as Args))) ?? 0;
  };
}

/** The Examples section of a command's help: pairs of a command line and what it does. */
export function examples(...pairs: [commandLine: string, does: string][]): string {
  const width = Math.max(...pairs.map(([line]) => line.length));
  return `\nExamples:\n${pairs.map(([line, does]) => `  ${line.padEnd(width)}  ${does}`).join("\n")}`;
}

function enter(dir: string): void {
  try {
    process.chdir(dir);
  } catch (error) {
    const why = codeOf(error) === "ENOENT" ? "there is no such directory" : messageOf(error);
    throw new PommelError("usage", `Cannot change to ${dir}: ${why}.`, "Check the path after -C.");
  }
}
