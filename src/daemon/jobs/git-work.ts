import * as z from "zod/mini";
import {
  analyseOlder,
  type Backfilled,
  backfill,
  recordAsked,
} from "../../attribution/checkpoints/backfill.ts";
import { recordCommit } from "../../attribution/checkpoints/record-commit.ts";
import type { GitWork } from "../../attribution/checkpoints/work.ts";
import { attributionVersion } from "../../attribution/lines/verdict.ts";
import type { Config } from "../../base/config/settings.ts";
import type { Logger } from "../../base/log.ts";
import type { Project } from "../../base/paths.ts";
import { GitFailure } from "../../git/git.ts";
import { findGitDirectory, isRebasing } from "../../git/git-dir.ts";
import { type ReflogEntry, readCommits, readReflog } from "../../git/history/commits.ts";
import { askForBranch } from "../../git/history/head.ts";
import type { Scrubber } from "../../redact/scrubber.ts";
import { retitleByCommits } from "../../sessions/summaries/retitle.ts";
import { hasOlderVerdicts, readAttributedVersions } from "../../store/memory/commits/commits.ts";
import { findWaitingJob } from "../../store/memory/jobs/job-rows.ts";
import type { Memory } from "../../store/memory/memory.ts";
import type { JobRecord } from "../../store/memory/memory-records.ts";
import { findHistoryStart } from "../../store/memory/sessions/sessions-here.ts";
import { type JobRun, NotYet } from "./do-job.ts";
import { askForCommit, commitPayload, historyPayload } from "./git-jobs.ts";

/** A commit made here that no hook reported. */
interface NewCommit {
  hash: string;
  /** When it was made. Milliseconds since the epoch. */
  at: number;
  branch: string | null;
  rewrittenFrom: string[];
}

interface NewCommits {
  /** The earliest first. */
  commits: NewCommit[];
  /** HEAD also moved to unknown commits that were not made here: pulled, say. */
  hasOthers: boolean;
  /** Notes that all of these were seen to. */
  remember: () => void;
}

/** Of `meta`, with the worktree's root behind it: until when its reflog was seen to. */
const seenUntil = "git.reflog ";
/** More are left to going over history. */
const maxCommits = 500;

/**
 * Commits made in the working trees since the last call, by their reflogs. During a rebase none, until it ends. None on
 * the first call: that is history.
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

/** Newest first, at least one if there is any, including those of the same second as the last one processed. */
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
  /** made: one that stays; rebased: it may have been one on the way; other: somebody else's. */
  sort: "made" | "rebased" | "other";
}

/** Going back in time, what is checked out changes where HEAD moved from a branch to another. */
function withBranches(entries: readonly ReflogEntry[], branch: string | null): Sorted[] {
  let current = branch;
  return entries.map(({ hash, at, action }, index) => {
    const isAmend = action.startsWith("commit (amend)");
    const before = entries[index + 1]?.hash;
    const entry: Sorted = {
      hash,
      // git has whole seconds; messages within this one count as earlier.
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

export interface GitJobsOptions {
  project: Project;
  config: Config;
  memory: Memory;
  scrubber: () => Scrubber;
  roots: () => readonly string[];
  /** Resolves when the file observations so far are stored. */
  settled: () => Promise<void>;
  log: Logger;
  /** For tests. */
  record?: typeof recordCommit;
  backfill?: typeof backfill;
}

/** Everything that led to an older commit has been read. Milliseconds. */
const recentMs = 900_000;

/** Of `meta`: the version of the attribution whose rules all commits were judged by that can be. */
const judgedBy = "attribution.version";

/** Does the jobs that are about commits. */
export class GitJobs {
  constructor(private readonly options: GitJobsOptions) {}

  /** @returns 0: commits are no chunks */
  async run(job: JobRecord, run: JobRun): Promise<number> {
    if (this.options.config["sessions.capture"])
      await this.tolerateGitFailure(
        job.kind === "commit" ? this.recordCommit(job, run) : this.scanMissedCommits(job, run),
        run,
      );
    return 0;
  }

  /** Without git, or a repository, there are no commits. */
  private async tolerateGitFailure(work: Promise<void>, { signal }: JobRun): Promise<void> {
    try {
      await work;
    } catch (error) {
      if (signal.aborted || !(error instanceof GitFailure)) throw error;
      // A lock, a repository that is being repacked, or one that somebody has to repair.
      if (!/^(?:not_installed|no_repository|no_commits)$/.test(error.reason)) throw new NotYet(error.message);
      this.options.log.debug(`no commits: ${error.message}`);
    }
  }

  private buildGitWork(): GitWork {
    const { project, memory, scrubber, roots, log } = this.options;
    return { project, memory, scrubber: scrubber(), roots: roots(), log };
  }

  private async recordCommit({ subject: hash, payload }: JobRecord, { signal }: JobRun): Promise<void> {
    const { settled, record = recordCommit, log } = this.options;
    const { seen, branch = null, rewrittenFrom = [], again = false } = z.parse(commitPayload, payload);
    await settled();
    const taken = await record(this.buildGitWork(), hash, { seen, branch, rewrittenFrom, again }, signal);
    if (taken === null) return;
    log.debug(`commit ${hash}: ${taken.checkpoint ? `checkpoint ${taken.checkpoint.uid}` : "no session's"}`);
  }

  private async scanMissedCommits({ payload }: JobRecord, run: JobRun): Promise<void> {
    const { memory, record = recordCommit } = this.options;
    const { backfill: isWhole = false, asked } = z.parse(historyPayload, payload);
    if (asked !== undefined) return recordAsked(this.buildGitWork(), asked, run.signal);
    const { commits, remember, hasOthers } = await findNewCommits(memory, this.options.roots(), run.signal);
    const isRecent = ({ at }: NewCommit) => Date.now() - at < recentMs;
    for (const { hash, ...made } of commits.filter(isRecent)) {
      if (!findWaitingJob(memory, { kind: "commit", subject: hash }))
        askForCommit(memory, hash, { seen: "reflog", ...made });
    }
    const older = commits.filter((commit) => !isRecent(commit));
    for (const [done, { hash, branch, rewrittenFrom }] of older.entries()) {
      run.progress(done, older.length);
      run.signal.throwIfAborted();
      await record(this.buildGitWork(), hash, { seen: "reflog", branch, rewrittenFrom }, run.signal);
    }
    const isOutdated =
      memory.readMeta(judgedBy) !== String(attributionVersion) &&
      hasOlderVerdicts(memory, attributionVersion);
    if (isWhole || hasOthers || isOutdated) await this.backfill(run);
    // Where no session is known, none can have led to a commit.
    if (isWhole && findHistoryStart(memory) !== null) await this.analyseOlder(run);
    memory.setMeta(judgedBy, String(attributionVersion));
    remember();
  }

  private async analyseOlder({ signal, progress }: JobRun): Promise<void> {
    const { backfill: all = backfill } = this.options;
    await analyseOlder(this.buildGitWork(), { signal, onProgress: progress }, all);
  }

  private async backfill({ signal, progress }: JobRun): Promise<void> {
    const { backfill: all = backfill, log } = this.options;
    const done: Backfilled = await all(this.buildGitWork(), { signal, onProgress: progress });
    if (done.lookedAt > 0) {
      log.info(`analysed ${done.lookedAt} past commits; found ${done.checkpoints} checkpoints`);
      retitleByCommits(this.options.memory);
    }
    // The rest continues in a later job.
    signal.throwIfAborted();
  }
}
