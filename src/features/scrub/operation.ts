import * as z from "zod/mini";
import { defineLocalOperation } from "../../answers/local-operation.ts";
import type { RunContext } from "../../answers/operation.ts";
import { defineOperation, nothing } from "../../answers/operation.ts";
import type { Project } from "../../base/paths.ts";
import { count, field, lazy, text } from "../../protocol/shape-parts.ts";
import type { Reviewer } from "../../redact/review.ts";
import type { Scrubber } from "../../redact/scrubber.ts";

export const rescrubRequest = lazy(() =>
  z.object({
    llm: field(
      "let the model of scrub.llm also read sessions that were stored before it was turned on",
      z.boolean(),
    ),
  }),
);

/** `sessions`: with `llm`, how many the model is to read; without a daemon, how many were changed, with what follows. */
export const rescrubResponse = lazy(() =>
  z.object({
    queued: z.boolean(),
    sessions: z.optional(count),
    turns: z.optional(count),
    log_emptied: z.optional(z.boolean()),
  }),
);

/** Never a secret itself: only how many different ones there were. */
export const redactionsResponse = lazy(() =>
  z.object({
    /** The kind as it stands in the text, `[REDACTED_<type>]`: those with the most secrets first. */
    types: z.array(z.object({ type: text, secrets: count, sessions: count })),
    /** Sessions in which anything was replaced. */
    sessions: count,
  }),
);

export const countRedactions = defineOperation({
  name: "redactions",
  path: "GET /redactions",
  summary: "Count the secrets that were replaced in the stored data, by kind",
  of: "memory",
  request: nothing,
  response: redactionsResponse,
  answer: async () => (await import("./answer.ts")).countRedactions,
});

export const scrub = defineOperation({
  name: "scrub",
  path: "POST /scrub",
  summary: "Scrub the memory again with the current patterns",
  of: "project",
  changes: true,
  request: rescrubRequest,
  response: rescrubResponse,
  answer: async () => (await import("./answer.ts")).scrub,
});

const loadCheck = () =>
  Promise.all([import("../../sessions/scrub/scrub-check.ts"), import("../../answers/open.ts")]);

/** Counts the secrets that today's patterns find in what is stored. */
export const findSecrets = defineLocalOperation(async () => {
  const [{ checkMemory }, { withMemory }] = await loadCheck();
  return (project: Project, { scrubber }: { scrubber: Scrubber }, { onProgress }: RunContext) =>
    withMemory(project, (memory) => checkMemory(memory, scrubber, onProgress));
});

/** Lists what looks like a secret and is none by any pattern. */
export const reviewSecrets = defineLocalOperation(async () => {
  const [{ reviewMemory }, { withMemory }] = await loadCheck();
  return (project: Project, { reviewer }: { reviewer: Reviewer }, { onProgress }: RunContext) =>
    withMemory(project, (memory) => reviewMemory(memory, reviewer, onProgress));
});
