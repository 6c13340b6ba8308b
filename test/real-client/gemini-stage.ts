import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import * as z from "zod/mini";
import { type Project, projectAt } from "../../src/project/paths.ts";
import { runPm, temporaryDir } from "../e2e/run-pm.ts";
import { run } from "./client.ts";
import { type GeminiApi, startGeminiApi } from "./gemini-api.ts";
import { scripts, snapshot } from "./gemini-scripts.ts";
import { bytesRead, spooled, textOf, unset, writePm } from "./stage.ts";

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

/** A repository, a home and the mock: all that a client is given. */
export interface GeminiStage {
  project: Project;
  /** The client's API key. */
  key: string;
  api: GeminiApi;
  /** Runs `pm ... --json`; it must succeed. */
  pm: <T>(...args: string[]) => Promise<T>;
  /** Says that the client may read the repository's settings. */
  trust: () => void;
  /** Has the client answer a prompt. @returns the session's id */
  say: (prompt: string, ...more: string[]) => Promise<string>;
  /** Every hook of ours that ran: its name and its exit code. */
  hooksRun: () => { hook: string; code: string }[];
  /** What our hooks said on stderr. */
  hooksSaid: () => string;
  /** Files that the client keeps its chats in. */
  chats: () => string[];
  /** Waits until all that the client wrote is remembered. */
  settled: () => Promise<void>;
  close: () => Promise<void>;
}

const printed = z.object({ session_id: z.string(), error: z.optional(z.unknown()) });

export async function setGeminiStage(bin: string): Promise<GeminiStage> {
  const root = realpathSync(temporaryDir("pommel-gemini-"));
  const [home, repo, tools] = ["home", "repo", "bin"].map((name) => join(root, name)) as [
    string,
    string,
    string,
  ];
  for (const dir of [join(home, ".gemini"), join(repo, ".gemini"), join(repo, "src"), tools]) {
    mkdirSync(dir, { recursive: true });
  }
  const log = join(root, "hooks.log");
  const errors = join(root, "hooks.err");
  writePm(join(tools, "pm"), { log, errors });
  writeFileSync(join(home, ".gemini", "settings.json"), JSON.stringify(userSettings));
  const api = await startGeminiApi({ scripts, snapshot });
  const key = `AIza${randomBytes(35).toString("base64url").replaceAll(/[-_]/g, "x").slice(0, 35)}`;
  const env = {
    HOME: home,
    PATH: [tools, dirname(process.execPath), process.env.PATH].join(delimiter),
    TMPDIR: home,
    LANG: "C.UTF-8",
    SHELL: "/bin/sh",
    GIT_CONFIG_NOSYSTEM: "1",
    GOOGLE_GEMINI_BASE_URL: api.url,
    GEMINI_API_KEY: key,
  };
  writeRepository(repo, env);
  const project = projectAt(repo);

  function chats(): string[] {
    const dir = join(home, ".gemini", "tmp");
    if (!existsSync(dir)) return [];
    const files = readdirSync(dir, { recursive: true, encoding: "utf8" });
    return files.filter((file) => file.endsWith(".jsonl")).map((file) => join(dir, file));
  }

  return {
    project,
    key,
    api,
    chats,
    async pm<T>(...args: string[]) {
      const options = { cwd: repo, env: { ...env, ...unset } };
      const { code, stdout, stderr } = await runPm([...args, "--json"], options);
      if (code !== 0) throw new Error(`pm ${args.join(" ")} ended with ${code}: ${stderr}${stdout}`);
      return JSON.parse(stdout) as T;
    },
    trust: () =>
      writeFileSync(join(home, ".gemini", "trustedFolders.json"), JSON.stringify({ [repo]: "TRUST_FOLDER" })),
    async say(prompt, ...more) {
      const how = ["--approval-mode", "yolo", "--output-format", "json"];
      const answer = z.parse(
        printed,
        JSON.parse(await run({ bin, cwd: repo, env }, ["-p", prompt, ...how, ...more])),
      );
      if (answer.error !== undefined) throw new Error(`${prompt}: ${JSON.stringify(answer.error)}`);
      return answer.session_id;
    },
    hooksRun: () =>
      textOf(log)
        .split("\n")
        .filter((line) => line !== "")
        .map((line) => ({ hook: line.split(" ")[0]!, code: line.split(" ")[1]! })),
    hooksSaid: () => textOf(errors),
    async settled() {
      for (let calm = 0; calm < 3; await sleep(200)) {
        const isRead = chats().every((file) => bytesRead(project, file) === readFileSync(file).length);
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
