import * as z from "zod/mini";
import { anything, count, flag, orNothing, orNull, text, time } from "../reading/json.ts";

/** The parsed fields of the database's rows and of the JSON in them. */

const session = z.object({
  id: z.string(),
  parent_id: text,
  directory: z.string(),
  title: text,
  agent: text,
  time_created: time,
  time_updated: time,
});
export type SessionRow = z.infer<typeof session>;

const size = z.object({ id: z.string(), size: z.int(), time_updated: z.int() });

const message = z.object({ id: z.string(), time_updated: z.int(), data: z.string() });
export type MessageRow = z.infer<typeof message>;

const part = z.object({ data: z.nullable(z.string()) });

const tokens = z.object({
  input: count,
  output: count,
  reasoning: count,
  cache: orNull(z.object({ read: count, write: count })),
});

const messageData = z.object({
  role: text,
  time: orNull(z.object({ created: time, completed: time })),
  parentID: text,
  modelID: text,
  path: orNull(z.object({ cwd: text })),
  tokens: orNull(tokens),
  /** An assistant's message that sums up the session. */
  summary: anything,
  error: orNull(z.object({ name: text, data: orNull(z.object({ message: text })) })),
});
export type MessageData = z.infer<typeof messageData>;

const span = orNull(z.object({ start: time, end: time }));

const partData = z.object({
  type: text,
  text,
  time: span,
  /** Added by the client, not by the human. */
  synthetic: flag,
  /** Shown, but not sent to the model. */
  ignored: flag,
  mime: text,
  tool: text,
  callID: text,
  state: orNull(
    z.object({ status: text, input: anything, output: text, error: text, metadata: anything, time: span }),
  ),
  auto: flag,
  prompt: text,
  command: text,
});
export type PartData = z.infer<typeof partData>;

/** What a tool says about its call, without the diagnostics and the files' contents. */
const metadata = z.object({
  diff: text,
  filepath: text,
  exit: count,
  sessionId: text,
  files: anything,
});
const patchedFile = z.object({ filePath: text, movePath: text, type: text, patch: text });

export const asSession = (row: unknown) => orNothing(session, row);
export const asSize = (row: unknown) => orNothing(size, row);
export const asMessageRow = (row: unknown) => orNothing(message, row);
export const asPartRow = (row: unknown) => orNothing(part, row);
export const asMessage = (value: unknown) => orNothing(messageData, value);
export const asPart = (value: unknown) => orNothing(partData, value);
export const asMetadata = (value: unknown) => orNothing(metadata, value);
export const asPatchedFile = (value: unknown) => orNothing(patchedFile, value);
