import { Command } from "commander";
import packageJson from "../../package.json" with { type: "json" };
import { declareBlameCommands } from "./declare/blame.ts";
import { declareCheckpointCommands } from "./declare/checkpoints.ts";
import { declareContextCommand } from "./declare/context.ts";
import { declareDaemonCommands } from "./declare/daemon.ts";
import { declareEventCommands, declareProjectsCommands } from "./declare/events.ts";
import { declareHookCommands } from "./declare/hooks.ts";
import { declareMcpCommand } from "./declare/mcp.ts";
import { declareMemoryCommands } from "./declare/memory.ts";
import { declareModelsCommands } from "./declare/models.ts";
import { declareProjectCommands } from "./declare/project.ts";
import { declareRewindCommand } from "./declare/rewind.ts";
import { declareSessionCommands } from "./declare/sessions.ts";
import { declareSyncCommands } from "./declare/sync.ts";
import type { Streams } from "./terminal/streams.ts";

/**
 * The whole command line of `pm`: names, arguments, options and help, but none of the commands' code.
 *
 * To add a command:
 * 1. Declare it in a file of `declare/`, which is loaded on every start and so imports nothing but
 *    `commander` and `../frame.ts`:
 *
 *        program
 *          .command("search")
 *          .description("Find code by meaning")
 *          .argument("<query...>", "what to look for")
 *          .option("-n, --limit <count>", "at most this many results", positiveInteger)
 *          .addHelpText("after", examples(['pm search "retry with backoff"', "methods that retry"]))
 *          .action(run(async () => (await import("./search.ts")).searchCommand));
 *
 * 2. Write its code in `commands/<name>.ts`:
 *
 *        export async function searchCommand(
 *          { cwd, output }: CommandContext,
 *          query: string[],
 *          options: { limit?: number },
 *        ): Promise<number | undefined> {
 *          output.result({ results }, () => renderResults(results, output.colors));
 *        }
 *
 * `--json`, `--debug`, `-C` and `--no-color` are the program's and need no declaration. A failure is a thrown
 * `PommelError`; a returned number is the exit code of a command that worked but has bad news. A command that only reads is
 * declared with `query` in place of `run`, and its name stands in forwarded.ts: then a running daemon runs it.
 */
export function buildProgram(streams: Streams): Command {
  const program = new Command("pm");
  program
    .description(packageJson.description)
    .version(packageJson.version, "-V, --version", "print the version")
    .option("-C, --cwd <dir>", "run as if started in <dir>")
    .option("--json", "print the result as JSON")
    .option("--no-color", "no colours (also: NO_COLOR=1)")
    .option("--debug", "print stack traces of errors")
    .helpOption("-h, --help", "print help")
    .helpCommand("help [command]", "print help for a command")
    .configureHelp({ showGlobalOptions: true })
    // Errors are thrown to main.ts, which prints them like every other error; help and version go to stdout.
    .exitOverride()
    .configureOutput({
      writeOut: (text) => streams.write(1, text),
      writeErr: () => {},
      getOutHelpWidth: () => streams.columns ?? 80,
    });
  declareProjectCommands(program);
  declareSessionCommands(program);
  declareBlameCommands(program);
  declareMemoryCommands(program);
  declareSyncCommands(program);
  declareCheckpointCommands(program);
  declareEventCommands(program);
  declareProjectsCommands(program);
  declareRewindCommand(program);
  declareDaemonCommands(program);
  declareModelsCommands(program);
  declareHookCommands(program);
  declareMcpCommand(program);
  declareContextCommand(program);
  return program;
}
