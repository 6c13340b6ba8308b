import { type Clock, longestWaitMs } from "../remote/retry.ts";

/** Holds back all requests of an embedder while the server asks to wait, not only the one that was told so. */
export class RateGate {
  private opensAt = 0;

  constructor(private readonly clock: Clock) {}

  /** Nobody passes for so many milliseconds; null changes nothing. */
  hold(ms: number | null): void {
    if (ms !== null) this.opensAt = Math.max(this.opensAt, this.clock.now() + Math.min(ms, longestWaitMs));
  }

  /** @throws the signal's reason when it is aborted */
  async pass(signal: AbortSignal | undefined): Promise<void> {
    for (let wait = this.wait(); wait > 0; wait = this.wait()) await this.clock.sleep(wait, signal);
  }

  private wait(): number {
    return this.opensAt - this.clock.now();
  }
}
