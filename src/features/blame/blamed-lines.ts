import { existsSync } from "node:fs";
import { join, posix } from "node:path";
import type { LineRange } from "../../answers/file-place.ts";
import { PommelError } from "../../base/errors.ts";
import type { Project } from "../../base/paths.ts";
import { type Blame, blameFile } from "../../git/diff/blame.ts";
import { GitFailure, readGitText } from "../../git/git.ts";
import { findHistoryProblem } from "../../git/history/history.ts";

/** git reads no higher numbers. */
const toTheEnd = 2 ** 31 - 1;

/**
 * The lines of a file with the commits that git blames them on.
 * @throws GitFailure without a history; PommelError `usage` for what git cannot blame, `not_found` for a missing file or line; each with the next
 *   step
 */
export async function readBlame(
  project: Project,
  what: { file: string; ranges?: readonly LineRange[] | undefined; revision?: string | undefined },
  signal?: AbortSignal,
): Promise<Blame> {
  const { file, ranges = [], revision } = what;
  try {
    const blamed = await blameFile(project.root, file, {
      ...(ranges.length > 0 && {
        ranges: ranges.map(({ first, last }): [number, number] => [first, Math.min(last, toTheEnd)]),
      }),
      ...(revision !== undefined && { revision }),
      ...(signal && { signal }),
    });
    if (blamed.lines.length === 0) {
      throw new PommelError("not_found", `${file} is empty.`, `Its history: git log -p -- ${file}`);
    }
    return blamed;
  } catch (error) {
    if (!(error instanceof GitFailure)) throw error;
    throw await explainBlameFailure(project, file, revision, error);
  }
}

/** The directory of the submodule, or of another repository, that contains a file; null: only the project's does. */
function findInnerRepository(root: string, file: string): string | null {
  for (let dir = posix.dirname(file); dir !== "."; dir = posix.dirname(dir)) {
    if (existsSync(join(root, dir, ".git"))) return dir;
  }
  return null;
}

/** What is wrong where git refuses; looked into only then. */
async function explainBlameFailure(
  { root }: Project,
  file: string,
  revision: string | undefined,
  failure: GitFailure,
): Promise<PommelError> {
  const [, count] = /has only (\d+) lines?/.exec(failure.message) ?? [];
  if (count !== undefined) {
    const has = count === "1" ? "1 line" : `${count} lines`;
    return new PommelError("not_found", `${file} has only ${has}.`, `The last one: ${file}:${count}`);
  }
  if (failure.message.endsWith("is binary")) {
    return new PommelError("usage", `${file} is binary: it has no lines.`, `Its commits: git log -- ${file}`);
  }
  if (failure.isBroken) return failure;
  const problem = await findHistoryProblem(root);
  // Other branches may have commits.
  if (problem !== null && (problem.reason !== "no_commits" || revision === undefined)) return problem;
  const ask = (...args: string[]) => readGitText(root, ["--literal-pathspecs", ...args]).catch(() => null);
  if (revision !== undefined) {
    const commit = await ask("rev-parse", "--verify", "--quiet", "--end-of-options", `${revision}^{commit}`);
    return commit === null
      ? new PommelError("not_found", `No commit ${revision}.`, "git log --oneline lists them.")
      : new PommelError(
          "not_found",
          `${file} is not in ${revision}.`,
          `Its commits, under other names too: git log --follow --oneline -- ${file}`,
        );
  }
  const isThere = existsSync(join(root, file));
  if (!isThere && (await ask("cat-file", "-t", `HEAD:./${file}`)) === "blob") {
    return new PommelError(
      "not_found",
      `${file} is not in the working tree.`,
      `As committed: pm blame ${file} --rev HEAD`,
    );
  }
  const last = await ask("log", "-1", "--format=%h %s", "--diff-filter=D", "--", file);
  if (!isThere && last) {
    const hash = last.split(" ", 1)[0];
    return new PommelError(
      "not_found",
      `${file} was deleted in ${last}.`,
      `Before that: pm blame ${file} --rev ${hash}^`,
    );
  }
  if (!isThere) {
    return new PommelError(
      "not_found",
      `${file} does not exist.`,
      "Paths are relative to this directory or the project's root.",
    );
  }
  const isTracked = (await ask("ls-files", "--error-unmatch", "--", file)) !== null;
  const inner = isTracked ? null : findInnerRepository(root, file);
  if (inner !== null) {
    return new PommelError(
      "usage",
      `${file} belongs to the repository in ${inner}.`,
      `Run it there: pm -C ${inner} blame ${file.slice(inner.length + 1)}`,
    );
  }
  if (!isTracked) {
    return new PommelError(
      "not_found",
      `git does not track ${file} yet.`,
      `Sessions that touched it: pm code related --files ${file}. To see its lines: git add ${file}, then try again.`,
    );
  }
  return new PommelError(
    "usage",
    `git cannot blame ${file}: ${failure.message}.`,
    "See what `git blame` says.",
  );
}
