import { readFileSync, renameSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod/mini";
import { getErrorCode, getErrorMessage } from "../base/errors.ts";
import { listNamesIfAny } from "../base/files/if-any.ts";
import { locateDaemonFiles, makeDirectory } from "../base/home.ts";
import type { Logger } from "../base/log.ts";
import { Rerun } from "../base/rerun.ts";
import { type SpoolItem, spoolItem } from "../protocol/spool-items.ts";
import { unsealText } from "../store/encryption/keys.ts";

/** What to do with the items of each kind. */
export type SpoolHandlers = Readonly<Record<string, (item: SpoolItem) => Promise<void>>>;

/**
 * Processes the spool, oldest name first. A processed item is deleted; one that has no handler, is invalid or
 * fails is kept in `spool/rejected/`. While the memory cannot be written, the item and those after it stay. Names that
 * start with a dot are still being written.
 * @returns how many were done and how many rejected
 */
export async function drainSpool(
  handlers: SpoolHandlers,
  log: Logger,
): Promise<{ done: number; rejected: number }> {
  const { spoolDir } = locateDaemonFiles();
  const rejectedDir = join(spoolDir, "rejected");
  const counts = { done: 0, rejected: 0 };
  // Do not make the directory here: a hook that leaves an item does, and a home that was deleted must not come back.
  const names = listNamesIfAny(spoolDir).filter((name) => !name.startsWith("."));
  for (const name of names.sort()) {
    const file = join(spoolDir, name);
    if (!statSync(file, { throwIfNoEntry: false })?.isFile()) continue;
    try {
      const item = z.parse(spoolItem, JSON.parse(unsealText(readFileSync(file, "utf8"))));
      const handle = Object.hasOwn(handlers, item.kind) ? handlers[item.kind] : undefined;
      if (!handle) throw new Error("unknown kind");
      await handle(item);
      rmSync(file, { force: true });
      counts.done++;
    } catch (error) {
      if (isPassing(error)) {
        log.debug(`the spool is paused: ${getErrorMessage(error)}`);
        return counts;
      }
      log.warn(`spool item ${name} rejected: ${describeItemError(error)}`);
      makeDirectory(rejectedDir);
      renameSync(file, join(rejectedDir, name));
      counts.rejected++;
    }
  }
  return counts;
}

/** Whether an error is no fault of the item, which can be tried again. */
function isPassing(error: unknown): boolean {
  return /^(?:disk_full|memory_corrupt|index_too_new|unreadable|capture_off|encryption_\w+|SQLITE_.*|EMFILE|ENFILE)$/.test(
    getErrorCode(error),
  );
}

/** Describes an error without its message if it is a parse error, which quotes content: the log must have none. */
function describeItemError(error: unknown): string {
  return error instanceof SyntaxError || error instanceof z.core.$ZodError
    ? "malformed"
    : getErrorMessage(error);
}

interface SpoolReaderOptions {
  handlers: SpoolHandlers;
  /** Called when items were processed. */
  onItems: () => void;
  log: Logger;
}

/** How often to look in case no notification arrives. Milliseconds. */
const pollIntervalMs = 10_000;

/** Processes the spool on every notification, and at intervals. */
export class SpoolReader {
  private readonly drains = new Rerun(() => this.drain());
  private isClosed = false;
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly options: SpoolReaderOptions) {}

  /** Resolves when the current items are processed. */
  begin(): Promise<void> {
    this.timer = setInterval(() => this.notify(), pollIntervalMs).unref();
    return this.drains.request();
  }

  /** Several notifications during one pass count as one. */
  notify(): void {
    if (!this.isClosed) void this.drains.request();
  }

  async close(): Promise<void> {
    this.isClosed = true;
    clearInterval(this.timer);
    await this.drains.cancel();
  }

  private async drain(): Promise<void> {
    const { handlers, onItems, log } = this.options;
    try {
      const { done } = await drainSpool(handlers, log);
      if (done > 0) onItems();
    } catch (error) {
      log.warn(`cannot read the spool: ${getErrorMessage(error)}`);
    }
  }
}
