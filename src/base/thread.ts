import { readFileSync, readlinkSync, writeFileSync } from "node:fs";
import { constants, getPriority, setPriority } from "node:os";
import { basename } from "node:path";
import { getErrorMessage } from "./errors.ts";
import type { Logger } from "./log.ts";

/** By how much the nice value of a thread, and of those that it starts, is above that of the one that answers. */
const nicer = 5;

/** Lets the thread that answers go before this one. Linux has a priority for each thread; elsewhere it would be that of the process. */
export function lowerThreadPriority(log: Logger): void {
  if (process.platform !== "linux") return;
  try {
    const thread = readThreadId();
    setPriority(thread, Math.min(getPriority(thread) + nicer, constants.priority.PRIORITY_LOW));
  } catch (error) {
    log.debug(`a thread keeps its priority: ${getErrorMessage(error)}`);
  }
}

/** The number by which Linux knows this thread; 0 elsewhere. */
export function readThreadId(): number {
  return process.platform === "linux" ? Number(basename(readlinkSync("/proc/thread-self"))) : 0;
}

/**
 * How long a thread of this process has worked, without what a busy machine gave to others in the meantime. Only Linux says so: elsewhere,
 * and for a thread that has ended, it is the time of the clock. Milliseconds; only differences mean anything.
 * @param thread what `readThreadId` gave it
 */
export function readWorkedMs(thread: number): number {
  if (thread === 0) return performance.now();
  try {
    return Number.parseInt(readFileSync(`/proc/self/task/${thread}/schedstat`, "latin1"), 10) / 1e6;
  } catch {
    return performance.now();
  }
}

/** Says in `top -H`, and to benchmarks, what a thread does. Linux keeps fifteen letters. */
export function nameThread(name: string): void {
  if (process.platform !== "linux") return;
  try {
    writeFileSync("/proc/thread-self/comm", name);
  } catch {
    // It works as well without.
  }
}
