import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { environment, run, say } from "./client.ts";
import { layGround, logsBelow } from "./ground.ts";
import { type MockApi, startMockApi } from "./mock-api.ts";
import { compaction, scripts } from "./scripts.ts";
import type { ClientStage } from "./suite.ts";
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

export interface Stage extends ClientStage {
  settingsFile: string;
  /** The client's API key. */
  key: string;
  api: MockApi;
  /** The same with more in the client's environment. */
  sayWith: (more: Readonly<Record<string, string>>, prompt: string) => Promise<string>;
  /** The same with the client launched in a directory of the repository. */
  sayIn: (dir: string, prompt: string) => Promise<string>;
  /** Runs the client with these arguments. @returns what it printed */
  client: (...args: string[]) => Promise<string>;
  /** Files that the client wrote its conversations to. */
  transcripts: () => string[];
}

export async function setStage(bin: string): Promise<Stage> {
  const before = { "settings.toml": "depth = 3\n", ".claude/settings.json": settingsBefore };
  const ground = layGround("client", before);
  const { home, repo, project, kept, daemon, pm, hooksRun, hooksSaid } = ground;
  const api = await startMockApi({ scripts: { ...scripts(repo), ...toolScripts }, compaction });
  const key = `sk-ant-api03-${randomBytes(69).toString("base64url")}-AAAA`;
  const env = environment(ground, { url: api.url, key });
  const transcripts = () => logsBelow(join(home, ".claude", "projects"));
  return {
    project,
    kept,
    daemon,
    pm,
    hooksRun,
    hooksSaid,
    key,
    api,
    transcripts,
    settingsFile: join(repo, ".claude", "settings.json"),
    say: (prompt, ...more) => say({ bin, cwd: repo, env }, prompt, ...more),
    sayWith: (more, prompt) => say({ bin, cwd: repo, env: { ...env, ...more } }, prompt),
    client: (...args) => run({ bin, cwd: repo, env }, args),
    sayIn: (dir, prompt) => say({ bin, cwd: join(repo, dir), env }, prompt),
    settled: () => ground.settled(transcripts),
    async close() {
      await ground.clear();
      await api.close();
    },
  };
}
