import * as z from "zod/mini";
import { defineLocalOperation } from "../../answers/local-operation.ts";
import { defineOperation, nothing } from "../../answers/operation.ts";
import { jobsStatus, queueStatus } from "../../protocol/queue.ts";
import { count, field, lazy, type Shaped, text } from "../../protocol/shape-parts.ts";

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
    ids: field("the ids of failed jobs (default: all failed jobs)", z.array(count)),
    drop: field("remove them instead of trying again", z.boolean()),
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

/** Looks whether a daemon runs, and what it is at. */
export const readRunning = defineLocalOperation(async () => (await import("./what-runs.ts")).readRunning);
