import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { locateDaemonFiles, locateHome, locateSocket } from "../../src/base/home.ts";
import type { Project } from "../../src/base/paths.ts";
import { callDaemon } from "../../src/client/daemon-client.ts";
import { stopDaemon } from "../../src/client/stop-daemon.ts";
import { computePreferredPort } from "../../src/daemon/lifecycle/port.ts";
import { readState } from "../../src/features/status/operation.ts";
import { isDaemon, readDaemonRecord } from "../../src/protocol/daemon-record.ts";
import { IndexDatabase } from "../../src/store/index/sqlite/index-database.ts";
import { acquireLock } from "../../src/store/sqlite/lock.ts";
import { Sqlite } from "../../src/store/sqlite/sqlite.ts";
import { removeDirectory } from "../support/remove-directory.ts";
import {
  cleanUp,
  createProject,
  found,
  holderOfDaemon,
  logOf,
  modules,
  pmJson,
  programFile,
  spawnDaemon,
  start,
  status,
  until,
  untilAnswering,
  untilIdle,
  untilStopped,
  write,
} from "./daemon-fixture.ts";
import { callPm, temporaryDir } from "./run-pm.ts";

const pm = (project: Project, ...args: string[]) => callPm(args, { cwd: project.root });

describe("one daemon after the other", () => {
  // What a test needs of it, the one before leaves.
  afterAll(cleanUp);

  test("becomes one daemon when several start it at once, and says so when asked again", async () => {
    const project = createProject(modules(3));
    const reports = await Promise.all([start(project), start(project), start(project)]);
    expect(new Set(reports.map(({ pid }) => pid)).size).toBe(1);
    expect(reports.filter(({ already_running }) => !already_running)).toHaveLength(1);
    expect(logOf().match(/answers on/g)).toHaveLength(1);
    const { pid, port } = reports[0]!;
    expect(holderOfDaemon()).toEqual({ pid, owner: "pommeld" });
    expect(await start(project)).toMatchObject({ pid, port, already_running: true });
    const again = await pm(project, "start");
    expect(again.stdout).toContain(`Pommel daemon is already running (PID ${pid}, port ${port}).`);
  });

  test("is named with what it does by those that set up", async () => {
    const project = createProject(modules(3));
    const { pid } = await start(project);
    // It looks through the history some time after it has opened a project.
    const named = new RegExp(
      `\\nThe daemon runs \\(PID ${pid}\\), and has nothing to do\\.\\n|\\nIn the background, by the daemon \\(PID ${pid}\\):\\n  `,
    );
    const { stdout } = await pm(project, "init", "--no-hooks");
    expect(stdout).toMatch(named);
    expect(stdout).not.toContain("pm daemon start");
    expect((await pm(project, "start")).stdout).toMatch(named);
  });

  test("keeps its files for their owner only, and the token out of the log", async () => {
    const project = createProject(modules(1));
    await start(project);
    await untilIdle(project);
    const mode = (path: string) => statSync(path).mode & 0o777;
    const { record, logDir, spoolDir } = locateDaemonFiles();
    for (const dir of [...Object.values(locateHome()), logDir, spoolDir, project.dataDir, project.cacheDir])
      if (existsSync(dir)) expect([dir, mode(dir)]).toEqual([dir, 0o700]);
    const files = [record, locateSocket(), project.indexDb, project.lockFile, join(logDir, "pommeld.log")];
    for (const file of files) expect([file, mode(file)]).toEqual([file, 0o600]);
    expect(logOf()).not.toContain(readDaemonRecord()?.token);
  });

  test("returns from start --wait when everything is searchable", async () => {
    const project = createProject(modules(200));
    const { code, stdout } = await pm(project, "start", "--wait");
    expect(code).toBe(0);
    expect(stdout).toContain("Everything is indexed.");
    expect(await status(project)).toMatchObject({
      index: { total_files: 200 },
      queue: { code_is_idle: true },
    });
  });

  test("a project that cannot be opened leaves the others alone", async () => {
    const [broken, sound] = [createProject(modules(1)), createProject(modules(1))];
    writeFileSync(broken.configFile, "[nonsense]\nwhat = 1\n");
    await start(sound);
    const refused = await pm(broken, "search", "compute0");
    expect(refused).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("unknown setting nonsense.what"),
    });
    expect(await found(sound, "compute0")).toContain("src/module0.ts");
  });

  test("does not touch an index of a newer Pommel", async () => {
    const project = createProject(modules(1));
    const db = new Sqlite(project.indexDb, { mode: "create", timeoutMs: 0 });
    db.exec("PRAGMA user_version = 9999");
    db.close();
    const refused = await pm(project, "start");
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining("newer Pommel") });
  });

  test.each([
    ["that is no database", (file: string) => writeFileSync(file, "This is no database. ".repeat(1000))],
    ["that is a directory", (file: string) => mkdirSync(join(file, "inside"), { recursive: true })],
    ["that lost a table", loseFiles],
  ])("rebuilds an index %s and keeps the old one aside", async (_, damage) => {
    const project = createProject(modules(3));
    damage(project.indexDb);
    await start(project);
    await untilIdle(project);
    expect(await status(project)).toMatchObject({
      index: { total_files: 3 },
      notes: [expect.stringContaining("The index was damaged and is being rebuilt")],
    });
    expect(readdirSync(project.cacheDir).filter((name) => name.startsWith("index.db.corrupt-"))).toHaveLength(
      1,
    );
    expect(await found(project, "compute1")).toContain("src/module1.ts");
  });

  function loseFiles(file: string): void {
    const index = IndexDatabase.open(file, { readonly: false });
    index.exec("PRAGMA foreign_keys = OFF; DROP TABLE files");
    index.close();
  }

  const refusedCheck = { code: 4, stdout: "", stderr: expect.stringContaining("pm daemon start") };

  test("stops, after which pm status --check fails and starts none", async () => {
    const project = createProject(modules(3));
    const { pid, port } = await start(project);
    await untilIdle(project);
    expect(await status(project)).toMatchObject({
      daemon: { running: true, pid, port },
      index: { total_files: 3, pending_changes: 0, languages: { typescript: { files: 3 } } },
      health: { status: "healthy", database: "connected" },
      queue: { pending: 0, code_is_idle: true },
    });
    const check = await pm(project, "status", "--check");
    expect(check).toMatchObject({ code: 0, stdout: expect.stringContaining(String(pid)) });

    expect(await pmJson(project, "stop")).toEqual({ stopped: true, pid, how: "asked" });
    expect(holderOfDaemon()).toBeNull();
    expect(existsSync(locateDaemonFiles().record)).toBe(false);
    expect(await pmJson(project, "stop")).toEqual({ stopped: false, pid: null, how: null });
    expect(await status(project)).toMatchObject({
      daemon: { running: false, pid: null },
      index: { total_files: 3 },
    });
    expect(await pm(project, "status", "--check")).toMatchObject(refusedCheck);
    expect(readDaemonRecord()).toBeNull();
  });

  test("keeps entries of unknown kinds in the spool", async () => {
    const project = createProject(modules(1));
    await pmJson(project, "stop");
    mkdirSync(locateDaemonFiles().spoolDir, { recursive: true, mode: 0o700 });
    writeFileSync(join(locateDaemonFiles().spoolDir, "1-odd.json"), '{"kind": "from the future"}');
    writeFileSync(join(locateDaemonFiles().spoolDir, ".2-draft.json"), "{");
    await start(project);
    await until(() => existsSync(join(locateDaemonFiles().spoolDir, "rejected", "1-odd.json")));
    expect(readdirSync(locateDaemonFiles().spoolDir).sort()).toEqual([".2-draft.json", "rejected"]);
  });

  test("starts again after it was killed, whoever has its pid now, and searches go on in between", async () => {
    const project = createProject(modules(3));
    const { pid } = await start(project);
    await untilIdle(project);
    process.kill(pid, "SIGKILL");
    await untilStopped();
    expect(existsSync(locateDaemonFiles().record)).toBe(true);
    expect(await found(project, "compute2")).toContain("src/module2.ts");
    expect((await status(project)).daemon.running).toBe(false);
    expect(await pm(project, "status", "--check")).toMatchObject(refusedCheck);

    const stale = {
      pid: process.pid,
      port: 1,
      token: "x",
      started_at: new Date().toISOString(),
      version: "0",
    };
    writeFileSync(locateDaemonFiles().record, JSON.stringify(stale));
    // Were the pid believed, this would end the test.
    expect(await pmJson(project, "stop")).toMatchObject({ stopped: false });
    const next = await start(project);
    expect(next).toMatchObject({ already_running: false });
    expect(next.pid).not.toBe(pid);
  });

  test("stops a daemon that does not answer", async () => {
    const project = createProject(modules(1));
    const { pid } = await start(project);
    rmSync(locateSocket());
    expect(await pmJson(project, "stop")).toEqual({ stopped: true, pid, how: "terminated" });
  });
});

