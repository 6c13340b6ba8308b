import type { Argument, Command, Option } from "commander";
import { agentNames } from "../../../agents/profiles.ts";
import { settingKeys } from "../../../base/config/setting-values.ts";
import type { Project } from "../../../base/paths.ts";
import { quoteForShell } from "../../../base/text/shell.ts";
import { type Candidates, completions } from "../../../features/completions.ts";
import { isRemembered, lookUpProject } from "../../../git/projects/find-project.ts";
import { embedderDrivers, readEmbedderSpec } from "../../../models/embed/registry.ts";
import type { CommandContext } from "../../../terminal/frame.ts";
import { toOneLine } from "../../../terminal/text.ts";

/** Where the values of an option come from, by the option's name. */
const sourceOfOption: Readonly<Record<string, string>> = {
  "--agent": "agents",
  "--branch": "branches",
  "--checkpoint": "checkpoints",
  "--commit": "checkpoints",
  "--event": "events",
  "--package": "packages",
  "--session": "sessions",
};

/** Where the values of an argument come from, by the command's and the argument's name. */
const sourceOfArgument: Readonly<Record<string, string>> = {
  "checkpoint show id": "checkpoints",
  "checkpoint diff from": "checkpoints",
  "checkpoint rewind checkpoint": "checkpoints",
  "browse what": "sessions",
  "event show event": "events",
  "event link event": "events",
  "event unlink event": "events",
  "event close event": "events",
  "import agent": "agents",
  "session list id": "sessions",
  "session handoff session": "sessions",
  "session resume session": "sessions",
  "session show id": "sessions",
  "share session id": "sessions",
};

/** What can follow at one place of the command line: after `pm`, after `pm config`, ... */
export interface CompletionPoint {
  /** The commands typed so far, joined by blanks; "" right after `pm`. */
  at: string;
  commands: CommandCandidate[];
  options: OptionCandidate[];
  /** What an argument may be; empty: anything, usually a file. */
  values: string[];
  /** A source of further values for an argument. */
  source: string | null;
}

interface CommandCandidate {
  name: string;
  about: string;
}

export interface OptionCandidate {
  short: string | null;
  long: string | null;
  about: string;
  /** What follows it: nothing, one of some words, a directory, something from the memory, or anything. */
  value: "none" | "directory" | "any" | string[] | { source: string };
}

/** Every place of `program`'s command line that help shows. */
export function listCompletionPlaces(program: Command): CompletionPoint[] {
  const visit = (command: Command, at: string): CompletionPoint[] => {
    const help = command.createHelp();
    const commands = help.visibleCommands(command);
    const findArgumentSource = (argument: Argument) => sourceOfArgument[`${at} ${argument.name()}`] ?? [];
    const place: CompletionPoint = {
      at,
      source: command.registeredArguments.flatMap(findArgumentSource)[0] ?? null,
      commands: commands.map((child) => ({ name: child.name(), about: child.description() })),
      options: [...help.visibleOptions(command), ...(at === "" ? [] : program.options)].map(
        toOptionCandidate,
      ),
      values: command.registeredArguments.flatMap((argument) => {
        if (argument.name() === "key") return settingKeys;
        if (argument.name() === "embedder")
          return embedderDrivers.map(({ name }) => readEmbedderSpec(name).spec);
        if (at === "help") return help.visibleCommands(program).map((child) => child.name());
        return argument.argChoices ?? [];
      }),
    };
    return [place, ...commands.flatMap((child) => visit(child, `${at} ${child.name()}`.trim()))];
  };
  return visit(program, "");
}

function toOptionCandidate(option: Option): OptionCandidate {
  const takesValue = option.required || option.optional;
  const source = sourceOfOption[option.long ?? ""];
  const free = /<dir>/.test(option.flags) ? "directory" : source ? { source } : "any";
  return {
    short: option.short ?? null,
    long: option.long ?? null,
    about: option.description,
    value: takesValue ? (option.argChoices ?? free) : "none",
  };
}

/** What follows an option that takes a value. */
export type ValueOf = Exclude<OptionCandidate["value"], "none">;

/** The flags of an option as they are typed. */
export function listFlags({ short, long }: OptionCandidate): string[] {
  return [short, long].filter((flag) => flag !== null);
}

/**
 * The branches of a `case "$at:$word"` that follow the words typed so far, for bash and zsh: a command leads to
 * its place, an option with a value hides the word after it.
 */
export function walkBranches(places: readonly CompletionPoint[]): string {
  const branches: string[] = [];
  for (const { at, commands, options } of places) {
    const withValue = options.filter(({ value }) => value !== "none").flatMap(listFlags);
    if (withValue.length > 0) {
      branches.push(`${withValue.map((flag) => quoteForShell(`${at}:${flag}`)).join("|")}) ((i++)) ;;`);
    }
    for (const { name } of commands) {
      branches.push(`${quoteForShell(`${at}:${name}`)}) at=${quoteForShell(`${at} ${name}`.trim())} ;;`);
    }
  }
  return branches.map((branch) => `      ${branch}`).join("\n");
}

/**
 * The branches of a shell's `case` on "<place>:<option>": what to offer right after an option that takes a value.
 * @param actionFor the shell's commands for one kind of value
 */
export function renderValueBranches(
  places: readonly CompletionPoint[],
  actionFor: (value: ValueOf) => string,
): string {
  const branches: string[] = [];
  for (const { at, options } of places) {
    for (const option of options) {
      if (option.value === "none") continue;
      const pattern = listFlags(option)
        .map((flag) => quoteForShell(`${at}:${flag}`))
        .join("|");
      branches.push(`      ${pattern}) ${actionFor(option.value)} ;;`);
    }
  }
  return branches.join("\n");
}

/**
 * `pm complete <source>`: prints what the completion scripts offer, one value in each line, with its description after a tab. If
 * anything fails it offers less, because a shell's completion is no place for errors.
 */
export async function completeCommand({ cwd, output }: CommandContext, source: string): Promise<void> {
  const known = await lookUpProject(cwd)
    .then((project) => (isRemembered(project) ? listCandidates(source, project) : []))
    .catch((): Candidates => []);
  // The agents that Pommel supports come before others from the memory.
  const others = known.filter(([name]) => !(agentNames as readonly string[]).includes(name));
  const found = source === "agents" ? [...agentNames.map((name) => [name] as const), ...others] : known;
  if (found.length === 0 && !output.json) return;
  output.result(
    found.map(([value]) => value),
    found.map(([value, about]) => (about ? `${value}\t${toOneLine(about, 60)}` : value)).join("\n"),
  );
}

async function listCandidates(source: string, project: Project): Promise<Candidates> {
  const list = await completions[source]?.();
  return list === undefined ? [] : list(project);
}
