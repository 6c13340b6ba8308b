import type { Command, Option } from "commander";
import { embedderDrivers, readEmbedderSpec } from "../../embed/registry.ts";
import { settingKeys } from "../../project/setting-values.ts";

/** What can follow at one place of the command line: after `pm`, after `pm config`, ... */
export interface Place {
  /** The commands typed so far, joined by blanks; "" right after `pm`. */
  at: string;
  commands: Candidate[];
  options: OptionCandidate[];
  /** What an argument may be; empty: anything, usually a file. */
  values: string[];
}

interface Candidate {
  name: string;
  about: string;
}

export interface OptionCandidate {
  short: string | null;
  long: string | null;
  about: string;
  /** What follows it: nothing, one of some words, a directory, or anything. */
  value: "none" | "directory" | "any" | string[];
}

/** Every place of `program`'s command line that help shows. */
export function placesOf(program: Command): Place[] {
  const visit = (command: Command, at: string): Place[] => {
    const help = command.createHelp();
    const commands = help.visibleCommands(command);
    const place: Place = {
      at,
      commands: commands.map((child) => ({ name: child.name(), about: child.description() })),
      options: [...help.visibleOptions(command), ...(at === "" ? [] : program.options)].map(optionCandidate),
      values: command.registeredArguments.flatMap((argument) => {
        if (argument.name() === "key") return settingKeys;
        if (argument.name() === "embedder")
          return embedderDrivers.map(({ name }) => readEmbedderSpec(name).spec);
        if (at === "help") return help.visibleCommands(program).map((child) => child.name());
        return argument.argChoices ?? [];
      }),
    };
    const below = commands.flatMap((child) =>
      child.name() === "help" && at !== "" ? [] : visit(child, `${at} ${child.name()}`.trim()),
    );
    return [place, ...below];
  };
  return visit(program, "");
}

function optionCandidate(option: Option): OptionCandidate {
  const takesValue = option.required || option.optional;
  const free = /<dir>/.test(option.flags) ? "directory" : "any";
  return {
    short: option.short ?? null,
    long: option.long ?? null,
    about: option.description,
    value: takesValue ? (option.argChoices ?? free) : "none",
  };
}

/** The flags of an option as they are typed. */
export function flagsOf({ short, long }: OptionCandidate): string[] {
  return [short, long].filter((flag) => flag !== null);
}

/** A word in single quotes, for bash and zsh. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/**
 * The branches of a `case "$at:$word"` that follow the words typed so far, for bash and zsh: a command leads to
 * its place, an option with a value hides the word after it.
 */
export function walkBranches(places: readonly Place[]): string {
  const branches: string[] = [];
  for (const { at, commands, options } of places) {
    const withValue = options.filter(({ value }) => value !== "none").flatMap(flagsOf);
    if (withValue.length > 0) {
      branches.push(`${withValue.map((flag) => quoted(`${at}:${flag}`)).join("|")}) ((i++)) ;;`);
    }
    for (const { name } of commands) {
      branches.push(`${quoted(`${at}:${name}`)}) at=${quoted(`${at} ${name}`.trim())} ;;`);
    }
  }
  return branches.map((branch) => `      ${branch}`).join("\n");
}

/**
 * The branches of a shell's `case` on "<place>:<option>": what to offer right after an option that takes a value.
 * @param actionFor the shell's commands for one kind of value
 */
export function valueBranches(
  places: readonly Place[],
  actionFor: (value: Exclude<OptionCandidate["value"], "none">) => string,
): string {
  const branches: string[] = [];
  for (const { at, options } of places) {
    for (const option of options) {
      if (option.value === "none") continue;
      const pattern = flagsOf(option)
        .map((flag) => quoted(`${at}:${flag}`))
        .join("|");
      branches.push(`      ${pattern}) ${actionFor(option.value)} ;;`);
    }
  }
  return branches.join("\n");
}
