import { existsSync, readdirSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { getErrorCode, PommelError } from "../../base/errors.ts";
import { GitFailure, mayFetch, readGitBuffer, readGitText } from "../git.ts";
import { askForBranch } from "../history/head.ts";
import { readHeadCommit } from "../history/history.ts";

/** The current state of a working tree. */
export interface WorkingTree {
  /** Its root; in a bare repository the requested directory. */
  top: string;
  /** The directory of its own HEAD, index and state. */
  gitDir: string;
  isBare: boolean;
  /** null: no commits yet. */
  head: string | null;
  /** null: detached. */
  branch: string | null;
  /** The operation in progress, such as "a merge"; null: none. */
  inProgress: string | null;
}

const operations: readonly [file: string, name: string][] = [
  ["MERGE_HEAD", "a merge"],
  ["CHERRY_PICK_HEAD", "a cherry-pick"],
  ["REVERT_HEAD", "a revert"],
  ["rebase-merge", "a rebase"],
  ["rebase-apply", "a rebase"],
  ["sequencer", "a cherry-pick or a revert of several commits"],
];

/**
 * The working tree around `dir`.
 * @throws GitFailure without a repository or without git
 */
export async function findWorkingTree(dir: string): Promise<WorkingTree> {
  const isBare = await readGitText(dir, ["rev-parse", "--is-bare-repository"]);
  const gitDir = await readGitText(dir, ["rev-parse", "--absolute-git-dir"]);
  const top = isBare === "true" ? dir : await readGitText(dir, ["rev-parse", "--show-toplevel"]);
  return {
    top: realpathSync(top),
    gitDir,
    isBare: isBare === "true",
    head: await readHeadCommit(dir),
    branch: await askForBranch(dir),
    inProgress: operations.find(([file]) => existsSync(join(gitDir, file)))?.[1] ?? null,
  };
}

/**
 * Checks out a commit into a new worktree with a detached HEAD.
 * @param dir absolute; empty or missing
 * @throws PommelError `usage` when it is not empty; `unreadable` when git fails
 */
export async function addWorktree({ top }: WorkingTree, commit: string, dir: string): Promise<void> {
  if (!isFree(dir)) {
    throw new PommelError("usage", `${dir} already exists.`, "Name an empty or new directory.");
  }
  try {
    await readGitBuffer(top, ["worktree", "add", "--quiet", "--detach", "--", dir, commit], {
      env: mayFetch,
    });
  } catch (error) {
    if (!(error instanceof GitFailure) || error.isBroken) throw error;
    throw new PommelError("unreadable", `git could not make the worktree: ${error.message}.`, "", {
      cause: error,
    });
  }
}

function isFree(dir: string): boolean {
  try {
    return readdirSync(dir).length === 0;
  } catch (error) {
    return getErrorCode(error) === "ENOENT";
  }
}
