import { GitFailure, gitFields, plain } from "./git.ts";

/**
 * Files in `dir` with uncommitted changes, untracked ones included, ignored ones excluded; relative to `dir`. Before
 * the first commit, only unstaged ones.
 * @throws GitFailure where there is no repository, or no git
 */
export async function* uncommittedFiles(
  dir: string,
  signal?: AbortSignal,
): AsyncGenerator<string, void, undefined> {
  const changed = [
    ...["diff", "--name-only", "-z", "--relative", "--no-renames", "--no-ext-diff", "--no-textconv"],
    ...["--ignore-submodules=all", "-O/dev/null", "HEAD", "--", "."],
  ];
  try {
    for await (const path of gitFields(dir, [...plain, ...changed], signal)) if (path !== "") yield path;
  } catch (error) {
    if (!(error instanceof GitFailure) || error.isBroken) throw error;
  }
  const others = ["ls-files", "-z", "--others", "--exclude-standard"];
  for await (const path of gitFields(dir, [...plain, ...others], signal)) if (path !== "") yield path;
}
