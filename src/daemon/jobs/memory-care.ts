import type { Config } from "../../project/config/settings.ts";
import { messageOf } from "../../project/errors.ts";
import type { Logger } from "../../project/log.ts";
import { dueCare, takeCareInThread } from "../../store/memory/backups/care.ts";
import { backupFolder } from "../../store/memory/backups/copies.ts";

interface CareOptions {
  memoryDb: string;
  config: Config;
  isResting: () => boolean;
  /** A check found the memory damaged. */
  onFailure: (error: unknown) => void;
  log: Logger;
}

/** How often to look what is due. A daemon that ends sooner leaves it to the next one. Milliseconds. */
const lookMs = 600_000;
const dayMs = 24 * 3_600_000;

/** Has the memory backed up and checked while nothing else is done. */
export class MemoryCare {
  private timer: NodeJS.Timeout | undefined;
  private readonly stop = new AbortController();
  private running: Promise<void> | null = null;
  private lastProblem = "";

  constructor(private readonly options: CareOptions) {}

  begin(): void {
    this.timer = setInterval(() => this.look(), lookMs).unref();
  }

  /** Starts what is due, one thing at a time. */
  look(): void {
    if (!this.options.isResting()) return;
    this.running ??= this.takeCare().finally(() => {
      this.running = null;
    });
  }

  private async takeCare(): Promise<void> {
    const { memoryDb, config, onFailure, log } = this.options;
    const folder = backupFolder(memoryDb, config["backup.folder"]);
    const intervalMs = config["backup.enabled"] ? dayMs : null;
    try {
      const kind = dueCare(memoryDb, folder, intervalMs);
      if (kind === null) return;
      const task = { memoryDb, folder, keep: config["backup.keep"], kind };
      const done = await takeCareInThread(task, this.stop.signal);
      this.lastProblem = "";
      if (done !== null) log.info(done);
    } catch (error) {
      const problem = messageOf(error);
      if (problem !== this.lastProblem) log.warn(`memory.db is not backed up: ${problem}`);
      this.lastProblem = problem;
      onFailure(error);
    }
  }

  async close(): Promise<void> {
    clearInterval(this.timer);
    this.stop.abort();
    await this.running;
  }
}
