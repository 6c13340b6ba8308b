import { execFileSync, spawn, spawnSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, it } from "vitest";
import { describeDaemon } from "../../src/answers/daemon/operation.ts";
import { locateDaemonFiles, locateHome } from "../../src/base/home.ts";
import { callDaemon } from "../../src/client/daemon-client.ts";
import { exitLocked, readDaemonRecord } from "../../src/protocol/daemon-record.ts";
import { removeDirectory } from "../support/remove-directory.ts";
import { cleanUp, programFile, spawnDaemon, until } from "./daemon-fixture.ts";
import { homeAt, pmFile, runPm, temporaryDir, temporaryRepository } from "./run-pm.ts";

/** Homes that are another user's, relative, on odd file systems, or gone. */

const isRoot = process.getuid?.() === 0;
const other = 1234;

afterEach(() => cleanUp());

/** Without the test file's own XDG directories. */
const bareHome = (home: string) => ({
  ...Object.fromEntries(Object.keys(homeAt(home)).map((name) => [name, ""])),
  HOME: home,
});

/** A home of another user, whose directories anybody may enter. */
function anothersHome(): string {
  const home = temporaryDir();
  chmodSync(home, 0o755);
  chownSync(home, other, other);
  return home;
}

const hookInput = (cwd: string) =>
  JSON.stringify({ session_id: "a1", hook_event_name: "Stop", cwd, transcript_path: join(cwd, "a1.jsonl") });

describe.runIf(isRoot)("root, in another user's home", () => {
  it.each([
    ["note", "something"],
    ["init", "--yes"],
    ["setup", "--yes"],
    ["search", "code", "x"],
    ["status"],
    ["daemon", "start"],
    ["daemon", "start", "--foreground"],
    ["config", "set", "--global", "search.limit", "7"],
    ["uninstall", "--yes"],
  ])("writes nothing with pm %s %s, and is told whose it is and what to do", async (...args) => {
    const home = anothersHome();
    const { code, stderr } = await runPm(args, { cwd: temporaryRepository(), env: bareHome(home) });
    expect(code).toBe(1);
    expect(stderr).toContain(`${home} belongs to the user with id ${other}`);
    expect(stderr).toContain(`sudo -u '#${other}'`);
    expect(stderr).toContain("POMMEL_HOME");
    expect(readdirSync(home)).toEqual([]);
  });

  it("writes nothing with hooks, which end well and say why", async () => {
    const home = anothersHome();
    const cwd = temporaryRepository();
    for (const args of [
      ["hook", "stop"],
      ["hook", "git-post-commit", "HEAD"],
    ]) {
      const { code, stdout, stderr } = await runPm(args, { cwd, env: bareHome(home), input: hookInput(cwd) });
      expect({ code, stdout }).toEqual({ code: 0, stdout: "" });
      expect(stderr).toContain(`${home} belongs to`);
      expect(stderr.trim().split("\n")).toHaveLength(1);
    }
    expect(readdirSync(home)).toEqual([]);
  });

  it("starts no daemon there, and pm doctor names it", async () => {
    const home = anothersHome();
    const { status, stderr } = spawnSync(process.execPath, [programFile], {
      env: { ...process.env, ...bareHome(home) },
      encoding: "utf8",
    });
    expect({ status, stderr }).toEqual({ status: 1, stderr: expect.stringContaining(`${home} belongs to`) });
    const { code, stdout } = await runPm(["doctor", "--json"], { cwd: "/", env: bareHome(home) });
    expect(code).toBe(1);
    expect(JSON.parse(stdout).checks).toEqual([
      expect.objectContaining({ name: "home", status: "fail", hint: expect.stringContaining("sudo -u") }),
    ]);
    expect(readdirSync(home)).toEqual([]);
  });

  it("can keep a home of its own beside it, and still sets up no agent in the other's", async () => {
    const home = anothersHome();
    const own = join(temporaryDir(), "pommel");
    const env = { ...bareHome(home), POMMEL_HOME: own };
    expect((await runPm(["note", "mine"], { cwd: temporaryRepository(), env })).code).toBe(0);
    expect((await runPm(["setup", "--yes"], { cwd: "/", env })).code).toBe(1);
    expect(readdirSync(home)).toEqual([]);
  });
});

const setpriv = "/usr/bin/setpriv";

