import { existsSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { PommelError } from "../../project/errors.ts";
import { branchOf } from "../branch.ts";
import { GitFailure, gitText } from "../git.ts";
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
 * The commit that a name means, whole.
 * @returns null when this repository has no such commit
 */
export async function commitNamed(dir: string, name: string): Promise<string | null> {
  try {
    return await gitText(dir, ["rev-parse", "--verify", "--quiet", "--end-of-options", `${name}^{commit}`]);
  } catch (error) {
    if (error instanceof GitFailure) return null;
    throw error;
  }
}
