import { readdirSync } from "node:fs";
import { codeOf, PommelError } from "../../project/errors.ts";
import { GitFailure, gitBuffer } from "../git.ts";
import type { WorkingTree } from "./repository.ts";

/**
 * Checks a commit out into a directory of its own, at no branch.
 * @param dir absolute; empty, or not there
 * @throws PommelError `usage` when something lies there; `unreadable` when git cannot
 */
export async function addWorktree({ top }: WorkingTree, commit: string, dir: string): Promise<void> {
  if (!isFree(dir)) {
    throw new PommelError("usage", `${dir} already exists.`, "Name an empty or new directory.");
  }
  try {
    await gitBuffer(top, ["worktree", "add", "--quiet", "--detach", "--", dir, commit], {
      env: { GIT_NO_LAZY_FETCH: "0" },
    });
  } catch (error) {
    if (!(error instanceof GitFailure)) throw error;
    throw new PommelError("unreadable", `git could not make the worktree: ${error.message}.`, "", {
      cause: error,
    });
  }
}

function isFree(dir: string): boolean {
  try {
    return readdirSync(dir).length === 0;
  } catch (error) {
    return codeOf(error) === "ENOENT";
  }
}
