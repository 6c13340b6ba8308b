import {
  GitFailure,
  plain,
  plainDiff,
  plainEnvironment,
  readGitBuffer,
  readGitFields,
  readGitText,
} from "./git.ts";
import type { WorkingTree } from "./rewind/repository.ts";

export { findCommitHash } from "./history/history.ts";
export { addWorktree, findWorkingTree, type WorkingTree } from "./rewind/repository.ts";
export { restoreTo } from "./rewind/restore.ts";

/** A file that differs; binary ones have no lines. */
export interface TreeDifference {
  path: string;
  oldPath: string | null;
  insertions: number | null;
  deletions: number | null;
}

/**
 * Differences between a commit and the working tree; in a bare repository, HEAD.
 * @throws GitFailure
 */
export async function listDifferences(tree: WorkingTree, commit: string): Promise<TreeDifference[]> {
  const files: TreeDifference[] = [];
  const fields = readGitFields(tree.top, [...makeDiffArguments(tree, commit), "--numstat", "-z"]);
  for await (const field of fields) {
    const [, insertions, deletions, path] = /^(\d+|-)\t(\d+|-)\t(.*)$/s.exec(field) ?? [];
    if (path === undefined) continue;
    const oldPath = path === "" ? ((await fields.next()).value ?? "") : null;
    files.push({
      path: path === "" ? ((await fields.next()).value ?? "") : path,
      oldPath,
      insertions: insertions === "-" ? null : Number(insertions),
      deletions: deletions === "-" ? null : Number(deletions),
    });
  }
  return files;
}

/**
 * The differences as a patch.
 * @throws GitFailure
 */
export async function patchSince(tree: WorkingTree, commit: string): Promise<string> {
  const output = await readGitBuffer(tree.top, [...makeDiffArguments(tree, commit), "--patch"], {
    env: plainEnvironment,
  });
  return output.toString();
}

function makeDiffArguments({ isBare }: WorkingTree, commit: string): string[] {
  return [...plain, "diff", ...plainDiff, commit, ...(isBare ? ["HEAD"] : [])];
}

/** Commits that one of the two has and the other has not; null where history does not say (unborn, cut off). */
export async function measureDistanceToHead(
  { top, head }: WorkingTree,
  commit: string,
): Promise<{ ahead: number; behind: number } | null> {
  if (head === null) return null;
  try {
    const counts = await readGitText(top, ["rev-list", "--left-right", "--count", `${commit}...${head}`]);
    const [behind = 0, ahead = 0] = counts.split(/\s+/).map(Number);
    return { ahead, behind };
  } catch (error) {
    if (error instanceof GitFailure) return null;
    throw error;
  }
}

/** One commit, as git reports it. */
interface RewindCommit {
  hash: string;
  tree: string;
  author: string;
  /** Milliseconds since the epoch. */
  committedAt: number;
  subject: string;
}

/** @throws GitFailure */
export async function readCommitFacts(dir: string, commit: string): Promise<RewindCommit> {
  const format = "--format=%H%x00%T%x00%an%x00%ct%x00%s";
  const fields: string[] = [];
  const shown = readGitFields(dir, [
    ...plain,
    "show",
    "-s",
    "--no-show-signature",
    "--encoding=UTF-8",
    format,
    commit,
  ]);
  for await (const field of shown) fields.push(field);
  const [hash = "", tree = "", author = "", seconds = "", subject = ""] = fields;
  return { hash, tree, author, committedAt: Number(seconds) * 1000, subject: subject.trimEnd() };
}
