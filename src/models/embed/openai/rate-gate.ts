import { RequestFailed } from "../../http/request.ts";
import type { Clock } from "../../http/retry.ts";

/** Holds back all requests of an embedder while the server asks to wait, not only the one that was told so. */
export class RateGate {
  private opensAt = 0;

  constructor(private readonly clock: Clock) {}

  /** Nobody passes for so many milliseconds; null changes nothing. */
  hold(ms: number | null): void {
    if (ms !== null) this.opensAt = Math.max(this.opensAt, this.clock.now() + ms);
  }

  /**
   * Waits until it opens.
   * @throws RequestFailed when that takes longer than `maxWaitMs`; the signal's reason when it is aborted
   */
  async pass(maxWaitMs: number, signal: AbortSignal | undefined): Promise<void> {
    for (let wait = this.wait(); wait > 0; wait = this.wait()) {
      if (wait > maxWaitMs) throw tooEarly(wait);
      await this.clock.sleep(wait, signal);
    }
  }

  private wait(): number {
    return this.opensAt - this.clock.now();
  }
}

function tooEarly(waitMs: number): RequestFailed {
  const message = `asks to wait another ${Math.ceil(waitMs / 1000)} s`;
  return new RequestFailed("status", message, { status: 429, waitMs });
}
