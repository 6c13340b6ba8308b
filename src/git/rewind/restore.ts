import { PommelError } from "../../project/errors.ts";
import { GitFailure, gitBuffer } from "../git.ts";
import { plain } from "../plain.ts";
import { type BytePath, shownPath } from "./byte-paths.ts";
import { beginRestore, endRestore, interruptedRestore, isLeftOver } from "./interrupted.ts";
import { changesTo, overwritten, uncommitted } from "./obstacles.ts";
import type { WorkingTree } from "./repository.ts";

/** What was done. */
export interface Restored {
  /** false: the working tree was at that commit already. */
  changed: boolean;
  /** Files that were written or removed. */
  files: number;
  /** The command that brings back what was there before, run anywhere in the working tree; null: nothing changed. */
  comeBack: string | null;
  /** Submodules are left as they are; these want another commit now. */
  submodules: string[];
}

/** Files that are named in a hint. */
const filesNamed = 5;

/**
 * Makes index and working tree those of a commit; HEAD and the branches stay where they are, so that the difference is
 * staged. Nothing that is not committed is lost: it does nothing at all then.
 * @throws PommelError `uncommitted_changes`; `usage` in a bare repository; `locked` while another git is at work;
 *   `unreadable` when git fails half-way
 */
export async function restoreTo(tree: WorkingTree, commit: string): Promise<Restored> {
  const { top, gitDir, head, inProgress } = tree;
  if (tree.isBare) {
    throw new PommelError(
      "usage",
      "A bare repository has no working tree to restore.",
      "Use --worktree DIR.",
    );
  }
  if (inProgress !== null) {
    throw refusal(`git is in the middle of ${inProgress}: finish or abort it first.`);
  }
  const changes = await changesTo(top, commit);
  const dirty = await uncommitted(top);
  const isThere = changes.length === 0 && dirty.every((file) => !file.isUnstaged || file.isSubmodule);
  if (isThere) {
    endRestore(gitDir);
    return { changed: false, files: 0, comeBack: null, submodules: [] };
  }
  const lost = await overwritten(top, changes);
  const earlier = interruptedRestore(gitDir);
  const isGoingOn = earlier?.commit === commit && earlier.head === head;
  const inTheWay = [...dirty.map(({ path }) => path), ...lost];
  const isOwnWork =
    isGoingOn && dirty.every(({ isStaged }) => !isStaged) && (await isLeftOver(top, inTheWay, changes));
  if (inTheWay.length > 0 && !isOwnWork) {
    const first = earlier
      ? `A restore to ${earlier.commit.slice(0, 12)} was interrupted; \`pm rewind ${earlier.commit.slice(0, 12)} --restore\` continues it unless files changed since. `
      : "";
    throw refusal(
      first +
        obstaclesNamed(
          dirty.map(({ path }) => path),
          lost,
        ),
    );
  }
  beginRestore(gitDir, { head, commit });
  await checkOut(tree, commit, isOwnWork);
  endRestore(gitDir);
  return {
    changed: true,
    files: changes.length,
    comeBack: head === null ? "git rm -r -f --quiet :/" : "git reset --hard HEAD",
    submodules: changes.flatMap(({ path, to }) => (to?.isSubmodule ? shownPath(path) : [])),
  };
}

function refusal(hint: string): PommelError {
  return new PommelError("uncommitted_changes", "Commit or stash your changes first.", hint);
}

function obstaclesNamed(dirty: readonly BytePath[], lost: readonly BytePath[]): string {
  const parts = [
    dirty.length > 0 ? `Not committed: ${named(dirty)}.` : "",
    lost.length > 0 ? `Not tracked by git, and would be overwritten: ${named(lost)}; move them away.` : "",
  ];
  return parts.filter((part) => part !== "").join(" ");
}

function named(paths: readonly BytePath[]): string {
  const unique = [...new Set(paths)];
  const more = unique.length > filesNamed ? ` and ${unique.length - filesNamed} more` : "";
  return unique.slice(0, filesNamed).map(shownPath).join(", ") + more;
}

/** As `git checkout` does it, which knows attributes, sparse checkouts and directories that become files. */
async function checkOut({ top, head }: WorkingTree, commit: string, overOwnWork: boolean): Promise<void> {
  // What a partial clone lacks may be fetched: somebody asked for it, and waits.
  const env = { GIT_NO_LAZY_FETCH: "0" };
  const git = async (...args: string[]) =>
    (await gitBuffer(top, [...plain, "-c", "submodule.recurse=false", ...args], { env })).toString().trim();
  try {
    // Files that were touched but not changed are no obstacle.
    await git("update-index", "-q", "--refresh").catch((error: unknown) => {
      if (isLock(error)) throw error;
    });
    if (overOwnWork) await git("read-tree", "--reset", "-u", commit);
    else
      await git("read-tree", "-m", "-u", head ?? (await git("hash-object", "-t", "tree", "--stdin")), commit);
  } catch (error) {
    if (!(error instanceof GitFailure)) throw error;
    if (isLock(error)) {
      throw new PommelError(
        "locked",
        `Another git process is running here: ${outputOf(error)}.`,
        "Try again when it is done. If none is running, remove that lock file and try again.",
        { cause: error },
      );
    }
    if (/would be overwritten|not uptodate|would lose/.test(error.message))
      throw refusal(`git failed: ${outputOf(error)}.`);
    throw new PommelError(
      "unreadable",
      `git could not restore all of it: ${outputOf(error)}.`,
      "Fix that, then run it again; it continues where it stopped.",
      { cause: error },
    );
  }
}

const outputOf = (error: GitFailure) => error.message.replace(/^error: /, "").replace(/\.$/, "");
const isLock = (error: unknown) => error instanceof GitFailure && /\.lock/.test(error.message);
