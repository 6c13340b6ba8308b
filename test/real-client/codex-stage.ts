import { execFileSync, spawn } from "node:child_process";
import {
  appendFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import * as z from "zod/mini";
import { type Project, projectAt } from "../../src/project/paths.ts";
import { runPm, temporaryDir } from "../e2e/run-pm.ts";
import { run } from "./client.ts";
import { type CodexApi, startCodexApi } from "./codex-api.ts";
import { scripts, summary } from "./codex-scripts.ts";
import { bytesRead, spooled, textOf, unset, writePm } from "./stage.ts";

/** The user's files in the repository, in their own way of writing. */
export const filesBefore = {
  ".codex/config.toml":
    "# Small birds first.\nmodel_verbosity   = \"low\" # for now\r\n\n[ mcp_servers . aviary ]   # off\ncommand = 'true'\nenabled = false",
  ".codex/hooks.json":
    '{ "hooks": {\n\t"Stop": [ {"hooks": [ {"type":"command", "command":"touch .git/own-hook-ran"} ]} ]\n} }',
  "AGENTS.md": "# Birds\r\n\r\nCount them.",
  "AGENTS.override.md": "# Birds\n\nDo not count them: I do.",
} as const;

const hooksListed = z.object({
  data: z.array(
    z.object({
      hooks: z.array(
        z.object({ key: z.string(), currentHash: z.string(), trustStatus: z.string(), command: z.string() }),
      ),
    }),
  ),
});
export type ListedHook = z.infer<typeof hooksListed>["data"][number]["hooks"][number];

/** A repository, a home and the mock: all that a client is given. */
export interface CodexStage {
  project: Project;
  api: CodexApi;
  /** Runs `pm ... --json`; it must succeed. */
  pm: <T>(...args: string[]) => Promise<T>;
  /** What `pm doctor` says of the hooks. */
  doctor: () => Promise<string>;
  /** Has the client answer a prompt. @returns the session's id */
  say: (prompt: string, ...more: string[]) => Promise<string>;
  /** The hooks that the client knows here. */
  hooksListed: () => Promise<ListedHook[]>;
  /** Trusts the project, as the client does when it asked. */
  trustProject: () => void;
  /** Trusts hooks, as /hooks does. */
  trust: (hooks: readonly ListedHook[]) => void;
  /** Every hook of ours that ran: its name and its exit code. */
  hooksRun: () => { hook: string; code: string }[];
  /** What our hooks said on stderr. */
  hooksSaid: () => string;
  /** Waits until all that the client wrote is remembered. */
  settled: () => Promise<void>;
  close: () => Promise<void>;
}

export async function setCodexStage(bin: string): Promise<CodexStage> {
  const root = realpathSync(temporaryDir("pommel-codex-"));
  const [home, repo, tools] = ["home", "repo", "bin"].map((name) => join(root, name)) as [
    string,
    string,
    string,
  ];
  const sessions = join(home, ".codex", "sessions");
  const config = join(home, ".codex", "config.toml");
  for (const dir of [sessions, join(repo, ".codex"), join(repo, "src"), tools]) {
    mkdirSync(dir, { recursive: true });
  }
  const log = join(root, "hooks.log");
  const errors = join(root, "hooks.err");
  writePm(join(tools, "pm"), { log, errors });
  // Its shells are login shells, for which the system sets another PATH.
  writeFileSync(join(home, ".profile"), `PATH="${tools}:${dirname(process.execPath)}:$PATH"\n`);
  const api = await startCodexApi({ scripts, summary });
  writeFileSync(config, userConfig(api.url));
  const env = {
    HOME: home,
    PATH: [tools, dirname(process.execPath), process.env.PATH].join(delimiter),
    TMPDIR: home,
    LANG: "C.UTF-8",
    SHELL: "/bin/sh",
    GIT_CONFIG_NOSYSTEM: "1",
  };
  writeRepository(repo, env);
  const project = projectAt(repo);
  const client = (...args: string[]) => run({ bin, cwd: repo, env }, args);

  async function pm<T>(...args: string[]): Promise<T> {
    const options = { cwd: repo, env: { ...env, ...unset } };
    const { code, stdout, stderr } = await runPm([...args, "--json"], options);
    if (code !== 0) throw new Error(`pm ${args.join(" ")} ended with ${code}: ${stderr}${stdout}`);
    return JSON.parse(stdout) as T;
  }

  function rollouts(): string[] {
    const files = readdirSync(sessions, { recursive: true, encoding: "utf8" });
    return files.filter((file) => file.endsWith(".jsonl")).map((file) => join(sessions, file));
  }

  return {
    project,
    api,
    pm,
    async doctor() {
      const { checks } = await pm<{ checks: { name: string; message: string; hint: string | null }[] }>(
        "doctor",
      );
      const found = checks.find(({ name }) => name === "codex-hooks");
      return `${found?.message} ${found?.hint ?? ""}`.trim();
    },
    async say(prompt, ...more) {
      const how = ["exec", "--json", "--dangerously-bypass-approvals-and-sandbox"];
      const lines = (await client(...how, ...more, prompt)).split("\n");
      const started = lines.find((line) => line.includes('"thread.started"')) ?? "{}";
      return z.parse(z.object({ thread_id: z.string() }), JSON.parse(started)).thread_id;
    },
    hooksListed: () => listHooks(bin, repo, env),
    trustProject() {
      // Some versions did so by themselves, having been let do everything.
      const table = `[projects."${repo}"]`;
      if (!textOf(config).includes(table)) appendFileSync(config, `\n${table}\ntrust_level = "trusted"\n`);
    },
    trust(hooks) {
      const states = hooks.map(
        ({ key, currentHash }) => `\n[hooks.state."${key}"]\ntrusted_hash = "${currentHash}"\n`,
      );
      appendFileSync(config, states.join(""));
    },
    hooksRun: () =>
      textOf(log)
        .split("\n")
        .filter((line) => line !== "")
        .map((line) => ({ hook: line.split(" ")[0]!, code: line.split(" ")[1]! })),
    hooksSaid: () => textOf(errors),
    async settled() {
      for (let calm = 0; calm < 3; await sleep(200)) {
        const isRead = rollouts().every((file) => bytesRead(project, file) === readFileSync(file).length);
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

function userConfig(url: string): string {
  return [
    'model = "gpt-5.5"',
    'model_provider = "mock"',
    "[model_providers.mock]",
    'name = "mock"',
    `base_url = "${url}"`,
    'wire_api = "responses"',
    "[analytics]",
    "enabled = false",
    "",
  ].join("\n");
}

function writeRepository(repo: string, env: NodeJS.ProcessEnv): void {
  const git = (...args: string[]) => execFileSync("git", args, { cwd: repo, env });
  git("init", "--quiet", "--initial-branch=main");
  git("config", "user.email", "test@example.invalid");
  git("config", "user.name", "Test");
  writeFileSync(join(repo, "src", "heron.ts"), "export const attempts = 1;\nexport const limit = 7;\n");
  for (const [name, text] of Object.entries(filesBefore)) writeFileSync(join(repo, name), text);
  git("add", "--all");
  git("commit", "--quiet", "--message", "Begin");
}

/** Asks the client's app server, which speaks JSON-RPC, a line each. */
async function listHooks(bin: string, cwd: string, env: NodeJS.ProcessEnv): Promise<ListedHook[]> {
  const server = spawn(bin, ["app-server"], { cwd, env, stdio: ["pipe", "pipe", "ignore"] });
  const send = (message: object) => server.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  send({
    id: 1,
    method: "initialize",
    params: { clientInfo: { name: "test", title: "Test", version: "1" } },
  });
  try {
    for await (const line of createInterface({ input: server.stdout })) {
      const { id, result } = JSON.parse(line) as { id?: number; result?: unknown };
      if (id === 1) {
        send({ method: "initialized" });
        send({ id: 2, method: "hooks/list", params: { cwds: [cwd] } });
      }
      if (id === 2) return z.parse(hooksListed, result).data.flatMap(({ hooks }) => hooks);
    }
    throw new Error("the app server did not answer");
  } finally {
    server.kill();
  }
}
