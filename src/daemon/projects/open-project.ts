import { shareOpenMemory } from "../../answers/open.ts";
import type { Config } from "../../base/config/settings.ts";
import { getErrorMessage } from "../../base/errors.ts";
import type { Logger } from "../../base/log.ts";
import type { Project } from "../../base/paths.ts";
import { loadRecordingConfig } from "../../git/projects/recorded.ts";
import { listProjectRoots } from "../../git/projects/roots.ts";
import type { Embedder } from "../../models/embed/embedder.ts";
import { makeAgentHookHandler } from "../hook-events.ts";
import { GitWatch, makeGitHookHandler } from "../jobs/git-events.ts";
import { MemoryReport } from "../jobs/memory-report.ts";
import { MemoryWork } from "../jobs/memory-work.ts";
import type { JobThreads } from "../jobs/threads/job-threads.ts";
import type { SpoolHandlers } from "../spool.ts";
import { ProjectTranscripts } from "../watch/project-transcripts.ts";
import { pollSeconds } from "../watch/subscribe.ts";
import { HookPartsReady } from "./hook-parts-ready.ts";

/** How long the analysis of commits waits, because whoever opens a project wants an answer first. Milliseconds. */
const answersFirstMs = 2500;

interface OpenProjectOptions {
  /** The project, as seen from the checkout that was opened first. */
  project: Project;
  config: Config;
  /** The bundled model, if code is searched with it. */
  bundled: Embedder | null;
  /** Called when an agent or git was at work. */
  onNews: () => void;
  /** Called when a hook named a transcript, which may lie outside of the watched directories. */
  onTranscript: (path: string) => void;
  /** Called when HEAD of one of the checkouts may have moved. */
  onHeadChanged: () => void;
  /** Resolves when the observations in the project's checkouts are stored. */
  settled: () => Promise<void>;
  /** The threads that read transcripts. */
  threads: JobThreads;
  log: Logger;
}

/** A project whose memory is open, with all that works on it, for all of its checkouts that are in use. */
export class OpenProject {
  readonly config: Config;
  readonly memoryWork: MemoryWork;
  readonly report: MemoryReport;
  readonly transcripts: ProjectTranscripts;
  /** What hooks read for all of its checkouts. */
  readonly hookParts: HookPartsReady;
  /** Handles the items that hooks left in the spool. */
  readonly onSpool: Pick<SpoolHandlers, "agent-hook" | "git-hook">;
  /** Its checkouts and worktrees, as they are now. */
  readonly roots = (): readonly string[] => this.known;
  private readonly stopping = new AbortController();
  private readonly gitWatch: GitWatch;
  private readonly unshare: () => void;
  private known: readonly string[];
  private isWatching = false;

  constructor(private readonly options: OpenProjectOptions) {
    this.config = options.config;
    const { project, config, bundled, settled, threads, log } = options;
    this.known = [project.root];
    const { roots } = this;
    const rootsFound = this.findRoots().catch((error: unknown) =>
      log.debug(`worktrees: ${getErrorMessage(error)}`),
    );
    this.hookParts = new HookPartsReady({ project, config, log });
    const follow = () => this.hookParts.follow();
    const work = new MemoryWork({
      project,
      config,
      roots,
      rootsFound,
      bundled,
      settled,
      threads,
      onStored: follow,
      log,
    });
    this.memoryWork = work;
    this.report = new MemoryReport({ project, config, work });
    this.transcripts = new ProjectTranscripts({
      work,
      project,
      roots,
      log,
      pollSeconds,
      findRoots: () => this.findRoots(),
      onNews: () => {
        follow();
        options.onNews();
      },
    });
    this.gitWatch = new GitWatch({
      roots,
      onHeadChanged: () => {
        work.scanMissedCommits();
        follow();
        options.onHeadChanged();
      },
    });
    this.onSpool = {
      "agent-hook": makeAgentHookHandler({
        work,
        roots,
        scrubbing: () => work.getScrubbingWork(),
        onTranscript: options.onTranscript,
        onEvent: follow,
        stop: this.stopping.signal,
      }),
      "git-hook": makeGitHookHandler({ work, config }),
    };
    this.unshare = shareOpenMemory(project.memoryDb, work);
  }

  /** Whether recording is on or off as the settings now say. */
  isRecordingAsConfigured(): boolean {
    const { config } = loadRecordingConfig(this.options.project);
    return config["sessions.capture"] === this.config["sessions.capture"];
  }

  async findRoots(): Promise<void> {
    this.known = await listProjectRoots(this.options.project.root, this.stopping.signal);
  }

  /** Starts to watch sessions and commits, and catches up with what was missed. */
  watch(): void {
    if (this.isWatching) return;
    this.isWatching = true;
    const { log } = this.options;
    this.transcripts
      .begin()
      .catch((error: unknown) => log.error(`cannot watch sessions: ${getErrorMessage(error)}`));
    this.gitWatch.begin();
    this.memoryWork.scanMissedCommits({ afterMs: answersFirstMs });
  }

  /** Analyses the remaining commits. Called once the project's code can be searched. */
  analyseHistory(): void {
    if (!this.stopping.signal.aborted)
      this.memoryWork.scanMissedCommits({ backfill: true, afterMs: answersFirstMs });
  }

  async close(): Promise<void> {
    this.gitWatch.close();
    await this.transcripts.close();
    this.stopping.abort();
    await this.hookParts.close();
    this.unshare();
    await this.memoryWork.close();
  }
}
