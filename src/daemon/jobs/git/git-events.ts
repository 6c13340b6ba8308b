import * as z from "zod/mini";
import { statTranscript } from "../../../agents/registry.ts";
import { gitDirectoryOf, isRebasing } from "../../../git/git-dir.ts";
import type { Config } from "../../../project/config/settings.ts";
import { type GitHookItem, gitHookItem, type SpoolItem } from "../../../protocol/spool-items.ts";
import { activeSessions } from "../../../store/memory/sessions/sessions-here.ts";
import type { MemoryWork } from "../memory-work.ts";
import { askForCommit, askForHistory, askForSync } from "./git-jobs.ts";

interface GitEventsOptions {
  work: Pick<MemoryWork, "bindsCommits" | "memory" | "hasNews" | "readOn" | "wake">;
  config: Config;
}

/** A session active this long before a commit may have led to it. Milliseconds. */
const atWorkMs = 1_800_000;

/** Records the events of git's hooks. */
export function gitHookEvents({ work, config }: GitEventsOptions): (item: SpoolItem) => Promise<void> {
  return async (item) => {
    const { hook, payload, received_at: at } = z.parse(gitHookItem, item);
    if (!work.bindsCommits) return;
    if (hook === "post-commit") committed(work, payload, at);
    else if (hook === "post-rewrite") rewritten(work, payload, at);
    else if (config["sync.on_push"] && payload.remote === config["sync.remote"]) {
      askForSync(work.memory, payload.remote);
    }
    work.wake();
  };
}

type Payload = GitHookItem["payload"];

function committed(work: GitEventsOptions["work"], { cwd, head, branch }: Payload, at: number): void {
  const directory = gitDirectoryOf(cwd);
  // Only the result of a rebase counts, and the hook at its end reports that.
  if (directory !== null && isRebasing(directory)) return;
  readSessions(work, at);
  if (head === undefined) askForHistory(work.memory);
  else askForCommit(work.memory, head, { seen: "hook", branch, at });
}

function rewritten(work: GitEventsOptions["work"], { rewritten: pairs = [] }: Payload, at: number): void {
  if (pairs.length === 0) return;
  const before = new Map<string, string[]>();
  for (const [old, now] of pairs) before.set(now, [...(before.get(now) ?? []), old]);
  readSessions(work, at);
  work.memory.inTransaction(() => {
    for (const [hash, rewrittenFrom] of before)
      askForCommit(work.memory, hash, { seen: "hook", rewrittenFrom, at });
  });
}

/** Unread transcripts may contain what led to a commit, so they are read first. */
function readSessions(work: GitEventsOptions["work"], at: number): void {
  for (const { paths } of activeSessions(work.memory, at - atWorkMs)) {
    for (const path of paths) {
      const file = statTranscript(path);
      if (file && work.hasNews(path, file)) work.readOn(path, {});
    }
  }
}
