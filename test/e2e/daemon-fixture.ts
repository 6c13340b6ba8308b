import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "vitest";
import { locateDaemonFiles, locateHome } from "../../src/base/home.ts";
import { makeNewProject, type Project } from "../../src/base/paths.ts";
import { callDaemon } from "../../src/client/daemon-client.ts";
import { showQueue } from "../../src/features/jobs/operation.ts";
import type { StatusResponse } from "../../src/features/status/operation.ts";
import { readState, showStatus } from "../../src/features/status/operation.ts";
import { readDaemonRecord } from "../../src/protocol/daemon-record.ts";
import type { SearchResponse } from "../../src/protocol/results.ts";
import { Registry } from "../../src/store/registry.ts";
import { lockHolder } from "../../src/store/sqlite/lock.ts";
import { nameProject } from "../support/named-project.ts";
import { removeDirectory } from "../support/remove-directory.ts";
import { callPm, pmFile, temporaryDir } from "./run-pm.ts";

const projects: Project[] = [];
const children: ChildProcess[] = [];

/** A project that is recorded, with these files. */
export function createProject(files: Record<string, string>): Project {
  const project = makeNewProject(temporaryDir("pommel-daemon-"));
  projects.push(project);
  nameProject(project);
  for (const [path, text] of Object.entries(files)) write(project, path, text);
  return project;
}

export function write(project: Project, path: string, text: string): void {
  mkdirSync(dirname(join(project.root, path)), { recursive: true });
  writeFileSync(join(project.root, path), text);
}

/** `count` files of TypeScript, `src/module0.ts` and so on, each with a function of its own. */
export function modules(count: number): Record<string, string> {
  return Object.fromEntries(
    Array.from({ length: count }, (_, i) => [
      `src/module${i}.ts`,
      `/** Number ${i}. */\nexport function compute${i}(input: number): number {\n  return input * ${i};\n}\n`.repeat(
        3,
      ),
    ]),
  );
}

/** Runs `pm ... --json` in the project; it must succeed. */
export async function pmJson<T>(project: Project, ...args: string[]): Promise<T> {
  const { code, stdout, stderr } = await callPm([...args, "--json"], { cwd: project.root });
  expect({ code, stderr: code === 0 ? "" : stderr + stdout }).toEqual({ code: 0, stderr: "" });
  return JSON.parse(stdout) as T;
}

export const start = (project: Project) =>
  pmJson<{ pid: number; port: number; already_running: boolean }>(project, "start");
/** What `pm status` says of a project in use, without the process of its own that it would take each time. */
export const status = (project: Project): Promise<StatusResponse> =>
  callDaemon(project.root, readState, {})
    .then(() => callDaemon(project.root, showStatus, {}))
    .catch(() => pmJson<StatusResponse>(project, "status"));

/** The files that a search finds. */
export async function found(project: Project, query: string): Promise<string[]> {
  const { code, stdout } = await callPm(["search", "code", query, "--json"], { cwd: project.root });
  const { results, verdict } = JSON.parse(stdout) as SearchResponse;
  expect(code).toBe(results.length > 0 || verdict === "not_yet" ? 0 : 5);
  return results.map(({ file }) => file);
}

/** The built `pommeld`. */
export const programFile = join(dirname(pmFile), "../dist/pommeld.cjs");

/** Runs `pommeld`, or what starts it, as a child of this process. */
export function spawnDaemon(
  args: readonly string[] = [],
  {
    program = programFile,
    env = {},
    cwd = process.cwd(),
  }: { program?: string; env?: NodeJS.ProcessEnv; cwd?: string } = {},
): ChildProcess {
  const child = spawn(process.execPath, [program, ...args], {
    cwd,
    env: { ...process.env, ...env },
    stdio: "ignore",
  });
  children.push(child);
  return child;
}

/** Waits for a condition, however long the machine takes (the test's own timeout ends it). */
export async function until<T>(condition: () => T | Promise<T>): Promise<NonNullable<T>> {
  for (;;) {
    const value = await condition();
    if (value) return value;
    await sleep(20);
  }
}

/** Whether the daemon has indexed the project's code, which it opens for that; null where none answers. */
export const isIdle = (project: Project): Promise<boolean | null> =>
  callDaemon(project.root, readState, {})
    .then(() => callDaemon(project.root, showQueue, {}))
    .then(
      ({ code_is_idle }) => code_is_idle,
      () => null,
    );

export const untilIdle = (project: Project) => until(() => isIdle(project));

/** Who runs the daemon of this test file's home; null: nobody. */
export const holderOfDaemon = () => lockHolder(locateDaemonFiles().lock);

export const untilStopped = () => until(() => holderOfDaemon() === null);

export const untilAnswering = () =>
  until(() => {
    const record = readDaemonRecord();
    return record && holderOfDaemon()?.pid === record.pid ? record : null;
  });

export function logOf(): string {
  return readFileSync(join(locateDaemonFiles().logDir, "pommeld.log"), "utf8");
}

/** For `afterEach`: no daemon, no project and nothing of Pommel's home outlives its test. */
export async function cleanUp(): Promise<void> {
  for (const child of children.splice(0)) child.kill("SIGKILL");
  const holder = holderOfDaemon();
  if (holder && holder.pid > 0 && holder.pid !== process.pid) process.kill(holder.pid, "SIGKILL");
  await untilStopped();
  Registry.close();
  const directories = [...projects.splice(0).map(({ root }) => root), ...Object.values(locateHome())];
  // What starts a daemon may still be writing there, and is not to meet the next test.
  process.env.XDG_STATE_HOME = mkdtempSync(join(process.env.HOME!, "state-"));
  for (const dir of directories) removeDirectory(dir);
}
