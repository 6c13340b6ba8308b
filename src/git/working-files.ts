import { listHomeWithin } from "../base/paths.ts";
import { GitFailure, plain, readGitFields } from "./git.ts";

/** Files of a working tree, relative to `dir`, in which they are; ignored ones and those of Pommel's home are left out. */

/** Those that git tracks, and those that it does not. @throws GitFailure */
export async function listWorkingFiles(dir: string, signal?: AbortSignal): Promise<string[]> {
  const files = new Set<string>();
  for await (const path of listGitFiles(dir, ["--cached", "--others"], signal)) files.add(path);
  return [...files];
}

/** @param paths only files at or below them; default: all. @throws GitFailure */
export const listUntrackedFiles = (
  dir: string,
  signal?: AbortSignal,
  paths: readonly string[] = ["."],
): AsyncGenerator<string, void, undefined> => listGitFiles(dir, ["--others"], signal, paths);

/**
 * Those with uncommitted changes, untracked ones included. Before the first commit, only unstaged ones.
 * @throws GitFailure where there is no repository, or no git
 */
export async function* listUncommittedFiles(
  dir: string,
  signal?: AbortSignal,
): AsyncGenerator<string, void, undefined> {
  const changed = [
    "diff",
    "--name-only",
    "-z",
    "--relative",
    "--no-renames",
    "--no-ext-diff",
    "--no-textconv",
    "--ignore-submodules=all",
    "-O/dev/null",
    "HEAD",
    "--",
    ".",
  ];
  try {
    for await (const path of readGitFields(dir, [...plain, ...changed], signal)) if (path !== "") yield path;
  } catch (error) {
    if (!(error instanceof GitFailure) || error.isBroken) throw error;
  }
  yield* listUntrackedFiles(dir, signal);
}

async function* listGitFiles(
  dir: string,
  which: readonly string[],
  signal?: AbortSignal,
  paths: readonly string[] = ["."],
): AsyncGenerator<string, void, undefined> {
  const args = [...plain, "ls-files", "-z", ...which, "--exclude-standard", "--", ...paths];
  const own = listHomeWithin(dir).map((path) => `${path}/`);
  for await (const path of readGitFields(dir, args, signal))
    if (path !== "" && !own.some((beginning) => path.startsWith(beginning))) yield path;
}
