import { Command } from "commander";
import packageJson from "../../package.json" with { type: "json" };
import { createPalette } from "./terminal/palette.ts";
import type { Streams } from "./terminal/streams.ts";

interface DeclaredCommands {
  names: string[];
  load: () => Promise<(program: Command) => void>;
}

/** The commands by what they are for, in the order that help lists them in, by the names that lead to them. */
const groups: Readonly<Record<string, readonly DeclaredCommands[]>> = {
  Find: [
    { names: ["search"], load: async () => (await import("./commands/search/command.ts")).declareSearch },
    { names: ["open"], load: async () => (await import("./commands/open/command.ts")).declareOpen },
    { names: ["browse"], load: async () => (await import("./commands/browse/command.ts")).declareBrowse },
    {
      names: ["decisions", "related"],
      load: async () => (await import("./commands/decisions/command.ts")).declareDecisions,
    },
    { names: ["chunk"], load: async () => (await import("./commands/chunk/command.ts")).declareChunk },
    { names: ["impact"], load: async () => (await import("./commands/impact/command.ts")).declareImpact },
    {
      names: ["packages"],
      load: async () => (await import("./commands/packages/command.ts")).declarePackages,
    },
    {
      names: ["notes", "annotations", "note"],
      load: async () => (await import("./commands/notes/command.ts")).declareNotes,
    },
  ],
  Understand: [
    {
      names: ["how", "fix", "lost"],
      load: async () => (await import("./commands/how/command.ts")).declareHow,
    },
    { names: ["why"], load: async () => (await import("./commands/why/command.ts")).declareWhy },
    { names: ["review"], load: async () => (await import("./commands/review/command.ts")).declareReview },
    { names: ["blame"], load: async () => (await import("./commands/blame/command.ts")).declareBlame },
    {
      names: ["resume", "handoff"],
      load: async () => (await import("./commands/resume/command.ts")).declareResume,
    },
    {
      names: ["session", "sessions"],
      load: async () => (await import("./commands/session/command.ts")).declareSession,
    },
    {
      names: ["checkpoint", "checkpoints"],
      load: async () => (await import("./commands/checkpoint/command.ts")).declareCheckpoint,
    },
    {
      names: ["event", "events"],
      load: async () => (await import("./commands/event/command.ts")).declareEvent,
    },
    { names: ["digest"], load: async () => (await import("./commands/digest/command.ts")).declareDigest },
    { names: ["stats"], load: async () => (await import("./commands/stats/command.ts")).declareStats },
    { names: ["rewind"], load: async () => (await import("./commands/rewind/command.ts")).declareRewind },
  ],
  "Set up": [
    { names: ["setup"], load: async () => (await import("./commands/setup/command.ts")).declareSetup },
    { names: ["init"], load: async () => (await import("./commands/init/command.ts")).declareInit },
    {
      names: ["enable", "disable"],
      load: async () => (await import("./commands/enable/command.ts")).declareEnable,
    },
    { names: ["config"], load: async () => (await import("./commands/config/command.ts")).declareConfig },
    { names: ["models"], load: async () => (await import("./commands/models/command.ts")).declareModels },
    { names: ["import"], load: async () => (await import("./commands/import/command.ts")).declareImport },
    {
      names: ["statusline"],
      load: async () => (await import("./commands/statusline/command.ts")).declareStatusline,
    },
    { names: ["lsp"], load: async () => (await import("./commands/lsp/command.ts")).declareLsp },
    { names: ["mcp"], load: async () => (await import("./commands/mcp/command.ts")).declareMcp },
    {
      names: ["complete", "completion"],
      load: async () => (await import("./commands/completion/command.ts")).declareCompletion,
    },
    {
      names: ["uninstall"],
      load: async () => (await import("./commands/uninstall/command.ts")).declareUninstall,
    },
  ],
  "Look after": [
    { names: ["status"], load: async () => (await import("./commands/status/command.ts")).declareStatus },
    { names: ["doctor"], load: async () => (await import("./commands/doctor/command.ts")).declareDoctor },
    { names: ["queue"], load: async () => (await import("./commands/queue/command.ts")).declareQueue },
    {
      names: ["version", "start", "stop", "restart", "logs"],
      load: async () => (await import("./commands/daemon/command.ts")).declareDaemon,
    },
    { names: ["reindex"], load: async () => (await import("./commands/reindex/command.ts")).declareReindex },
    {
      names: ["projects"],
      load: async () => (await import("./commands/projects/command.ts")).declareProjects,
    },
    { names: ["context"], load: async () => (await import("./commands/context/command.ts")).declareContext },
    { names: ["audit"], load: async () => (await import("./commands/audit/command.ts")).declareAudit },
    { names: ["forget"], load: async () => (await import("./commands/forget/command.ts")).declareForget },
    {
      names: ["backup", "restore"],
      load: async () => (await import("./commands/backup/command.ts")).declareBackup,
    },
    {
      names: ["encrypt", "decrypt"],
      load: async () => (await import("./commands/encrypt/command.ts")).declareEncrypt,
    },
    { names: ["scrub"], load: async () => (await import("./commands/scrub/command.ts")).declareScrub },
    { names: ["bench"], load: async () => (await import("./commands/bench/command.ts")).declareBench },
    { names: ["hook"], load: async () => (await import("./commands/hook/command.ts")).declareHook },
  ],
  Share: [
    { names: ["export"], load: async () => (await import("./commands/export/command.ts")).declareExport },
    {
      names: ["attribution"],
      load: async () => (await import("./commands/attribution/command.ts")).declareAttribution,
    },
    { names: ["sync", "pull"], load: async () => (await import("./commands/sync/command.ts")).declareSync },
    { names: ["share"], load: async () => (await import("./commands/share/command.ts")).declareShare },
  ],
};
const commands = Object.entries(groups).flatMap(([group, all]) => all.map((one) => ({ ...one, group })));

