/**
 * The reference pages, made from the declarations: docs/cli.md from the command line's help, docs/configuration.md from the
 * settings, docs/http.md from the daemon's contract, docs/mcp.md from the tools, docs/coming-from.md from the table of other names. What stands above the mark in a page is written by hand. `npm run docs:reference`
 * writes them; src/reference.test.ts holds them to it.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Command } from "commander";
import {
  describeAllowed,
  findUnit,
  formatSetting,
  settingKeys,
  toTomlLiteral,
} from "../src/base/config/setting-values.ts";
import { type SettingKey, settings } from "../src/base/config/settings.ts";
import { type OtherKind, otherKinds, otherNames, otherOrigins } from "../src/base/other-names.ts";
import { toJsonSchema } from "../src/daemon/http/openapi.ts";
import { aliasNames, toCanonicalArgs } from "../src/faces/cli/names.ts";
import { buildProgram } from "../src/faces/cli/program.ts";
import { commandSections } from "../src/features/commands.ts";
import { publicOperations } from "../src/features/index.ts";
import { tools } from "../src/features/tools.ts";
import { findSectionTitle } from "../src/protocol/reading/setting-sections.ts";
import type { Streams } from "../src/terminal/streams.ts";
import { type Schema, typeOf } from "./typescript-type.ts";

const mark = "<!-- Below: made by `npm run docs:reference`. Change the declarations instead. -->";

/** Columns of the command line's help, as wide as a page shows it. */
const width = 88;

const pages: Record<string, () => Promise<string> | string> = {
  "cli.md": cliPage,
  "coming-from.md": comingFromPage,
  "configuration.md": configurationPage,
  "http.md": httpPage,
  "mcp.md": mcpPage,
};

/** Each page as it should be, by its file's path. */
export async function referencePages(): Promise<Map<string, { now: string; wanted: string }>> {
  const made = Object.entries(pages).map(async ([name, make]) => {
    const file = fileURLToPath(new URL(`../docs/${name}`, import.meta.url));
    const now = readFileSync(file, "utf8");
    const [byHand = ""] = now.split(mark);
    return [
      file,
      { now, wanted: `${byHand.trimEnd()}\n\n${mark}\n\n${(await make()).trimEnd()}\n` },
    ] as const;
  });
  return new Map(await Promise.all(made));
}

/** All commands by what they are for, and the help of each, in the order in which help lists them. */
async function cliPage(): Promise<string> {
  let written = "";
  const write = (text: string) => {
    written += text;
  };
  const streams: Streams = {
    write: (_, text) => write(text),
    show: write,
    columns: width,
    hasColor: () => false,
    hasLinks: false,
  };
  const program = await buildProgram(streams);
  const sections: string[] = [];
  const add = (command: Command, path: string) => {
    written = "";
    command.outputHelp();
    const help = written.replace(/\n\nGlobal Options:\n(?: .*\n)*/, "\n").trim();
    sections.push(`${"#".repeat(path.split(" ").length + 1)} pm ${path}\n\n\`\`\`text\n${help}\n\`\`\``);
    for (const below of command.createHelp().visibleCommands(command)) add(below, `${path} ${below.name()}`);
  };
  for (const command of program.createHelp().visibleCommands(program)) add(command, command.name());
  return [listCommandSections(), ...sections].join("\n\n");
}

function listCommandSections(): string {
  const rows = Object.entries(commandSections).map(([section, commands]) => {
    const links = Object.keys(commands).map((name) => `[${name}](#pm-${name})`);
    return `| ${section} | ${links.join(", ")} |`;
  });
  return ["## All commands", "", "| | |", "|---|---|", ...rows].join("\n");
}

/** Each setting, below the title of its section: what it is for, and what it may be. */
function configurationPage(): string {
  const titles = [...new Set(settingKeys.map(findSectionTitle))];
  const listKeys = (title: string) => settingKeys.filter((key) => findSectionTitle(key) === title);
  const links = titles.map((title) => {
    const linked = listKeys(title).map((key) => `[\`${key}\`](#${key.replace(".", "")})`);
    return `| ${title} | ${linked.join(", ")} |`;
  });
  const described = titles.flatMap((title) => [`### ${title}`, ...listKeys(title).map(describeSetting)]);
  return ["## Settings", ["| about | settings |", "|---|---|", ...links].join("\n"), ...described].join(
    "\n\n",
  );
}

function describeSetting(key: SettingKey): string {
  const { about, who, default: value } = settings[key];
  const byDefault = findUnit(key) === undefined ? "" : ` (${formatSetting(key, value)})`;
  return `#### ${key}\n\n${about}\n\nDefault: \`${toTomlLiteral(value)}\`${byDefault}. Allowed: ${describeAllowed(key)}. Useful for: ${who}.`;
}

/** Each operation: what it is asked, and what it answers. */
function httpPage(): string {
  return publicOperations
    .map(({ name, methods, path, summary, request, response }) => {
      const [asked, answered] = [toJsonSchema(request(), "input"), toJsonSchema(response(), "output")];
      return [
        `## ${methods.join(" or ")} ${path}`,
        `${summary}. In \`pommel/client\`, this is \`${name}\`.`,
        fieldsOf(asked),
        `\`\`\`ts\n${typeOf(answered, "")}\n\`\`\``,
      ].join("\n\n");
    })
    .join("\n\n");
}

/** Each tool with its arguments. */
function mcpPage(): string {
  const described = Object.entries(tools).map(([name, { description, input }]) =>
    [`### ${name}`, description, fieldsOf(toJsonSchema(input, "input"))].join("\n\n"),
  );
  return ["## Arguments", ...described].join("\n\n");
}

/** What each other tool calls what Pommel has, a table for each kind of name. */
function comingFromPage(): string {
  const sections = Object.entries(otherOrigins).map(([from, title]) => {
    const tables = otherKinds.flatMap((kind) => {
      const rows = otherNames
        .filter((row) => row.from === from && row.kind === kind)
        .map(({ name, today, note = "" }) => [
          asCode(kind, name, from === "ec" ? "ec" : "pm"),
          today.map((one) => asCode(kind, one, "pm")).join(", "),
          note,
        ]);
      if (rows.length === 0) return [];
      return [
        [
          `| ${kind} | in Pommel | |`,
          "|---|---|---|",
          ...rows.map((cells) => `| ${cells.join(" | ")} |`),
        ].join("\n"),
      ];
    });
    return [`## ${title}`, ...tables].join("\n\n");
  });
  const aliases = aliasNames.map(
    (name) => `| \`pm ${name}\` | \`pm ${toCanonicalArgs([name]).join(" ")}\` |`,
  );
  const working = ["## Names that work as well", ["| short | in full |", "|---|---|", ...aliases].join("\n")];
  return [...sections, ...working].join("\n\n");
}

/** @param program what a command line begins with */
const asCode = (kind: OtherKind, name: string, program: string) =>
  `\`${/^(?:command|option)$/.test(kind) ? `${program} ${name}` : name}\``;

function fieldsOf({ properties = {}, required = [] }: Schema): string {
  const rows = Object.entries(properties).map(([name, schema]) => {
    const { description = "", ...shape } = schema as Schema;
    const shown = required.includes(name) ? `**\`${name}\`**` : `\`${name}\``;
    // A bar would end the cell.
    const cells = [shown, `\`${typeOf(shape, "").replace(/\s+/g, " ")}\``, description];
    return `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  });
  if (rows.length === 0) return "It takes no parameters.";
  return ["| field | type | what it is |", "|---|---|---|", ...rows].join("\n");
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  for (const [file, { wanted }] of await referencePages()) writeFileSync(file, wanted);
