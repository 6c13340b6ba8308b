import { spawn } from "node:child_process";
import { appendFileSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, afterEach, describe, expect, test } from "vitest";
import { locateDaemonFiles, locateOwnConfig } from "../../src/base/home.ts";
import type { Project } from "../../src/base/paths.ts";
import { readDaemonRecord } from "../../src/protocol/daemon-record.ts";
import {
  cleanUp,
  createProject,
  found,
  logOf,
  modules,
  pmJson,
  spawnDaemon,
  start,
  status,
  until,
  untilAnswering,
  untilIdle,
} from "./daemon-fixture.ts";
import { callPm, pmFile, runPm } from "./run-pm.ts";

const pm = (project: Project, ...args: string[]) => callPm(args, { cwd: project.root });

const { version } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as {
  version: string;
};

describe("one daemon after the other", () => {
  // What a test needs of it, the one before leaves.
  afterAll(cleanUp);

  test("pm daemon restart starts another daemon, or the first one, and says what runs", async () => {
    const project = createProject(modules(1));
    // It is the first, so that no daemon runs yet.
    const first = await pmJson<{ pid: number; stopped_pid: null }>(project, "restart");
    expect(first.stopped_pid).toBeNull();
    const second = await pm(project, "restart");
    const { pid, port, version } = await untilAnswering();
    expect(pid).not.toBe(first.pid);
    expect(second.stdout).toBe(`Pommel daemon ${version} restarted (PID ${pid}, port ${port}).\n`);
  });

  test("pm daemon version names what runs", async () => {
    const project = createProject(modules(1));
    const { pid } = await start(project);
    expect(await pmJson(project, "daemon", "version")).toMatchObject({ daemon: { version, pid } });
    expect((await pm(project, "daemon", "version")).stdout).toContain(
      `Daemon        ${version} (PID ${pid})`,
    );
  });

  test("hooks learn the settings of a project that is not open", async () => {
    const [closed, open] = [createProject(modules(1)), createProject(modules(1))];
    await pm(closed, "config", "set", "context.mode", "off");
    await start(open);
    expect(readDaemonRecord()!.context.places).toMatchObject({ [closed.root]: { mode: "off" } });
  });

  test("a setting that is read where it is used holds at once in the daemon that runs", async () => {
    const project = createProject(modules(3));
    const { pid } = await start(project);
    await untilIdle(project);
    expect(await pm(project, "config", "set", "search.limit", "1")).toMatchObject({ code: 0, stderr: "" });
    expect(await found(project, "compute")).toHaveLength(1);
    await pm(project, "config", "set", "context.mode", "eager");
    const { context, ...record } = readDaemonRecord()!;
    expect(record.pid).toBe(pid);
    expect(context).toMatchObject({ mode: "gentle", places: { [project.root]: { mode: "eager" } } });
  });

  test("a project is opened again when such a setting was edited in its file, and no other one is", async () => {
    const [project, other] = [createProject(modules(3)), createProject(modules(3))];
    const { pid } = await start(project);
    await Promise.all([untilIdle(project), untilIdle(other)]);
    writeFileSync(project.configFile, '[index]\nexclude = ["src/module1.ts"]\n');
    await until(() => logOf().includes(`${project.root}: opening it again to apply index.exclude`));
    await until(async () => (await status(project)).index.total_files === 2);
    expect((await status(other)).index.total_files).toBe(3);
    expect(logOf().split(`"opened ${other.root}"`)).toHaveLength(2);
    expect(readDaemonRecord()?.pid).toBe(pid);
  });

  test("a mistake in the file leaves the daemon as it is, and shows in pm status", async () => {
    const project = createProject(modules(1));
    const { pid } = await start(project);
    writeFileSync(project.configFile, "[index]\nexclud = []\n");
    const notes = await until(async () => (await status(project)).notes[0]);
    expect(notes).toContain("Keeping the previous settings until this is fixed");
    expect(notes).toContain("unknown setting index.exclud");
    expect(readDaemonRecord()?.pid).toBe(pid);
  });

  test("pm config restarts the daemon for a setting that it is built around", async () => {
    const project = createProject(modules(3));
    const { pid } = await start(project);
    await untilIdle(project);
    const set = await pm(project, "config", "set", "index.exclude", "src/module1.ts", "--json");
    expect(set).toMatchObject({ code: 0, stderr: "Restarting the daemon to apply index.exclude.\n" });
    expect(JSON.parse(set.stdout)).toMatchObject({ key: "index.exclude", changed: true, restarted: true });
    expect((await untilAnswering()).pid).not.toBe(pid);
    await until(async () => (await status(project)).index.total_files === 2);
  });

  test("the daemon restarts by itself when a setting of its own was edited in the file", async () => {
    const project = createProject(modules(1));
    const { pid, port } = await start(project);
    mkdirSync(dirname(locateOwnConfig()), { recursive: true });
    writeFileSync(locateOwnConfig(), `[daemon]\nport = ${port + 1}\n`);
    await until(() => (readDaemonRecord()?.pid ?? pid) !== pid);
    expect((await untilAnswering()).port).toBe(port + 1);
    expect(logOf()).toContain("restarting to apply daemon.port");
  });

  test("pm daemon restart leaves a daemon alone that could not start again", async () => {
    const project = createProject(modules(1));
    const { pid } = await start(project);
    mkdirSync(dirname(locateOwnConfig()), { recursive: true });
    writeFileSync(locateOwnConfig(), "[index]\nexclud = []\n");
    expect(await pm(project, "restart")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("exclud"),
    });
    expect(readDaemonRecord()?.pid).toBe(pid);
  });
});

