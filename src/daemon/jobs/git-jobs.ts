import * as z from "zod/mini";
import { listCommitsSince } from "../../store/memory/commits/commits.ts";
import { findWaitingJob, isJobUnfinished } from "../../store/memory/jobs/job-rows.ts";
import { enqueue } from "../../store/memory/jobs/jobs.ts";
import type { Memory } from "../../store/memory/memory.ts";
import type { CommitSeen } from "../../store/memory/memory-records.ts";

/** Payloads and requests of git jobs. A smaller priority runs earlier. */
const gitPriority = { asked: 5, commit: 30, history: 160, sync: 170 } as const;

export const commitPayload = z.object({
  seen: z.enum(["hook", "reflog"]),
  branch: z.optional(z.nullable(z.string())),
  rewrittenFrom: z.optional(z.array(z.string())),
  /** When it was made. Milliseconds since the epoch. */
  at: z.optional(z.number()),
  /** A second look, because more is known now. */
  again: z.optional(z.boolean()),
});
type CommitPayload = z.infer<typeof commitPayload>;

export const historyPayload = z.object({
  /** Scan all of history, not just where HEAD has been since the last time. */
  backfill: z.optional(z.boolean()),
  /** Only these commits: somebody asks about them. */
  asked: z.optional(z.array(z.string())),
});

/** The file watcher's observations for a commit arrive a little later. Milliseconds. */
const flushMs = 1000;
/** A working agent writes every other second, so a commit is analysed again only in a pause. Milliseconds. */
const pauseMs = 4000;
/** Maximum lead of a prompt's hook over the transcript lines before it. Milliseconds. */
const lagMs = 60_000;
/** If there are more commits than this, the scan of history finds them. */
const maxCommits = 20;

/** A new commit. Repeated requests for one commit are merged. */
interface CommitMade {
  seen: Extract<CommitSeen, "hook" | "reflog">;
  branch?: string | null | undefined;
  rewrittenFrom?: readonly string[] | undefined;
  /** Milliseconds since the epoch. */
  at: number;
}

/** Queues the import of a commit. */
export function askForCommit(memory: Memory, hash: string, made: CommitMade): void {
  const waiting = findWaitingJob(memory, { kind: "commit", subject: hash });
  const before = waiting && z.safeParse(commitPayload, waiting.payload).data;
  const rewrittenFrom = [...new Set([...(before?.rewrittenFrom ?? []), ...(made.rewrittenFrom ?? [])])];
  const branch = made.branch ?? before?.branch;
  const payload: CommitPayload = {
    seen: made.seen === "hook" ? "hook" : (before?.seen ?? made.seen),
    at: Math.min(before?.at ?? made.at, made.at),
    ...(branch != null && { branch }),
    ...(rewrittenFrom.length > 0 && { rewrittenFrom }),
    // The commit was also reported another way, and messages that belong to it have arrived since.
    ...(before?.again && { again: true }),
  };
  enqueue(memory, {
    kind: "commit",
    subject: hash,
    payload,
    priority: gitPriority.commit,
    notBefore: Date.now() + flushMs,
  });
}

/**
 * Transcripts lag behind what their agents do. When messages later than `since` arrive, queues another analysis of the
 * commits since then that were analysed without them. Milliseconds since the epoch.
 */
export function askForLate(memory: Memory, since: number): void {
  const hashes = listCommitsSince(memory, since - lagMs, maxCommits + 1);
  if (hashes.length > maxCommits) {
    askForHistory(memory, { backfill: true, afterMs: pauseMs });
    return;
  }
  for (const hash of hashes) {
    const waiting = findWaitingJob(memory, { kind: "commit", subject: hash });
    const before = waiting && z.safeParse(commitPayload, waiting.payload).data;
    // Keep the time of a first report that waits. Without `again`, it would skip a commit that was found meanwhile.
    const isFirstReport = waiting !== null && before?.again !== true;
    const payload: CommitPayload = { seen: "reflog", ...before, again: true };
    const notBefore = isFirstReport ? waiting.notBefore : Date.now() + pauseMs;
    enqueue(memory, { kind: "commit", subject: hash, payload, priority: gitPriority.commit, notBefore });
  }
}

/** Queues a scan for commits that no hook reported. */
export function askForHistory(
  memory: Memory,
  { backfill = false, afterMs = 0 }: { backfill?: boolean; afterMs?: number } = {},
): void {
  const waiting = findWaitingJob(memory, { kind: "history", subject: "commits" });
  enqueue(memory, {
    kind: "history",
    subject: "commits",
    payload: backfill || waiting?.payload.backfill === true ? { backfill: true } : {},
    priority: gitPriority.history,
    ...(afterMs > 0 && { notBefore: Date.now() + afterMs }),
  });
}

/** The job that analyses the commits which somebody asks about. */
const asked = { kind: "history", subject: "asked" } as const;

/** Queues the analysis of commits before everything else: somebody waits for it. */
export function askForCommits(memory: Memory, hashes: readonly string[]): void {
  memory.runInTransaction(() => {
    const before = findWaitingJob(memory, asked);
    const waiting = before === null ? [] : (z.parse(historyPayload, before.payload).asked ?? []);
    const payload: z.infer<typeof historyPayload> = { asked: [...new Set([...waiting, ...hashes])] };
    enqueue(memory, { ...asked, payload, priority: gitPriority.asked });
  });
}

/** Whether commits that somebody asks about are still to be analysed. */
export const areCommitsAsked = (memory: Memory): boolean => isJobUnfinished(memory, asked);

/** Queues a sync of the memory through a remote. */
export function askForSync(memory: Memory, remote: string): void {
  enqueue(memory, { kind: "sync", subject: remote, priority: gitPriority.sync });
}
