import { execFileSync } from "node:child_process";
import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";

/** A repository as it was before the commits that ask about it. */
export interface Past {
  /** A checkout of that revision. */
  root: string;
  /** The later commits, for `git log`. */
  later: readonly string[];
}

/**
 * Checks out a repository as it was `back` commits before a revision, or at three fifths of a shorter history. The objects
 * stay in the clone.
 * @param clone bare or not
 */
export function checkOutPast(clone: string, root: string, revision: string, back: number): Past {
  const git = (dir: string, ...args: string[]) =>
    execFileSync("git", ["-C", dir, ...args], { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] }).trim();
  const commits = Number(git(clone, "rev-list", "--no-merges", "--count", revision));
  const after = Math.min(back, Math.floor(commits * 0.4));
  const base = git(clone, "rev-list", "--no-merges", `--skip=${after}`, "--max-count=1", revision);
  if (!existsSync(join(root, ".git"))) {
    rmSync(root, { recursive: true, force: true });
    git(clone, "clone", "--quiet", "--shared", "--no-checkout", ".", root);
    git(root, "checkout", "--quiet", "--detach", base);
  }
  return { root, later: [revision, `^${base}`] };
}
