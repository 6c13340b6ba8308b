import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import * as z from "zod/mini";
import { listTranscripts, withDatabase } from "../../../src/agents/opencode/database.ts";
import { run } from "../client.ts";
import { layGround } from "../ground.ts";
import { type MockApi, startMockApi } from "../mock-api.ts";
import type { ClientStage } from "../suite.ts";
import { scripts } from "./scripts.ts";

/** The user's files in the repository, in their own way of writing. The client adds `$schema` where it is missing. */
export const filesBefore = {
  "opencode.jsonc":
    '{\n    "$schema": "https://opencode.ai/config.json",\n    // Ours is a small terminal.\n    "username": "bird" /* for now */\n}\n',
  "AGENTS.md": "# Birds\r\n\r\nCount them.",
} as const;

/** What stays of a conversation when it is compacted. */
const compaction = "Of the puffin kind: an exporter got a label.";

export interface OpencodeStage extends ClientStage {
  /** The client's API key. */
  key: string;
  api: MockApi;
  /** Asks the client's own server, as its editors do. */
  serve: (
    requests: (post: (path: string, body: object) => Promise<unknown>) => Promise<void>,
  ) => Promise<void>;
}

const event = z.object({ sessionID: z.string(), type: z.string(), error: z.optional(z.unknown()) });
export const model = { providerID: "anthropic", modelID: "claude-sonnet-4-5" } as const;

export async function setOpencodeStage(bin: string): Promise<OpencodeStage> {
  const ground = layGround("opencode", filesBefore);
  const { home, repo, project, kept, daemon, pm, hooksRun, hooksSaid } = ground;
  const api = await startMockApi({ scripts: scripts(repo), compaction });
  const key = `sk-ant-api03-${randomBytes(69).toString("base64url")}-AAAA`;
  const settings = join(home, ".config", "opencode", "opencode.json");
  mkdirSync(dirname(settings), { recursive: true });
  const model = "anthropic/claude-sonnet-4-5";
  const provider = { anthropic: { options: { baseURL: `${api.url}/v1` } } };
  const offline = { autoupdate: false, share: "disabled", permission: "allow" };
  writeFileSync(settings, JSON.stringify({ ...offline, model, small_model: model, provider }));
  const env = {
    ...ground.env,
    ANTHROPIC_API_KEY: key,
    OPENCODE_DISABLE_MODELS_FETCH: "1",
    OPENCODE_DISABLE_AUTOUPDATE: "1",
    OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
  };
  const database = join(home, ".local", "share", "opencode", "opencode.db");
  const sessions = () => withDatabase(database, (db) => listTranscripts(db, database)) ?? [];
  return {
    project,
    kept,
    daemon,
    pm,
    hooksRun,
    hooksSaid,
    key,
    api,
    async say(prompt, ...more) {
      const printed = await run({ bin, cwd: repo, env }, ["run", "--format", "json", ...more, prompt]);
      const events = printed.split("\n").flatMap((line) => (line.startsWith("{") ? JSON.parse(line) : []));
      const { sessionID, type, error } = z.parse(event, events.at(-1));
      if (type === "error") throw new Error(`${prompt}: ${JSON.stringify(error)}`);
      return sessionID;
    },
    async serve(requests) {
      const server = spawn(bin, ["serve", "--port", "0"], {
        cwd: repo,
        env,
        stdio: ["ignore", "pipe", "inherit"],
      });
      try {
        const url = await new Promise<string>((resolve, reject) => {
          server.on("error", reject);
          server.stdout.on("data", (text) => {
            const [found] = /http:\/\/[\d.:]+/.exec(String(text)) ?? [];
            if (found) resolve(found);
          });
        });
        await requests(async (path, body) => {
          const headers = { "content-type": "application/json" };
          const answer = await fetch(`${url}${path}`, {
            method: "POST",
            headers,
            body: JSON.stringify(body),
          });
          if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
          return answer.json();
        });
      } finally {
        server.kill();
      }
    },
    settled: () => ground.settled(() => sessions().map(({ path }) => path)),
    async close() {
      await ground.clear();
      await api.close();
    },
  };
}
