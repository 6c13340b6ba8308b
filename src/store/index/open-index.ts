import { lstatSync, readdirSync, renameSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { codeOf, messageOf } from "../../project/errors.ts";
import type { Logger } from "../../project/log.ts";
import { CodeIndex } from "./code-index.ts";

/**
 * Opens the index to write. One that is damaged or cannot be opened is moved aside, to `index.db.corrupt-<time>`, and
 * an empty one takes its place: it is disposable, and rebuilding it is better than not working.
 * @returns the index, and a note for people when it had to start anew
 * @throws PommelError `index_too_new`, `disk_full`; `unreadable` where it cannot be moved aside
 */
export function openIndexToWrite(file: string, log: Logger): { index: CodeIndex; note: string | null } {
  try {
    return { index: CodeIndex.open(file, { readonly: false }), note: null };
  } catch (error) {
    if (!["index_corrupt", "unreadable"].includes(codeOf(error))) throw error;
    const note = moveAside(file, messageOf(error), log);
    return { index: CodeIndex.open(file, { readonly: false }), note };
  }
}

/**
 * Moves a damaged database aside, with its -wal and -shm; of several only the newest is kept.
 * @returns what to tell people
 */
export function moveAside(file: string, why: string, log: Logger): string {
  const prefix = `${basename(file)}.corrupt-`;
  for (const name of readdirSync(dirname(file))) {
    if (name.startsWith(prefix)) rmSync(join(dirname(file), name), { recursive: true, force: true });
  }
  const aside = `${file}.corrupt-${new Date().toISOString().replace(/[:.]/g, "-")}`;
  for (const end of ["", "-wal", "-shm"]) {
    // A dangling link is something, too.
    if (lstatSync(file + end, { throwIfNoEntry: false })) renameSync(file + end, aside + end);
  }
  const note = `The index was damaged and is being rebuilt; the old one is ${basename(aside)}.`;
  log.error(`${why} ${note}`);
  return note;
}
