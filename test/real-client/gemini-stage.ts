import { randomBytes } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod/mini";
import { run } from "./client.ts";
import { type GeminiApi, startGeminiApi } from "./gemini-api.ts";
import { scripts, snapshot } from "./gemini-scripts.ts";
import { layGround, logsBelow } from "./ground.ts";
import type { ClientStage } from "./suite.ts";

/** The user's files in the repository, in their own way of writing. */
export const filesBefore = {
  ".gemini/settings.json":
    '{\n    // Ours is a small terminal.\n    "ui": { "hideTips": true } /* for now */\n}\n',
  "GEMINI.md": "# Birds\r\n\r\nCount them.",
} as const;

const userSettings = {
  security: { auth: { selectedType: "gemini-api-key" } },
  general: { enableAutoUpdate: false, enableAutoUpdateNotification: false },
  privacy: { usageStatisticsEnabled: false },
  // Another would be chosen by asking a model.
  model: { name: "gemini-2.5-flash" },
};

export interface GeminiStage extends ClientStage {
  /** The client's API key. */
  key: string;
  api: GeminiApi;
  /** Says that the client may read the settings of the repository, and of these folders. */
  trust: (...more: string[]) => void;
  /** Runs the client. @returns what it printed */
  client: (...args: string[]) => Promise<string>;
  /** Files that the client keeps its chats in. */
  chats: () => string[];
}

const printed = z.object({ session_id: z.string(), error: z.optional(z.unknown()) });

export async function setGeminiStage(bin: string): Promise<GeminiStage> {
  const ground = layGround("gemini", filesBefore);
  const { home, repo, project, kept, daemon, pm, hooksRun, hooksSaid } = ground;
  mkdirSync(join(home, ".gemini"));
  writeFileSync(join(home, ".gemini", "settings.json"), JSON.stringify(userSettings));
  const api = await startGeminiApi({ scripts, snapshot });
  const key = `AIza${randomBytes(35).toString("base64url").replaceAll(/[-_]/g, "x").slice(0, 35)}`;
  const env = { ...ground.env, GOOGLE_GEMINI_BASE_URL: api.url, GEMINI_API_KEY: key };
  const client = (...args: string[]) => run({ bin, cwd: repo, env }, args);
  const chats = () => logsBelow(join(home, ".gemini", "tmp"));
  return {
    project,
    kept,
    daemon,
    pm,
    hooksRun,
    hooksSaid,
    key,
    api,
    client,
    chats,
    trust(...more) {
      const trusted = Object.fromEntries([repo, ...more].map((folder) => [folder, "TRUST_FOLDER"]));
      writeFileSync(join(home, ".gemini", "trustedFolders.json"), JSON.stringify(trusted));
    },
    async say(prompt, ...more) {
      const how = ["--approval-mode", "yolo", "--output-format", "json"];
      const answer = z.parse(printed, JSON.parse(await client("-p", prompt, ...how, ...more)));
      if (answer.error !== undefined) throw new Error(`${prompt}: ${JSON.stringify(answer.error)}`);
      return answer.session_id;
    },
    settled: () => ground.settled(chats),
    async close() {
      await ground.clear();
      await api.close();
    },
  };
}
