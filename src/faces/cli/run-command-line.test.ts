import type { Command } from "commander";
import { expect, it } from "vitest";
import { collectedStreams } from "../../../test/support/collected-streams.ts";
import { ownStreams, type Streams } from "../../terminal/streams.ts";
import { meanings } from "./help.ts";
import { aliasNames, toCanonicalArgs } from "./names.ts";
import { buildProgram } from "./program.ts";
import { runCommandLine } from "./run-command-line.ts";

/** The names of all commands, with those of the groups that they are in. */
function paths(command: Command, prefix: string[] = []): string[][] {
  return command.commands.flatMap((child) => {
    const path = [...prefix, child.name()];
    return [path, ...paths(child, path)];
  });
}

const all = await buildProgram(ownStreams);

it.each(paths(all).map((path) => [path.join(" "), path] as const))(
  "%s has help with examples",
  async (_, path) => {
    const { streams, written } = collectedStreams();
    const caller = { cwd: "/", streams, isRemote: false };
    expect(await runCommandLine([...path, "--help"], caller)).toBe(0);
    expect(written[1]).toContain("\nExamples:\n  pm ");
    expect(written[1]).toContain("--json");
    expect(written[2]).toBe("");
  },
);

it("declares the command that is named alone", async () => {
  for (const command of all.commands.filter((one) => one.name() !== "help")) {
    const { commands } = await buildProgram(ownStreams, command.name());
    expect(commands.map((one) => one.name())).toEqual([command.name()]);
  }
});

const callerOf = (streams: Streams) => ({ cwd: "/", streams, isRemote: false });

it("leads each other name to a command", async () => {
  for (const name of aliasNames) {
    const { streams, written } = collectedStreams();
    expect(await runCommandLine(["-C", "/", name, "--help"], callerOf(streams))).toBe(0);
    const path = toCanonicalArgs([name]).filter((word) => !word.startsWith("-"));
    expect(written[1]).toContain(`Usage: pm ${path.join(" ")}`);
    expect(all.commands.map((one) => one.name())).not.toContain(name);
  }
});

it.each([
  [["find", "x"], "pm search"],
  [["grep"], "pm search"],
  [["history"], "pm session"],
  [["log"], "pm session"],
  [["rewnd"], "pm checkpoint rewind"],
  [["scrub"], "pm memory scrub"],
  [["strat", "--wait"], "pm daemon start"],
  [["-C", "/", "strat"], "pm daemon start"],
  [["memory", "bakup"], "pm memory backup"],
  [["memory", "start"], "pm daemon start"],
  [["help", "memry"], "pm memory"],
])("says what was meant by an unknown name: %j", async (args, meant) => {
  const { streams, written } = collectedStreams();
  expect(await runCommandLine(args, callerOf(streams))).toBe(2);
  expect(written[2]).toContain(`Did you mean \`${meant}\`?`);
});

it("says where help is when nothing is near", async () => {
  const { streams, written } = collectedStreams();
  expect(await runCommandLine(["xylophone"], callerOf(streams))).toBe(2);
  expect(written[2]).toContain("Run `pm help`.");
});

it("names real commands as what is meant", () => {
  const names = new Set(paths(all).map((path) => path.join(" ")));
  expect(Object.keys(meanings).filter((path) => !names.has(path))).toEqual([]);
});

it("lists the commands of a group that is named alone", async () => {
  const { streams, written } = collectedStreams();
  expect(await runCommandLine(["memory"], callerOf(streams))).toBe(0);
  expect(written[1]).toMatch(/Commands:\n {2}notes /);
  expect(written[1]).not.toContain("Examples:");
});

it("helps with the commands of people first, and lists all when asked", async () => {
  const short = collectedStreams();
  expect(await runCommandLine(["help"], callerOf(short.streams))).toBe(0);
  expect(short.written[1]).toMatch(/Every day:\n {2}search /);
  expect(short.written[1]).not.toMatch(/^ {2}hook/m);
  const full = collectedStreams();
  expect(await runCommandLine(["help", "--all"], callerOf(full.streams))).toBe(0);
  expect(full.written[1]).toContain("pm memory backup list");
  expect(full.written[1]).toContain("pm hook");
  const one = collectedStreams();
  expect(await runCommandLine(["help", "memory", "backup"], callerOf(one.streams))).toBe(0);
  expect(one.written[1]).toContain("Usage: pm memory backup");
});

it.each([
  [["backup", "--nonsense"], "Run `pm memory backup --help`."],
  [["session", "show", "8ecde0fc", "--nonsense"], "Run `pm session show --help`."],
  [["--nonsense"], "Run `pm --help`."],
])("names the help of the command whose option is unknown: %j", async (args, hint) => {
  const { streams, written } = collectedStreams();
  expect(await runCommandLine(args, { cwd: "/", streams, isRemote: false })).toBe(2);
  expect(written[2]).toContain(`hint: ${hint}`);
});
