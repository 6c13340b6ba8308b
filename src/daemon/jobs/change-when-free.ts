import { setTimeout as sleep } from "node:timers/promises";
import { getErrorCode } from "../../base/errors.ts";
import type { Memory } from "../../store/memory/memory.ts";

/** A try holds up the thread so long at most; between tries others have their turn. Milliseconds. */
const tryMs = 10;
const pauseMs = 15;
/** Two that write without a pause on a busy machine keep a third waiting for long. Milliseconds. */
const maxWaitMs = 60_000;

/**
 * Changes a memory from the thread that answers, which must not stand still until another thread has written. What the change
 * does has to be whole at each of its own transactions: it is run again where one of them finds the memory locked.
 * @throws PommelError `busy` where it stays locked; what the change throws
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
