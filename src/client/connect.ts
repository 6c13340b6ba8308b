import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync, readFileSync, statSync, truncateSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { profiles } from "../agents/profiles.ts";
import { describeDaemon } from "../answers/daemon/operation.ts";
import { loadConfig } from "../base/config/config.ts";
import { PommelError } from "../base/errors.ts";
import { makeUnwritableError } from "../base/files/text-file.ts";
import { locateDaemonFiles, locateHome, makeDirectory, measureFreeBytes } from "../base/home.ts";
import { makeProject, type Project } from "../base/paths.ts";
import { listEngineVariables } from "../engines/drivers.ts";
import { readEmbedderSpec, toEmbedderSettings } from "../models/embed/registry.ts";
import { readLlmSpec, toLlmSettings } from "../models/generate/registry.ts";
import { type DaemonRecord, daemonOwner, exitLocked, readDaemonRecord } from "../protocol/daemon-record.ts";
import { passwordVariable } from "../store/postgres/password-variable.ts";
import { Registry } from "../store/registry.ts";
import { type LockHolder, lockHolder } from "../store/sqlite/lock.ts";
import { clearAutostart, locateProgram } from "./autostart.ts";
import { callDaemon } from "./daemon-client.ts";

export interface DaemonConnection {
  record: DaemonRecord;
  /** False if the daemon ran already, or another command started it first. */
  startedHere: boolean;
}

/**
 * Detects a file system that keeps no locks: a daemon answers although nobody holds its lock.
 * @returns the problem; null if there is none, or if no daemon runs
 */
export async function findLockProblem(): Promise<string | null> {
  const { lock } = locateDaemonFiles();
  const runs = async () => (await findDaemon())?.pid;
  const pid = await runs();
  // Ask again: a daemon that has just ended has released its lock.
  if (pid === undefined || lockHolder(lock) !== null || (await runs()) !== pid) return null;
  return `The file system of ${dirname(lock)} keeps no locks: two programs that write there at once can destroy your memory.`;
}

/** What to do if `findLockProblem` finds one. */
export const keepLocks =
  "Set POMMEL_HOME to a directory on a disk of this machine, and move what is there to it.";

/** How long a daemon may take from its start to its first answer. Milliseconds. */
const startTimeoutMs = 30_000;

/** A disk with less left is full: not even a log line fits. Bytes. */
const minFreeBytes = 65_536;

/**
 * The variables that a daemon inherits, besides Pommel's own settings and those that agents and models declare. It inherits no
 * tokens, and no keys except those that it needs.
 */
const passedOn = [
  "PATH",
  "HOME",
  "USER",
  "TMPDIR",
  "LANG",
  "LC_ALL",
  "TZ",
  "XDG_CACHE_HOME",
  "XDG_CONFIG_HOME",
  "XDG_DATA_HOME",
  "XDG_STATE_HOME",
  // Where the system's keychain is.
  "XDG_RUNTIME_DIR",
  "DBUS_SESSION_BUS_ADDRESS",
  "SystemRoot",
  "USERPROFILE",
  "TEMP",
  "APPDATA",
  "LOCALAPPDATA",
];

/** The record of the running daemon, or null. */
export async function findDaemon(): Promise<DaemonRecord | null> {
  const record = readDaemonRecord();
  if (!record) return null;
  try {
    const { pid } = await callDaemon(null, describeDaemon, {}, 2000);
    return pid === record.pid ? record : null;
  } catch {
    return null;
  }
}

/**
 * Finds the daemon, or starts one and waits until it answers. It is for users who want a daemon, so it ignores earlier failures.
 * Any number of processes may call it at once: one daemon results, and all get its record.
 * @throws PommelError `daemon_start_failed` with the daemon's own message when it fails
 */
export async function findOrStartDaemon(): Promise<DaemonConnection> {
  clearAutostart();
  return bringUpDaemon();
}

/** As `findOrStartDaemon`, for a start that the user did not ask for. */
export async function bringUpDaemon(): Promise<DaemonConnection> {
  const running = await findDaemon();
  if (running) return { record: running, startedHere: false };
  const deadline = Date.now() + startTimeoutMs;
  let launched = launchDaemon();
  for (;;) {
    const record = await findDaemon();
    if (record) return { record, startedHere: record.pid === launched.child.pid };
    if (launched.hasExited()) {
      if (launched.child.exitCode !== exitLocked) throw startFailed(launched.output());
      const holder = lockHolder(locateDaemonFiles().lock);
      if (holder !== null && holder.pid > 0 && holder.owner !== daemonOwner) throw makeHeldLockError(holder);
      // Another daemon held the lock. If it still does, it is about to answer; if not, it was ending.
      if (holder === null) launched = launchDaemon();
    }
    if (Date.now() > deadline) throw startFailed(`It did not answer within ${startTimeoutMs / 1000} s.`);
    await sleep(20);
  }
}

interface LaunchedDaemon {
  child: ChildProcess;
  hasExited(): boolean;
  /** What the daemon wrote to stderr since its launch. */
  output(): string;
}

