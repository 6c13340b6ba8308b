import { realpathSync } from "node:fs";
import { isAbsolute, join, resolve } from "node:path";
import { findUpwards, isInside, stateDirName } from "../project/paths.ts";
import { GitFailure, gitFields } from "./git.ts";

/**
 * The roots that belong to a project: its own first, then those of the other worktrees of its repository.
 * Without git, or outside of a repository, only its own.
 */
export async function projectRoots(root: string, signal?: AbortSignal): Promise<string[]> {
  const worktrees: string[] = [];
  try {
    for await (const field of gitFields(root, ["worktree", "list", "--porcelain", "-z"], signal)) {
      const [, worktree] = /^worktree (.+)$/s.exec(field) ?? [];
      if (worktree !== undefined) worktrees.push(worktree);
    }
  } catch (error) {
    if (!(error instanceof GitFailure)) throw error;
  }
  // A project may be a subdirectory of a repository and then does not own its worktrees.
  const isTop = worktrees.includes(realPath(root));
  return isTop ? [...new Set([root, ...worktrees])] : [root];
}

/**
 * Whether a session launched in `cwd` belongs to the project with these roots: `cwd` is inside a root, and not in a
 * nested project. A path of another system (`C:\x` here) or a relative one belongs to none.
 */
export function belongsTo(roots: readonly string[], cwd: string): boolean {
  if (!isAbsolute(cwd)) return false;
  return [resolve(cwd), realPath(cwd)].some((dir) => {
    const inside = roots.filter((root) => isInside(dir, root));
    if (inside.length === 0) return false;
    const nearest = inside.reduce((a, b) => (a.length >= b.length ? a : b));
    const project = findUpwards(dir, join(stateDirName, "config.toml"));
    return project === null || project.length <= nearest.length;
  });
}

/** The path itself for a directory that no longer exists. */
function realPath(dir: string): string {
  try {
    return realpathSync(dir);
  } catch {
    return dir;
  }
}
