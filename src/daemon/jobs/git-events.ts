import { statSync } from "node:fs";
import * as z from "zod/mini";
import { statTranscript } from "../../agents/registry.ts";
import type { Config } from "../../base/config/settings.ts";
import { addTo } from "../../base/multimap.ts";
import { findGitDirectory, isRebasing, locateHeadLog } from "../../git/git-dir.ts";
import { type GitHookItem, gitHookItem, type SpoolItem } from "../../protocol/spool-items.ts";
import { listActiveSessions } from "../../store/memory/sessions/sessions-here.ts";
import { askForCommit, askForHistory, askForSync } from "./git-jobs.ts";
import type { MemoryWork } from "./memory-work.ts";

interface GitWatchOptions {
  roots: () => readonly string[];
  /** HEAD of a worktree may have moved. */
  onHeadChanged: () => void;
  /** How often to look. Milliseconds. */
  pollIntervalMs?: number;
}

/** Detects commits that no hook reported: polls the reflogs of HEAD, without running git. */
export class GitWatch {
  private readonly stamps = new Map<string, string>();
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly options: GitWatchOptions) {}

  /** Starts to watch. Everything up to now counts as handled. */
  begin(): void {
    this.hasMoved();
    this.timer = setInterval(() => this.look(), this.options.pollIntervalMs ?? 10_000).unref();
  }

  look(): void {
    if (this.hasMoved()) this.options.onHeadChanged();
  }

  close(): void {
    clearInterval(this.timer);
  }

  private hasMoved(): boolean {
    let hasMoved = false;
    for (const root of this.options.roots()) {
      const directory = findGitDirectory(root);
      // During a rebase, no commit is final.
      if (directory === null || isRebasing(directory)) continue;
      const { mtimeMs, size } = statSync(locateHeadLog(directory), { throwIfNoEntry: false }) ?? {};
      const stamp = `${mtimeMs}/${size}`;
      if (this.stamps.get(root) !== stamp) hasMoved = true;
      this.stamps.set(root, stamp);
    }
    return hasMoved;
  }
}

interface GitEventsOptions {
  work: Pick<MemoryWork, "bindsCommits" | "memory" | "hasNews" | "readOn" | "wake">;
  config: Config;
}

/** A session active this long before a commit may have led to it. Milliseconds. */
const atWorkMs = 1_800_000;

/** Records the events of git's hooks. */
export function makeGitHookHandler({ work, config }: GitEventsOptions): (item: SpoolItem) => Promise<void> {
  return async (item) => {
    const { hook, payload, received_at: at } = z.parse(gitHookItem, item);
    if (!work.bindsCommits) return;
    if (hook === "post-commit") recordCommit(work, payload, at);
    else if (hook === "post-rewrite") recordRewrite(work, payload, at);
    else if (config["sync.on_push"] && payload.remote === config["sync.remote"]) {
      askForSync(work.memory, payload.remote);
    }
    work.wake();
  };
}

type Payload = GitHookItem["payload"];

function recordCommit(work: GitEventsOptions["work"], { cwd, head, branch }: Payload, at: number): void {
  const directory = findGitDirectory(cwd);
  // Only the result of a rebase counts, and the hook at its end reports that.
  if (directory !== null && isRebasing(directory)) return;
  readSessions(work, at);
  if (head === undefined) askForHistory(work.memory);
  else askForCommit(work.memory, head, { seen: "hook", branch, at });
}

function recordRewrite(work: GitEventsOptions["work"], { rewritten: pairs = [] }: Payload, at: number): void {
  if (pairs.length === 0) return;
  const before = new Map<string, string[]>();
  for (const [old, now] of pairs) addTo(before, now, old);
  readSessions(work, at);
  work.memory.runInTransaction(() => {
    for (const [hash, rewrittenFrom] of before)
      askForCommit(work.memory, hash, { seen: "hook", rewrittenFrom, at });
  });
}

/** Unread transcripts may contain what led to a commit, so they are read first. */
function readSessions(work: GitEventsOptions["work"], at: number): void {
  for (const { paths } of listActiveSessions(work.memory, at - atWorkMs)) {
    for (const path of paths) {
      const file = statTranscript(path);
      if (file && work.hasNews(path, file)) work.readOn(path, {});
    }
  }
}
