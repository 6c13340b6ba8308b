import { resolve } from "node:path";
import { type Command, CommanderError } from "commander";
import { distance } from "fastest-levenshtein";
import { PommelError } from "../project/errors.ts";
import { type Caller, NotForwarded, runProgram } from "./frame.ts";
import { buildProgram } from "./program.ts";
import { createOutput, printError } from "./terminal/output.ts";

/**
 * Runs a command line of `pm`, and prints what goes wrong.
 * @returns the exit code
 * @throws NotForwarded for a command that is not run for others
 */
export async function runCommandLine(args: readonly string[], caller: Caller): Promise<number> {
  const program = await buildProgram(caller.streams, args[0]);
  // Read from the arguments: a command line that fails to parse has no options yet.
  const style = {
    json: args.includes("--json"),
    debug: args.includes("--debug"),
    noColor: args.includes("--no-color"),
  };
  try {
    if (args[0] === "help") checkHelpTopic(program, args.slice(1));
    return await runProgram(program, args, caller);
  } catch (error) {
    if (error instanceof NotForwarded) throw error;
    if (!(error instanceof CommanderError)) return printError(error, style, caller.streams);
    if (error.exitCode === 0) return 0;
    if (error.code === "commander.help") {
      // `pm` alone.
      const { cwd = caller.cwd } = program.opts<{ cwd?: string }>();
      const output = createOutput(style, caller.streams);
      await (await import("./overview.ts")).overview({ cwd: resolve(cwd), debug: style.debug, output });
      return 0;
    }
    return printError(usageError(error.message, namedIn(program, args)), style, caller.streams);
  }
}

/** Commander answers `pm help blam` with all of its help. @throws PommelError `usage` for what is no command */
function checkHelpTopic(program: Command, topic: readonly string[]): void {
  let command = program;
  for (const name of topic.filter((word) => !word.startsWith("-"))) {
    const found = command.commands.find((one) => one.name() === name || one.aliases().includes(name));
    if (!found && command.commands.length > 0 && name !== "help") {
      const names = command.commands.flatMap((one) => [one.name(), ...one.aliases()]);
      const near = names.filter((one) => distance(one, name) <= Math.max(1, Math.floor(name.length / 3)));
      const [best] = near.sort((a, b) => distance(a, name) - distance(b, name));
      const hint = best === undefined ? "Run `pm help`." : `Did you mean ${best}?`;
      throw new PommelError("usage", `unknown command '${name}'`, hint);
    }
    if (!found) return;
    command = found;
  }
}

/** The command that a command line names, with its groups: "pm backup list"; "pm" alone when it names none. */
function namedIn(program: Command, args: readonly string[]): string {
  let command = program;
  for (const word of args.filter((one) => !one.startsWith("-"))) {
    const found = command.commands.find((one) => one.name() === word || one.aliases().includes(word));
    if (!found) break;
    command = found;
  }
  const names: string[] = [];
  for (let one: Command | null = command; one !== null; one = one.parent) names.unshift(one.name());
  return names.join(" ");
}

/** Commander's "error: unknown command 'serch'\n(Did you mean search?)" in our form. */
function usageError(message: string, command: string): PommelError {
  const [what = "", suggestion = ""] = message.replace(/^error: /, "").split("\n");
  const hint = suggestion.replace(/^\(|\)$/g, "") || `Run \`${command} --help\`.`;
  return new PommelError("usage", what, hint);
}