function launchDaemon(): LaunchedDaemon {
  const file = locateStderrLog();
  const stderr = openLog(file);
  if (statSync(file).size > 1_000_000) truncateSync(file);
  const start = statSync(file).size;
  const child = spawn(process.execPath, [locateProgram("pommeld.cjs")], {
    cwd: locateHome().stateDir,
    detached: true,
    stdio: ["ignore", "ignore", stderr],
    env: makeDaemonEnvironment(),
    windowsHide: true,
  });
  closeSync(stderr);
  let failure: Error | undefined;
  child.on("error", (error) => {
    failure = error;
  });
  child.unref();
  return {
    child,
    hasExited: () => failure !== undefined || child.exitCode !== null || child.signalCode !== null,
    output: () => failure?.message ?? readFileSync(file).subarray(start).toString("utf8").trim(),
  };
}

/** @throws PommelError `unreadable`, `disk_full`: if this log cannot be written, the daemon can write nothing */
function openLog(file: string): number {
  try {
    makeDirectory(dirname(file));
    return openSync(file, "a", 0o600);
  } catch (error) {
    throw makeUnwritableError(file, error);
  }
}

/** What of `env` the daemon is started with. */
export function makeDaemonEnvironment(env: NodeJS.ProcessEnv = process.env): NodeJS.ProcessEnv {
  const agents = Object.values(profiles).flatMap(({ environment }) => environment);
  const known = (Registry.openIfThere()?.listRegisteredProjects() ?? []).map(({ id }) =>
    makeProject(id, "/"),
  );
  const keys = [null, ...known].map(listKeyVariables);
  const names = new Set([...passedOn, ...agents, ...keys.flatMap((key) => key.names)]);
  const prefixes = ["POMMEL_", ...keys.flatMap((key) => key.prefixes)];
  const isPassedOn = (name: string) => names.has(name) || prefixes.some((prefix) => name.startsWith(prefix));
  return {
    // By default glibc keeps freed memory in a pool for each thread. With these settings, a daemon gives memory back after work.
    MALLOC_TRIM_THRESHOLD_: "131072",
    MALLOC_ARENA_MAX: "2",
    ...Object.fromEntries(Object.entries(env).filter(([name]) => isPassedOn(name))),
  };
}

/** Variables with the keys and passwords that a project uses: for models, servers, object storage, encrypted sync. */
function listKeyVariables(project: Project | null): {
  names: readonly string[];
  prefixes: readonly string[];
} {
  try {
    const { config } = loadConfig(project);
    const embedders = [config["embed.code"], config["embed.text"]].map(readEmbedderSpec);
    const llm = readLlmSpec(config["llm.model"]).driver;
    const engine = listEngineVariables(config);
    return {
      names: [
        ...embedders.flatMap(({ driver }) => driver.environment?.(toEmbedderSettings(config)) ?? []),
        ...(llm.environment?.(toLlmSettings(config)) ?? []),
        ...engine.names,
        ...(config["memory.share"] !== "" ? [passwordVariable] : []),
      ],
      prefixes: engine.prefixes,
    };
  } catch {
    // The daemon reports errors of the configuration.
    return { names: [], prefixes: [] };
  }
}

/**
 * Runs the daemon in this terminal until it ends.
 * @returns its exit code
 */
export async function runDaemonHere(): Promise<number> {
  clearAutostart();
  const child = spawn(process.execPath, [locateProgram("pommeld.cjs"), "--foreground"], { stdio: "inherit" });
  // The terminal sends Ctrl-C to the daemon as well, so this process only waits. It passes on SIGTERM, which the daemon does not get.
  process.on("SIGINT", () => {});
  process.on("SIGTERM", () => child.kill("SIGTERM"));
  const ended = once(child, "exit");
  void warnOfLocks(() => child.exitCode === null);
  const [code] = await ended;
  return typeof code === "number" ? code : 1;
}

/** Warns, once a daemon in a terminal answers, if the file system keeps no locks. */
async function warnOfLocks(isRunning: () => boolean): Promise<void> {
  while (isRunning() && (await findDaemon()) === null) await sleep(200);
  const problem = await findLockProblem();
  if (problem !== null) process.stderr.write(`${problem} ${keepLocks}\n`);
}

/** Where a daemon's stderr goes: start-up failures and what Node prints in a crash. */
export const locateStderrLog = (): string => join(locateDaemonFiles().logDir, "pommeld.stderr.log");

/** For a command that holds the lock because it works on files that a daemon would have open. */
function makeHeldLockError({ owner, pid }: LockHolder): PommelError {
  return new PommelError(
    "locked",
    `The daemon cannot start while ${owner} (PID ${pid}) is at work.`,
    "Wait until that has ended.",
  );
}

function startFailed(output: string): PommelError {
  const { stateDir } = locateHome();
  // On a full disk the daemon cannot even log why it ended.
  if (output === "" && measureFreeBytes(stateDir) < minFreeBytes) {
    return new PommelError("disk_full", `The disk that holds ${stateDir} is full.`, "Free some space.");
  }
  const lastLines = output.split("\n").slice(-10).join("\n");
  return new PommelError(
    "daemon_start_failed",
    `The Pommel daemon did not start. ${lastLines}`.trim(),
    "Run `pm daemon logs` to see more, or `pm daemon start --foreground`.",
  );
}
