import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { findUpwards, readGitDir } from "../base/paths.ts";

/**
 * The git directory of the working tree around `dir` (gitrepository-layout), without starting git.
 * @returns null outside of a working tree
 */
export function findGitDirectory(dir: string): string | null {
  const top = findUpwards(dir, ".git");
  return top === null ? null : readGitDir(top);
}

/** A git file's text without the final line break; null when it is missing. */
export function readGitFile(file: string): string | null {
  try {
    return readFileSync(file, "utf8").trim();
  } catch {
    return null;
  }
}

/** Whether a rebase is in progress: HEAD is temporary then. */
export function isRebasing(gitDirectory: string): boolean {
  return ["rebase-merge", "rebase-apply"].some((name) => existsSync(join(gitDirectory, name)));
}

/** HEAD's reflog file; it may not exist. */
export function locateHeadLog(gitDirectory: string): string {
  return join(gitDirectory, "logs", "HEAD");
}
