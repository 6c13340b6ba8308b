import { setTimeout as sleep } from "node:timers/promises";
import { getErrorCode } from "../../base/errors.ts";
import type { Memory } from "../../store/memory/memory.ts";

/** How long one try may block the thread, and the pause until the next try. Milliseconds. */
const tryMs = 10;
const pauseMs = 15;
/** When to give up. Two busy writers can keep a third waiting for long. Milliseconds. */
const maxWaitMs = 60_000;

/**
 * Changes a memory from the thread that answers requests, without blocking it while another thread writes. If one of the change's
 * transactions finds the memory locked, the change runs again from the start, so each transaction must be complete in itself.
 * @throws PommelError `busy` if the memory stays locked; what the change throws
 */
export async function changeWhenFree<T>(memory: Memory, change: () => T): Promise<T> {
  for (const end = performance.now() + maxWaitMs; ; ) {
    try {
      return memory.waitAtMost(tryMs, change);
    } catch (error) {
      if (getErrorCode(error) !== "busy" || performance.now() > end) throw error;
    }
    await sleep(pauseMs, undefined, { ref: false });
  }
}
