import * as z from "zod/mini";
import type { Shaped } from "./shape-parts.ts";
import { count, lazy, numberOrNull, text, textOrNull, time } from "./shape-parts.ts";

const jobsOfKind = lazy(() => z.object({ kind: text, jobs: count }));

const finishedFile = lazy(() =>
  z.object({
    path: text,
    chunks: count,
    /** The time to read, parse and embed the file, without waiting. */
    took_ms: z.number(),
    /** Why the file is not indexed, or null. */
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
    /** True if everything seen so far is searchable, sessions as well as code. */
    is_idle: z.boolean(),
    /** The same for code alone. */
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
    waiting: z.array(jobsOfKind()),
    running: z.array(
      z.object({
        kind: text,
        subject: text,
        done: count,
        total: count,
        /** The most numerous kind of jobs that go before this one; null: none do. */
        waits_for: z.nullable(jobsOfKind()),
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
