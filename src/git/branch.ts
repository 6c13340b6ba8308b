import { GitFailure, gitText } from "./git.ts";

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

/**
 * Where `dir` lies in its working tree: "" for its top, else a path that ends with a slash.
 * @throws GitFailure
 */
export async function topLevelPrefix(dir: string): Promise<string> {
  return gitText(dir, ["rev-parse", "--show-prefix"]);
}
