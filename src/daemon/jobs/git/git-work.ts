import * as z from "zod/mini";
import { type Backfilled, backfill } from "../../../attribution/checkpoints/backfill.ts";
import { analyseOlder } from "../../../attribution/checkpoints/older-commits.ts";
import { recordCommit } from "../../../attribution/checkpoints/record-commit.ts";
import type { GitWork } from "../../../attribution/checkpoints/work.ts";
import { attributionVersion } from "../../../attribution/lines/types.ts";
import { GitFailure } from "../../../git/git.ts";
import type { Config } from "../../../project/config/settings.ts";
import type { Logger } from "../../../project/log.ts";
import type { Project } from "../../../project/paths.ts";
import type { Scrubber } from "../../../redact/scrubber.ts";
import { hasOlderVerdicts } from "../../../store/memory/commits/commits.ts";
import { waitingJob } from "../../../store/memory/jobs/job-rows.ts";
import type { Memory } from "../../../store/memory/memory.ts";
import type { JobRecord } from "../../../store/memory/memory-records.ts";
import { type JobRun, NotYet } from "../do-job.ts";
import { askForCommit, commitPayload, historyPayload } from "./git-jobs.ts";
import { type NewCommit, newCommits } from "./new-commits.ts";

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
    if (this.options.config["git.checkpoints"])
      await this.quietly(
        job.kind === "commit" ? this.recordCommit(job, run) : this.scanMissedCommits(job, run),
        run,
      );
    return 0;
  }

  /** Without git, or a repository, there are no commits. */
  private async quietly(work: Promise<void>, { signal }: JobRun): Promise<void> {
    try {
      await work;
    } catch (error) {
      if (signal.aborted || !(error instanceof GitFailure)) throw error;
      // A lock, a repository that is being repacked, or one that somebody has to repair.
      if (!/^(?:not_installed|no_repository|no_commits)$/.test(error.reason)) throw new NotYet(error.message);
      this.options.log.debug(`no commits: ${error.message}`);
    }
  }

  private work(): GitWork {
    const { project, memory, scrubber, roots, log } = this.options;
    return { project, memory, scrubber: scrubber(), roots: roots(), log };
  }

  private async recordCommit({ subject: hash, payload }: JobRecord, { signal }: JobRun): Promise<void> {
    const { settled, record = recordCommit, log } = this.options;
    const { seen, branch = null, rewrittenFrom = [], again = false } = z.parse(commitPayload, payload);
    await settled();
    const taken = await record(this.work(), hash, { seen, branch, rewrittenFrom, again }, signal);
    if (taken === null) return;
    log.debug(`commit ${hash}: ${taken.checkpoint ? `checkpoint ${taken.checkpoint.uid}` : "no session's"}`);
  }

  private async scanMissedCommits({ payload }: JobRecord, run: JobRun): Promise<void> {
    const { memory, record = recordCommit } = this.options;
    const { backfill: isWhole = false } = z.parse(historyPayload, payload);
    const { commits, remember, hasOthers } = await newCommits(memory, this.options.roots(), run.signal);
    const isRecent = ({ at }: NewCommit) => Date.now() - at < recentMs;
    for (const { hash, ...made } of commits.filter(isRecent)) {
      if (!waitingJob(memory, { kind: "commit", subject: hash }))
        askForCommit(memory, hash, { seen: "reflog", ...made });
    }
    const older = commits.filter((commit) => !isRecent(commit));
    for (const [done, { hash, branch, rewrittenFrom }] of older.entries()) {
      run.progress(done, older.length);
      run.signal.throwIfAborted();
      await record(this.work(), hash, { seen: "reflog", branch, rewrittenFrom }, run.signal);
    }
    const isOutdated =
      memory.meta(judgedBy) !== String(attributionVersion) && hasOlderVerdicts(memory, attributionVersion);
    if (isWhole || hasOthers || isOutdated) await this.backfill(run);
    if (isWhole) await this.analyseOlder(run);
    memory.setMeta(judgedBy, String(attributionVersion));
    remember();
  }

  private async analyseOlder({ signal, progress }: JobRun): Promise<void> {
    const { backfill: all = backfill } = this.options;
    await analyseOlder(this.work(), { signal, onProgress: progress }, all);
  }

  private async backfill({ signal, progress }: JobRun): Promise<void> {
    const { backfill: all = backfill, log } = this.options;
    const done: Backfilled = await all(this.work(), { signal, onProgress: progress });
    if (done.lookedAt > 0) {
      log.info(`analysed ${done.lookedAt} past commits; found ${done.checkpoints} checkpoints`);
    }
    // The rest continues in a later job.
    signal.throwIfAborted();
  }
}
