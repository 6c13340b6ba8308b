import * as z from "zod/mini";
import { anything, count, flag, orNothing, orNull, text, time } from "../reading/json.ts";

/** The parsed fields of a session's files. */

const usage = z.object({
  inputTokens: count,
  outputTokens: count,
  cacheReadTokens: count,
  cacheWriteTokens: count,
});

const message = z.object({
  id: text,
  role: text,
  content: anything,
  /** Milliseconds since the epoch. */
  ts: time,
  modelInfo: orNull(z.object({ id: text })),
  metrics: orNull(usage),
  metadata: orNull(
    z.object({
      /** "system": shown as the client's, not the human's. */
      displayRole: text,
      kind: text,
      summary: text,
      tokensBefore: count,
      generatedAt: time,
    }),
  ),
});
export type Message = z.infer<typeof message>;

/** The answer of a tool to one of the things that it was asked for. */
const answer = z.object({ query: text, result: anything, error: text, success: flag, content: anything });
export type Answer = z.infer<typeof answer>;

/** `<session>.json` */
const manifest = z.object({
  session_id: z.string(),
  cwd: z.string(),
  started_at: text,
  metadata: orNull(z.object({ title: text, git: orNull(z.object({ branch: text })) })),
});
export type Manifest = z.infer<typeof manifest>;

/** `<session>.compaction.json`: what the model is given instead of the first messages. */
const compaction = z.object({ source_message_count: z.int(), updated_at: text, messages: anything });
export type Compaction = z.infer<typeof compaction>;

export const asMessage = (value: unknown) => orNothing(message, value);
export const asAnswer = (value: unknown) => orNothing(answer, value);
export const asManifest = (value: unknown) => orNothing(manifest, value);
export const asCompaction = (value: unknown) => orNothing(compaction, value);
