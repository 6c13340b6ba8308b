import * as z from "zod/mini";
import type { CommitSeen } from "../store/git-records.ts";
import { waitingJob } from "../store/memory/job-rows.ts";
import { enqueue } from "../store/memory/jobs.ts";
import type { Memory } from "../store/memory/memory.ts";

/** What the jobs of git's side need to know, and how they are asked for. Smaller is earlier. */
export const gitPriority = { commit: 30, history: 160, sync: 170 } as const;

export const commitPayload = z.object({
  seen: z.enum(["hook", "reflog"]),
  branch: z.optional(z.nullable(z.string())),
  rewrittenFrom: z.optional(z.array(z.string())),
  /** When it was made. Milliseconds since the epoch. */
  at: z.number(),
  /** How often it was looked at. */
  tries: z.optional(z.number()),
  /** What was known of the sessions at work when it was looked at last. */
  heard: z.optional(z.string()),
});
export type CommitPayload = z.infer<typeof commitPayload>;

export const historyPayload = z.object({
  /** All of history is gone over, not just where HEAD has been since the last time. */
  backfill: z.optional(z.boolean()),
});

/** What the file watcher saw when the commit was made comes a little later. Milliseconds. */
const settleMs = 1000;

/** A commit that was made. Asked for twice, what is known of it adds up. */
export interface CommitMade {
  seen: Extract<CommitSeen, "hook" | "reflog">;
  branch?: string | null | undefined;
  rewrittenFrom?: readonly string[] | undefined;
  /** Milliseconds since the epoch. */
  at: number;
}

/** Lets a commit be taken in. */
export function askForCommit(memory: Memory, hash: string, made: CommitMade): void {
  const waiting = waitingJob(memory, { kind: "commit", subject: hash });
  const before = waiting && z.safeParse(commitPayload, waiting.payload).data;
  const rewrittenFrom = [...new Set([...(before?.rewrittenFrom ?? []), ...(made.rewrittenFrom ?? [])])];
  const branch = made.branch ?? before?.branch;
  const payload: CommitPayload = {
    seen: made.seen === "hook" ? "hook" : (before?.seen ?? made.seen),
    at: before ? Math.min(before.at, made.at) : made.at,
    ...(branch != null && { branch }),
    ...(rewrittenFrom.length > 0 && { rewrittenFrom }),
  };
  enqueue(memory, {
    kind: "commit",
    subject: hash,
    payload,
    priority: gitPriority.commit,
    notBefore: Date.now() + settleMs,
  });
}

/** Lets a commit be looked at again. */
export function askAgain(memory: Memory, hash: string, payload: CommitPayload, afterMs: number): void {
  // Who asked for it meanwhile asks for more.
  if (waitingJob(memory, { kind: "commit", subject: hash })) return;
  enqueue(memory, {
    kind: "commit",
    subject: hash,
    payload,
    priority: gitPriority.commit,
    notBefore: Date.now() + afterMs,
  });
}

/** Lets commits be caught up on that nobody told of. */
export function askForHistory(
  memory: Memory,
  { backfill = false, afterMs = 0 }: { backfill?: boolean; afterMs?: number } = {},
): void {
  const waiting = waitingJob(memory, { kind: "history", subject: "commits" });
  enqueue(memory, {
    kind: "history",
    subject: "commits",
    payload: backfill || waiting?.payload.backfill === true ? { backfill: true } : {},
    priority: gitPriority.history,
    ...(afterMs > 0 && { notBefore: Date.now() + afterMs }),
  });
}

/** Lets the memory be shared through a remote. */
export function askForSync(memory: Memory, remote: string): void {
  enqueue(memory, { kind: "sync", subject: remote, priority: gitPriority.sync });
}
