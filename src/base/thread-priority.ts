import { readlinkSync, writeFileSync } from "node:fs";
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
    const thread = Number(basename(readlinkSync("/proc/thread-self")));
    setPriority(thread, Math.min(getPriority(thread) + nicer, constants.priority.PRIORITY_LOW));
  } catch (error) {
    log.debug(`a thread keeps its priority: ${getErrorMessage(error)}`);
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
