import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import Database from "better-sqlite3";
import { type Project, projectAt } from "../../src/project/paths.ts";
import { pmFile, runPm, temporaryDir } from "../e2e/run-pm.ts";
import { environment, run, say } from "./client.ts";
import { type MockApi, startMockApi } from "./mock-api.ts";
import { compaction, scripts } from "./scripts.ts";
import { toolScripts } from "./tool-scripts.ts";

/** Settings that somebody has, in their own way of writing. */
export const settingsBefore = `{
    "permissions": { "allow": ["Bash(ls:*)"] },
    "hooks": {
        "Stop": [
            { "hooks": [ { "type": "command", "command": "touch \\"$CLAUDE_PROJECT_DIR/.git/own-hook-ran\\"" } ] }
        ]
    }
}
`;

/** A repository, a home and the mock: all that a client is given. */
export interface Stage {
  project: Project;
  settingsFile: string;
  /** The client's API key. */
  key: string;
  api: MockApi;
  /** Runs `pm ... --json`; it must succeed. */
  pm: <T>(...args: string[]) => Promise<T>;
  /** Has the client answer a prompt. @returns the session's id */
  say: (prompt: string, ...more: string[]) => Promise<string>;
  /** The same with the client launched in a directory of the repository. */
  sayIn: (dir: string, prompt: string) => Promise<string>;
  /** Runs the client with these arguments. @returns what it printed */
  client: (...args: string[]) => Promise<string>;
  /** Every hook of ours that ran: its name and its exit code. */
  hooksRun: () => { hook: string; code: string }[];
  /** What our hooks said on stderr. */
  hooksSaid: () => string;
  /** Files that the client wrote its conversations to. */
  transcripts: () => string[];
  /** Waits until all that the client wrote is remembered. */
  settled: () => Promise<void>;
  close: () => Promise<void>;
}

export async function setStage(bin: string): Promise<Stage> {
  const root = temporaryDir("pommel-client-");
  const [home, repo, tools] = ["home", "repo", "bin"].map((name) => join(root, name)) as [
    string,
    string,
    string,
  ];
  for (const dir of [home, repo, tools]) mkdirSync(dir);
  const log = join(root, "hooks.log");
  const errors = join(root, "hooks.err");
  writePm(join(tools, "pm"), { log, errors });
  const api = await startMockApi({ scripts: { ...scripts(repo), ...toolScripts }, compaction });
  const key = `sk-ant-api03-${randomBytes(69).toString("base64url")}-AAAA`;
  const path = [tools, dirname(process.execPath), process.env.PATH].join(delimiter);
  const env = environment({ home, url: api.url, key, path });
  writeRepository(repo, env);
  const project = projectAt(repo);

  async function pm<T>(...args: string[]): Promise<T> {
    const { code, stdout, stderr } = await runPm([...args, "--json"], {
      cwd: repo,
      env: { ...env, ...unset },
    });
    if (code !== 0) throw new Error(`pm ${args.join(" ")} ended with ${code}: ${stderr}${stdout}`);
    return JSON.parse(stdout) as T;
  }

  function transcripts(): string[] {
    const dir = join(home, ".claude", "projects");
    if (!existsSync(dir)) return [];
    const files = readdirSync(dir, { recursive: true, encoding: "utf8" });
    return files.filter((file) => file.endsWith(".jsonl")).map((file) => join(dir, file));
  }

  return {
    project,
    settingsFile: join(repo, ".claude", "settings.json"),
    key,
    api,
    pm,
    transcripts,
    say: (prompt, ...more) => say({ bin, cwd: repo, env }, prompt, ...more),
    client: (...args) => run({ bin, cwd: repo, env }, args),
    sayIn: (dir, prompt) => say({ bin, cwd: join(repo, dir), env }, prompt),
    hooksRun: () =>
      textOf(log)
        .split("\n")
        .filter((line) => line !== "")
        .map((line) => ({ hook: line.split(" ")[0]!, code: line.split(" ")[1]! })),
    hooksSaid: () => textOf(errors),
    async settled() {
      // Not until the queue is empty: a summary waits for a minute without news.
      for (let calm = 0; calm < 3; await sleep(200)) {
        const isRead = transcripts().every((file) => bytesRead(project, file) === readFileSync(file).length);
        calm = isRead && spooled(project).length === 0 ? calm + 1 : 0;
      }
    },
    async close() {
      await runPm(["stop"], { cwd: repo, env: { ...env, ...unset } });
      await api.close();
      rmSync(root, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** `runPm` adds to the environment of the tests, which names another home. */
export const unset = { XDG_CONFIG_HOME: "", XDG_DATA_HOME: "", XDG_STATE_HOME: "" };

/** The names of what lies in the spool. */
export function spooled(project: Project): string[] {
  if (!existsSync(project.spoolDir)) return [];
  return readdirSync(project.spoolDir).filter((name) => name.endsWith(".json"));
}

/** Runs the built `pm`, and writes down which hooks it ran and how they ended. */
export function writePm(file: string, { log, errors }: { log: string; errors: string }): void {
  const pm = `"${process.execPath}" "${pmFile}" "$@"`;
  writeFileSync(
    file,
    `#!/bin/sh\n[ "$1" = hook ] || exec ${pm}\n${pm} 2>> "${errors}"\ncode=$?\n[ "$2" != --agent ] || shift 2\necho "$2 $code" >> "${log}"\nexit $code\n`,
  );
  chmodSync(file, 0o755);
}

function writeRepository(repo: string, env: NodeJS.ProcessEnv): void {
  const git = (...args: string[]) => execFileSync("git", args, { cwd: repo, env });
  git("init", "--quiet", "--initial-branch=main");
  git("config", "user.email", "test@example.invalid");
  git("config", "user.name", "Test");
  mkdirSync(join(repo, "src"));
  mkdirSync(join(repo, ".claude"));
  writeFileSync(join(repo, "src", "heron.ts"), "export const attempts = 1;\nexport const limit = 7;\n");
  writeFileSync(join(repo, "settings.toml"), "depth = 3\n");
  writeFileSync(join(repo, ".claude", "settings.json"), settingsBefore);
  git("add", "--all");
  git("commit", "--quiet", "--message", "Begin");
}

/** How much of a transcript was read; -1 for nothing at all. Bytes. */
export function bytesRead(project: Project, file: string): number {
  if (!existsSync(project.memoryDb)) return -1;
  const memory = new Database(project.memoryDb, { readonly: true });
  try {
    const row = memory.prepare("SELECT offset FROM transcripts WHERE path = ?").get(file);
    return (row as { offset: number } | undefined)?.offset ?? -1;
  } finally {
    memory.close();
  }
}

export function textOf(file: string): string {
  return existsSync(file) ? readFileSync(file, "utf8") : "";
}
