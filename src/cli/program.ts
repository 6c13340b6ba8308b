import { Command } from "commander";
import packageJson from "../../package.json" with { type: "json" };
import { declareBench } from "./commands/bench/command.ts";
import { declareBlame } from "./commands/blame/command.ts";
import { declareCheckpoint } from "./commands/checkpoint/command.ts";
import { declareCompletion } from "./commands/completion/command.ts";
import { declareConfig } from "./commands/config/command.ts";
import { declareContext } from "./commands/context/command.ts";
import { declareDaemon } from "./commands/daemon/command.ts";
import { declareDecisions } from "./commands/decisions/command.ts";
import { declareDoctor } from "./commands/doctor/command.ts";
import { declareEnable } from "./commands/enable/command.ts";
import { declareEvent } from "./commands/event/command.ts";
import { declareForget } from "./commands/forget/command.ts";
import { declareHook } from "./commands/hook/command.ts";
import { declareImport } from "./commands/import/command.ts";
import { declareInit } from "./commands/init/command.ts";
import { declareMcp } from "./commands/mcp/command.ts";
import { declareModels } from "./commands/models/command.ts";
import { declareNotes } from "./commands/notes/command.ts";
import { declareProjects } from "./commands/projects/command.ts";
import { declareQueue } from "./commands/queue/command.ts";
import { declareReindex } from "./commands/reindex/command.ts";
import { declareRewind } from "./commands/rewind/command.ts";
import { declareScrub } from "./commands/scrub/command.ts";
import { declareSearch } from "./commands/search/command.ts";
import { declareSession } from "./commands/session/command.ts";
import { declareStats } from "./commands/stats/command.ts";
import { declareStatus } from "./commands/status/command.ts";
import { declareSync } from "./commands/sync/command.ts";
import { declareUninstall } from "./commands/uninstall/command.ts";
import { declareWhy } from "./commands/why/command.ts";
import type { Streams } from "./terminal/streams.ts";

/**
 * The whole command line of `pm`: names, arguments, options and help, but none of the commands' code.
 *
 * To add a command:
 * 1. Declare it in `commands/<name>/command.ts`, which is loaded on every start and so imports nothing but `commander`,
 *    `frame.ts`, `values.ts` and lists of values, and name that here:
 *
 *        program
 *          .command("search")
 *          .description("Find code by meaning")
 *          .argument("<query...>", "what to look for")
 *          .option("-n, --limit <count>", "at most this many results", positiveInteger)
 *          .addHelpText("after", examples(['pm search "retry with backoff"', "methods that retry"]))
 *          .action(run(async () => (await import("./search.ts")).searchCommand));
 *
 * 2. Write its code beside it, in `commands/<name>/<name>.ts`:
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
  declareInit(program);
  declareConfig(program);
  declareDoctor(program);
  declareDaemon(program);
  declareBench(program);
  declareCompletion(program);
  declareSearch(program);
  declareSession(program);
  declareNotes(program);
  declareDecisions(program);
  declareWhy(program);
  declareBlame(program);
  declareStats(program);
  declareImport(program);
  declareQueue(program);
  declareForget(program);
  declareScrub(program);
  declareSync(program);
  declareCheckpoint(program);
  declareEvent(program);
  declareProjects(program);
  declareRewind(program);
  declareStatus(program);
  declareReindex(program);
  declareModels(program);
  declareEnable(program);
  declareUninstall(program);
  declareHook(program);
  declareMcp(program);
  declareContext(program);
  return program;
}
