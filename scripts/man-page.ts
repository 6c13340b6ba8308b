/** Writes dist/pm.1, the man page, from the declarations of the command line. Its language is man(7). */

import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Command, Help, Option } from "commander";
import packageJson from "../package.json" with { type: "json" };
import { exitCode } from "../src/base/errors.ts";
import { buildProgram } from "../src/faces/cli/program.ts";
import type { Streams } from "../src/terminal/streams.ts";

const file = fileURLToPath(new URL("../dist/pm.1", import.meta.url));

/** Text in which nothing is a request or an escape of the language. */
const escapeText = (text: string): string =>
  text
    .replaceAll("\\", "\\e")
    .replaceAll("-", "\\-")
    .replaceAll(/^([.'])/gm, "\\&$1");

/** A term in bold, with what it means indented below. */
const describe = (term: string, meaning: string): string =>
  `.TP\n\\fB${escapeText(term)}\\fR\n${escapeText(meaning)}`;

/** What stands below the options in a command's help: examples and remarks, line by line. */
async function readHelpBelow(command: Command): Promise<string> {
  let written = "";
  command.configureOutput({
    writeOut: (text) => {
      written += text;
    },
  });
  command.outputHelp();
  return written.split(/^Global Options:\n(?: .*\n)*/m)[1]?.trim() ?? "";
}

function describeOptions(options: readonly Option[], helper: Help): string {
  const headings = [...new Set(options.map(({ helpGroupHeading }) => helpGroupHeading))];
  return headings
    .flatMap((heading) => [
      ...(heading === undefined ? [] : [`.PP\n${escapeText(heading)}`]),
      ...options
        .filter(({ helpGroupHeading }) => helpGroupHeading === heading)
        .map((option) => describe(helper.optionTerm(option), helper.optionDescription(option))),
    ])
    .join("\n");
}

async function describeCommand(command: Command): Promise<string> {
  const helper = command.createHelp();
  const below = await Promise.all(helper.visibleCommands(command).map(describeCommand));
  const own = [
    `.SS ${escapeText(helper.commandUsage(command))}`,
    escapeText(command.description()),
    ...helper
      .visibleArguments(command)
      .map((one) => describe(helper.argumentTerm(one), helper.argumentDescription(one))),
    describeOptions(
      helper.visibleOptions(command).filter(({ long }) => long !== "--help"),
      helper,
    ),
    `.PP\n.nf\n${escapeText(await readHelpBelow(command))}\n.fi`,
  ];
  return [...own.filter((text) => text !== ""), ...below].join("\n");
}

const streams: Streams = {
  write: () => {},
  show: () => {},
  columns: 80,
  hasColor: () => false,
  hasLinks: false,
};
const exitMeanings = {
  ok: "success",
  failed: "failed",
  usage: "an unknown command or option, or an invalid value",
  notInitialised: "no project or git history here, or nothing recorded yet",
  daemonUnreachable: "the daemon cannot be reached or started",
  notFound: "not found",
} as const satisfies Record<keyof typeof exitCode, string>;
const program = await buildProgram(streams);
const helper = program.createHelp();
const commands = helper.visibleCommands(program);
const page = [
  `.TH PM 1 "" "Pommel ${packageJson.version}" "Pommel"`,
  ".SH NAME",
  `pm \\- ${escapeText(packageJson.description)}`,
  ".SH SYNOPSIS",
  "\\fBpm\\fR [\\fIoptions\\fR] \\fIcommand\\fR [\\fIarguments\\fR]",
  ".SH OPTIONS",
  "These work with every command.",
  describeOptions(helper.visibleOptions(program), helper),
  ".SH COMMANDS",
  ...(await Promise.all(commands.map(describeCommand))),
  ".SH EXIT STATUS",
  ...Object.entries(exitCode).map(([name, code]) =>
    describe(`${code}`, exitMeanings[name as keyof typeof exitCode]),
  ),
  ".SH SEE ALSO",
  escapeText(`${packageJson.homepage}`),
];
writeFileSync(file, `${page.join("\n")}\n`);
