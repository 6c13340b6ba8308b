import { setTimeout as sleepFor } from "node:timers/promises";
import type { TextKind } from "../embed/embedder.ts";
import { refusalOf } from "./refusal.ts";
import { RequestFailed } from "./request.ts";

/** How time passes, for those who wait; tests have a quicker one. All in milliseconds. */
export interface Clock {
  now(): number;
  /** @throws the signal's reason when it is aborted */
  sleep(ms: number, signal: AbortSignal | undefined): Promise<void>;
  /** From 0 up to 1. */
  random(): number;
}

export const systemClock: Clock = {
  now: Date.now,
  async sleep(ms, signal) {
    try {
      await sleepFor(ms, undefined, { signal });
    } catch (error) {
      signal?.throwIfAborted();
      throw error;
    }
  },
  random: Math.random,
};

/** How often to try, and how long to wait in between at most. */
export interface Timeouts {
  attempts: number;
  maxWaitMs: number;
}

/** Somebody waits for the answer to a question. What cannot be embedded of passages is tried again later anyway. */
export const timeoutFor: Readonly<Record<TextKind, Timeouts>> = {
  query: { attempts: 2, maxWaitMs: 2000 },
  passage: { attempts: 4, maxWaitMs: 60_000 },
};

interface RetryOptions {
  retryTimeouts: Timeouts;
  clock: Clock;
  signal: AbortSignal | undefined;
  /** Called with every failure, also those after which it is tried again. */
  onFailure?: (failure: RequestFailed) => void;
}

const firstWaitMs = 500;

/**
 * Tries `run` again while it fails for a reason that may pass, with exponential backoff and jitter in between, or
 * the time that the server asks for; who is asked to wait too long gives up. So does a second timeout: the server is
 * busy, or too slow for us.
 * @throws what the last try threw; the signal's reason when it is aborted
 */
export async function retrying<T>(run: () => Promise<T>, options: RetryOptions): Promise<T> {
  const { retryTimeouts, clock, signal, onFailure } = options;
  let timeouts = 0;
  for (let attempt = 1; ; attempt++) {
    try {
      return await run();
    } catch (error) {
      if (!(error instanceof RequestFailed)) throw error;
      onFailure?.(error);
      if (!mayPass(error) || attempt >= retryTimeouts.attempts) throw error;
      if (error.kind === "timeout" && ++timeouts > 1) throw error;
      const backoff = firstWaitMs * 2 ** (attempt - 1) * (0.5 + clock.random());
      const wait = error.waitMs ?? backoff;
      if (wait > retryTimeouts.maxWaitMs) throw error;
      await clock.sleep(wait, signal);
    }
  }
}

/** Whether the same request may succeed a little later. */
function mayPass(failure: RequestFailed): boolean {
  const { kind, status, serverCode } = failure;
  if (kind !== "status") return true;
  if (refusalOf(failure)?.isCertain) return false;
  if (status === 429) return serverCode !== "insufficient_quota";
  return status === 408 || (status >= 500 && status !== 501);
}
