#!/usr/bin/env node
import { existsSync } from "node:fs";
import { detectSpeaker } from "./agents/profiles.ts";
import { describeIgnoredPlaces, locateCompiledCode, locateHome } from "./base/home.ts";
import { commandsRunByDaemon, hasCommand } from "./faces/cli/forward.ts";
import { toCanonicalArgs } from "./faces/cli/names.ts";
import { setOwnChannel } from "./protocol/channel.ts";

/**
 * `pm`. Git waits for its hooks, a prompt for its status line, and an agent for its searches all day and for its MCP server when it starts:
 * these load nothing but what they need, and a question goes to the daemon as it is. Everything else, with its options and its
 * help, is the command line of faces/cli/pm.ts. The hooks of agents are a program of their own, hook.ts.
 */
const args = toCanonicalArgs(process.argv.slice(2));
const [command = "", ...rest] = args;

if (command === "hook" && rest[0]?.startsWith("git-")) {
  const [name, ...more] = rest;
  void import("./faces/hooks/run-git-hook.ts")
    .then(({ runGitHook }) => runGitHook(name!, more))
    .then(() => process.exit(0));
} else if (command === "statusline" && rest.every((option) => option === "--prompt")) {
  void import("./faces/hooks/statusline.ts")
    .then(({ printStatusline }) => printStatusline(rest.length > 0))
    // An agent shows a failure in place of the line.
    .catch(() => {})
    .then(() => process.exit(0));
} else if (hasCommand(commandsRunByDaemon, args)) {
  warnOfIgnored();
  void runForwarded();
} else if (command === "mcp" && rest.length === 0 && isDirectoryThere()) {
  keepCompiledCode();
  void import("./faces/mcp/server/run.ts").then(({ runMcp }) => runMcp(process.cwd()));
} else {
  warnOfIgnored();
  keepCompiledCode();
  nameChannel();
  void import("./faces/cli/pm.ts");
}

/** What an agent runs in its shell gets what agents get. */
function nameChannel(): void {
  if (detectSpeaker() === "agent") setOwnChannel("agent");
}

/** Whether the current directory exists: the command line says that it does not. */
function isDirectoryThere(): boolean {
  try {
    return process.cwd() !== "";
  } catch {
    return false;
  }
}

function warnOfIgnored(): void {
  const ignored = describeIgnoredPlaces();
  if (ignored !== null) process.stderr.write(`warning: ${ignored}\n`);
}

/**
 * Has Node keep what V8 compiled for the next start, where it can (from 22.1 on) and where Pommel already keeps something:
 * asking for its version leaves nothing behind. What loads little does not gain by it.
 */
function keepCompiledCode(): void {
  const module: { enableCompileCache?: (directory: string) => unknown; builtinModules: unknown } =
    process.getBuiltinModule("node:module");
  try {
    const home = locateHome();
    if (existsSync(home.cacheDir)) module.enableCompileCache?.(locateCompiledCode(home));
  } catch {
    // The command says what is wrong with the home; its help needs none.
  }
}

async function runForwarded(): Promise<void> {
  nameChannel();
  const { forward } = await import("./faces/cli/forward.ts");
  const code = await forward(args);
  if (typeof code === "number") {
    process.exitCode = code;
    return;
  }
  if (code === "timeout") (await import("./client/call.ts")).expectNoAnswer();
  await import("./faces/cli/pm.ts");
}
