import { basename } from "node:path";
import * as z from "zod/mini";
import { defaultAgent, statTranscript } from "../../agents/registry.ts";
import { findWaitingJob, listJobs } from "../../store/memory/jobs/job-rows.ts";
import { enqueue } from "../../store/memory/jobs/jobs.ts";
import type { Memory } from "../../store/memory/memory.ts";
import type { JobRecord } from "../../store/memory/memory-records.ts";
import { listUnreadSessions, ofOldLines } from "../../store/memory/privacy/secrets.ts";
import { findTranscriptByPath } from "../../store/memory/sessions/transcripts.ts";

/** Requests to the session memory, which are queued in it as jobs. */

/** Priorities; a smaller one runs earlier. Those of commits are in git-jobs.ts. */
export const priority = {
  asked: 5,
  live: 10,
  watched: 20,
  /** Before past sessions: somebody has just worked in it. */
  summary: 40,
  scrub: 50,
  /** A past session's `urgency` (`sortForReading`) is added. */
  import: 100,
  "deep-scrub": 140,
  "model-summary": 160,
  recut: 180,
  retain: 200,
} as const;

/** What a job that reads a transcript needs to know. */
export const transcriptPayload = z.object({
  agent: z.string(),
  /** Include sessions started outside of the project. */
  all_projects: z.optional(z.boolean()),
  /** Summarize the session now, even without new content. */
  generate_summary: z.optional(z.boolean()),
  /** Import of past sessions: they are summarized without a language model. */
  is_import: z.optional(z.boolean()),
});
type TranscriptPayload = z.infer<typeof transcriptPayload>;

/** Limits the urgency, so that all imports run before the jobs that follow from them. */
const maxUrgency = 30;

export interface TranscriptToRead extends Partial<TranscriptPayload> {
  priority?: number;
  /** For a past session: its urgency by `sortForReading`. */
  urgency?: number;
}

/** Queues the new lines of a transcript to be read. Past sessions come after current ones. */
export function askForReading(memory: Memory, path: string, asked: TranscriptToRead): void {
  const usual = asked.is_import ? priority.import + Math.min(asked.urgency ?? 0, maxUrgency) : priority.live;
  const waiting = findWaitingJob(memory, { kind: "transcript", subject: path })?.payload;
  const known = findTranscriptByPath(memory, path);
  const payload: TranscriptPayload = {
    agent: asked.agent ?? known?.agent ?? defaultAgent.name,
    // A smaller request does not cancel a larger one that is pending.
    ...(asked.all_projects || waiting?.all_projects ? { all_projects: true } : {}),
    ...(asked.generate_summary || waiting?.generate_summary ? { generate_summary: true } : {}),
    ...(asked.is_import && !(waiting && !waiting.is_import) ? { is_import: true } : {}),
  };
  const size = statTranscript(path)?.size ?? 0;
  const offset = known?.offset ?? 0;
  const total = offset <= size ? size - offset : size;
  enqueue(memory, {
    kind: "transcript",
    subject: path,
    payload,
    priority: asked.priority ?? usual,
    total,
  });
}

/** Jobs, waiting or running, that read transcripts of sessions whose ids, and so file names, begin with `id`. */
const listUnreadSessionFiles = (memory: Memory, id: string): JobRecord[] =>
  listJobs(memory).filter(
    ({ kind, subject, state }) =>
      kind === "transcript" && state !== "dead" && basename(subject).startsWith(id),
  );

/** Moves the reading of sessions to the front of the queue, because somebody waits. @returns the jobs that are not done yet */
export function askForSessions(memory: Memory, id: string): JobRecord[] {
  const unread = listUnreadSessionFiles(memory, id);
  for (const { kind, subject, payload, total, state } of unread)
    if (state === "pending") enqueue(memory, { kind, subject, payload, total, priority: priority.asked });
  return unread;
}

/** Whether a transcript has new lines. */
export function hasNews(
  memory: Memory,
  path: string,
  { size, mtimeMs }: { size: number; mtimeMs: number },
): boolean {
  const known = findTranscriptByPath(memory, path);
  return known === null || known.offset !== size || mtimeMs > known.readAt;
}

/**
 * Queues sessions that were stored earlier for the language model of `scrub.llm`.
 * @returns how many
 */
export function askForOldLines(memory: Memory): number {
  return memory.runInTransaction(() => {
    const sessions = listUnreadSessions(memory);
    for (const subject of sessions)
      enqueue(memory, {
        kind: "deep-scrub",
        subject,
        payload: ofOldLines,
        // New lines go first, because they cannot be searched until the model has read them.
        priority: priority["deep-scrub"] + 1,
      });
    return sessions.length;
  });
}

/** `with_llm`: asks the language model at once, not only when the session rests. */
export const summaryPayload = z.object({ with_llm: z.optional(z.boolean()) });

/** Queues one session for the language model to sum up, whatever else it is asked. */
export function askModelAbout(memory: Memory, session: string): void {
  enqueue(memory, { kind: "model-summary", subject: session, priority: priority["model-summary"] });
}

/** Queues the summary of a session, with a delay in milliseconds. */
export function askForSummary(
  memory: Memory,
  session: string,
  { afterMs, withLlm }: { afterMs: number; withLlm: boolean },
): void {
  const waiting = findWaitingJob(memory, { kind: "summary", subject: session })?.payload;
  enqueue(memory, {
    kind: "summary",
    subject: session,
    payload: { with_llm: withLlm || waiting?.with_llm === true },
    priority: priority.summary,
    ...(afterMs > 0 && { notBefore: Date.now() + afterMs }),
  });
}
