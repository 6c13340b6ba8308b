import { commitsByPatch, commitsLike } from "../../store/memory/commits/commits.ts";
import type { Memory } from "../../store/memory/memory.ts";
import type { CommitRecord } from "../../store/memory/memory-records.ts";

/** More say nothing new. */
const most = 100;

/**
 * Hashes of commits whose authors a commit may have inherited: those that git reports as replaced, stored ones with the
 * same patch (a rebase, a cherry-pick), and stored ones of the same author, time and subject (an amend without a hook).
 * The latter two must have existed before.
 */
export function predecessorsOf(
  memory: Memory,
  commit: Pick<
    CommitRecord,
    "hash" | "author" | "authoredAt" | "committedAt" | "subject" | "patchId" | "rewrittenFrom"
  >,
): string[] {
  const alike = [
    ...(commit.patchId === null ? [] : commitsByPatch(memory, commit.patchId)),
    ...commitsLike(memory, commit),
  ].filter(({ committedAt, attributed }) => attributed > 0 && committedAt <= commit.committedAt);
  const hashes = new Set([...commit.rewrittenFrom, ...alike.map(({ hash }) => hash)]);
  hashes.delete(commit.hash);
  return [...hashes].slice(0, most);
}
