import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { listNamesIfAny, readTextIfAny } from "../../src/base/files/if-any.ts";
import { locateDaemonFiles, locateOwnConfig } from "../../src/base/home.ts";
import type { Project } from "../../src/base/paths.ts";
import type { StatusResponse } from "../../src/features/status/operation.ts";
import type { DaemonRecord } from "../../src/protocol/daemon-record.ts";
import {
  cleanUp,
  createProject,
  holderOfDaemon,
  logOf,
  modules,
  start,
  until,
  untilAnswering,
  untilIdle,
  untilStopped,
} from "./daemon-fixture.ts";
import { connect } from "./mcp-fixture.ts";
import { type PmResult, runPm } from "./run-pm.ts";

afterEach(cleanUp);

/** Tests run without autostart, and perhaps in CI. */
const wanted = { POMMEL_DAEMON_AUTOSTART: "", CI: "" };

const pm = (project: Project, ...args: string[]) => runPm(args, { cwd: project.root, env: wanted });

function hook(project: Project, env: NodeJS.ProcessEnv = wanted): Promise<PmResult> {
  const payload = {
    session_id: "11111111-2222-4333-8444-555555555555",
    transcript_path: join(project.root, "no-transcript.jsonl"),
    cwd: project.root,
    hook_event_name: "Stop",
  };
  const here = { CLAUDE_PROJECT_DIR: project.root, ...env };
  return runPm(["hook", "stop"], { cwd: project.root, env: here, input: JSON.stringify(payload) });
}

const autostartDir = () => locateDaemonFiles().autostartDir;
/** What is noted of starts; nothing once a daemon has proved itself, or was found. */
const attempts = () => listNamesIfAny(autostartDir());

/** Empty while it is under way, and when it was removed. */
const outcomeOf = (attempt: string) => readTextIfAny(join(autostartDir(), attempt));

/** Waits until a daemon answers, and what started it is done. */
async function untilStarted(): Promise<DaemonRecord> {
  const record = await untilAnswering();
  await until(() => attempts().every((name) => name === "off" || outcomeOf(name) !== ""));
  return record;
}

async function autostart(project: Project) {
  const { stdout } = await pm(project, "status", "--json");
  return (JSON.parse(stdout) as StatusResponse).daemon.autostart;
}

test("any number of hooks at once start one daemon, and print nothing", async () => {
  const project = createProject(modules(3));
  const results = await Promise.all(Array.from({ length: 12 }, () => hook(project)));
  expect(new Set(results.map(({ code, stdout, stderr }) => `${code}${stdout}${stderr}`))).toEqual(
    new Set(["0"]),
  );
  await untilStarted();
  // A hook so slow that the first attempt is over tries again, finds the daemon, and removes what was noted.
  for (const attempt of attempts()) expect(outcomeOf(attempt)).toMatch(/^$|^{"error":null,/);
  await untilIdle(project);
  expect(logOf().match(/answers on/g)).toHaveLength(1);
  // What the hooks have left is taken from the spool.
  await until(
    () => readdirSync(locateDaemonFiles().spoolDir).filter((name) => name.endsWith(".json")).length === 0,
  );
});

test("a first search starts it, waits for it, and answers", async () => {
  const project = createProject(modules(3));
  const search = await pm(project, "search", "code", "compute2");
  expect(search).toMatchObject({ code: 0, stdout: expect.stringContaining("src/module2.ts") });
  await untilStarted();
});

test("so does every command that asks it", async () => {
  const project = createProject(modules(1));
  expect(await pm(project, "memory", "notes", "--json")).toMatchObject({ code: 0, stderr: "" });
  await untilStarted();
});

test("the MCP server starts it", async () => {
  const project = createProject(modules(1));
  const client = await connect({ cwd: project.root, env: wanted });
  await untilStarted();
  await client.close();
});

test("a daemon that was killed comes back with the next search, which answers by itself", async () => {
  const project = createProject(modules(3));
  const { pid } = await start(project);
  await untilIdle(project);
  process.kill(pid, "SIGKILL");
  await untilStopped();
  const search = await pm(project, "search", "code", "compute2", "--json");
  expect(search.code).toBe(0);
  expect(search.stdout).toContain("src/module2.ts");
  expect((await untilStarted()).pid).not.toBe(pid);
});

test("after pm daemon stop nothing starts it until pm daemon start", async () => {
  const project = createProject(modules(1));
  await start(project);
  expect((await pm(project, "stop")).stdout).toContain("until `pm daemon start` or the next boot");
  await hook(project);
  await pm(project, "search", "code", "compute");
  expect(attempts()).toEqual(["stopped"]);
  expect(await autostart(project)).toMatchObject({ state: "stopped" });
  expect((await pm(project, "doctor")).stdout).toContain("It was stopped with `pm daemon stop`");
  await start(project);
  expect(attempts()).toEqual([]);
});

test("after pm daemon stop the next boot starts it", async () => {
  const project = createProject(modules(1));
  await pm(project, "stop");
  writeFileSync(join(autostartDir(), "stopped"), "00000000-0000-4000-8000-000000000000");
  await hook(project);
  await untilStarted();
});

test("pm daemon stop ends a daemon that is just being started", async () => {
  const project = createProject(modules(1));
  await hook(project);
  await pm(project, "stop");
  await until(() => attempts().join() === "stopped" && holderOfDaemon() === null);
  await hook(project);
  expect(attempts()).toEqual(["stopped"]);
});

test("it is not started in CI, nor where the configuration says so", async () => {
  const project = createProject(modules(1));
  await hook(project, { ...wanted, CI: "true" });
  expect(attempts()).toEqual([]);
  await pm(project, "config", "set", "--global", "daemon.autostart", "false");
  await hook(project);
  await until(() => attempts().includes("off"));
  await hook(project);
  expect(attempts()).toEqual(["off"]);
  expect(await autostart(project)).toMatchObject({ state: "off" });
  await pm(project, "config", "set", "--global", "daemon.autostart", "true");
  await hook(project);
  await untilStarted();
});

test("failed starts are said with their reason, back off, and end when the reason is gone", async () => {
  const project = createProject(modules(1));
  mkdirSync(dirname(locateOwnConfig()), { recursive: true });
  writeFileSync(locateOwnConfig(), "[nonsense]\nwhat = 1\n");
  await hook(project);
  expect(await until(() => outcomeOf("1"))).toContain("unknown setting nonsense.what");
  writeFileSync(locateOwnConfig(), "");
  expect(await autostart(project)).toMatchObject({
    state: "failed",
    error: expect.stringContaining("unknown setting nonsense.what"),
  });
  await hook(project);
  await untilStarted();
});
