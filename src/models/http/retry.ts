import { setTimeout as sleepFor } from "node:timers/promises";
import type { EmbeddedKind } from "../embed/embedder.ts";
import { RequestFailed } from "./request.ts";

/** A clock that tests can replace. Milliseconds. */
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

/** Number of attempts, and the maximum wait in between. */
export interface Timeouts {
  attempts: number;
  maxWaitMs: number;
}

/** A user waits for queries; passages are retried later anyway. */
export const timeoutFor: Readonly<Record<EmbeddedKind, Timeouts>> = {
  query: { attempts: 2, maxWaitMs: 2000 },
  passage: { attempts: 4, maxWaitMs: 60_000 },
};

interface RetryOptions {
  retryTimeouts: Timeouts;
  clock: Clock;
  signal: AbortSignal | undefined;
  /** Called with every failure, including retried ones. */
  onFailure?: (failure: RequestFailed) => void;
}

const firstWaitMs = 500;

/**
 * Retries `run` after temporary failures, with exponential backoff and jitter, or the wait that the server requests.
 * Stops if that is too long, and after a second timeout.
 * @throws the last failure; the signal's reason when it is aborted
 */
export async function retryFailures<T>(run: () => Promise<T>, options: RetryOptions): Promise<T> {
  const { retryTimeouts, clock, signal, onFailure } = options;
  let timeouts = 0;
  for (let attempt = 1; ; attempt++) {
    try {
      return await run();
    } catch (error) {
      if (!(error instanceof RequestFailed)) throw error;
      onFailure?.(error);
      if (!canSucceedLater(error) || attempt >= retryTimeouts.attempts) throw error;
      if (error.kind === "timeout" && ++timeouts > 1) throw error;
      const backoff = firstWaitMs * 2 ** (attempt - 1) * (0.5 + clock.random());
      const wait = error.waitMs ?? backoff;
      if (wait > retryTimeouts.maxWaitMs) throw error;
      await clock.sleep(wait, signal);
    }
  }
}

/** Whether the same request may succeed a little later. */
function canSucceedLater(failure: RequestFailed): boolean {
  const { kind, status, serverCode } = failure;
  if (kind !== "status") return true;
  if (findRefusal(failure)?.isCertain) return false;
  if (status === 429) return serverCode !== "insufficient_quota";
  return status === 408 || (status >= 500 && status !== 501);
}

/** A server rejected at least one of these texts; it may accept others. */
export class TextsRefused extends Error {
  constructor(
    message: string,
    /** A shorter text might do. */
    readonly isTooLong: boolean,
    /** False if only a request with other texts can show whether the texts or the server caused the failure. */
    readonly isCertain: boolean,
  ) {
    super(message);
  }
}

/** Messages of Ollama, OpenAI, vLLM, llama.cpp and Text Embeddings Inference. */
const tooLong =
  /context (length|window|size)|too (long|large)|maximum\b.*\btokens|less than \d+ tokens|exceeds/i;
/** Some models return NaN for some texts, which is invalid in JSON. */
const notANumber = /\bNaN\b/;

/** The rejection in a failed request, or null if it is not about the texts. */
export function findRefusal({ kind, status, reply, message }: RequestFailed): TextsRefused | null {
  // A server wrote NaN, so the answer was not JSON.
  if (kind === "nonsense") return new TextsRefused(message, false, false);
  if (status === 413) return new TextsRefused(message, true, true);
  if (status !== 400 && status !== 422 && status !== 500) return null;
  if (tooLong.test(reply)) return new TextsRefused(message, true, true);
  return new TextsRefused(message, false, status !== 500 || notANumber.test(reply));
}
