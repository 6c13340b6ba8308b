import type { Command } from "commander";
import { distance } from "fastest-levenshtein";
import { PommelError } from "../../base/errors.ts";
import { suggestPommelName } from "../../base/other-names.ts";
import { type CommandContext, formatExamples, run } from "../../terminal/frame.ts";
import { ownStreams } from "../../terminal/streams.ts";
import { aliasNames, toCanonicalArgs } from "./names.ts";
import { buildProgram } from "./program.ts";

/** Words that people may type, by the command that does what they mean. */
export const meanings: Readonly<Record<string, string>> = {
  search: "find grep rg lookup query ask locate recall",
  why: "explain reason because",
  blame: "annotate who author authors whose",
  session: "history log chat chats conversation conversations transcript transcripts show last",
  review: "diff pr changes changed",
  how: "run commands command howto",
  fix: "error errors debug solve failure",
  note: "remember add save memo remind",
  digest: "summary summarize summarise standup recap today yesterday week report timeline",
  status: "info state health progress ps",
  open: "ui web page dashboard gui serve view",
  browse: "tui less",
  setup: "install hooks agents",
  import: "load ingest",
  config: "settings setting set get configure preferences options",
  projects: "list repos repositories workspaces project ls",
  doctor: "check diagnose repair verify",
  disable: "off pause",
  enable: "on",
  "memory forget": "delete remove rm purge erase clear",
  "memory scrub": "secrets redact clean",
  "memory lost": "undelete recover deleted restore-text",
  "memory export": "dump",
  "code chunk": "function symbol cat",
  "code impact": "callers usages uses references refs dependents affected",
  "code stats": "statistics metrics contributions",
  "checkpoint rewind": "reset checkout rollback",
  checkpoint: "commit commits snapshot",
  event: "group tag label",
  "daemon start": "up server",
  "daemon stop": "kill down quit",
  "daemon reindex": "index rebuild refresh",
  "daemon queue": "jobs tasks pending",
  "share session": "share-session send publish",
  "share git": "push fetch",
  "share team": "postgres colleagues",
  "session context": "inject prompt injected",
  "session resume": "continue reopen",
  "models list": "model embedders embedding embeddings",
};

/** "pm memory backup" */
export function formatCommandPath(command: Command): string {
  return command.parent === null ? command.name() : `${formatCommandPath(command.parent)} ${command.name()}`;
}

/** A command, the commands in it, and so on. */
function listAllCommands(command: Command): Command[] {
  const below = command.createHelp().visibleCommands(command).flatMap(listAllCommands);
  return command.parent === null ? below : [command, ...below];
}

/**
 * Suggests Pommel's command line for one that was refused, but that another tool understands.
 * @param named the command that the line names
 * @param args the line, with the command's canonical name
 * @param problem commander's message
 */
export function suggestOtherLine(named: Command, args: readonly string[], problem: string): string | null {
  const written = (today: string) => (today.startsWith("-") ? `\`${today}\`` : `\`pm ${today}\``);
  const path = formatCommandPath(named).split(" ").slice(1);
  const [, value] = /'(?:[^']* )?(--[\w-]+ )[^']*' argument '.*' is invalid/.exec(problem) ?? [];
  if (value !== undefined) {
    const [, given] = /argument '(.*)' is invalid/.exec(problem)!;
    return suggestPommelName("value", value + given, written);
  }
  const [, option] = /^unknown option '([^'=]+)/.exec(problem) ?? [];
  if (option !== undefined) {
    const isOption = (name: string) => {
      const words = toCanonicalArgs(name.split(" "));
      return words.pop() === option && words.every((word, i) => word === path[i]);
    };
    return suggestPommelName("option", isOption, written);
  }
  if (!/^(?:unknown command|too many arguments)/.test(problem)) return null;
  const line = args.filter((one) => !one.startsWith("-"));
  // A word in capitals stands for any word that is not the name of a command.
  const isCommand = (name: string) =>
    name
      .split(" ")
      .every((word, i) => (/^[A-Z]+$/.test(word) ? i >= path.length && line[i] : word === line[i]));
  return suggestPommelName("command", isCommand, written);
}

