import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { locateDaemonFiles, locateHome } from "../../src/base/home.ts";
import { readDaemonRecord } from "../../src/protocol/daemon-record.ts";
import { envOf, homeAround } from "./setting.ts";

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
    env: { ...envOf(root), ...environment },
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
  execFileSync("git", args, { cwd, encoding: "utf8" }).trim();

export const pm = (root: string, ...args: string[]): ChildProcess =>
  spawn(process.execPath, [pmFile, ...args], { cwd: root, env: envOf(root), stdio: "ignore" });

const homeOfProject = (root: string) => locateHome(envOf(root));

export const daemonOf = (root: string): number | null => readDaemonRecord(homeOfProject(root))?.pid ?? null;

/** Process ids of the daemons of the home around a project. */
export const daemonsOf = (root: string) =>
  readdirSync("/proc").filter((pid) => {
    try {
      const [command, environment] = ["cmdline", "environ"].map((name) =>
        readFileSync(`/proc/${pid}/${name}`, "utf8").split("\0"),
      );
      const isOfHome = environment!.includes(`POMMEL_HOME=${homeAround(root)}`);
      return isOfHome && command!.some((part) => part.endsWith("pommeld.cjs"));
    } catch {
      return false;
    }
  });

export const isRunning = (pid: number) => existsSync(`/proc/${pid}`);

/** Of `/proc/<pid>/status`, in MB. */
export const memoryOf = (pid: number, name: "VmRSS" | "VmHWM") =>
  Number(new RegExp(`${name}:\\s+(\\d+)`).exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) / 1024;

export const logOf = (root: string): string =>
  readFileSync(join(locateDaemonFiles(homeOfProject(root)).logDir, "pommeld.log"), "utf8");

/** Lines of the daemon's log that report an error. */
export const errorsIn = (root: string) => (logOf(root).match(/"level":(?:50|60)/g) ?? []).length;