/**
 * The command line of `pm`: names, arguments, options and help, but none of the commands' code. Of the commands only the
 * one that `first` names is declared, as a start pays for each; all of them where it names none.
 *
 * To add a command:
 * 1. Declare it in `commands/<name>/command.ts`, and name that here. Options that are fields of an operation's request come
 *    from its schema (`addOptions`):
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
 * declared with `query` in place of `run`, and listed in forwarded.ts: then a running daemon runs it.
 */
export async function buildProgram(streams: Streams, first = ""): Promise<Command> {
  const colors = createPalette({ color: streams.hasColor(1) });
  const program = new Command("pm");
  program
    .description(packageJson.description)
    .version(packageJson.version, "-V, --version", "print the version")
    .option("-C, --cwd <dir>", "run as if started in <dir>")
    .option("--json", "print the result as JSON")
    .option("--no-color", "no colours (also: NO_COLOR=1)")
    .option("--no-pager", "print long results without a pager")
    .option("--debug", "print stack traces of errors")
    .helpOption("-h, --help", "print help")
    .helpCommand("help [command]", "print help for a command")
    .configureHelp({
      showGlobalOptions: true,
      // Arguments and options stand in each command's own help.
      subcommandTerm: (command) => command.name(),
      styleTitle: (title) => colors.bold(title),
    })
    // Errors are thrown to main.ts, which prints them like every other error; help and version go to stdout.
    .exitOverride()
    .configureOutput({
      writeOut: (text) => streams.write(1, text),
      writeErr: () => {},
      getOutHelpWidth: () => streams.columns ?? 80,
      getOutHasColors: () => streams.hasColor(1),
    });
  const named = commands.filter(({ names }) => names.includes(first));
  // Needs none of them.
  if (first === "-V" || first === "--version") return program;
  const declarations = await Promise.all(
    (named.length > 0 ? named : commands).map(async ({ load, group }) => ({ declare: await load(), group })),
  );
  for (const { declare, group } of declarations) {
    const before = program.commands.length;
    declare(program);
    for (const command of program.commands.slice(before)) command.helpGroup(`${group}:`);
  }
  return program;
}
