import { spawn } from "node:child_process";
import { appendFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import * as z from "zod/mini";
import { run } from "./client.ts";
import { type CodexApi, startCodexApi } from "./codex-api.ts";
import { scripts, summary } from "./codex-scripts.ts";
import { layGround, logsBelow, textOf } from "./ground.ts";
import type { ClientStage } from "./suite.ts";

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

export interface CodexStage extends ClientStage {
  api: CodexApi;
  /** What `pm doctor` says of the hooks. */
  doctor: () => Promise<string>;
  /** Runs the client. @returns what it printed */
  client: (...args: string[]) => Promise<string>;
  /** The hooks that the client knows here. */
  hooksListed: () => Promise<ListedHook[]>;
  /** Trusts the project, as the client does when it asked. */
  trustProject: () => void;
  /** Trusts hooks, as /hooks does. */
  trust: (hooks: readonly ListedHook[]) => void;
}

export async function setCodexStage(bin: string): Promise<CodexStage> {
  const ground = layGround("codex", filesBefore);
  const { home, repo, project, kept, daemon, env, pm, hooksRun, hooksSaid } = ground;
  const config = join(home, ".codex", "config.toml");
  const sessions = join(home, ".codex", "sessions");
  mkdirSync(sessions, { recursive: true });
  // Its shells are login shells, for which the system sets another PATH.
  writeFileSync(join(home, ".profile"), `PATH="${env.PATH}"\n`);
  const api = await startCodexApi({ scripts, summary });
  writeFileSync(config, userConfig(api.url));
  const client = (...args: string[]) => run({ bin, cwd: repo, env }, args);
  return {
    project,
    kept,
    daemon,
    pm,
    hooksRun,
    hooksSaid,
    api,
    client,
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
      const states = hooks.map(({ key, currentHash }) => {
        // Of a plugin's hook it trusts the hook, and with it all that the plugin holds.
        const [hook, content] = currentHash.split("/");
        const plugin = content === undefined ? "" : `trusted_content_hash = "${content}"\n`;
        return `\n[hooks.state."${key}"]\ntrusted_hash = "${hook}"\n${plugin}`;
      });
      appendFileSync(config, states.join(""));
    },
    settled: () => ground.settled(() => logsBelow(sessions)),
    async close() {
      await ground.clear();
      await api.close();
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
