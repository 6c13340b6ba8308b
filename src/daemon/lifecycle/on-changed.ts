import { statSync } from "node:fs";

/**
 * Calls `then` whenever one of `files` has changed, appeared or vanished, and all have stayed as they are for `everyMs`.
 * By polling: editors and package managers replace files, which watchers lose sight of.
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
 * Tells once when another version was installed in the place of the running one. Parts of a program are loaded when they
 * are needed, and those of the old version are not there any more by then.
 * @param program the running one
 * @param everyMs how often it is looked at; a new one has to stay as it is for so long
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
