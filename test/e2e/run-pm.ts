import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** The built `pm`, or the one to test instead. */
export const pmFile =
  process.env.POMMEL_E2E_PM ?? fileURLToPath(new URL("../../bin/pm.cjs", import.meta.url));

export interface PmResult {
  /** null when a signal ended it. */
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
}

interface PmOptions {
  cwd?: string;
  env?: NodeJS.ProcessEnv;
  /** What stdin says; without it there is none. */
  input?: string | Uint8Array;
}

/** Runs `pm` in `cwd` to its end, with the test file's isolated home (see test/isolate-home.ts). */
export function runPm(args: readonly string[], { cwd, env, input }: PmOptions = {}): Promise<PmResult> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [pmFile, ...args], {
      cwd,
      env: { ...process.env, ...env },
      stdio: ["pipe", "pipe", "pipe"],
    });
    // It may exit without having read all of it.
    child.stdin.on("error", () => {}).end(input ?? "");
    let stdout = "";
    let stderr = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      stdout += text;
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      stderr += text;
    });
    child.on("error", reject);
    child.on("close", (code, signal) => resolve({ code, signal, stdout, stderr }));
  });
}

/** An empty directory of its own, its path as `pm` will print it. */
export function temporaryDir(name = "pommel-e2e-"): string {
  return realpathSync(mkdtempSync(join(tmpdir(), name)));
}

/** An empty git repository. */
export function temporaryRepository(): string {
  const dir = temporaryDir();
  execFileSync("git", ["init", "--quiet", dir]);
  return dir;
}
