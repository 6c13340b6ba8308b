import { dirname, isAbsolute, resolve } from "node:path";
import { findUpwards, isInside, toRealPath } from "../../base/paths.ts";
import { Registry } from "../../store/registry.ts";
import { GitFailure, readGitFields } from "../git.ts";

/**
 * The directories that hold a project: `root` first, then the other worktrees of its repository, and its other checkouts,
 * those that are gone as well, for sessions that ran there.
 */
export async function listProjectRoots(root: string, signal?: AbortSignal): Promise<string[]> {
  const registry = Registry.openIfThere();
  const project = registry?.findCheckoutAt(root)?.project;
  const checkouts = project === undefined ? [] : registry!.listCheckouts(project).map((one) => one.root);
  const worktrees = await listWorktrees(root, signal);
  // A project may be a subdirectory of a repository and then does not own its worktrees.
  const isTop = worktrees.includes(toRealPath(root));
  return [...new Set([root, ...(isTop ? worktrees : []), ...checkouts])];
}

/** The worktrees of the repository around `dir`; none without git. */
export async function listWorktrees(dir: string, signal?: AbortSignal): Promise<string[]> {
  const worktrees: string[] = [];
  try {
    for await (const field of readGitFields(dir, ["worktree", "list", "--porcelain", "-z"], signal)) {
      const [, worktree] = /^worktree (.+)$/s.exec(field) ?? [];
      if (worktree !== undefined) worktrees.push(worktree);
    }
  } catch (error) {
    if (!(error instanceof GitFailure)) throw error;
  }
  return worktrees;
}

/**
 * Whether a session launched in `cwd` belongs to the project with these roots: `cwd` is inside a root, and not in a
 * repository or project within it. A path of another system, or one that is not absolute, belongs to none.
 */
export function isCwdInProject(roots: readonly string[], cwd: string): boolean {
  if (!isAbsolute(cwd)) return false;
  return [resolve(cwd), toRealPath(resolve(cwd))].some((dir) => {
    const nearest = findNearestRoot(roots, dir);
    if (nearest === null) return false;
    const repository = findUpwards(dir, ".git");
    if (repository !== null && repository.length > nearest.length) return false;
    const registry = Registry.openIfThere();
    for (let at = dir; at.length > nearest.length; at = dirname(at))
      if (registry?.findCheckoutAt(at)) return false;
    return true;
  });
}

function findNearestRoot(roots: readonly string[], dir: string): string | null {
  const inside = roots.filter((root) => isInside(dir, root));
  return inside.length === 0 ? null : inside.reduce((a, b) => (a.length >= b.length ? a : b));
}