describe("a daemon that closes projects soon", () => {
  let daemon: ChildProcess;
  beforeAll(async () => {
    daemon = spawnDaemon(["--close-after-seconds", "1"]);
    await untilAnswering();
  });
  afterAll(cleanUp);

  test("serves several projects, closes those that nobody uses, and opens them again", async () => {
    const [one, other] = [
      createProject(modules(2)),
      createProject({ "src/other.ts": "export const heron = 1;\n" }),
    ];
    await Promise.all([untilIdle(one), untilIdle(other)]);
    expect((await found(one, "compute1"))[0]).toBe("src/module1.ts");
    expect(new Set(await found(other, "heron"))).toEqual(new Set(["src/other.ts"]));
    const isClosed = ({ root }: Project) => logOf().includes(`"closed ${root}"`);
    await until(() => isClosed(one) && isClosed(other));
    write(one, "src/fresh.ts", "export const giraffe = 1;\n");
    await until(async () => (await found(one, "giraffe")).includes("src/fresh.ts"));
    expect(holderOfDaemon()?.pid).toBe(daemon.pid);
  });

  test("closes a project whose directory is gone, and ends when its home is", async () => {
    const [gone, other] = [createProject(modules(1)), createProject(modules(1))];
    await untilIdle(gone);
    rmSync(gone.root, { recursive: true, force: true });
    await until(() => logOf().includes(`"closed ${gone.root}"`));
    await untilIdle(other);
    expect(existsSync(gone.root)).toBe(false);
    const exited = once(daemon, "exit");
    removeDirectory(locateHome().stateDir);
    expect(await exited).toEqual([0, null]);
    expect(existsSync(locateHome().stateDir)).toBe(false);
  });
});

