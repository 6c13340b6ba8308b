import * as z from "zod/mini";
import type { Backfilled, backfill } from "../../attribution/checkpoints/backfill.ts";
import type { recordCommit } from "../../attribution/checkpoints/record-commit.ts";
import type { GitWork } from "../../attribution/checkpoints/work.ts";
import { attributionVersion } from "../../attribution/lines/verdict.ts";
import type { Config } from "../../base/config/settings.ts";
import type { Logger } from "../../base/log.ts";
import type { Project } from "../../base/paths.ts";
import { GitFailure } from "../../git/git.ts";
import type { Scrubber } from "../../redact/scrubber.ts";
import { hasOlderVerdicts } from "../../store/memory/commits/commits.ts";
import { findWaitingJob } from "../../store/memory/jobs/job-rows.ts";
import type { Memory } from "../../store/memory/memory.ts";
import type { JobRecord } from "../../store/memory/memory-records.ts";
import { findHistoryStart } from "../../store/memory/sessions/sessions-here.ts";
import { type JobRun, NotYet } from "./do-job.ts";
import { askForCommit, commitPayload, historyPayload } from "./git-jobs.ts";
import { findNewCommits, type NewCommit } from "./new-commits.ts";

interface GitJobsOptions {
  project: Project;
  config: Config;
  memory: Memory;
  /** Makes the scrubber when the first commit is recorded: making it takes longer than finding out that no commit is new. */
  scrubber: () => Promise<Scrubber>;
  roots: () => readonly string[];
  /** Resolves when the file observations so far are stored. */
  settled: () => Promise<void>;
  log: Logger;
  /** For tests. */
  record?: typeof recordCommit;
  backfill?: typeof backfill;
}

/** The transcripts of what led to a commit older than this have all been read. Milliseconds. */
const recentMs = 900_000;

/** A key in `meta`: the version of the attribution by which all commits that can be judged were judged. */
const judgedBy = "attribution.version";

/** Loads the analysis late: each daemon looks for new commits when it starts, and mostly finds none. */
const loadBackfill = () => import("../../attribution/checkpoints/backfill.ts");
const loadRecord = async () => (await import("../../attribution/checkpoints/record-commit.ts")).recordCommit;

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

  /** Ignores a missing git or repository: then there are no commits. */
  private async tolerateGitFailure(work: Promise<void>, { signal }: JobRun): Promise<void> {
    try {
      await work;
    } catch (error) {
      if (signal.aborted || !(error instanceof GitFailure)) throw error;
      // The repository is locked, is being repacked, or needs a repair.
      if (!/^(?:not_installed|no_repository|no_commits)$/.test(error.reason)) throw new NotYet(error.message);
      this.options.log.debug(`no commits: ${error.message}`);
    }
  }

  private async buildGitWork(): Promise<GitWork> {
    const { project, memory, scrubber, roots, log } = this.options;
    return { project, memory, scrubber: await scrubber(), roots: roots(), log };
  }

  private async recordCommit({ subject: hash, payload }: JobRecord, { signal }: JobRun): Promise<void> {
    const { settled, record = await loadRecord(), log } = this.options;
    const { seen, branch = null, rewrittenFrom = [], again = false } = z.parse(commitPayload, payload);
    await settled();
    const taken = await record(
      await this.buildGitWork(),
      hash,
      { seen, branch, rewrittenFrom, again },
      signal,
    );
    if (taken === null) return;
    log.debug(`commit ${hash}: ${taken.checkpoint ? `checkpoint ${taken.checkpoint.uid}` : "no session's"}`);
  }

  private async scanMissedCommits({ payload }: JobRecord, run: JobRun): Promise<void> {
    const { memory } = this.options;
    const { backfill: isWhole = false, asked } = z.parse(historyPayload, payload);
    if (asked !== undefined) {
      const { recordAsked } = await loadBackfill();
      return recordAsked(await this.buildGitWork(), asked, run.signal);
    }
    const { commits, remember, hasOthers } = await findNewCommits(memory, this.options.roots(), run.signal);
    const isRecent = ({ at }: NewCommit) => Date.now() - at < recentMs;
    for (const { hash, ...made } of commits.filter(isRecent)) {
      if (!findWaitingJob(memory, { kind: "commit", subject: hash }))
        askForCommit(memory, hash, { seen: "reflog", ...made });
    }
    const older = commits.filter((commit) => !isRecent(commit));
    for (const [done, { hash, branch, rewrittenFrom }] of older.entries()) {
      const { record = await loadRecord() } = this.options;
      run.progress(done, older.length);
      run.signal.throwIfAborted();
      await record(await this.buildGitWork(), hash, { seen: "reflog", branch, rewrittenFrom }, run.signal);
    }
    const isOutdated =
      memory.readMeta(judgedBy) !== String(attributionVersion) &&
      hasOlderVerdicts(memory, attributionVersion);
    // Without sessions, none can have led to a commit.
    const hasSessions = findHistoryStart(memory) !== null;
    if (hasSessions && (isWhole || hasOthers || isOutdated)) await this.backfill(run);
    if (hasSessions && isWhole) await this.analyseOlder(run);
    memory.setMeta(judgedBy, String(attributionVersion));
    remember();
  }

  private async analyseOlder({ signal, progress }: JobRun): Promise<void> {
    const { analyseOlder, backfill } = await loadBackfill();
    const { backfill: all = backfill } = this.options;
    await analyseOlder(await this.buildGitWork(), { signal, onProgress: progress }, all);
  }

  private async backfill({ signal, progress }: JobRun): Promise<void> {
    const { backfill: all = (await loadBackfill()).backfill, log } = this.options;
    const done: Backfilled = await all(await this.buildGitWork(), { signal, onProgress: progress });
    if (done.lookedAt > 0) {
      log.info(`analysed ${done.lookedAt} past commits; found ${done.checkpoints} checkpoints`);
      const { retitleByCommits } = await import("../../sessions/summaries/retitle.ts");
      retitleByCommits(this.options.memory);
    }
    // The rest continues in a later job.
    signal.throwIfAborted();
  }
}
