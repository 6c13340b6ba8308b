import { statSync } from "node:fs";

/**
 * Tells once when another version was installed in the place of the running one. Parts of a program are loaded when they
 * are needed, and those of the old version are not there any more by then.
 * @param file the running program
 * @param everyMs how often it is looked at; a new one has to stay as it is for so long
 * @returns stops looking
 */
export function onReplaced(file: string, everyMs: number, then: () => void): () => void {
  const ours = stampOf(file);
  let last = ours;
  const timer = setInterval(() => {
    const now = stampOf(file);
    // While it is being installed, it is not there, or changes.
    const isThere = now !== null && now === last;
    last = now;
    if (ours === null || now === ours || !isThere) return;
    clearInterval(timer);
    then();
  }, everyMs).unref();
  return () => clearInterval(timer);
}

/** null while there is none. */
function stampOf(file: string): string | null {
  const stat = statSync(file, { throwIfNoEntry: false });
  return stat ? `${stat.ino}/${stat.mtimeMs}/${stat.size}` : null;
}
