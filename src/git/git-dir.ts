import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { findUpwards } from "../project/paths.ts";

/**
 * Where git keeps what belongs to the working tree around `dir` (gitrepository-layout), without asking git.
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

/** The directory that the worktrees of a repository share, of one's own: objects, refs and configuration lie there. */
export function commonDirectoryOf(gitDirectory: string): string {
  try {
    return resolve(gitDirectory, readFileSync(join(gitDirectory, "commondir"), "utf8").trim());
  } catch {
    return gitDirectory;
  }
}

/** Whether commits are being made over again: what HEAD is at meanwhile is nothing that stays. */
export function isRebasing(gitDirectory: string): boolean {
  return ["rebase-merge", "rebase-apply"].some((name) => existsSync(join(gitDirectory, name)));
}

/** The file where git notes where HEAD went; it need not be there. */
export function headLogOf(gitDirectory: string): string {
  return join(gitDirectory, "logs", "HEAD");
}
