import { readFileSync } from "node:fs";
import { join } from "node:path";
import { GitFailure, gitText } from "./git.ts";
import { gitDirectoryOf } from "./git-dir.ts";

/**
 * As `branchOf`, read from git's own file where that says it (gitrepository-layout): for what has no time to start git.
 */
export async function branchAtHand(dir: string): Promise<string | null> {
  const gitDir = gitDirectoryOf(dir);
  if (gitDir === null) return null;
  try {
    const head = readFileSync(join(gitDir, "HEAD"), "utf8").trim();
    if (/^[0-9a-f]{40,64}$/.test(head)) return null;
    const [, branch] = /^ref: refs\/heads\/(.+)$/.exec(head) ?? [];
    // With reftables the file names no branch that there could be.
    if (branch !== undefined && branch !== ".invalid") return branch;
  } catch {
    // Git may know.
  }
  return branchOf(dir);
}

/** The branch that is checked out in `dir`, also one without commits; null: none is, or there is no repository. */
export async function branchOf(dir: string): Promise<string | null> {
  try {
    const ref = await gitText(dir, ["symbolic-ref", "--quiet", "HEAD"]);
    return ref.startsWith("refs/heads/") ? ref.slice("refs/heads/".length) : null;
  } catch (error) {
    if (error instanceof GitFailure) return null;
    throw error;
  }
}
