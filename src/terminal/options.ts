import { type Command, InvalidArgumentError, Option } from "commander";
import type { Operation, RequestOf } from "../answers/operation.ts";
import { maxResults } from "../base/max-results.ts";
import { type RequestField, readRequestFields } from "../protocol/request-fields.ts";

/** How the values of options are read. */

/** Reads a whole number within bounds. */
function makeNumberParser(from: number, to = Number.MAX_SAFE_INTEGER): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (text.trim() !== "" && Number.isSafeInteger(value) && value >= from && value <= to) return value;
    const range =
      to < Number.MAX_SAFE_INTEGER ? ` from ${from} to ${to}` : from > 0 ? `, ${from} or more` : "";
    throw new InvalidArgumentError(`It must be a whole number${range}.`);
  };
}

export const positiveInteger = makeNumberParser(1);
export const wholeNumber = makeNumberParser(0);
/** How many results are asked for. */
const resultLimit = makeNumberParser(1, maxResults);

export interface NumberRange {
  first: number;
  /** Infinity: to the end. */
  last: number;
}

/** Reads "3", "3-9", "3-". */
export function parseNumberRange(text: string): NumberRange {
  const [, a, dash, b] = /^(\d+)(?:(-)(\d*))?$/.exec(text.trim()) ?? [];
  const first = Number(a);
  const last = dash === undefined ? first : b === "" ? Number.POSITIVE_INFINITY : Number(b);
  if (a === undefined || last < first) throw new InvalidArgumentError("It must be like 3, 3-9 or 3-.");
  return { first, last };
}

/** Comma separated, and repeatable. */
export function list(text: string, before: string[] = []): string[] {
  const parts = text.split(",").map((part) => part.trim());
  return [...before, ...parts.filter((part) => part !== "")];
}

/** Repeatable. */
export function collect(value: string, before: string[] = []): string[] {
  return [...before, value];
}

/** Options that several commands share, and that are not fields of a request. */
export const shared = {
  allProjects: ["--all-projects", "of all Pommel projects on this machine (`pm projects`)"],
  dryRun: ["--dry-run", "only show what would change"],
  forGood: ["--for-good", "delete everything at once: keep no backups, and nothing in the trash"],
  limit: ["-n, --limit <count>", "at most this many results", resultLimit],
  yes: ["-y, --yes", "do not ask"],
} as const;

/** The options' flags, for fields whose flags cannot be derived from their names and values. */
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
 * Adds an option for each field of an operation's request. The field's schema gives its description and its values.
 * @param flags by field, if they are not the usual ones; null: the field is no option
 */
export function addOptions<O extends Operation>(
  command: Command,
  operation: O,
  flags: { [F in keyof RequestOf<O>]?: string | null } = {},
): Command {
  const own: Readonly<Record<string, string | null | undefined>> = flags;
  for (const [name, field] of Object.entries(readRequestFields(operation.request()))) {
    const usual = usualFlags[name];
    const written = own[name] === undefined ? (usual ?? makeFlags(name, field)) : own[name];
    if (written === null) continue;
    const option = makeOption(written, field);
    // Commander would turn `--dry-run` into `dryRun`, a name that the request does not have.
    if (own[name] === undefined && usual === undefined) option.attributeName = () => name;
    command.addOption(option);
  }
  return command;
}

/**
 * Puts options under headings of their own in the help, where a list of all of them would be long.
 * @param groups the names of options, without dashes, by heading
 * @throws where the command has no such option
 */
export function groupOptions(command: Command, groups: Readonly<Record<string, readonly string[]>>): void {
  for (const [heading, names] of Object.entries(groups)) {
    for (const name of names) {
      const option = command.options.find(({ long }) => long === `--${name}`);
      if (option === undefined) throw new Error(`${command.name()} has no option --${name}`);
      option.helpGroup(`${heading}:`);
    }
  }
}

function makeFlags(name: string, { type, isList, isSplit, values }: RequestField): string {
  const flag = `--${name.replaceAll("_", "-")}`;
  if (type === "flag") return flag;
  const value = flag.slice("--".length);
  if (isSplit) return `${flag} <${value.replace(/s?$/, "s")}>`;
  return `${flag} <${values && !isList ? value : type}>`;
}

function makeOption(
  flags: string,
  { about, type, isList, isSplit, values, minimum, maximum }: RequestField,
): Option {
  const how = isSplit
    ? "; comma separated"
    : isList
      ? "; repeatable"
      : flags.endsWith("session <id>")
        ? "; a prefix of its id is enough"
        : "";
  const option = new Option(flags, about + how);
  if (values) option.choices(values);
  if (isList) option.argParser(isSplit ? makeListParser(values) : collect);
  else if (type === "number") option.argParser(makeNumberParser(minimum ?? 0, maximum));
  return option;
}

/** Reads a list of the allowed values; null allows any. */
function makeListParser(values: readonly string[] | null) {
  return (text: string, before?: string[]): string[] => {
    const given = list(text, before);
    if (values === null || given.every((one) => values.includes(one))) return given;
    throw new InvalidArgumentError(`Allowed choices are ${values.join(", ")}.`);
  };
}
