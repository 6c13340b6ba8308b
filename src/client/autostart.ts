import { rmSync, statSync, writeFileSync } from "node:fs";
import { uptime } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { explainError, getErrorCode } from "../base/errors.ts";
import { listNamesIfAny, readTextIfAny } from "../base/files/if-any.ts";
import { locateDaemonFiles, locateHome, locateOwnConfig, makeDirectory } from "../base/home.ts";
import type { AutostartStatus } from "../protocol/autostart-status.ts";

/**
 * Starts the daemon in the background, for hooks and commands that found none. Hooks load this module, so it imports nothing
 * that reads the configuration. It starts start-daemon.ts, which does.
 *
 * The state directory's `autostart/` records earlier starts, and is deleted once a daemon runs. Its files:
 * - `1`, `2`, ...: attempts to start the daemon. A process claims an attempt by creating its file, so any number of processes
 *   may try at once. The file is empty during the attempt, and then holds an `StartAttempt`. Its age decides when the next is due.
 * - `stopped`: the user's last command was `pm daemon stop`. Holds the id of the boot in which they ran it.
 * - `off`: the configuration does not allow a start. Hooks have no time to read the configuration, so this file counts until
 *   one of the causes that it holds changes.
 */

/** Why no start is due now. */
type Obstacle = "off" | "ci" | "stopped" | "starting" | "failed";

/** What the file of a finished attempt holds. */
interface StartAttempt {
  /** What kept the daemon from starting; null when it started. */
  error: string | null;
  /** The result of `readStartCauses` from before the attempt. */
  causes: string;
}

/** The newest attempt to start the daemon. */
interface Attempt {
  /** How many attempts there were since a daemon last ran. */
  count: number;
  /** What kept the daemon from starting; null if it started and soon ended. */
  error: string | null;
  isUnderway: boolean;
  /** Milliseconds since the epoch. */
  retryAt: number;
}

/** A start that takes longer was interrupted. Milliseconds. */
const maxStartMs = 45_000;
/** The pause after a failed start. It doubles each time, up to an hour. Milliseconds. */
const firstDelayMs = 1000;
const maxDelayMs = 3_600_000;
/** Files may be dated by another machine's clock, and boots by a clock that was set since. Milliseconds. */
const clockToleranceMs = 60_000;

const locateAutostartDir = () => locateDaemonFiles().autostartDir;

/** A program beside the bundle that this code is part of; in a checkout, in `dist/`. */
export function locateProgram(name: string): string {
  const dir = import.meta.url.endsWith(".ts") ? "../../dist/" : "./";
  return fileURLToPath(new URL(dir + name, import.meta.url));
}

interface StartInBackground {
  /** A directory whose project the daemon opens once it runs. */
  place?: string;
  start?: typeof startProgram;
}

/**
 * Starts the daemon in the background, unless there is an `Obstacle`. It is for callers that found no daemon: it does not look
 * again, wait, print or throw.
 * @returns whether a daemon is starting now
 */
export async function startInBackground({
  place,
  start = startProgram,
}: StartInBackground = {}): Promise<boolean> {
  try {
    const obstacle = findAutostartObstacle();
    if (obstacle !== null) return obstacle === "starting";
    const attempt = claimAttempt();
    if (attempt === null) return true;
    await start(attempt, place);
    return true;
  } catch {
    // The directory cannot be written, say. Everything works without a daemon.
    return false;
  }
}

/**
 * Starts the daemon and waits for it, unless there is an `Obstacle`. If another process is already starting the daemon, it
 * waits for that one. It is for callers that found no daemon and need its answer.
 * @returns whether the daemon answers now
 */
export async function startOnce(bringUp: () => Promise<{ startedHere: boolean }>): Promise<boolean> {
  try {
    const obstacle = findAutostartObstacle();
    if (obstacle !== null && obstacle !== "starting") return false;
    const causes = readStartCauses();
    const attempt = obstacle === null ? claimAttempt() : null;
    try {
      await bringUp();
      if (attempt !== null) recordOutcome(attempt, { error: null, causes });
      return true;
    } catch (error) {
      if (attempt !== null) recordOutcome(attempt, { error: explainError(error), causes });
      return false;
    }
  } catch {
    // The state directory cannot be written, say. Everything works without a daemon.
    return false;
  }
}

async function startProgram(attempt: string, place?: string): Promise<void> {
  // Loaded late: most hooks find a reason not to start anything.
  const { spawn } = await import("node:child_process");
  const child = spawn(
    process.execPath,
    [locateProgram("start-daemon.cjs"), attempt, ...(place === undefined ? [] : [place])],
    {
      cwd: locateHome().stateDir,
      detached: true,
      stdio: "ignore",
      windowsHide: true,
    },
  );
  child.on("error", () => {});
  child.unref();
}

