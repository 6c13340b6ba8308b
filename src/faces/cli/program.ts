import { Command, Help } from "commander";
import packageJson from "../../../package.json" with { type: "json" };
import { commandSections } from "../../features/commands.ts";
import { createPalette } from "../../terminal/palette.ts";
import type { Streams } from "../../terminal/streams.ts";

/** The section of the commands that programs call. Only `pm help --all` shows it. */
const plumbing = "Run by agents, git, editors and shells";

/** The commands by what they are for, in the order in which help lists them. */
const sections: typeof commandSections = {
  ...commandSections,
  [plumbing]: {
    hook: async () => (await import("./plumbing.ts")).declareHook,
    mcp: async () => (await import("./plumbing.ts")).declareMcp,
    lsp: async () => (await import("./plumbing.ts")).declareLsp,
    statusline: async () => (await import("./plumbing.ts")).declareStatusline,
    completion: async () => (await import("./plumbing.ts")).declareCompletion,
    complete: async () => (await import("./plumbing.ts")).declareComplete,
    help: async () => (await import("./help.ts")).declareHelp,
  },
};
const declarations = Object.entries(sections).flatMap(([section, commands]) =>
  Object.entries(commands).map(([name, load]) => ({ section, name, load })),
);

/** Removes commander's own help commands: `pm help` is the only one. */
function withoutHelpCommands(command: Command): void {
  command.helpCommand(false);
  command.commands.forEach(withoutHelpCommands);
}

/** In the help of `pm` itself: lists only the commands that people call, and after a group the names of its commands. */
function formatHelp(command: Command, helper: Help): string {
  const short: Help = Object.create(helper);
  if (command.parent === null) {
    short.visibleCommands = () =>
      helper.visibleCommands(command).filter((one) => one.helpGroup() !== `${plumbing}:`);
    short.subcommandDescription = (one) => {
      const isGroup = one.helpGroup() === "Groups:";
      const names = isGroup ? `: ${one.commands.map((below) => below.name()).join(", ")}` : "";
      return helper.subcommandDescription(one) + names;
    };
  }
  return Help.prototype.formatHelp.call(short, command, short);
}

/**
 * The command line of `pm`: names, arguments, options and help, but none of the commands' code. Of the commands only the
 * one that `first` names is declared, as a start pays for each; all of them where it names none, or `help`.
 *
 * To add a command:
 * 1. Declare it in `command.ts` of its feature, and name that in `features/commands.ts`. Options that are
 *    fields of an operation's request come from its schema (`addOptions`):
 *
 *        program
 *          .command("search")
 *          .description("Find code by meaning")
 *          .argument("<query...>", "what to look for")
 *          .option("-n, --limit <count>", "at most this many results", positiveInteger)
 *          .addHelpText("after", formatExamples(['pm search "retry with backoff"', "methods that retry"]))
 *          .action(run(async () => (await import("./pm-search.ts")).searchCommand));
 *
 * 2. Write its code in `pm-<name>.ts` beside it:
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
 * declared with `query` in place of `run`, and listed in forward.ts: then a running daemon runs it.
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
    .helpCommand(false)
    .configureHelp({
      showGlobalOptions: true,
      // A list shows only names; each command's own help shows its arguments and options.
      subcommandTerm: (command) => command.name(),
      styleTitle: (title) => colors.bold(title),
      formatHelp,
    })
    // Errors are thrown to run-command-line.ts, which prints them like every other error; help and version go to stdout.
    .exitOverride()
    .configureOutput({
      writeOut: (text) => streams.write(1, text),
      writeErr: () => {},
      getOutHelpWidth: () => streams.columns ?? 80,
      getOutHasColors: () => streams.hasColor(1),
    });
  // The version needs no commands.
  if (first === "-V" || first === "--version") return program;
  const named = first === "help" ? [] : declarations.filter(({ name }) => name === first);
  const loaded = await Promise.all(
    (named.length > 0 ? named : declarations).map(async ({ load, section }) => ({
      declare: await load(),
      section,
    })),
  );
  program.addHelpText(
    "after",
    "\n`pm help COMMAND` explains a command, with examples. `pm help --all` lists all commands, including those in groups and those that programs call.",
  );
  for (const { declare, section } of loaded) {
    const before = program.commands.length;
    declare(program);
    for (const command of program.commands.slice(before)) {
      command.helpGroup(`${section}:`);
      withoutHelpCommands(command);
    }
  }
  return program;
}
