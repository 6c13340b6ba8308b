import { spawn } from "node:child_process";
import { delimiter } from "node:path";
import { createInterface } from "node:readline";
import * as z from "zod/mini";
import type { Ground } from "./ground.ts";

/** The variables that name the programs of the clients to test. */
export const variables = {
  "Claude Code": "POMMEL_CLAUDE_BIN",
  "Codex CLI": "POMMEL_CODEX_BIN",
  "Gemini CLI": "POMMEL_GEMINI_BIN",
  OpenCode: "POMMEL_OPENCODE_BIN",
  "Qwen Code": "POMMEL_QWEN_BIN",
  Cline: "POMMEL_CLINE_BIN",
  "Cline before 3": "POMMEL_CLINE_CLASSIC_BIN",
  "GitHub Copilot CLI": "POMMEL_COPILOT_BIN",
} as const;
export type ClientName = keyof typeof variables;

/** A client's programs, as in PATH: `POMMEL_CLAUDE_BIN=/a/claude:/b/claude`. */
export const binsOf = (client: ClientName) =>
  (process.env[variables[client]] ?? "").split(delimiter).filter((bin) => bin !== "");

const named = (Object.keys(variables) as ClientName[]).flatMap(binsOf);
if (process.env.npm_lifecycle_event === "test:client" && named.length === 0) {
  throw new Error("No client is named. See test/real-client/README.md.");
}

/** Of a client that neither finishes nor fails. Milliseconds. */
const timeoutMs = 120_000;

interface ClientOptions {
  bin: string;
  /** Where it is launched. */
  cwd: string;
  /** All of its environment. */
  env: Readonly<Record<string, string>>;
}

const printed = z.object({ session_id: z.string(), is_error: z.boolean(), result: z.optional(z.string()) });

/**
 * Has the client answer one prompt without a terminal.
 * @param more as `--resume <id>`
 * @returns the id of the session that it was in
 */
export async function say(options: ClientOptions, prompt: string, ...more: string[]): Promise<string> {
  const args = ["-p", prompt, "--output-format", "json", "--permission-mode", "bypassPermissions", ...more];
  const stdout = await run(options, args);
  const answer = z.parse(printed, JSON.parse(stdout));
  if (answer.is_error) throw new Error(`${prompt}: ${answer.result}`);
  return answer.session_id;
}

/** A session that stays open from one prompt to the next, as in a terminal. */
export interface Conversation {
  /** Has the client answer one prompt. @returns the session's id */
  say: (prompt: string) => Promise<string>;
  /** Leaves it. */
  end: () => Promise<void>;
}

/** Opens one without a terminal: prompts and answers are lines of JSON. */
export function converse({ bin, cwd, env }: ClientOptions): Conversation {
  const args = ["-p", "--input-format", "stream-json", "--output-format", "stream-json", "--verbose"];
  const child = spawn(bin, [...args, "--permission-mode", "bypassPermissions"], {
    cwd,
    env,
    stdio: ["pipe", "pipe", "pipe"],
  });
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  const ended = new Promise<never>((_, reject) => {
    child.on("error", reject);
    child.on("close", (code, signal) => reject(new Error(`${bin} ended with ${code ?? signal}: ${stderr}`)));
  });
  ended.catch(() => {});
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const readAnswer = async (): Promise<z.infer<typeof printed>> => {
    for (;;) {
      const { value, done } = await lines.next();
      if (done) return ended;
      const line = z.safeParse(printed, JSON.parse(value));
      if (line.success) return line.data;
    }
  };
  return {
    async say(prompt) {
      const message = { role: "user", content: prompt };
      child.stdin.write(`${JSON.stringify({ type: "user", message })}\n`);
      const timer = setTimeout(() => child.kill(), timeoutMs);
      const answer = await readAnswer().finally(() => clearTimeout(timer));
      if (answer.is_error) throw new Error(`${prompt}: ${answer.result}`);
      return answer.session_id;
    },
    async end() {
      child.stdin.end();
      await ended.catch(() => {});
    },
  };
}

/** Runs the client to its end. @returns what it printed */
export function run({ bin, cwd, env }: ClientOptions, args: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(bin, args, { cwd, env, stdio: ["ignore", "pipe", "pipe"], timeout: timeoutMs });
    const said = { stdout: "", stderr: "" };
    for (const name of ["stdout", "stderr"] as const) {
      child[name].setEncoding("utf8").on("data", (text: string) => {
        said[name] += text;
      });
    }
    child.on("error", reject);
    child.on("close", (code, signal) => {
      if (code === 0) resolve(said.stdout);
      else reject(new Error(`${bin} ended with ${code ?? signal}: ${said.stderr}${said.stdout}`));
    });
  });
}

/**
 * An environment in which Claude Code reaches nothing but the mock, and no home but this one.
 * @param key what it takes for its API key
 */
export function environment(
  { env, home }: Pick<Ground, "env" | "home">,
  { url, key }: { url: string; key: string },
): Record<string, string> {
  return {
    ...env,
    CLAUDE_CODE_TMPDIR: home,
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_API_KEY: key,
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    DISABLE_TELEMETRY: "1",
    DISABLE_ERROR_REPORTING: "1",
    DISABLE_AUTOUPDATER: "1",
    // It bypasses permissions as root only where nothing can break.
    IS_SANDBOX: "1",
  };
}
