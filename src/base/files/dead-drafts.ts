import { rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { isAlive } from "./file-lock.ts";
import { listNamesIfAny } from "./if-any.ts";

/** A draft of `makeDraftPath`, or what lies beside it, such as the log of a database. */
const draftPattern = /\.pommel-(\d+)(?![^.-])/g;

/** Nobody writes at a draft for so long: its process died, and another has its id. Milliseconds. */
const maxAgeMs = 3_600_000;

/** Drafts in these directories whose processes are gone. What is written into them now is somebody's work. */
export function listDeadDrafts(dirs: readonly string[], now = Date.now()): string[] {
  return [...new Set(dirs)].flatMap((dir) =>
    listNamesIfAny(dir)
      .filter(
        (name) =>
          [...name.matchAll(draftPattern)].some(([, pid]) => !isAlive(Number(pid))) || isOld(dir, name, now),
      )
      .map((name) => join(dir, name)),
  );
}

function isOld(dir: string, name: string, now: number): boolean {
  if (name.search(draftPattern) < 0) return false;
  const stat = statSync(join(dir, name), { throwIfNoEntry: false });
  // A directory may be read for as long as somebody likes.
  return stat?.isFile() === true && now - stat.mtimeMs > maxAgeMs;
}

/** @returns what was removed */
export function removeDeadDrafts(dirs: readonly string[]): string[] {
  return listDeadDrafts(dirs).filter((file) => {
    try {
      rmSync(file, { recursive: true, force: true });
      return true;
    } catch {
      // Another user's, or on a disk that cannot be written.
      return false;
    }
  });
}
