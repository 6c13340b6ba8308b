import { setTimeout as sleep } from "node:timers/promises";

interface LastKnownOptions {
  /** What was found so long ago is taken as it is. */
  freshMs: number;
  /** Nobody waits longer for what is being found. */
  patienceMs: number;
}

/** What takes long to find out on a busy machine: whoever asks gets what was found last instead of waiting. */
export class LastKnown<T> {
  private last: { value: T; at: number } | null = null;
  private finding: Promise<void> | null = null;

  constructor(
    private readonly find: () => Promise<T>,
    private readonly options: LastKnownOptions,
  ) {}

  /**
   * @returns null where nothing was found yet
   * @throws what `find` throws, where it does so in time
   */
  async ask(): Promise<{ value: T; at: number } | null> {
    const { freshMs, patienceMs } = this.options;
    if (this.last !== null && Date.now() - this.last.at <= freshMs) return this.last;
    this.finding ??= this.findAnew();
    await Promise.race([this.finding, sleep(patienceMs, undefined, { ref: false })]);
    return this.last;
  }

  private findAnew(): Promise<void> {
    const finding = (async () => {
      try {
        const value = await this.find();
        this.last = { value, at: Date.now() };
      } finally {
        this.finding = null;
      }
    })();
    // Nobody may be waiting any more when it fails.
    finding.catch(() => {});
    return finding;
  }

  /** Whether something newer is being found. */
  get isFinding(): boolean {
    return this.finding !== null;
  }

  /** Resolves when nothing is being found. */
  async settle(): Promise<void> {
    await this.finding?.catch(() => {});
  }
}
