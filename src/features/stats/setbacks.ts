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
 * Files in which work was set back: commands whose error names them, and commits in HEAD's history that reverted others and
 * changed them. The most first.
 * @param since milliseconds since the epoch; null: ever
 */
export async function findSetbacks(
  project: Project,
  memory: Memory,
  since: number | null,
  signal?: AbortSignal,
): Promise<Setback[]> {
  const found = new Map<string, Setback>();
  const at = (file: string) =>
    getOrCreate(found, file, () => ({
      file,
      failures: 0,
      last_failure: null,
      reverts: 0,
      last_revert: null,
    }));
  const there = await listWorkingFiles(project.root, signal);
  const fileNamed = makeFileFinder(there);
  // The latest come first.
  for (const { error, at: when, sessionUid, turn } of listCommands(memory, { outcome: "failed" })) {
    if (error === null || (since !== null && (when ?? 0) < since)) continue;
    const files = [...error.matchAll(printedPath)].map(([path]) => fileNamed(path));
    for (const file of new Set(files.filter((one) => one !== null))) {
      const setback = at(file);
      setback.failures++;
      setback.last_failure ??= { session_id: sessionUid, turn };
    }
  }
  const reverts = await listEffectiveReverts(project.root, since ?? 0, signal).catch((thrown: unknown) => {
    if (thrown instanceof GitFailure) return [];
    throw thrown;
  });
  const isThere = new Set(there);
  for (const hash of reverts) {
    const commit = findCommitByHash(memory, hash);
    if (commit === null) continue;
    for (const { path } of listFilesOfCommit(memory, commit.id)) {
      if (!isThere.has(path)) continue;
      const setback = at(path);
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
