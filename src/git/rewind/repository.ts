import { existsSync, readdirSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { codeOf, PommelError } from "../../project/errors.ts";
import { GitFailure, gitBuffer, gitText } from "../git.ts";
import { branchOf } from "../history/head.ts";
import { headOf } from "../history/history.ts";

/** A working tree, as it is now. */
export interface WorkingTree {
  /** Its top; in a bare repository what was asked about. */
  top: string;
  /** Where its own HEAD, index and state lie. */
  gitDir: string;
  isBare: boolean;
  /** null: nothing is committed yet. */
  head: string | null;
  /** null: detached. */
  branch: string | null;
  /** What git is in the middle of: "a merge"; null: nothing. */
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
 * Looks at the working tree that `dir` lies in.
 * @throws PommelError `not_found` without a repository or without git
 */
export async function workingTreeOf(dir: string): Promise<WorkingTree> {
  const isBare = await orRefuse(dir, gitText(dir, ["rev-parse", "--is-bare-repository"]));
  const gitDir = await orRefuse(dir, gitText(dir, ["rev-parse", "--absolute-git-dir"]));
  const top = isBare === "true" ? dir : await orRefuse(dir, gitText(dir, ["rev-parse", "--show-toplevel"]));
  return {
    top: realpathSync(top),
    gitDir,
    isBare: isBare === "true",
    head: await headOf(dir),
    branch: await branchOf(dir),
    inProgress: operations.find(([file]) => existsSync(join(gitDir, file)))?.[1] ?? null,
  };
}

async function orRefuse<T>(dir: string, asked: Promise<T>): Promise<T> {
  try {
    return await asked;
  } catch (error) {
    if (!(error instanceof GitFailure)) throw error;
    const message =
      error.reason === "not_installed"
        ? "git is not installed."
        : `No git repository in ${dir}: ${error.message}.`;
    throw new PommelError("not_found", message, "Rewind needs a git repository.", { cause: error });
  }
}

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
