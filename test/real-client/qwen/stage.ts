import { randomBytes } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod/mini";
import { run } from "../client.ts";
import { layGround, logsBelow } from "../ground.ts";
import { type MockApi, startMockApi } from "../mock-api.ts";
import type { ClientStage } from "../suite.ts";
import { scripts } from "./scripts.ts";

/** The user's files in the repository, in their own way of writing. The client adds `$version` where it is missing. */
export const filesBefore = {
  ".qwen/settings.json":
    '{\n    "$version": 4,\n    // Ours is a small terminal.\n    "ui": { "hideTips": true } /* for now */\n}\n',
  "QWEN.md": "# Birds\r\n\r\nCount them.",
} as const;

const userSettings = {
  $version: 4,
  security: { auth: { selectedType: "anthropic" } },
  general: { enableAutoUpdate: false },
  privacy: { usageStatisticsEnabled: false },
  model: { name: "claude-sonnet-4-5" },
};

export interface QwenStage extends ClientStage {
  /** Whether the client reports a session's start without a terminal, and keeps subagents: 0.24 does, 0.15 does not. */
  isCurrent: boolean;
  /** The client's API key. */
  key: string;
  api: MockApi;
}

const printed = z.array(z.object({ session_id: z.string(), is_error: z.optional(z.boolean()) }));

export async function setQwenStage(bin: string): Promise<QwenStage> {
  const ground = layGround("qwen", filesBefore);
  const { home, repo, project, kept, daemon, pm, hooksRun, hooksSaid } = ground;
  mkdirSync(join(home, ".qwen"));
  writeFileSync(join(home, ".qwen", "settings.json"), JSON.stringify(userSettings));
  const api = await startMockApi({ scripts: scripts(repo), compaction: "" });
  const key = `sk-ant-api03-${randomBytes(69).toString("base64url")}-AAAA`;
  const env = { ...ground.env, ANTHROPIC_BASE_URL: api.url, ANTHROPIC_API_KEY: key };
  const chats = () =>
    logsBelow(join(home, ".qwen", "projects")).filter((file) => /\/(?:chats|subagents)\//.test(file));
  const isCurrent = !/^0\.(?:\d|1[0-5])\./.test((await run({ bin, cwd: repo, env }, ["--version"])).trim());
  return {
    project,
    kept,
    daemon,
    pm,
    hooksRun,
    hooksSaid,
    isCurrent,
    key,
    api,
    async say(prompt, ...more) {
      const stdout = await run({ bin, cwd: repo, env }, ["--yolo", "-o", "json", ...more, prompt]);
      const messages = z.parse(printed, JSON.parse(stdout));
      if (messages.at(-1)?.is_error) throw new Error(`${prompt}: ${stdout}`);
      return messages.at(-1)!.session_id;
    },
    settled: () => ground.settled(chats),
    async close() {
      await ground.clear();
      await api.close();
    },
  };
}
