import { type Command, InvalidArgumentError, Option } from "commander";
import type { RouteName } from "../protocol/endpoints.ts";
import { type Field, fieldsOf, type RequestOf } from "../protocol/routes.ts";
import { collect, list, numberWithin, resultLimit } from "./values.ts";

/** Options of several commands that are no fields of a request. */
export const shared = {
  allProjects: ["--all-projects", "of all Pommel projects on this machine (`pm projects`)"],
  dryRun: ["--dry-run", "only show what would change"],
  limit: ["-n, --limit <count>", "at most this many results", resultLimit],
  yes: ["-y, --yes", "do not ask"],
} as const;

/** How fields are written as options, where that does not follow from their names and values. */
const usualFlags: Readonly<Record<string, string>> = {
  agent: "--agent <name>",
  branch: "--branch <name>",
  commit: "--commit <id>",
  event: "--event <id>",
  file: "--file <path>",
  level: "-l, --level <levels>",
  limit: "-n, --limit <count>",
  package: "--package <name>",
  path: "-p, --path <path>",
  rev: "--rev <commit>",
  search: "--search <words>",
  session: "--session <id>",
  since: "--since <time>",
  until: "--until <time>",
};

/**
 * Adds an option for each field of an operation's request: what it is for and what it may be says its schema.
 * @param flags by field, where they are not the usual ones; null: it is no option
 */
export function addOptions<R extends RouteName>(
  command: Command,
  route: R,
  flags: { [F in keyof RequestOf<R>]?: string | null } = {},
): Command {
  const own: Readonly<Record<string, string | null | undefined>> = flags;
  for (const [name, field] of Object.entries(fieldsOf(route))) {
    const usual = usualFlags[name];
    const written = own[name] === undefined ? (usual ?? flagsOf(name, field)) : own[name];
    if (written === null) continue;
    const option = optionOf(written, field);
    // Commander would make `dryRun` of `--dry-run`, which the request does not know.
    if (own[name] === undefined && usual === undefined) option.attributeName = () => name;
    command.addOption(option);
  }
  return command;
}

function flagsOf(name: string, { type, isList, isSplit, values }: Field): string {
  const flag = `--${name.replaceAll("_", "-")}`;
  if (type === "flag") return flag;
  if (isSplit) return `${flag} <${name.replace(/s?$/, "s")}>`;
  return `${flag} <${values && !isList ? name : type}>`;
}

function optionOf(flags: string, { about, type, isList, isSplit, values, minimum, maximum }: Field): Option {
  const how = isSplit
    ? "; comma separated"
    : isList
      ? "; repeatable"
      : flags.endsWith("session <id>")
        ? "; a prefix of its id is enough"
        : "";
  const option = new Option(flags, about + how);
  if (values) option.choices(values);
  if (isList) option.argParser(isSplit ? listOf(values) : collect);
  else if (type === "number") option.argParser(numberWithin(minimum ?? 0, maximum));
  return option;
}

/** Reads some of the values, or any where there are none. */
function listOf(values: readonly string[] | null) {
  return (text: string, before?: string[]): string[] => {
    const given = list(text, before);
    if (values === null || given.every((one) => values.includes(one))) return given;
    throw new InvalidArgumentError(`Allowed choices are ${values.join(", ")}.`);
  };
}
