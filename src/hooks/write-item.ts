import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { codeOf } from "../project/errors.ts";
import { replaceFile } from "../project/files/replace-file.ts";
import type { Project } from "../project/paths.ts";

/**
 * Puts an item into the spool, whole or not at all, for its owner only. Its name sorts by time.
 * @param latestOf of items with the same only the last one stays: where no daemon runs, nothing piles up
 * @throws the file system's error
 */
export function writeItem(
  project: Project,
  item: { received_at: number },
  latestOf: string | null = null,
): void {
  const random = Math.random().toString(36).slice(2, 10);
  const unique = `${item.received_at}-${process.pid}-${random}.json`;
  const name = latestOf === null ? unique : `latest-${latestOf.replace(/[^\w-]/g, "_").slice(0, 100)}.json`;
  const file = join(project.spoolDir, name);
  // Names that start with a dot are still being written.
  const options = { draft: join(project.spoolDir, `.${unique}`) };
  const text = JSON.stringify(item);
  try {
    replaceFile(file, text, options);
  } catch (error) {
    if (codeOf(error) !== "ENOENT") throw error;
    mkdirSync(project.spoolDir, { recursive: true, mode: 0o700 });
    replaceFile(file, text, options);
  }
}
