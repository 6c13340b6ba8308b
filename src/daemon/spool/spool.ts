import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod/mini";
import { codeOf, messageOf } from "../../project/errors.ts";
import { daemonFiles } from "../../project/home.ts";
import type { Logger } from "../../project/log.ts";
import { type SpoolItem, spoolItem } from "../../protocol/spool-items.ts";
import { plainText } from "../../store/encryption/keys.ts";

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
  const { spoolDir } = daemonFiles();
  const rejectedDir = join(spoolDir, "rejected");
  mkdirSync(spoolDir, { recursive: true, mode: 0o700 });
  const counts = { done: 0, rejected: 0 };
  const entries = readdirSync(spoolDir, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isFile() && !entry.name.startsWith("."));
  for (const { name } of names.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const file = join(spoolDir, name);
    try {
      const item = z.parse(spoolItem, JSON.parse(plainText(readFileSync(file, "utf8"))));
      const handle = Object.hasOwn(handlers, item.kind) ? handlers[item.kind] : undefined;
      if (!handle) throw new Error("unknown kind");
      await handle(item);
      rmSync(file, { force: true });
      counts.done++;
    } catch (error) {
      if (isPassing(error)) {
        log.debug(`the spool is paused: ${messageOf(error)}`);
        return counts;
      }
      log.warn(`spool item ${name} rejected: ${reason(error)}`);
      mkdirSync(rejectedDir, { recursive: true, mode: 0o700 });
      renameSync(file, join(rejectedDir, name));
      counts.rejected++;
    }
  }
  return counts;
}

/** Whether the item itself is fine. */
function isPassing(error: unknown): boolean {
  return /^(?:disk_full|memory_corrupt|index_too_new|unreadable|capture_off|encryption_\w+|SQLITE_.*|EMFILE|ENFILE)$/.test(
    codeOf(error),
  );
}

/** Parse errors quote what they could not parse, and the log holds no content. */
function reason(error: unknown): string {
  return error instanceof SyntaxError || error instanceof z.core.$ZodError ? "malformed" : messageOf(error);
}
