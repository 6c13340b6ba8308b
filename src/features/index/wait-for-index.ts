import { setTimeout as sleep } from "node:timers/promises";
import { PommelError } from "../../base/errors.ts";
import type { Project } from "../../base/paths.ts";
import { call } from "../../client/call.ts";
import { DaemonUnreachable } from "../../client/daemon-client.ts";
import { createProgress } from "../../terminal/progress.ts";
import type { QueueResponse } from "../jobs/operation.ts";
import { showQueue } from "../jobs/operation.ts";
import { readState } from "../status/operation.ts";

/** How long a daemon may be too busy to answer before nobody waits for it any more. Milliseconds. */
const patienceMs = 60_000;

/**
 * Shows a progress bar until the daemon has nothing left to index. Ctrl-C ends the watching only; the daemon
 * carries on.
 * @throws DaemonUnreachable when it ends meanwhile, PommelError when it cannot go on (a full disk)
 */
export async function waitForIndex(project: Project): Promise<void> {
  const progress = createProgress({ label: "Indexing", unit: "files" });
  try {
    for (;;) {
      const queue = await readQueue(project);
      if (queue.code_is_idle) return;
      if (queue.last_error !== null) {
        const hint = "The daemon retries automatically; see `pm status`.";
        throw new PommelError("internal", queue.last_error, hint);
      }
      progress.update(queue.done, queue.total);
      await sleep(50);
    }
  } finally {
    progress.finish();
  }
}

/**
 * Has the daemon open a checkout, which it then keeps indexed.
 * @throws as `readQueue`, and why it cannot be opened
 */
export const openCheckout = (project: Project): Promise<unknown> =>
  askAgain(() => call(readState, {}, project, { without: "fail" }), patienceMs);

/**
 * What the daemon still has to do. One that is too busy to answer is asked again.
 * @param limitMs for how long
 * @throws DaemonUnreachable when it does not run or has not answered by then
 */
export const readQueue = (project: Project, limitMs = patienceMs): Promise<QueueResponse> =>
  askAgain(() => call(showQueue, {}, project, { without: "fail" }), limitMs);

/** @param ask waits for an answer by itself before it times out */
export async function askAgain<T>(ask: () => Promise<T>, limitMs: number): Promise<T> {
  const deadline = performance.now() + limitMs;
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      const isBusy = error instanceof DaemonUnreachable && error.reason === "timeout";
      if (!isBusy || performance.now() > deadline) throw error;
    }
  }
}
