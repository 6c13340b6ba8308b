import * as z from "zod/mini";
import { defineOperation, nothing } from "../../answers/operation.ts";
import {
  count,
  lazy,
  numberOrNull,
  type Shaped,
  text,
  textOrNull,
  time,
} from "../../protocol/shape-parts.ts";

const jobsOfKind = lazy(() => z.object({ kind: text, jobs: count }));

const finishedFile = lazy(() =>
  z.object({
    path: text,
    chunks: count,
    /** Reading, parsing and embedding it, without waiting. */
    took_ms: z.number(),
    /** Why nothing of it is indexed, or null. */
    skipped: textOrNull,
    /** ISO 8601. */
    at: text,
  }),
);

export const queueStatus = lazy(() =>
  z.object({
    /** Files waiting or being worked on. */
    pending: count,
    /** Files finished since the queue was last empty, and how many it had in all. */
    done: count,
    total: count,
    /** A file being worked on. */
    processing: textOrNull,
    rate_chunks_per_sec: z.number(),
    /** null: too early to tell. */
    eta_seconds: numberOrNull,
    /** True when everything that was seen is searchable, sessions as well as code. */
    is_idle: z.boolean(),
    /** The same of code alone. */
    code_is_idle: z.boolean(),
    last_error: textOrNull,
    /** Newest first. */
    recent: z.array(finishedFile()),
  }),
);

export type QueueStatus = Shaped<typeof queueStatus>;

export const jobsStatus = lazy(() =>
  z.object({
    pending: count,
    /** The same by kind. */
    waiting: z._default(z.array(jobsOfKind()), []),
    running: z.array(
      z.object({
        kind: text,
        subject: text,
        done: count,
        total: count,
        /** What goes before it, of which there is most; null: nothing. */
        waits_for: z._default(z.nullable(jobsOfKind()), null),
      }),
    ),
    /** Failed, with the reason; `pm daemon queue retry`. */
    dead: z.array(z.object({ id: count, kind: text, subject: text, attempts: count, error: textOrNull })),
    rate_chunks_per_sec: z.number(),
    eta_seconds: numberOrNull,
    /** Everything that was seen is searchable; summaries may still wait for their sessions to fall quiet. */
    is_idle: z.boolean(),
    /** Newest first. */
    recent: z.array(
      z.object({
        kind: text,
        subject: text,
        outcome: z.enum(["done", "dead", "gone"]),
        chunks: count,
        took_ms: count,
        at: time,
      }),
    ),
  }),
);

export type JobsStatus = Shaped<typeof jobsStatus>;

/** The queue of code, and that of sessions. */
export const queueResponse = lazy(() =>
  z.extend(queueStatus(), {
    sessions: jobsStatus(),
    /** Sessions from before Pommel was installed, for `pm import`; null while the search for them runs. */
    past: z.nullable(z.object({ sessions: count, bytes: count, agents: z.optional(z.array(text)) })),
  }),
);

export type QueueResponse = Shaped<typeof queueResponse>;

export const retryRequest = lazy(() =>
  z.object({
    /** Of dead jobs; left out: all. */
    ids: z.optional(z.array(count)),
    /** Remove them instead. */
    drop: z.optional(z.boolean()),
  }),
);

export const retryResponse = lazy(() => z.object({ jobs: count }));

export const showQueue = defineOperation({
  name: "queue",
  path: "GET /queue",
  summary: "Show pending and failed jobs",
  of: "project",
  audited: false,
  looks: true,
  request: nothing,
  response: queueResponse,
  answer: async () => (await import("./answer.ts")).showQueue,
});

export const retryJobs = defineOperation({
  name: "retry",
  path: "POST /queue/retry",
  summary: "Retry or discard failed jobs",
  of: "project",
  changes: true,
  request: retryRequest,
  response: retryResponse,
  answer: async () => (await import("./answer.ts")).retryJobs,
});
