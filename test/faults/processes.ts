import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { env } from "./setting.ts";

export const tsx = join(import.meta.dirname, "../../node_modules/tsx/dist/loader.mjs");
export const stepFile = join(import.meta.dirname, "step.ts");
export const pmFile = join(import.meta.dirname, "../../bin/pm.cjs");

/** Runs a piece of work. @returns how long it took from its beginning; null when it was killed before its end */
export async function runStep(
  name: string,
  root: string,
  { killAfterMs, environment = {} }: { killAfterMs?: number; environment?: NodeJS.ProcessEnv } = {},
): Promise<number | null> {
  const child = spawn(process.execPath, ["--import", tsx, stepFile, name, root], {
    env: { ...env, ...environment },
    stdio: ["ignore", "pipe", "inherit"],
  });
  let began = 0;
  let said = "";
  child.stdout.on("data", (text) => {
    said += text;
    if (began > 0 || !said.includes("begin")) return;
    began = performance.now();
    if (killAfterMs !== undefined) setTimeout(() => child.kill("SIGKILL"), killAfterMs);
  });
  await once(child, "close");
  return said.includes("end") ? performance.now() - began : null;
}

export const git = (cwd: string, ...args: string[]) =>
  execFileSync("git", args, { cwd, env, encoding: "utf8" }).trim();

export const pm = (root: string, ...args: string[]): ChildProcess =>
  spawn(process.execPath, [pmFile, ...args], { cwd: root, env, stdio: "ignore" });

export const daemonOf = (root: string): number | null => {
  const file = join(root, ".pommel/daemon.json");
  return existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as { pid: number }).pid : null;
};

/** Process ids of the daemons of a project. */
export const daemonsOf = (root: string) =>
  readdirSync("/proc").filter((pid) => {
    try {
      const command = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
      return command.some((part) => part.endsWith("pommeld.cjs")) && command.includes(root);
    } catch {
      return false;
    }
  });

export const isRunning = (pid: number) => existsSync(`/proc/${pid}`);

/** Of `/proc/<pid>/status`, in MB. */
export const memoryOf = (pid: number, name: "VmRSS" | "VmHWM") =>
  Number(new RegExp(`${name}:\\s+(\\d+)`).exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) / 1024;

/** Its share of memory, with what it shares divided among those that share it. MB. */
export const proportional = (pid: number) =>
  Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, "utf8"))?.[1] ?? 0) / 1024;

/** Lines of the daemon's log that report an error. */
export const errorsIn = (root: string) =>
  (readFileSync(join(root, ".pommel/log/pommeld.log"), "utf8").match(/"level":(?:50|60)/g) ?? []).length;
