import { GitFailure } from "../../git/git.ts";
import { findGitDirectory, isRebasing } from "../../git/git-dir.ts";
import type { ReflogEntry } from "../../git/history/commits.ts";
import { readCommits, readReflog } from "../../git/history/commits.ts";
import { askForBranch } from "../../git/history/head.ts";
import { readAttributedVersions } from "../../store/memory/commits/commits.ts";
import type { Memory } from "../../store/memory/memory.ts";

/** A commit made here that no hook reported. */
export interface NewCommit {
  hash: string;
  /** When it was made. Milliseconds since the epoch. */
  at: number;
  branch: string | null;
  rewrittenFrom: string[];
}

interface NewCommits {
  /** The commits, oldest first. */
  commits: NewCommit[];
  /** HEAD also moved to unknown commits that were not made here: pulled, say. */
  hasOthers: boolean;
  /** Records that all of these were handled. */
  remember: () => void;
}

/** A key in `meta`, followed by a worktree's root: up to what time its reflog was handled. */
const seenUntil = "git.reflog ";

/** If there are more commits than this, the scan of history finds them. */
const maxCommits = 500;

/**
 * Commits that were made in the working trees since the last call, found in their reflogs. None during a rebase, and none on the
 * first call, because earlier commits are history.
 */
export async function findNewCommits(
  memory: Memory,
  roots: readonly string[],
  signal?: AbortSignal,
): Promise<NewCommits> {
  const commits = new Map<string, NewCommit>();
  const positions = new Map<string, number>();
  const others = new Set<string>();
  let hasMore = false;
  for (const root of roots) {
    const directory = findGitDirectory(root);
    if (directory === null || isRebasing(directory)) continue;
    const since = memory.readMeta(seenUntil + root);
    const entries = await readReflogSince(
      root,
      since === null ? Number.POSITIVE_INFINITY : Number(since),
      signal,
    );
    if (entries.length === 0) {
      // Every later commit is new, the root commit first.
      if (since === null) positions.set(root, 0);
      continue;
    }
    positions.set(root, entries[0]!.at);
    if (since === null || entries.length > maxCommits) {
      hasMore = true;
      continue;
    }
    const known = readAttributedVersions(
      memory,
      entries.map(({ hash }) => hash),
    );
    const unknown = withBranches(entries, await askForBranch(root)).filter(({ hash }) => !known.has(hash));
    const kept = await findKeptCommits(
      root,
      unknown.filter(({ sort }) => sort === "rebased"),
      signal,
    );
    for (const { hash, at, branch, rewrittenFrom, sort } of unknown.reverse()) {
      if (sort === "other") others.add(hash);
      else if (sort === "made" || kept.has(hash)) commits.set(hash, { hash, at, branch, rewrittenFrom });
    }
  }
  const remember = () => {
    for (const [root, at] of positions) memory.setMeta(seenUntil + root, String(at));
  };
  const hasOthers = hasMore || [...others].some((hash) => !commits.has(hash));
  return { commits: [...commits.values()], hasOthers, remember };
}

/** The reflog's entries, newest first. Includes those of the same second as the last one processed, and at least one if any. */
async function readReflogSince(root: string, since: number, signal?: AbortSignal): Promise<ReflogEntry[]> {
  const entries: ReflogEntry[] = [];
  try {
    for await (const entry of readReflog(root, signal)) {
      if (entry.at < since && entries.length > 0) break;
      entries.push(entry);
      if (entries.length > maxCommits) break;
    }
  } catch (error) {
    // No commit yet, or no repository.
    if (!(error instanceof GitFailure) || error.reason === "not_installed") throw error;
  }
  return entries;
}

interface Sorted extends NewCommit {
  /** made: a commit that stays. rebased: it may be an intermediate one. other: somebody else's. */
  sort: "made" | "rebased" | "other";
}

/** Adds the branch of each entry. Goes back in time: the branch changes where HEAD moved from one to another. */
function withBranches(entries: readonly ReflogEntry[], branch: string | null): Sorted[] {
  let current = branch;
  return entries.map(({ hash, at, action }, index) => {
    const isAmend = action.startsWith("commit (amend)");
    const before = entries[index + 1]?.hash;
    const entry: Sorted = {
      hash,
      // git's times are whole seconds: messages within the same second count as earlier than the commit.
      at: at + 999,
      branch: current,
      rewrittenFrom: isAmend && before !== undefined ? [before] : [],
      sort: classifyReflogAction(action),
    };
    const [, from] = /^checkout: moving from (.+) to \S+$/.exec(action) ?? [];
    if (from !== undefined) current = /^[0-9a-f]{40,64}$/.test(from) ? null : from;
    return entry;
  });
}

function classifyReflogAction(action: string): Sorted["sort"] {
  if (/^(rebase|pull\b.*) ?\((pick|continue|reword|edit|squash|fixup)\)/.test(action)) return "rebased";
  if (/^(merge|pull)\b/.test(action)) return action.endsWith(": Fast-forward") ? "other" : "made";
  return /^(commit|cherry-pick|revert|am)\b/.test(action) ? "made" : "other";
}

/** Filters the commits of a rebase: keeps those that are on a branch, or checked out. */
async function findKeptCommits(
  root: string,
  commits: readonly NewCommit[],
  signal?: AbortSignal,
): Promise<Set<string>> {
  const kept = new Set<string>();
  if (commits.length === 0) return kept;
  const first = Math.min(...commits.map(({ at }) => at)) - 2000;
  const since = `--since=${new Date(first).toISOString()}`;
  for await (const { hash } of readCommits(root, ["--branches", since, "HEAD"], { signal })) kept.add(hash);
  return kept;
}
