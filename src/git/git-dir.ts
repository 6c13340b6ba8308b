import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { findUpwards } from "../project/paths.ts";

/**
 * The git directory of the working tree around `dir` (gitrepository-layout), without starting git.
 * @returns null outside of a working tree
 */
export function gitDirectoryOf(dir: string): string | null {
  const top = findUpwards(dir, ".git");
  if (top === null) return null;
  const path = join(top, ".git");
  try {
    if (statSync(path).isDirectory()) return path;
    // In a linked worktree and in a submodule it is a file that names the directory.
    const [, named] = /^gitdir: (.+)$/m.exec(readFileSync(path, "utf8")) ?? [];
    return named === undefined ? null : resolve(dirname(path), named);
  } catch {
    return null;
  }
}

/** The directory that a repository's worktrees share, with objects, refs and configuration. */
export function commonDirectoryOf(gitDirectory: string): string {
  try {
    return resolve(gitDirectory, readFileSync(join(gitDirectory, "commondir"), "utf8").trim());
  } catch {
    return gitDirectory;
  }
}

/** Whether a rebase is in progress: HEAD is temporary then. */
export function isRebasing(gitDirectory: string): boolean {
  return ["rebase-merge", "rebase-apply"].some((name) => existsSync(join(gitDirectory, name)));
}

/** HEAD's reflog file; it may not exist. */
export function headLogOf(gitDirectory: string): string {
  return join(gitDirectory, "logs", "HEAD");
}
