import * as z from "zod/mini";
import { anything, count, flag, orNothing, orNull, text } from "../reading/json.ts";

/** The parsed fields of a chat's records. */

const tokens = z.object({ input: count, output: count, cached: count, thoughts: count, tool: count });

/** A line of a chat, or an old chat's one object: metadata, a message, or a change of either. */
const record = z.object({
  sessionId: text,
  projectHash: text,
  startTime: text,
  kind: text,
  directories: anything,
  summary: text,
  /** Only in old chats. */
  messages: anything,
  id: text,
  timestamp: text,
  type: text,
  content: anything,
  /** Displayed instead of `content`. */
  displayContent: anything,
  thoughts: anything,
  tokens: orNull(tokens),
  model: text,
  toolCalls: anything,
  $set: orNull(z.object({ messages: anything, summary: text })),
  $rewindTo: text,
});

export type ChatRecord = z.infer<typeof record>;

const part = z.object({
  text,
  thought: flag,
  inlineData: anything,
  fileData: anything,
  functionCall: orNull(z.object({ id: text, name: text, args: anything })),
  functionResponse: orNull(z.object({ id: text, response: anything })),
});

export type Part = z.infer<typeof part>;

const call = z.object({
  id: text,
  name: text,
  displayName: text,
  args: anything,
  result: anything,
  status: text,
  timestamp: text,
  resultDisplay: anything,
  agentId: text,
});

export type Call = z.infer<typeof call>;

/** An edit's display; deliberately without the file's earlier content. */
const display = z.object({
  fileDiff: text,
  filePath: text,
  newContent: text,
  isNewFile: flag,
  diffStat: orNull(z.object({ user_added_lines: count, user_removed_lines: count })),
});

export type Display = z.infer<typeof display>;

const thought = z.object({ subject: text, description: text });
const response = z.object({ output: anything, error: anything });

export const asRecord = (value: unknown) => orNothing(record, value);
export const asDisplay = (value: unknown) => orNothing(display, value);
export const asThought = (value: unknown) => orNothing(thought, value);
export const asResponse = (value: unknown) => orNothing(response, value);
export const asCalls = (value: unknown) => each(call, value);

/** The parts of a content; a string is one part of text. Skips invalid parts. */
export function asParts(content: unknown): Part[] {
  if (typeof content === "string") return each(part, [{ text: content }]);
  return each(part, Array.isArray(content) ? content : [content]);
}

function each<T extends z.core.$ZodType>(schema: T, values: unknown): z.output<T>[] {
  if (!Array.isArray(values)) return [];
  return values.map((value) => orNothing(schema, value)).filter((found) => found !== null);
}
