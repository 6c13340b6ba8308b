import * as z from "zod/mini";
import { anything, count, orNothing, orNull, text } from "../reading/json.ts";

/** The parsed fields of a rollout's lines. */

const line = z.object({ timestamp: text, type: text, payload: orNull(z.record(z.string(), z.unknown())) });

const spawn = z.object({ parent_thread_id: text, agent_path: text, agent_role: text });

const sessionMeta = z.object({
  id: text,
  session_id: text,
  parent_thread_id: text,
  forked_from_id: text,
  agent_path: text,
  agent_role: text,
  timestamp: text,
  cwd: text,
  history_mode: text,
  git: orNull(z.object({ branch: text })),
  source: orNull(z.object({ subagent: anything })),
});

const subagentSource = z.object({ thread_spawn: orNull(spawn) });

const turnContext = z.object({ cwd: text, model: text });

/** Of all kinds of `response_item`. */
const responseItem = z.object({
  type: text,
  name: text,
  namespace: text,
  arguments: anything,
  input: text,
  call_id: text,
  output: anything,
  action: anything,
  summary: anything,
  author: text,
  content: anything,
});

/** Of all kinds of `item_completed`, and of older clients' events. */
const item = z.object({
  type: text,
  id: text,
  content: anything,
  text,
  summary_text: anything,
  command: anything,
  cwd: text,
  parsed_cmd: anything,
  aggregated_output: text,
  duration: orNull(z.object({ secs: count, nanos: count })),
  exit_code: count,
  status: text,
  changes: orNull(z.record(z.string(), z.unknown())),
  stdout: text,
  stderr: text,
  server: text,
  tool: text,
  arguments: anything,
  result: anything,
  error: anything,
  query: text,
  kind: text,
  agent_thread_id: text,
  agent_path: text,
});

const event = z.object({
  type: text,
  call_id: text,
  message: text,
  kind: text,
  images: anything,
  local_images: anything,
  reason: text,
  num_turns: count,
  item: orNull(item),
  success: orNull(z.boolean()),
  invocation: orNull(z.object({ server: text, tool: text, arguments: anything })),
  info: orNull(z.object({ total_token_usage: anything, last_token_usage: anything })),
});

const tokenUsage = z.object({
  input_tokens: count,
  cached_input_tokens: count,
  cache_write_input_tokens: count,
  output_tokens: count,
  total_tokens: count,
});

const change = z.object({ type: text, content: text, unified_diff: text, move_path: text });
const part = z.object({ type: text, text });
const parsedCommand = z.object({ type: text, path: text });

export type Line = z.infer<typeof line>;
export type SessionMeta = z.infer<typeof sessionMeta>;
export type ResponseItem = z.infer<typeof responseItem>;
export type Item = z.infer<typeof item>;
export type Event = z.infer<typeof event>;

export type Change = z.infer<typeof change>;

export const asLine = (value: unknown) => orNothing(line, value);
export const asSessionMeta = (value: unknown) => orNothing(sessionMeta, value);
export const asSpawn = (value: unknown) => orNothing(subagentSource, value)?.thread_spawn ?? null;
export const asTurnContext = (value: unknown) => orNothing(turnContext, value);
export const asResponseItem = (value: unknown) => orNothing(responseItem, value);
export const asItem = (value: unknown) => orNothing(item, value);
export const asEvent = (value: unknown) => orNothing(event, value);
export const asTokenUsage = (value: unknown) => orNothing(tokenUsage, value);
export const asChange = (value: unknown) => orNothing(change, value);

/** The paths that a command reads, as parsed by the client. */
export function readPaths(value: unknown): string[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((one) => {
    const parsed = orNothing(parsedCommand, one);
    return parsed?.type === "read" && parsed.path ? [parsed.path] : [];
  });
}

/** Parts of a message; a string is one part of text. Skips invalid parts. */
export function asParts(content: unknown): { type: string; text: string }[] {
  if (typeof content === "string") return [{ type: "text", text: content }];
  if (!Array.isArray(content)) return [];
  return content.flatMap((value) => {
    const parsed = orNothing(part, value);
    return parsed === null ? [] : [{ type: parsed.type ?? "", text: parsed.text ?? "" }];
  });
}