describe("a daemon of their own", () => {
  afterEach(cleanUp);

  test("kills a daemon that does not even end", async () => {
    const daemon = spawnDaemon();
    await untilAnswering();
    daemon.kill("SIGSTOP");
    expect(await stopDaemon(300)).toEqual({ pid: daemon.pid, how: "killed" });
  });

  test("has ended when it counts as stopped, though its lock is free before", async () => {
    const lateExit = join(temporaryDir(), "late-exit.cjs");
    writeFileSync(
      lateExit,
      "const { exit } = process;\nprocess.exit = (code) => setTimeout(exit, 700, code);\n",
    );
    const daemon = spawnDaemon([], { env: { NODE_OPTIONS: `--require=${lateExit}` } });
    await untilAnswering();
    expect(await stopDaemon()).toEqual({ pid: daemon.pid, how: "asked" });
    expect(isDaemon(daemon.pid!)).toBe(false);
  });

  test("takes the next port when its own is taken", async () => {
    const project = createProject(modules(1));
    const squatter = createServer();
    squatter.listen(computePreferredPort(locateHome().stateDir), "127.0.0.1");
    await once(squatter, "listening");
    try {
      expect((await start(project)).port).not.toBe(computePreferredPort(locateHome().stateDir));
      await pmJson(project, "stop");
      await pm(
        project,
        "config",
        "set",
        "--global",
        "daemon.port",
        String(computePreferredPort(locateHome().stateDir)),
      );
      expect(await pm(project, "start")).toMatchObject({
        code: 4,
        stderr: expect.stringMatching(/Port \d+, which daemon.port names, is in use/),
      });
    } finally {
      squatter.close();
    }
  });

  test("says who keeps it from starting", async () => {
    const project = createProject(modules(1));
    const lock = acquireLock(locateDaemonFiles().lock, "a test");
    try {
      const refused = await pm(project, "start");
      expect(refused).toMatchObject({
        code: 1,
        stderr: expect.stringContaining(`a test (PID ${process.pid})`),
      });
      expect(await pmJson(project, "stop")).toMatchObject({ stopped: false });
    } finally {
      lock.release();
    }
  });

  test("exits when idle", async () => {
    const daemon = spawnDaemon(["--idle-exit-seconds", "1"]);
    const [code] = await once(daemon, "exit");
    expect(code).toBe(0);
    expect(existsSync(locateDaemonFiles().record)).toBe(false);
    expect(logOf()).toContain("idle for");
  });

  /** A `pommeld` of the test's own, and what puts another version in its place. */
  function ownProgram(): { program: string; install: (version: string) => void } {
    const program = join(temporaryDir(), "installed.cjs");
    const install = (version: string) => {
      writeFileSync(`${program}.new`, `// ${version}\nrequire(${JSON.stringify(programFile)});\n`);
      renameSync(`${program}.new`, program);
    };
    install("old");
    return { program, install };
  }

  test("makes room for a newer version when that was installed in its place", async () => {
    const project = createProject(modules(3));
    const { program, install } = ownProgram();
    const daemon = spawnDaemon(["--renew-seconds", "0.2"], { program });
    const { pid } = await untilAnswering();
    install("new one");
    expect(await once(daemon, "exit")).toEqual([0, null]);
    expect((await untilAnswering()).pid).not.toBe(pid);
    await untilIdle(project);
    expect(await found(project, "compute2")).not.toEqual([]);
    expect(logOf()).toContain("another version was installed");
  });

  test("makes room for a newer version that was installed while it started", async () => {
    const { program, install } = ownProgram();
    const daemon = spawnDaemon(["--renew-seconds", "0.2"], { program });
    // At once: a moment later it has started.
    while (!existsSync(locateDaemonFiles().record)) await setImmediate();
    install("new one");
    expect(await once(daemon, "exit")).toEqual([0, null]);
    await untilAnswering();
  });

  test("makes room for a newer version that migrated the memory", async () => {
    const project = createProject(modules(1));
    const daemon = spawnDaemon();
    await untilAnswering();
    await untilIdle(project);
    const exited = once(daemon, "exit");
    const db = new Sqlite(project.memoryDb, { mode: "write", timeoutMs: 5000 });
    db.exec("PRAGMA user_version = 9999");
    db.close();
    expect(await exited).toEqual([0, null]);
    expect(logOf()).toContain("a newer Pommel migrated a memory");
  });

  test("does not make a home again that was deleted while it started", async () => {
    const { stateDir } = locateHome();
    mkdirSync(stateDir, { recursive: true });
    const deleteHome = join(temporaryDir(), "delete-home.cjs");
    writeFileSync(
      deleteHome,
      `require("node:fs").rmSync(${JSON.stringify(stateDir)}, { recursive: true });\n`,
    );
    const daemon = spawnDaemon([], { cwd: stateDir, env: { NODE_OPTIONS: `--require=${deleteHome}` } });
    expect(await once(daemon, "exit")).toEqual([0, null]);
    expect(existsSync(stateDir)).toBe(false);
  });

  test("works and ends in order when the directory that it was started in is gone", async () => {
    const cwd = temporaryDir();
    const daemon = spawnDaemon([], { cwd });
    await untilAnswering();
    rmSync(cwd, { recursive: true });
    const project = createProject(modules(1));
    await untilIdle(project);
    expect(await found(project, "compute0")).toEqual(["src/module0.ts"]);
    expect(logOf()).not.toContain("ENOENT");
    const exited = once(daemon, "exit");
    daemon.kill("SIGTERM");
    expect(await exited).toEqual([0, null]);
  });

  test.each(["SIGTERM", "SIGINT"] as const)("ends in order at %s", async (signal) => {
    const project = createProject(modules(200));
    const daemon = spawnDaemon();
    await untilAnswering();
    await callDaemon(project.root, readState, {});
    daemon.kill(signal);
    expect(await once(daemon, "exit")).toEqual([0, null]);
    expect(existsSync(locateDaemonFiles().record)).toBe(false);
    expect(holderOfDaemon()).toBeNull();
    const db = new Sqlite(project.indexDb, { mode: "create", timeoutMs: 0 });
    expect(db.pragma("integrity_check")).toBe("ok");
    db.close();
  });
});
