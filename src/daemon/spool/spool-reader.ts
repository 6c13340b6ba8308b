import { messageOf } from "../../project/errors.ts";
import type { Logger } from "../../project/log.ts";
import { drainSpool, type SpoolHandlers } from "./spool.ts";

interface SpoolReaderOptions {
  handlers: SpoolHandlers;
  /** Something was done. */
  onItems: () => void;
  log: Logger;
}

/** In case no notification arrives. Milliseconds. */
const pollIntervalMs = 10_000;

/** Processes the spool on every notification, and at intervals. */
export class SpoolReader {
  private running: Promise<void> | null = null;
  private isWanted = false;
  private isClosed = false;
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly options: SpoolReaderOptions) {}

  /** Resolves when the current items are processed. */
  begin(): Promise<void> {
    this.timer = setInterval(() => this.notify(), pollIntervalMs).unref();
    this.notify();
    return this.running ?? Promise.resolve();
  }

  /** Several notifications during one pass count as one. */
  notify(): void {
    if (this.isClosed) return;
    this.isWanted = true;
    this.running ??= this.work().finally(() => {
      this.running = null;
    });
  }

  async close(): Promise<void> {
    this.isClosed = true;
    clearInterval(this.timer);
    await this.running;
  }

  private async work(): Promise<void> {
    const { handlers, onItems, log } = this.options;
    while (this.isWanted && !this.isClosed) {
      this.isWanted = false;
      try {
        const { done } = await drainSpool(handlers, log);
        if (done > 0) onItems();
      } catch (error) {
        log.warn(`cannot read the spool: ${messageOf(error)}`);
      }
    }
  }
}
