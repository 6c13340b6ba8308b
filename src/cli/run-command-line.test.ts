import type { Command } from "commander";
import { expect, it } from "vitest";
import { collectedStreams } from "../../test/support/collected-streams.ts";
import { buildProgram } from "./program.ts";
import { runCommandLine } from "./run-command-line.ts";
import { ownStreams } from "./terminal/streams.ts";

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

it("declares the command that is named alone, by each of its names", async () => {
  for (const command of all.commands) {
    for (const name of [command.name(), ...command.aliases()]) {
      const { commands } = await buildProgram(ownStreams, name);
      expect(commands.map((one) => one.name())).toContain(command.name());
      expect(commands.length).toBeLessThan(6);
    }
  }
});

it.each([
  [["backup", "--nonsense"], "Run `pm backup --help`."],
  [["session", "show", "8ecde0fc", "--nonsense"], "Run `pm session show --help`."],
  [["--nonsense"], "Run `pm --help`."],
])("names the help of the command whose option is unknown: %j", async (args, hint) => {
  const { streams, written } = collectedStreams();
  expect(await runCommandLine(args, { cwd: "/", streams, isRemote: false })).toBe(2);
  expect(written[2]).toContain(`hint: ${hint}`);
});
