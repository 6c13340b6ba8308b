import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { runCommandLine } from "../../src/faces/cli/run-command-line.ts";
import { collectedStreams } from "../support/collected-streams.ts";

/** A `pm` to test instead of the built one. */
const installed = process.env.POMMEL_E2E_PM;
/** The built `pm`, or the one to test instead. */
export const pmFile = installed ?? fileURLToPath(new URL("../../bin/pm.cjs", import.meta.url));

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

/** Variables for which a directory is the home: Pommel's files and the agents' lie in it. */
export const homeAt = (home: string) => ({
  HOME: home,
  XDG_CONFIG_HOME: join(home, ".config"),
  XDG_DATA_HOME: join(home, ".local/share"),
  XDG_STATE_HOME: join(home, ".local/state"),
  XDG_CACHE_HOME: join(home, ".cache"),
  CLAUDE_CONFIG_DIR: "",
  CODEX_HOME: "",
});

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

/**
 * As `runPm`, in this process and from the sources, one call after the other: for what prepares a test, and for what commands
 * do and answer. Most of a process of `pm` is starting Node and compiling the code again. What is about the process (its
 * streams, its end, others beside it) takes `runPm`, and so does everything where an installation is tested.
 */
export function callPm(
  args: readonly string[],
  options: Pick<PmOptions, "env"> & { cwd: string },
): Promise<PmResult> {
  if (installed !== undefined) return runPm(args, options);
  const called = lastCall.then(() => runHere(args, options));
  lastCall = called.catch(() => {});
  return called;
}

/** They share the environment, so no two run at once. */
let lastCall: Promise<unknown> = Promise.resolve();

async function runHere(
  args: readonly string[],
  { cwd, env = {} }: Pick<PmOptions, "env"> & { cwd: string },
): Promise<PmResult> {
  const { streams, written } = collectedStreams();
  const before = { ...process.env };
  setEnvironment(env);
  try {
    const code = await runCommandLine(args, { cwd, isRemote: false, streams });
    return { code, signal: null, stdout: written[1], stderr: written[2] };
  } finally {
    setEnvironment(Object.fromEntries(Object.keys(env).map((name) => [name, before[name]])));
  }
}

function setEnvironment(env: NodeJS.ProcessEnv): void {
  for (const [name, value] of Object.entries(env)) {
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
  }
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