/** Runs `pm` as another user than root. */
function runAsOther(args: readonly string[], cwd: string, home: string) {
  const as = ["--reuid", String(other), "--regid", String(other), "--clear-groups"];
  const { status, stdout, stderr } = spawnSync(setpriv, [...as, process.execPath, pmFile, ...args], {
    cwd,
    env: { ...process.env, ...bareHome(home), GIT_CONFIG_GLOBAL: "/dev/null" },
    encoding: "utf8",
  });
  return { code: status, stdout, stderr };
}

describe.runIf(isRoot && existsSync(setpriv))("a user whose home was made root's in part", () => {
  const homeCheck = (home: string) => {
    const { stdout } = runAsOther(["doctor", "--json"], "/", home);
    return JSON.parse(stdout).checks.find(({ name }: { name: string }) => name === "home");
  };

  it("learns who owns what is in the way, its mode, and the remedy", () => {
    const home = anothersHome();
    mkdirSync(join(home, ".local"), { mode: 0o700 });
    expect(homeCheck(home)).toEqual({
      name: "home",
      status: "fail",
      message: expect.stringContaining(`${join(home, ".local")} belongs to root, with mode 0700`),
      hint: `Run \`sudo chown -R ${other} ${join(home, ".local")}\`.`,
    });
    const { code, stderr } = runAsOther(["note", "mine"], "/", home);
    expect(code).not.toBe(0);
    expect(stderr).not.toContain("report");
    chownSync(join(home, ".local"), other, other);
    expect(homeCheck(home)).toMatchObject({ status: "ok" });
  });

  it("learns of files inside that are root's, and of a mode that keeps even the owner out", () => {
    const home = anothersHome();
    const repository = temporaryRepository();
    chmodSync(repository, 0o755);
    expect(runAsOther(["config", "set", "--global", "search.limit", "7"], repository, home).code).toBe(0);
    const own = join(home, ".config/pommel");
    chownSync(join(own, "config.toml"), 0, 0);
    expect(homeCheck(home)).toMatchObject({
      status: "fail",
      message: `${join(own, "config.toml")} belongs to root, with mode 0600.`,
      hint: `Run \`sudo chown -R ${other} ${own}\`.`,
    });
    chownSync(join(own, "config.toml"), other, other);
    chmodSync(own, 0o500);
    expect(homeCheck(home)).toMatchObject({
      status: "fail",
      message: expect.stringContaining(`${own} belongs to you, with mode 0500`),
      hint: `Run \`chmod u+rwx ${own}\`.`,
    });
  });

  it("in a home of nobody's is not told to take over the system's directories", () => {
    expect(homeCheck("/not/there")).toMatchObject({
      status: "fail",
      hint: expect.not.stringContaining("chown"),
    });
  });
});

describe("places that are relative", () => {
  it("POMMEL_HOME: refused, as a repository could bring it along", async () => {
    const cwd = temporaryRepository();
    const env = { POMMEL_HOME: "home" };
    for (const args of [["note", "x"], ["status"], ["search", "code", "x"], ["daemon", "start"]]) {
      const { code, stderr } = await runPm(args, { cwd, env });
      expect({ args, code, stderr }).toEqual({
        args,
        code: 2,
        stderr: expect.stringContaining('POMMEL_HOME is a relative path: "home".'),
      });
    }
    expect((await runPm(["hook", "stop"], { cwd, env, input: hookInput(cwd) })).code).toBe(0);
    expect((await runPm(["--help"], { cwd, env })).code).toBe(0);
    expect(readdirSync(cwd)).toEqual([".git"]);
  });

  it("XDG directories: ignored, in one line", async () => {
    const cwd = temporaryRepository();
    const env = { ...bareHome(temporaryDir()), XDG_DATA_HOME: "data", XDG_STATE_HOME: "./state" };
    const { code, stderr } = await runPm(["note", "x"], { cwd, env });
    expect(code).toBe(0);
    expect(stderr.split("\n")[0]).toBe(
      "warning: Ignored, as they are relative paths: XDG_DATA_HOME, XDG_STATE_HOME.",
    );
    expect(readdirSync(cwd)).toEqual([".git"]);
  });
});

