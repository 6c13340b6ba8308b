import type { Command } from "commander";
import { type CommandContext, examples, run } from "./frame.ts";
import { canonical } from "./names.ts";
import { allCommands, pathOf, unknownCommand } from "./suggest.ts";

/** `pm help`, which needs all commands to be declared. */
export function declareHelp(program: Command): void {
  program
    .command("help")
    .description("Print the help of a command, or of all of them")
    .argument("[command...]", "a command or a group, such as `memory` or `memory backup`")
    .option("--all", "list every command")
    .addHelpText(
      "after",
      examples(
        ["pm help", "the commands of a day"],
        ["pm help --all", "every command"],
        ["pm help memory backup", "one, with its options and examples"],
      ),
    )
    .action(
      run(
        async () => (context: CommandContext, words: string[], options: { all?: boolean }) =>
          help(program, context, words, options),
      ),
    );
}

async function help(
  program: Command,
  { output }: CommandContext,
  words: string[],
  { all = false }: { all?: boolean },
): Promise<void> {
  let named = program;
  for (const word of canonical(words).filter((one) => !one.startsWith("-"))) {
    const found = named.commands.find((one) => one.name() === word);
    // What is no command may be an argument: `pm help search code`.
    if (!found && named.commands.length === 0) break;
    if (!found) throw await unknownCommand(word, named);
    named = found;
  }
  if (!all && !output.json) return named.outputHelp();
  const listed = allCommands(named);
  const commands = listed.map((one) => ({ command: pathOf(one), summary: one.description() }));
  output.result({ commands }, () => listOf(listed, output.colors.bold));
}

/** By section, each with a line on what it does. */
function listOf(listed: readonly Command[], bold: (text: string) => string): string {
  const helper = listed[0]!.createHelp();
  const width = Math.max(...listed.map((one) => pathOf(one).length));
  const sections = [...new Set(listed.map(sectionOf))];
  const lines = (section: string) =>
    listed
      .filter((one) => sectionOf(one) === section)
      .map((one) => helper.formatItem(pathOf(one), width, one.description(), helper));
  return sections.map((section) => [bold(section), ...lines(section)].join("\n")).join("\n\n");
}

const sectionOf = (command: Command): string =>
  command.parent?.parent ? sectionOf(command.parent) : command.helpGroup();