/** A line of the log as the daemon writes it. */
const logged = (time: string, msg: string, level = 30) => `${JSON.stringify({ level, time, pid: 1, msg })}\n`;

/** Where the daemon would write its log. */
function logFile(): string {
  const { logDir } = locateDaemonFiles();
  mkdirSync(logDir, { recursive: true });
  return join(logDir, "pommeld.log");
}

const messages = async (project: Project, ...args: string[]) => {
  const { code, stdout } = await runPm(["logs", "--json", ...args], { cwd: project.root });
  expect(code).toBe(0);
  return stdout
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => (JSON.parse(line) as { msg: string }).msg);
};

describe("a daemon of their own, or none", () => {
  afterEach(cleanUp);

  test("a daemon in a terminal is left to the person there", async () => {
    const project = createProject(modules(1));
    const daemon = spawnDaemon(["--foreground"]);
    await untilAnswering();
    await untilIdle(project);
    const exclude = await pm(project, "config", "set", "index.exclude", "src/module0.ts");
    expect(exclude).toMatchObject({ code: 0, stderr: "" });
    await until(async () => (await status(project)).index.total_files === 0);
    const set = await pm(project, "config", "set", "--global", "daemon.port", "7420", "--json");
    expect(set.stderr).toBe("The daemon runs in a terminal: restart it there to apply daemon.port.\n");
    expect(JSON.parse(set.stdout)).toMatchObject({ restarted: false });
    expect(daemon.exitCode).toBeNull();
  });

  test("pm daemon version names what is installed", async () => {
    const project = createProject({});
    const installed = await pmJson<{ sqlite: string; installed_in: string }>(project, "daemon", "version");
    expect(installed).toMatchObject({
      version,
      node: process.versions.node,
      platform: `${process.platform}-${process.arch}`,
      daemon: null,
    });
    expect(installed.sqlite).toMatch(/^3\.\d+/);
    expect(existsSync(join(installed.installed_in, "package.json"))).toBe(true);
    expect((await runPm(["--version"])).stdout).toBe(`${version}\n`);
  });

  test("pm daemon logs prints the log, older files included, and only what was asked for", async () => {
    const project = createProject({});
    expect(await runPm(["logs"], { cwd: project.root })).toMatchObject({
      code: 0,
      stdout: "",
      stderr: "The log is empty.\n",
    });
    const file = logFile();
    writeFileSync(`${file}.2`, logged("2026-01-01T10:00:00.000Z", "the oldest"));
    writeFileSync(`${file}.1`, logged("2026-01-02T10:00:00.000Z", "older"));
    const half = '{"level":30,"ti\n';
    writeFileSync(
      file,
      half + logged("2026-01-03T10:00:00.000Z", "bad\nat a:1", 50) + logged("2026-01-04T10:00:00Z", "last"),
    );
    expect(await messages(project)).toEqual(["the oldest", "older", "bad\nat a:1", "last"]);
    expect(await messages(project, "-n", "2")).toEqual(["bad\nat a:1", "last"]);
    expect(await messages(project, "--since", "2026-01-02T09:00:00Z")).toEqual([
      "older",
      "bad\nat a:1",
      "last",
    ]);
    expect(await messages(project, "--since", "10m")).toEqual([]);
    expect(await pm(project, "logs", "--since", "never ever")).toMatchObject({ code: 2 });
    const { stdout } = await runPm(["logs", "-n", "2"], { cwd: project.root });
    expect(stdout).toMatch(
      /^2026-01-0[23] \d\d:00:00 error {2}bad\n {4}at a:1\n2026-01-0[34] \d\d:00:00 info {3}last\n$/,
    );
    appendFileSync(join(locateDaemonFiles().logDir, "pommeld.stderr.log"), "FATAL ERROR: out of memory\n");
    expect(await messages(project, "--since", "10m")).toEqual(["FATAL ERROR: out of memory"]);
  });

  test("pm daemon logs --follow goes on with the next file when the log is rotated", async () => {
    const project = createProject({});
    const file = logFile();
    writeFileSync(file, logged("2026-01-03T10:00:00.000Z", "before"));
    const follower = spawn(process.execPath, [pmFile, "logs", "--follow", "--json"], { cwd: project.root });
    let shown = "";
    follower.stdout.setEncoding("utf8").on("data", (text: string) => {
      shown += text;
    });
    try {
      await until(() => shown.includes("before"));
      appendFileSync(file, logged("2026-01-03T10:00:01.000Z", "while it follows"));
      await until(() => shown.includes("while it follows"));
      appendFileSync(file, logged("2026-01-03T10:00:02.000Z", "the last of this file"));
      renameSync(file, `${file}.1`);
      writeFileSync(file, logged("2026-01-03T10:00:03.000Z", "the first of the next"));
      await until(() => shown.includes("the first of the next"));
      expect(shown.match(/"msg":"[^"]*"/g)).toEqual(
        ["before", "while it follows", "the last of this file", "the first of the next"].map(
          (msg) => `"msg":"${msg}"`,
        ),
      );
    } finally {
      follower.kill();
    }
  });
});
