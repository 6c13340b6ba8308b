import { memoryUsage } from "node:process";

/** What a daemon may hold, with all of its threads, while it reads code and sessions. Bytes. */
const budgetBytes = 400 * 2 ** 20;
/** How long what was read is right enough: it is asked for with every file. Milliseconds. */
const keepMs = 100;

let heldBytes = 0;
let readAt = Number.NEGATIVE_INFINITY;

/** What this process may still take of its budget; negative where it holds more. Bytes. */
export function readFreeBytes(): number {
  const now = performance.now();
  if (now - readAt >= keepMs) {
    heldBytes = memoryUsage.rss();
    readAt = now;
  }
  return budgetBytes - heldBytes;
}
