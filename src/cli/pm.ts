import { CommanderError } from "commander";
import { PommelError } from "../project/errors.ts";
import { printError } from "./output.ts";
import { buildProgram } from "./program.ts";
import { runProcess } from "./run-process.ts";

const program = buildProgram();
runProcess(() => program.parseAsync(), fail);

function fail(error: unknown): number {
  // Read from the arguments: the command line that failed to parse has no options yet.
  const flags = new Set(process.argv.slice(2));
  const style = { json: flags.has("--json"), debug: flags.has("--debug"), noColor: flags.has("--no-color") };
  if (!(error instanceof CommanderError)) return printError(error, style);
  if (error.exitCode === 0) return 0;
  if (error.code === "commander.help") {
    // `pm` alone.
    program.outputHelp();
    return 0;
  }
  return printError(usageError(error.message), style);
}

/** Commander's "error: unknown command 'serch'\n(Did you mean search?)" in our form. */
function usageError(message: string): PommelError {
  const [what = "", suggestion = ""] = message.replace(/^error: /, "").split("\n");
  const hint = suggestion.replace(/^\(|\)$/g, "") || "Run `pm --help`, or `pm <command> --help`.";
  return new PommelError("usage", what, hint);
}
