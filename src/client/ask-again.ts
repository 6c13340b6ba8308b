import { DaemonUnreachable } from "./daemon-client.ts";

/** How long to keep asking a daemon that is too busy to answer. Milliseconds. */
const patienceMs = 60_000;

/**
 * Asks a daemon again while it is too busy to answer.
 * @param ask waits for an answer until its own time-out
 * @throws what `ask` threw last
 */
export async function askAgain<T>(ask: () => Promise<T>, limitMs = patienceMs): Promise<T> {
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