/** What prevents an automatic start of the daemon now; null if nothing does. */
export function findAutostartObstacle(env: NodeJS.ProcessEnv = process.env): Obstacle | null {
  const wish = env.POMMEL_DAEMON_AUTOSTART?.trim();
  if (wish === "false") return "off";
  if (wish !== "true" && !["", "0", "false"].includes(env.CI ?? "")) return "ci";
  const names = listNamesIfAny(locateAutostartDir());
  if (names.includes("stopped") && isThisBoot(readTextIfAny(join(locateAutostartDir(), "stopped"))))
    return "stopped";
  const isOff = names.includes("off") && wish !== "true";
  if (isOff && readTextIfAny(join(locateAutostartDir(), "off")) === readStartCauses()) return "off";
  const attempt = readAttempt(names);
  if (attempt === null || attempt.retryAt <= Date.now()) return null;
  return attempt.isUnderway ? "starting" : "failed";
}

/** The state of automatic starts while no daemon runs; `enabled` as configured. */
export function readAutostartStatus(enabled: boolean): AutostartStatus {
  const attempt = readAttempt(listNamesIfAny(locateAutostartDir()));
  const obstacle = enabled ? findAutostartObstacle() : "off";
  const hasFailed = attempt !== null && !attempt.isUnderway;
  return {
    state: obstacle ?? (hasFailed ? "failed" : "ready"),
    failed_starts: hasFailed ? attempt.count : 0,
    error: hasFailed ? attempt.error : null,
    retry_at: hasFailed ? new Date(attempt.retryAt).toISOString() : null,
  };
}

function readAttempt(names: readonly string[]): Attempt | null {
  const count = Math.max(0, ...names.map(Number).filter(Number.isInteger));
  if (count === 0) return null;
  const file = join(locateAutostartDir(), String(count));
  const at = Math.min(readMtimeMs(file), Date.now() + clockToleranceMs);
  const text = readTextIfAny(file);
  const isUnderway = text === "";
  const { error, causes } = parseStartOutcome(text);
  const delay = isUnderway ? maxStartMs : Math.min(firstDelayMs * 2 ** Math.min(count - 1, 30), maxDelayMs);
  // A cause has changed, so the next start may succeed: it is due at once.
  const retryAt = !isUnderway && causes !== readStartCauses() ? at : at + delay;
  return { count, error, isUnderway, retryAt };
}

/** @returns the attempt's name; null when another process was first */
function claimAttempt(): string | null {
  const name = String((readAttempt(listNamesIfAny(locateAutostartDir()))?.count ?? 0) + 1);
  try {
    writeNote(name, "", "wx");
    return name;
  } catch (error) {
    if (getErrorCode(error) === "EEXIST") return null;
    throw error;
  }
}

/** Records how an attempt ended. */
export function recordOutcome(attempt: string, outcome: StartAttempt): void {
  writeNote(attempt, JSON.stringify(outcome));
}

/** Records that the configuration does not allow a start. @param causes from before the configuration was read */
export function recordOff(causes: string): void {
  clearAutostart();
  writeNote("off", causes);
}

/** Records that the user stopped the daemon. This counts until the next boot. @throws system errors */
export function recordStopped(): void {
  clearAutostart();
  writeNote("stopped", identifyBoot());
}

/** Forgets earlier attempts and `pm daemon stop`. Call it when the daemon runs well, or when the user asks for a daemon. */
export function clearAutostart(): void {
  try {
    rmSync(locateAutostartDir(), { recursive: true, force: true });
  } catch {
    // Another process is writing there, or permission is missing. The next start clears it.
  }
}

function writeNote(name: string, text: string, flag: "w" | "wx" = "w"): void {
  makeDirectory(locateAutostartDir());
  writeFileSync(join(locateAutostartDir(), name), text, { flag, mode: 0o600 });
}

/**
 * The state of the files that decide whether a start can succeed: the configuration, and Pommel itself. Callers compare two
 * states, not the files' times with a note's: a file system's clock ticks every few milliseconds, so the times can be equal.
 */
export function readStartCauses(): string {
  const files = [locateOwnConfig(), locateProgram("start-daemon.cjs")];
  const states = files.map((file) => statSync(file, { throwIfNoEntry: false }));
  // Not mtime: package managers install files with old dates.
  return states.map((state) => (state ? `${state.ino}:${state.size}:${state.ctimeMs}` : "")).join();
}

/** Identifies this boot of the machine: by its id on Linux, else by its time in milliseconds since the epoch. */
function identifyBoot(): string {
  return (
    readTextIfAny("/proc/sys/kernel/random/boot_id").trim() ||
    String(Math.round(Date.now() - uptime() * 1000))
  );
}

function isThisBoot(boot: string): boolean {
  const current = identifyBoot();
  return boot === current || Math.abs(Number(boot) - Number(current)) < clockToleranceMs;
}

function parseStartOutcome(text: string): StartAttempt {
  try {
    const { error, causes } = JSON.parse(text) as Partial<Record<keyof StartAttempt, unknown>>;
    return { error: typeof error === "string" ? error : null, causes: String(causes) };
  } catch {
    return { error: null, causes: "" };
  }
}

/** Rounded down to whole milliseconds, so that a later `Date.now()` is never smaller; 0 if there is no such file. */
function readMtimeMs(file: string): number {
  return Math.floor(statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0);
}
