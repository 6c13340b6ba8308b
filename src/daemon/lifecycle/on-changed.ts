import { statSync } from "node:fs";

/**
 * Calls `then` when any of `files` has changed, appeared or vanished, and all are unchanged for `everyMs`. Polls,
 * because editors and package managers replace files, which watchers lose track of.
 * @returns stops looking
 */
export function onChanged(files: readonly string[], everyMs: number, then: () => void): () => void {
  let known = stampOf(files);
  let last = known;
  const timer = setInterval(() => {
    const now = stampOf(files);
    const hasSettled = now === last;
    last = now;
    if (!hasSettled || now === known) return;
    known = now;
    then();
  }, everyMs).unref();
  return () => clearInterval(timer);
}

/**
 * Calls `then` once when another version replaces the running one. Parts of a program are loaded on demand, and by then
 * those of the old version are gone.
 * @param program the running one
 * @param everyMs interval of the checks; a new version must stay unchanged for one interval
 * @returns stops looking
 */
export function onReplaced(program: string, everyMs: number, then: () => void): () => void {
  const stop = onChanged([program], everyMs, () => {
    // Removed, or on its way.
    if (!statSync(program, { throwIfNoEntry: false })) return;
    stop();
    then();
  });
  return stop;
}

function stampOf(files: readonly string[]): string {
  return files
    .map((file) => {
      const stat = statSync(file, { throwIfNoEntry: false });
      return stat ? `${stat.ino}/${stat.mtimeMs}/${stat.size}` : "";
    })
    .join();
}
