import { resolve } from "node:path";
import { type Command, CommanderError } from "commander";
import { PommelError } from "../../base/errors.ts";
import { type Caller, NotRunByDaemon, runProgram } from "../../terminal/frame.ts";
import { createOutput, printError } from "../../terminal/output.ts";
import { findCommandIndex, toCanonicalArgs } from "./names.ts";
import { buildProgram } from "./program.ts";

/**
 * Runs a command line of `pm`, and prints what goes wrong.
 * @returns the exit code
 * @throws NotRunByDaemon for a command that a daemon does not run for `pm`
 */
export async function runCommandLine(typed: readonly string[], caller: Caller): Promise<number> {
  const args = toCanonicalArgs(typed);
  const program = await buildProgram(caller.streams, args[findCommandIndex(args)] ?? args[0]);
  // These are read from the arguments, because a command line that fails to parse has no options.
  const style = {
    json: args.includes("--json"),
    debug: args.includes("--debug"),
    noColor: args.includes("--no-color"),
  };
  try {
    return await runProgram(program, args, caller);
  } catch (error) {
    if (error instanceof NotRunByDaemon) throw error;
    if (!(error instanceof CommanderError)) return printError(error, style, caller.streams);
    if (error.exitCode === 0) return 0;
    const named = findNamedCommand(program, args);
    if (error.code !== "commander.help")
      return printError(await toUsageError(error, named, args), style, caller.streams);
    const output = createOutput(style, caller.streams);
    if (named.parent === null) {
      // `pm` alone.
      const { cwd = caller.cwd } = program.opts<{ cwd?: string }>();
      await (await import("../../features/status/overview.ts")).printOverview({
        cwd: resolve(cwd),
        debug: style.debug,
        output,
      });
    } else {
      // A group alone.
      const commands = named.commands.map((one) => ({ name: one.name(), summary: one.description() }));
      output.result({ group: named.name(), commands }, () => named.helpInformation().trimEnd());
    }
    return 0;
  }
}

/** The command that a command line names; the program itself when it names none. */
function findNamedCommand(program: Command, args: readonly string[]): Command {
  let command = program;
  for (const word of args.slice(findCommandIndex(args))) {
    if (word.startsWith("-")) continue;
    const found = command.commands.find((one) => one.name() === word);
    if (!found) break;
    command = found;
  }
  return command;
}

/** Commander's "error: unknown option '--strat'\n(Did you mean --start?)" in our form. */
async function toUsageError(
  { code, message }: CommanderError,
  named: Command,
  args: readonly string[],
): Promise<PommelError> {
  const [what = "", suggestion = ""] = message.replace(/^error: /, "").split("\n");
  const { suggestOtherLine, formatCommandPath, buildUnknownCommandError } = await import("./help.ts");
  const renamed = suggestOtherLine(named, args, what);
  if (renamed !== null) return new PommelError("usage", what, renamed);
  const [, word] = /^unknown command '(.*)'$/.exec(what) ?? [];
  if (code === "commander.unknownCommand" && word !== undefined) return buildUnknownCommandError(word, named);
  const hint = suggestion.replace(/^\(|\)$/g, "") || `Run \`${formatCommandPath(named)} --help\`.`;
  return new PommelError("usage", what, hint);
}