/** The error for an unknown command. It suggests a command with a similar name, meaning or spelling. */
export async function buildUnknownCommandError(word: string, group: Command): Promise<PommelError> {
  const meant = await findMeantCommand(word.toLowerCase(), group);
  const hint = meant === null ? `Run \`${formatHelpCommand(group)}\`.` : `Did you mean \`${meant}\`?`;
  return new PommelError("usage", `unknown command '${word}'`, hint);
}

const formatHelpCommand = (group: Command) =>
  group.parent === null ? "pm help" : `${formatCommandPath(group)} --help`;

async function findMeantCommand(word: string, group: Command): Promise<string | null> {
  const program = await buildProgram(ownStreams);
  /** All names of commands, those of the group first. */
  const names: [name: string, path: string][] = [
    ...group.commands.map((one): [string, string] => [one.name(), formatCommandPath(one)]),
    ...aliasNames.map((name): [string, string] => [name, `pm ${toCanonicalArgs([name]).join(" ")}`]),
    ...listAllCommands(program).map((one): [string, string] => [one.name(), formatCommandPath(one)]),
    ...Object.entries(meanings).flatMap(([path, words]) =>
      words.split(" ").map((name): [string, string] => [name, `pm ${path}`]),
    ),
  ];
  // Two swapped letters count as two edits.
  const far = word.length < 5 ? 1 : word.length < 9 ? 2 : 3;
  const ranked = names
    .map(([name, path]) => ({ path, far: distance(name, word) }))
    .filter((one) => one.far <= far)
    // The sort is stable: of two equally near names, the first wins.
    .sort((a, b) => a.far - b.far);
  return ranked[0]?.path ?? null;
}

/** `pm help`, which needs all commands to be declared. */
export function declareHelp(program: Command): void {
  program
    .command("help")
    .description("Print the help of a command, or of all of them")
    .argument("[command...]", "a command or a group, such as `memory` or `memory backup`")
    .option("--all", "list every command")
    .addHelpText(
      "after",
      formatExamples(
        ["pm help", "the everyday commands"],
        ["pm help --all", "every command"],
        ["pm help memory backup", "one, with its options and examples"],
      ),
    )
    .action(
      run(
        async () => (context: CommandContext, words: string[], options: { all?: boolean }) =>
          printHelp(program, context, words, options),
      ),
    );
}

async function printHelp(
  program: Command,
  { output }: CommandContext,
  words: string[],
  { all = false }: { all?: boolean },
): Promise<void> {
  let named = program;
  for (const word of toCanonicalArgs(words).filter((one) => !one.startsWith("-"))) {
    const found = named.commands.find((one) => one.name() === word);
    // A word that is not a command may be an argument: `pm help search code`.
    if (!found && named.commands.length === 0) break;
    if (!found) throw await buildUnknownCommandError(word, named);
    named = found;
  }
  if (!all && !output.json) return named.outputHelp();
  const listed = listAllCommands(named);
  const commands = listed.map((one) => ({ command: formatCommandPath(one), summary: one.description() }));
  output.result({ commands }, () => formatCommandList(listed, output.colors.bold));
}

/** By section, each with a line on what it does. */
function formatCommandList(listed: readonly Command[], bold: (text: string) => string): string {
  const helper = listed[0]!.createHelp();
  const width = Math.max(...listed.map((one) => formatCommandPath(one).length));
  const sections = [...new Set(listed.map(findHelpSection))];
  const lines = (section: string) =>
    listed
      .filter((one) => findHelpSection(one) === section)
      .map((one) => helper.formatItem(formatCommandPath(one), width, one.description(), helper));
  return sections.map((section) => [bold(section), ...lines(section)].join("\n")).join("\n\n");
}

const findHelpSection = (command: Command): string =>
  command.parent?.parent ? findHelpSection(command.parent) : command.helpGroup();
