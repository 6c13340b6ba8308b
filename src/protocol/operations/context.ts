import * as z from "zod/mini";
import { lazy } from "../shape-parts.ts";
import { contextEvents } from "../values.ts";

/** The shapes of the route for automatic context; protocol.ts has the routes. */

export const contextRequest = lazy(() =>
  z.object({
    event: z.enum(contextEvents),
    session_id: z.string(),
    /** Of session-start: startup, resume, fork, clear, compact. */
    source: z.optional(z.string()),
    /** Of user-prompt. It is searched with, and not kept. */
    prompt: z.optional(z.string()),
    /** Of post-tool-use: the file that was edited, or those. */
    file: z.optional(z.string()),
    files: z.optional(z.array(z.string())),
    cwd: z.optional(z.string()),
    /** The session's transcript: a new one may show that it is a fork before the session is stored. */
    transcript_path: z.optional(z.string()),
    /** A later answer is dropped. Milliseconds. */
    within_ms: z.optional(z.number()),
    /** Only a preview: nothing is recorded as injected. */
    preview: z.optional(z.boolean()),
  }),
);
export type ContextRequest = z.infer<ReturnType<typeof contextRequest>>;

export const contextResponse = lazy(() =>
  z.object({
    /** null: nothing to inject. */
    text: z.nullable(z.string()),
    /** Why there is something, or why not. */
    reason: z.string(),
    tokens: z.int(),
    took_ms: z.number(),
    items: z.array(
      z.object({
        ref: z.string(),
        kind: z.string(),
        quote: z.string(),
        place: z.string(),
        why: z.string(),
        score: z.nullable(z.number()),
      }),
    ),
  }),
);
export type ContextResponse = z.infer<ReturnType<typeof contextResponse>>;
