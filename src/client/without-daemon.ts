import { daemonFiles } from "../project/home.ts";
import { acquireLock } from "../store/sqlite/lock.ts";
import { findOrStartDaemon } from "./connect.ts";
import { stopDaemon } from "./stop-daemon.ts";

/**
 * Stops the daemon, keeps another one from starting while `work` runs, and starts it again if it ran.
 * @param owner who it is that keeps it from starting
 * @throws PommelError `locked` when another command does the same, as `stopDaemon`
 */
export async function withoutDaemon<T>(owner: string, work: () => T | Promise<T>): Promise<T> {
  const wasRunning = (await stopDaemon()) !== null;
  try {
    const lock = acquireLock(daemonFiles().lock, owner);
    try {
      return await work();
    } finally {
      lock.release();
    }
  } finally {
    if (wasRunning) await findOrStartDaemon();
  }
}
