import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";
import { fileURLToPath } from "node:url";
import { removeDirectory } from "../../../test/support/remove-directory.ts";
import type { Arm } from "./counts.ts";
import type { Task } from "./tasks.ts";

/** All that a run sees: a home, a clone and an environment that were made for it, and are removed after it. */
export interface Arena {
  home: string;
  repo: string;
  /** All of the environment but the credentials. */
  env: Readonly<Record<string, string>>;
  dispose: () => void;
}

export interface ArenaOptions {
  /** Arenas and the bare repositories that they are cloned from lie there. */
  scratch: string;
  /** Commands that neither arm finds, such as other memories of agents. */
  blocked: readonly string[];
  /** Variables with credentials: they reach the client, but nothing that it starts. */
  credentials: readonly string[];
  /** More of the environment of every program. */
  env: Readonly<Record<string, string>>;
  keep: boolean;
}

const pmFile = fileURLToPath(new URL("../../../bin/pm.cjs", import.meta.url));
const ownCommands = ["pm", "pommel", "pommeld"];

/** Whether a run is the one with Pommel shows in nothing but Pommel: names and lengths of paths are alike. */
export function layArena(task: Task, arm: Arm, options: ArenaOptions): Arena {
  const dir = mkdtempSync(join(options.scratch, "run-"));
  const [home, repo, tools] = ["home", "repo", "bin"].map((name) => join(dir, name)) as [
    string,
    string,
    string,
  ];
  for (const made of [home, tools]) mkdirSync(made);
  const env = {
    ...options.env,
    HOME: home,
    PATH: [tools, ...pathEntries()].join(delimiter),
    TMPDIR: home,
    CLAUDE_CODE_TMPDIR: home,
    LANG: "C.UTF-8",
    SHELL: "/bin/bash",
    GIT_CONFIG_NOSYSTEM: "1",
    CLAUDE_CODE_SHELL_PREFIX: join(tools, "without-credentials"),
    // The first request waits for MCP servers.
    MCP_CONNECTION_NONBLOCKING: "false",
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    DISABLE_AUTOUPDATER: "1",
  };
  const unset = options.credentials.length > 0 ? `unset ${options.credentials.join(" ")}\n` : "";
  writeCommand(join(tools, "without-credentials"), `${unset}exec /bin/bash -c "$1"`);
  const absent = arm === "with" ? options.blocked : [...options.blocked, ...ownCommands];
  for (const name of absent.filter(isOnPath))
    writeCommand(join(tools, name), `echo "${name}: not found" >&2; exit 127`);
  writeFileSync(join(home, ".gitconfig"), "[user]\n\tname = Agent\n\temail = agent@example.invalid\n");
  const run = (command: string, ...args: string[]) =>
    execFileSync(command, args, { cwd: repo, env, stdio: "pipe", maxBuffer: 2 ** 28 });
  const dispose = () => {
    try {
      if (arm === "with") run("pm", "stop");
    } finally {
      if (!options.keep) removeDirectory(dir);
    }
  };
  try {
    execFileSync("git", ["clone", "--quiet", "--no-hardlinks", sourceOf(task, options.scratch), repo]);
    // It names a directory outside.
    run("git", "remote", "remove", "origin");
    if (arm === "with") {
      for (const name of ownCommands.slice(0, 2))
        writeCommand(join(tools, name), `exec "${process.execPath}" "${pmFile}" "$@"`);
      run("pm", "setup", "--yes", "--agent", "claude", "--allow", "--no-import");
      run("pm", "init", "--no-hooks", "--no-start", "--no-import");
      run("pm", "reindex");
      run("pm", "start");
      for (const path of task.sessions) run("pm", "import", "claude", path, "--all-projects", "--yes");
    }
  } catch (error) {
    dispose();
    throw error;
  }
  return { home, repo, env, dispose };
}

/** The user's PATH without what npm adds for the project that starts this bench. */
function pathEntries(): string[] {
  const entries = (process.env.PATH ?? "").split(delimiter);
  return entries.filter((entry) => isAbsolute(entry) && !/node_modules[\\/]\.bin|node-gyp-bin/.test(entry));
}

const isOnPath = (name: string) => pathEntries().some((dir) => existsSync(join(dir, name)));

function writeCommand(file: string, script: string): void {
  writeFileSync(file, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
}

/** A bare repository with the task's revision and what came before it, and nothing that came later. */
function sourceOf({ repository, revision }: Task, scratch: string): string {
  const dir = join(
    scratch,
    "sources",
    createHash("sha256").update(`${repository} ${revision}`).digest("hex"),
  );
  if (existsSync(dir)) return dir;
  const git = (...args: string[]) =>
    execFileSync("git", ["-C", dir, ...args], { stdio: "pipe", encoding: "utf8" });
  mkdirSync(dir, { recursive: true });
  git("init", "--quiet", "--bare", "--initial-branch=main");
  const wanted = isAbsolute(repository)
    ? execFileSync("git", ["-C", repository, "rev-parse", "--verify", `${revision}^{commit}`], {
        encoding: "utf8",
      })
    : revision;
  git("fetch", "--quiet", "--no-tags", repository, wanted.trim());
  git("update-ref", "refs/heads/main", "FETCH_HEAD");
  return dir;
}
