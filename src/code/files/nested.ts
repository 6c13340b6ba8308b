import { existsSync } from "node:fs";
import { join } from "node:path";
import { findMainWorktree, findUpwards, teamDirName, toCanonicalPath } from "../../base/paths.ts";
import { Registry } from "../../store/registry.ts";

/** Code inside a project that is not to be indexed with it: another project, or a worktree of the same repository. */
export type Nested = "nested_project" | "worktree";

/** @param path a directory in the project at `root`, not the root itself */
export function detectNestedDirectory(root: string, path: string): Nested | null {
  const dir = join(root, path);
  if (existsSync(join(dir, teamDirName, "config.toml"))) return "nested_project";
  const main = findMainWorktree(dir);
  if (main !== null && isSame(main, findRepositoryRoot(root))) return "worktree";
  return isNamed(dir) ? "nested_project" : null;
}

/** A repository that its user made a project: it is searched by itself. One that was only searched stays in this one. */
function isNamed(dir: string): boolean {
  if (!existsSync(join(dir, ".git"))) return false;
  const registry = Registry.openIfThere();
  const checkout = registry?.findCheckoutAt(dir);
  return checkout ? (registry?.findProjectById(checkout.project)?.isNamed ?? false) : false;
}

/** The main worktree of the repository around `root`. */
function findRepositoryRoot(root: string): string | null {
  const top = findUpwards(root, ".git");
  return top === null ? null : (findMainWorktree(top) ?? top);
}

function isSame(one: string, other: string | null): boolean {
  try {
    return other !== null && toCanonicalPath(one) === toCanonicalPath(other);
  } catch {
    // A worktree whose repository is gone.
    return false;
  }
}
