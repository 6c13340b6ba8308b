import { randomBytes } from "node:crypto";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod/mini";
import { run } from "../client.ts";
import { layGround } from "../ground.ts";
import { type MockApi, startMockApi } from "../mock-api.ts";
import type { ClientStage } from "../suite.ts";
import { scripts } from "./scripts.ts";

/** The user's files in the repository. */
export const filesBefore = { "AGENTS.md": "# Birds\r\n\r\nCount them." } as const;

/** The user's servers, in their own way of writing. */
export const serversBefore = '{\n    "mcpServers": {}\n}';

export interface ClineStage extends ClientStage {
  /** The file of the client's MCP servers. */
  serversFile: string;
  /** A secret in the client's environment. */
  key: string;
  api: MockApi;
}

const event = z.object({ type: z.string(), finishReason: z.optional(z.string()) });

export async function setClineStage(bin: string): Promise<ClineStage> {
  const ground = layGround("cline", filesBefore);
  const { home, repo, project, kept, daemon, pm, hooksRun, hooksSaid } = ground;
  const api = await startMockApi({ scripts: scripts(repo), compaction: "" });
  const key = `sk-ant-api03-${randomBytes(69).toString("base64url")}-AAAA`;
  const data = join(home, ".cline", "data");
  const serversFile = join(data, "settings", "cline_mcp_settings.json");
  mkdirSync(join(data, "settings"), { recursive: true });
  writeFileSync(serversFile, serversBefore);
  const anthropic = {
    provider: "anthropic",
    apiKey: "none",
    model: "claude-sonnet-4-5",
    baseUrl: `${api.url}/v1`,
  };
  const updatedAt = new Date().toISOString();
  writeFileSync(
    join(data, "settings", "providers.json"),
    JSON.stringify({
      version: 1,
      lastUsedProvider: "anthropic",
      modes: {},
      providers: { anthropic: { settings: anthropic, updatedAt, tokenSource: "manual" } },
    }),
  );
  const env = {
    ...ground.env,
    SECRET_OF_THE_TEST: key,
    // Otherwise it leaves a process of its own behind.
    CLINE_SESSION_BACKEND_MODE: "local",
    CLINE_NO_AUTO_UPDATE: "1",
  };
  const sessions = join(data, "sessions");
  const messages = () =>
    readdirSync(sessions, { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".messages.json"))
      .map((name) => join(sessions, name));
  return {
    project,
    kept,
    daemon,
    pm,
    hooksRun,
    hooksSaid,
    serversFile,
    key,
    api,
    async say(prompt) {
      const printed = await run({ bin, cwd: repo, env }, ["--json", prompt]);
      const last = z.parse(event, JSON.parse(printed.trim().split("\n").at(-1)!));
      if (last.type !== "run_result" || last.finishReason !== "completed")
        throw new Error(`${prompt}: ${printed}`);
      return readdirSync(sessions).sort().at(-1)!;
    },
    settled: () => ground.settled(messages),
    async close() {
      await ground.clear();
      await api.close();
    },
  };
}
