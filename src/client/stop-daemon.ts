import { setTimeout as sleep } from "node:timers/promises";
import { shutDown } from "../answers/daemon/operation.ts";
import { PommelError } from "../base/errors.ts";
import { locateDaemonFiles } from "../base/home.ts";
import { daemonOwner, isDaemon } from "../protocol/daemon-record.ts";
import { acquireLock, lockHolder } from "../store/sqlite/lock.ts";
import { findOrStartDaemon } from "./connect.ts";
import { callDaemon } from "./daemon-client.ts";

interface Stopped {
  pid: number;
  /** `asked`: over HTTP. `terminated`: by SIGTERM, because it did not answer. `killed`: by SIGKILL, because it did not end. */
  how: "asked" | "terminated" | "killed";
}

/** How long a daemon may take to finish its work. Milliseconds. */
const timeoutMs = 10_000;

/**
 * Stops the daemon and waits until it is gone. It sends signals only to a pommeld that holds the daemon's lock.
 * @returns null when no daemon was running
 */
export async function stopDaemon(limitMs = timeoutMs): Promise<Stopped | null> {
  const holder = lockHolder(locateDaemonFiles().lock);
  if (holder?.owner !== daemonOwner) return null;
  const { pid } = holder;
  let how: Stopped["how"] = "asked";
  try {
    await callDaemon(null, shutDown, {}, 3000);
  } catch {
    if (!isDaemon(pid))
      throw makeCannotStopError(pid, "does not answer and is not a pommeld on this machine");
    how = "terminated";
    process.kill(pid, "SIGTERM");
  }
  if (await isGone(pid, limitMs)) return { pid, how };
  if (kill(pid)) how = "killed";
  if (await isGone(pid, limitMs)) return { pid, how };
  throw makeCannotStopError(pid, "does not exit");
}

/** @returns false if the process is not a daemon, or has ended */
function kill(pid: number): boolean {
  if (!isDaemon(pid)) return false;
  try {
    return process.kill(pid, "SIGKILL");
  } catch {
    return false;
  }
}

function makeCannotStopError(pid: number, why: string): PommelError {
  return new PommelError(
    "daemon_unreachable",
    `The process that holds the daemon's lock (PID ${pid}) ${why}.`,
    "If another machine or container uses this home, stop the daemon there.",
  );
}

/** Waits until the process has released the lock, which it does once everything is stored, and has ended. */
async function isGone(pid: number, limitMs: number): Promise<boolean> {
  for (const deadline = Date.now() + limitMs; Date.now() < deadline; await sleep(25)) {
    if (lockHolder(locateDaemonFiles().lock)?.pid !== pid && !isDaemon(pid)) return true;
  }
  return false;
}

/**
 * Stops the daemon, keeps another one from starting while `work` runs, and starts it again if it ran.
 * @param owner the name of the command that keeps it from starting, for messages
 * @throws PommelError `locked` when another command does the same; what `stopDaemon` throws
 */
export async function withoutDaemon<T>(owner: string, work: () => T | Promise<T>): Promise<T> {
  const wasRunning = (await stopDaemon()) !== null;
  try {
    const lock = acquireLock(locateDaemonFiles().lock, owner);
    try {
      return await work();
    } finally {
      lock.release();
    }
  } finally {
    if (wasRunning) await findOrStartDaemon();
  }
}
