import { randomBytes, randomUUID } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { run } from "../client.ts";
import { layGround, logsBelow } from "../ground.ts";
import { type MockApi, startMockApi } from "../mock-api.ts";
import type { ClientStage } from "../suite.ts";
import { scripts } from "./scripts.ts";

/** The user's files in the repository, in their own way of writing. */
export const filesBefore = {
  ".github/mcp.json": '{\n    "mcpServers": {}\n}',
  // The client runs these hooks as well: Pommel's must not take it for Claude Code.
  ".claude/settings.json": '{"permissions": {"allow": ["Read"]}}\n',
  "AGENTS.md": "# Birds\r\n\r\nCount them.",
} as const;

export interface CopilotStage extends ClientStage {
  /** The client's API key. */
  key: string;
  api: MockApi;
  /** Has the client answer a prompt, in a new session or in this one. @returns the session's id */
  say: (prompt: string, session?: string) => Promise<string>;
  /** What the client lists as its skills. */
  skills: () => Promise<string>;
}

export async function setCopilotStage(bin: string): Promise<CopilotStage> {
  const ground = layGround("copilot", filesBefore);
  const { home, repo, project, kept, daemon, pm, hooksRun, hooksSaid } = ground;
  mkdirSync(join(home, ".copilot"));
  // It runs a project's hooks and servers only in trusted folders.
  writeFileSync(join(home, ".copilot", "config.json"), JSON.stringify({ trustedFolders: [repo] }));
  const api = await startMockApi({ scripts: scripts(repo), compaction: "" });
  const key = `sk-ant-api03-${randomBytes(69).toString("base64url")}-AAAA`;
  const env = {
    ...ground.env,
    COPILOT_OFFLINE: "true",
    COPILOT_AUTO_UPDATE: "false",
    COPILOT_PROVIDER_TYPE: "anthropic",
    COPILOT_PROVIDER_BASE_URL: api.url,
    COPILOT_PROVIDER_API_KEY: key,
    COPILOT_MODEL: "claude-sonnet-4.5",
    // It keeps the key itself from the commands that it runs.
    COPILOT_TEST_KEY: key,
  };
  const sessions = () => logsBelow(join(home, ".copilot", "session-state"));
  return {
    project,
    kept,
    daemon,
    pm,
    hooksRun,
    hooksSaid,
    key,
    api,
    async say(prompt, session) {
      const id = session ?? randomUUID();
      const where = session === undefined ? `--session-id=${id}` : `--resume=${id}`;
      await run({ bin, cwd: repo, env }, ["-p", prompt, "--yolo", where]);
      return id;
    },
    skills: () => run({ bin, cwd: repo, env }, ["skill", "list"]),
    settled: () => ground.settled(sessions),
    async close() {
      await ground.clear();
      await api.close();
    },
  };
}
