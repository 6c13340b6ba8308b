import { statSync } from "node:fs";
import { join } from "node:path";
import { type Project, resolveCommonDirectory } from "../../../base/paths.ts";
import { GitFailure, readGitBytes, readGitFields } from "../../../git/git.ts";
import { findGitDirectory } from "../../../git/git-dir.ts";
import { findHistoryProblem } from "../../../git/history/history.ts";
import { type CheckResult, fail, ok, warn } from "./check.ts";

/** Looking at every commit of a large repository takes longer. Milliseconds. */
const timeoutMs = 5000;
/** No git command holds a lock that long. Milliseconds. */
const staleMs = 600_000;

/** Whether git can read the project's repository. */
export async function checkRepository({ root }: Project): Promise<CheckResult> {
  const problem = await findHistoryProblem(root);
  const gitDir = findGitDirectory(root);
  if (problem?.reason === "not_installed")
    return gitDir === null ? ok("no git repository") : fail(problem.message, problem.hint);
  if (problem?.reason === "no_repository") return ok("no git repository: there are no commits to record");
  if (problem !== null && problem.reason !== "no_commits") return fail(problem.message, problem.hint);
  const damage = await findRepositoryDamage(root);
  if (damage !== null) return fail(damage.message, damage.hint);
  const lock = gitDir === null ? null : findStaleLock(gitDir);
  if (lock !== null) {
    return warn(
      `A lock of git is left over: ${lock}. Commits and restores fail while it is there.`,
      "If no git command is running, delete it.",
    );
  }
  return ok(problem === null ? "git reads the repository" : "No commits yet.");
}

/** What is broken besides HEAD's commit: the index, or an object that some commit refers to. */
async function findRepositoryDamage(root: string): Promise<GitFailure | null> {
  let first = "";
  try {
    for await (const _ of readGitFields(root, ["ls-files", "-z"]));
    const args = ["fsck", "--connectivity-only", "--no-dangling", "--no-reflogs", "--no-progress"];
    const signal = AbortSignal.timeout(timeoutMs);
    for await (const bytes of readGitBytes(root, args, { signal }))
      first ||= bytes.toString().split("\n", 1)[0]!;
    return null;
  } catch (error) {
    // Nothing was found in time.
    if (!(error instanceof GitFailure)) return null;
    if (error.reason !== "failed") return error;
    return new GitFailure(
      "damaged",
      `The git repository is damaged: ${first || error.message}.`,
      "`git fsck --full` lists what is broken. An intact clone contains what is missing.",
    );
  }
}

function findStaleLock(gitDir: string): string | null {
  const common = resolveCommonDirectory(gitDir);
  const locks = [
    ...["index.lock", "HEAD.lock"].map((name) => join(gitDir, name)),
    ...["config.lock", "packed-refs.lock", "shallow.lock"].map((name) => join(common, name)),
  ];
  const isStale = (file: string) => {
    const stat = statSync(file, { throwIfNoEntry: false });
    return stat !== undefined && Date.now() - stat.mtimeMs > staleMs;
  };
  return locks.find(isStale) ?? null;
}
