import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Command } from "commander";
import { expect, it } from "vitest";
import { NotRunByDaemon } from "../../terminal/frame.ts";
import type { Streams } from "../../terminal/streams.ts";
import { commandsRunByDaemon, hasCommand, pickRelevantEnv } from "./forward.ts";
import { buildProgram } from "./program.ts";
import { runCommandLine } from "./run-command-line.ts";

const silent: Streams = {
  write: () => {},
  show: () => {},
  hasColor: () => false,
  hasLinks: false,
  columns: undefined,
};

/** Command lines of all commands that do something, with something for each argument that must be there. */
function lines(command: Command, prefix: string[] = []): string[][] {
  return command.commands.flatMap((child) => {
    const path = [...prefix, child.name()];
    const below = lines(child, path);
    // A group alone prints its help.
    if (child.commands.length > 0 && child.name() !== "backup" && child.name() !== "team") return below;
    const needed = child.registeredArguments.filter(({ required }) => required);
    const given = needed.map(({ argChoices }) => argChoices?.[0] ?? "1");
    return [[...path, ...given], ...below];
  });
}

async function isForwarded(args: string[], cwd: string): Promise<boolean> {
  try {
    await runCommandLine(args, { cwd, streams: silent, isRemote: true });
    return true;
  } catch (error) {
    if (error instanceof NotRunByDaemon) return false;
    throw error;
  }
}

it("names the commands that a daemon may run, and no others", async () => {
  const cwd = mkdtempSync(join(tmpdir(), "pommel-forwarded-"));
  const names = new Set<string>();
  for (const line of lines(await buildProgram(silent))) {
    if (!(await isForwarded(line, cwd))) continue;
    expect(line).toSatisfy((words: string[]) => hasCommand(commandsRunByDaemon, words));
    names.add(line[0]!).add(line.slice(0, 2).join(" "));
  }
  rmSync(cwd, { recursive: true });
  expect([...commandsRunByDaemon].filter((name) => !names.has(name))).toEqual([]);
});

it.each([
  ["status", "--watch"],
  ["search", "--all-projects", "x"],
  ["session", "list", "--all-projects"],
  ["-C", "/", "status"],
  ["daemon", "queue", "retry"],
  ["event", "create", "x"],
])("leaves to the caller what is no mere question: %s %s", async (...line) => {
  expect(await isForwarded(line, "/")).toBe(false);
});

it("takes of the environment what answers depend on", () => {
  const env = {
    PATH: "/bin",
    HOME: "/h",
    POMMEL_SEARCH_LIMIT: "3",
    XDG_RUNTIME_DIR: "/r",
    XDG_DATA_HOME: "",
    SECRET: "s",
  };
  expect(pickRelevantEnv(env)).toEqual({ HOME: "/h", POMMEL_SEARCH_LIMIT: "3" });
});