it("a home in a repository is no part of it, and leaves nothing behind", async () => {
  const cwd = temporaryRepository();
  const env = { POMMEL_HOME: join(cwd, "pommel") };
  writeFileSync(join(cwd, "a.ts"), "export const one = 1;\n");
  for (const args of [
    ["note", "something private"],
    ["search", "code", "one"],
    ["config", "set", "--global", "search.limit", "7"],
    ["daemon", "start"],
  ]) {
    expect({ args, code: (await runPm(args, { cwd, env })).code }).toEqual({ args, code: 0 });
  }
  const untracked = execFileSync("git", ["status", "--porcelain", "--untracked-files=all"], {
    cwd,
    encoding: "utf8",
  });
  expect(untracked).not.toContain("pommel/");
  expect(untracked).toContain("a.ts");
  for (const dir of ["config", "data", "cache", "state"]) {
    expect(readFileSync(join(cwd, "pommel", dir, ".gitignore"), "utf8")).toBe("*\n");
  }
  await runPm(["daemon", "stop"], { cwd, env });
  expect((await runPm(["uninstall", "--yes", "--for-good"], { cwd, env })).code).toBe(0);
  for (const dir of ["config", "data", "cache", "state"])
    expect(existsSync(join(cwd, "pommel", dir))).toBe(false);
});

const ended = (child: ReturnType<typeof spawn>) =>
  until(() => child.exitCode !== null || child.signalCode !== null);
const untilAnswering = () =>
  until(() =>
    callDaemon(null, describeDaemon, {}).then(
      ({ pid }) => pid,
      () => null,
    ),
  );

describe("a daemon ends at SIGTERM", () => {
  it("where its home and its directory are gone", async () => {
    const cwd = temporaryDir();
    const child = spawn(process.execPath, [programFile], { cwd, stdio: "ignore" });
    await untilAnswering();
    rmSync(cwd, { recursive: true });
    removeDirectory(locateHome().stateDir);
    child.kill("SIGTERM");
    await ended(child);
  });

  it("while something never ends that it waits for", async () => {
    const preload = join(temporaryDir(), "never-closes.cjs");
    writeFileSync(preload, 'require("node:net").Server.prototype.close = function () { return this; };\n');
    const child = spawn(process.execPath, ["--require", preload, programFile], { stdio: "ignore" });
    await untilAnswering();
    child.kill("SIGTERM");
    await ended(child);
    expect(child.exitCode).toBe(1);
  });
});

const compiler = ["/usr/bin/cc", "/usr/bin/gcc"].find((file) => existsSync(file));

describe.runIf(process.platform === "linux" && compiler)("a file system that grants every lock", () => {
  it("has one daemon all the same, and is named", async () => {
    const library = join(temporaryDir(), "granted-locks.so");
    const source = fileURLToPath(new URL("../support/granted-locks.c", import.meta.url));
    execFileSync(compiler!, ["-shared", "-fPIC", "-o", library, source, "-ldl"]);
    const env = { LD_PRELOAD: library };
    spawnDaemon([], { env });
    const pid = await untilAnswering();
    const daemonCheck = async (env: NodeJS.ProcessEnv) => {
      const { stdout } = await runPm(["doctor", "--json"], { cwd: temporaryRepository(), env });
      return JSON.parse(stdout).checks.find(({ name }: { name: string }) => name === "daemon");
    };
    expect(await daemonCheck(env)).toMatchObject({
      status: "fail",
      message: expect.stringContaining(`${locateHome().stateDir} keeps no locks`),
      hint: expect.stringContaining("POMMEL_HOME"),
    });
    const started = await runPm(["daemon", "start"], { cwd: "/", env });
    expect(started.stderr).toContain("keeps no locks");

    const second = spawnDaemon([], { env });
    await ended(second);
    expect(second.exitCode).toBe(exitLocked);
    expect(readDaemonRecord()?.pid).toBe(pid);
    expect(await untilAnswering()).toBe(pid);

    // A daemon that comes upon another's socket nevertheless, at the same moment, makes the first one leave.
    rmSync(join(locateDaemonFiles().record, "../pommeld.sock"));
    const third = spawnDaemon([], { env });
    expect(await until(async () => ((await untilAnswering()) === third.pid ? third.pid : null))).toBe(
      third.pid,
    );
    await until(() => !isAlive(pid));
    // Which takes its socket along, and no other.
    expect(await untilAnswering()).toBe(third.pid);
  });

  it("is not blamed on one that keeps them", async () => {
    spawnDaemon();
    await untilAnswering();
    const { stdout } = await runPm(["doctor", "--json"], { cwd: temporaryRepository() });
    expect(JSON.parse(stdout).checks).toContainEqual(
      expect.objectContaining({ name: "daemon", status: "ok" }),
    );
    expect((await runPm(["daemon", "start"], { cwd: "/" })).stderr).not.toContain("locks");
  });
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    // A child of ours that has ended is there until it is waited for; Node does so at once.
    return true;
  } catch {
    return false;
  }
}
