import { dirname } from "node:path/posix";
import { getOrCreate } from "../../base/multimap.ts";
import type { Project } from "../../base/paths.ts";
import { GitFailure } from "../../git/git.ts";
import { listEffectiveReverts } from "../../git/history/ancestry.ts";
import { listWorkingFiles } from "../../git/working-files.ts";
import { listCommands } from "../../store/memory/commands.ts";
import { findCommitByHash, listFilesOfCommit } from "../../store/memory/commits/commits.ts";
import type { Memory } from "../../store/memory/memory.ts";
import type { Setback } from "./operation.ts";

/** A path as compilers, test runners and linters print it. */
const printedPath = /[\w@.+-]+(?:\/[\w@.+-]+)*\.\w{1,8}\b/g;

/**
 * Where work was set back, by directory: commands whose error names a file in it, and commits in HEAD's history that reverted
 * others and changed it. The most first.
 * @param since milliseconds since the epoch; null: ever
 */
export async function findSetbacks(
  project: Project,
  memory: Memory,
  since: number | null,
  signal?: AbortSignal,
): Promise<Setback[]> {
  const found = new Map<string, Setback>();
  const at = (directory: string) =>
    getOrCreate(found, directory, () => ({
      directory,
      failures: 0,
      last_failure: null,
      reverts: 0,
      last_revert: null,
    }));
  const fileNamed = makeFileFinder(await listWorkingFiles(project.root, signal));
  // The latest come first.
  for (const { error, at: when, sessionUid, turn } of listCommands(memory, { outcome: "failed" })) {
    if (error === null || (since !== null && (when ?? 0) < since)) continue;
    const files = [...error.matchAll(printedPath)].map(([path]) => fileNamed(path));
    for (const directory of new Set(files.flatMap((file) => (file === null ? [] : [dirname(file)])))) {
      const setback = at(directory);
      setback.failures++;
      setback.last_failure ??= { session_id: sessionUid, turn };
    }
  }
  const reverts = await listEffectiveReverts(project.root, since ?? 0, signal).catch((thrown: unknown) => {
    if (thrown instanceof GitFailure) return [];
    throw thrown;
  });
  for (const hash of reverts) {
    const commit = findCommitByHash(memory, hash);
    if (commit === null) continue;
    for (const directory of new Set(listFilesOfCommit(memory, commit.id).map(({ path }) => dirname(path)))) {
      const setback = at(directory);
      setback.reverts++;
      setback.last_revert ??= hash;
    }
  }
  const weight = ({ failures, reverts: count }: Setback) => failures + count;
  return [...found.values()].sort((a, b) => weight(b) - weight(a));
}

/** Finds the one file that a printed path means: programs print paths from where they run, or the name alone. */
function makeFileFinder(files: readonly string[]): (printed: string) => string | null {
  const byName = new Map<string, string[]>();
  for (const file of files) getOrCreate(byName, file.slice(file.lastIndexOf("/") + 1), () => []).push(file);
  return (printed) => {
    const path = printed.replace(/^(?:\.{1,2}\/)+/, "");
    const named = byName.get(path.slice(path.lastIndexOf("/") + 1)) ?? [];
    const fitting = named.filter(
      (file) => file === path || `/${file}`.endsWith(`/${path}`) || path.endsWith(`/${file}`),
    );
    return fitting.length === 1 ? fitting[0]! : null;
  };
}
