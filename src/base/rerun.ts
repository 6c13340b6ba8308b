/**
 * Work that is done on request, one run at a time. All requests that arrive during a run are served by one more run after it, so
 * that no request is lost, not even one that arrives while a run is about to end.
 */
export class Rerun {
  private running: Promise<void> | null = null;
  private isRequested = false;

  constructor(private readonly work: () => Promise<void>) {}

  get isRunning(): boolean {
    return this.running !== null;
  }

  /**
   * Resolves when a run that began after this call is over, and those that were requested meanwhile.
   * @throws what the work throws
   */
  request(): Promise<void> {
    this.isRequested = true;
    this.running ??= this.runWhileRequested();
    return this.running;
  }

  /** Takes back what was requested and has not begun. Resolves when the current run is over, whether it fails or not. */
  async cancel(): Promise<void> {
    this.isRequested = false;
    await this.running?.catch(() => {});
  }

  private async runWhileRequested(): Promise<void> {
    try {
      while (this.isRequested) {
        this.isRequested = false;
        await this.work();
      }
    } finally {
      // Not in a callback of the promise: a request that arrives before the callback would be lost.
      this.running = null;
    }
  }
}
