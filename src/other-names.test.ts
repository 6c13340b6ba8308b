import { describe, expect, it } from "vitest";
import { collectedStreams } from "../test/support/collected-streams.ts";
import { toEnvName } from "./base/config/config.ts";
import { isSettingKey, settingKeys } from "./base/config/setting-values.ts";
import { type OtherKind, otherNames } from "./base/other-names.ts";
import { toJsonSchema } from "./daemon/http/openapi.ts";
import { toCanonicalArgs } from "./faces/cli/names.ts";
import { buildProgram } from "./faces/cli/program.ts";
import { runCommandLine } from "./faces/cli/run-command-line.ts";
import { readArguments } from "./faces/mcp/arguments.ts";
import { oldNames } from "./faces/mcp/old-names.ts";
import { findCallable } from "./faces/mcp/server/call-tool.ts";
import { statusResponse } from "./features/status/operation.ts";
import { tools } from "./features/tools.ts";
import { ownStreams } from "./terminal/streams.ts";
import type { Tool } from "./tools/tool.ts";

type OtherName = (typeof otherNames)[number];

/** The table of other names: that all of it is of today, so that no error names what is not there. */

interface Shape {
  properties?: Record<string, Shape>;
  anyOf?: Shape[];
}

const program = await buildProgram(ownStreams);

/** Whether words are a command, perhaps with one of its options and a value that it takes. */
function isCommandLine(line: string): boolean {
  const words = toCanonicalArgs(line.split(" "));
  let command = program;
  let options = [...command.options];
  while (words[0] !== undefined && !words[0].startsWith("-")) {
    const next = command.commands.find((one) => one.name() === words[0]);
    if (!next) {
      // What an argument may be is a part of its description.
      const [argument] = command.registeredArguments;
      return words.length === 1 && new RegExp(`\\b${words[0]}\\b`).test(argument?.description ?? "");
    }
    command = next;
    options = [...options, ...command.options];
    words.shift();
  }
  const [flag, value] = words;
  if (flag === undefined) return command !== program;
  const option = options.find((one) => one.long === flag || one.short === flag);
  return option !== undefined && (value === undefined || option.argChoices?.includes(value) === true);
}

/** Commands that take an option of this name, and this value of it. */
const takesValue = (text: string) =>
  ["search", "search code"].some((command) => isCommandLine(`${command} ${text}`));

/** All that can be called by Pommel's own names. */
const callable: Readonly<Record<string, Pick<Tool, "input">>> = { ...tools, ...oldNames };

function hasArgument(tool: string, argument: string): boolean {
  if (!Object.hasOwn(callable, tool)) return false;
  const { properties = {} } = toJsonSchema(callable[tool]!.input, "input") as Shape;
  return Object.hasOwn(properties, argument);
}

function hasField(path: string): boolean {
  const fields = (shape: Shape): Shape[] => [shape, ...(shape.anyOf ?? []).flatMap(fields)];
  let shapes = [toJsonSchema(statusResponse(), "output") as Shape];
  for (const name of path.split(".")) {
    shapes = shapes.flatMap(fields).flatMap(({ properties }) => properties?.[name] ?? []);
  }
  return shapes.length > 0;
}

const variables = new Set([...settingKeys.map(toEnvName), "POMMEL_HOME", "CLAUDE_CONFIG_DIR"]);

const isOfToday: Record<OtherKind, (today: string, row: OtherName) => boolean> = {
  command: isCommandLine,
  option: isCommandLine,
  value: takesValue,
  tool: (today) => Object.hasOwn(callable, today),
  argument: (today, { name }) => hasArgument(name.split(" ")[0]!, today),
  field: hasField,
  setting: isSettingKey,
  variable: (today) => variables.has(today),
};

describe("the table of other names", () => {
  it.each(otherNames.map((row): [string, string, OtherName] => [row.kind, row.name, row]))(
    "%s %s: today's names are there, or a sentence says why none is",
    (_, __, row) => {
      for (const today of row.today) expect(isOfToday[row.kind](today, row), today).toBe(true);
      if (row.today.length === 0 || row.note !== undefined) expect(row.note).toMatch(/^[A-Z].*\.$/);
    },
  );

  it("has no name twice, and none that Pommel has itself", () => {
    const names = otherNames.map(({ kind, name }) => `${kind} ${name}`);
    expect(names.filter((one, i) => names.indexOf(one) !== i)).toEqual([]);
    const isHere: Record<OtherKind, (name: string) => boolean> = {
      command: (name) => !/[A-Z]/.test(name) && isCommandLine(name),
      option: isCommandLine,
      value: takesValue,
      tool: (name) => Object.hasOwn(callable, name),
      argument: (name) => hasArgument(name.split(" ")[0]!, name.split(" ")[1]!),
      field: hasField,
      setting: isSettingKey,
      variable: (name) => variables.has(name),
    };
    expect(otherNames.filter(({ kind, name }) => isHere[kind](name))).toEqual([]);
  });
});

const rowsOf = (...kinds: OtherKind[]) =>
  otherNames.filter(({ kind }) => kinds.includes(kind)).map((row): [string, OtherName] => [row.name, row]);

describe("an error names today's name of", () => {
  it.each(rowsOf("command", "option", "value"))("pm %s", async (_, { kind, name, today }) => {
    const { streams, written } = collectedStreams();
    const words = kind === "value" ? ["search", "x", ...name.split(" ")] : name.split(" ");
    expect(await runCommandLine(words, { cwd: "/", streams, isRemote: false })).toBe(2);
    expect(today.filter((one) => !written[2].includes(one))).toEqual([]);
  });
});

it.each(rowsOf("argument"))("the argument %s is understood", (_, { name, today }) => {
  const [tool = "", argument = ""] = name.split(" ");
  const { input, synonyms } = findCallable(tool)!;
  const { notes } = readArguments(tool, input, { [argument]: "x" }, synonyms);
  expect(synonyms[argument]).toBe(today[0]);
  expect(notes.filter((note) => note.includes("has no argument"))).toEqual([]);
});
