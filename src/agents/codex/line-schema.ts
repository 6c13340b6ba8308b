import * as z from "zod/mini";
import { anything, count, makeLenientParser, orNull, type Parsed, parseEach, text } from "../reading/json.ts";

/** The parsed fields of a rollout's lines. */

export const asLine = makeLenientParser(
  z.object({ timestamp: text, type: text, payload: orNull(z.record(z.string(), z.unknown())) }),
);
export type CodexLine = Parsed<typeof asLine>;

const spawn = z.object({ parent_thread_id: text, agent_path: text, agent_role: text });

export const asSessionMeta = makeLenientParser(
  z.object({
    id: text,
    session_id: text,
    parent_thread_id: text,
    forked_from_id: text,
    agent_path: text,
    agent_role: text,
    timestamp: text,
    cwd: text,
    history_mode: text,
    originator: text,
    git: orNull(z.object({ branch: text })),
    source: orNull(z.object({ subagent: anything })),
  }),
);
export type SessionMeta = Parsed<typeof asSessionMeta>;

const asSubagentSource = makeLenientParser(z.object({ thread_spawn: orNull(spawn) }));

export const asTurnContext = makeLenientParser(z.object({ cwd: text, model: text }));

/** Of all kinds of `response_item`. */
export const asResponseItem = makeLenientParser(
  z.object({
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
  }),
);
export type ResponseItem = Parsed<typeof asResponseItem>;

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

export const asEvent = makeLenientParser(
  z.object({
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
  }),
);
export type CodexEvent = Parsed<typeof asEvent>;

export const asTokenUsage = makeLenientParser(
  z.object({
    input_tokens: count,
    cached_input_tokens: count,
    cache_write_input_tokens: count,
    output_tokens: count,
    total_tokens: count,
  }),
);

export const asChange = makeLenientParser(
  z.object({ type: text, content: text, unified_diff: text, move_path: text }),
);
export type CodexChange = Parsed<typeof asChange>;
const asPart = makeLenientParser(z.object({ type: text, text }));
const asParsedCommand = makeLenientParser(z.object({ type: text, path: text }));

export type CodexItem = z.infer<typeof item>;
export const asItem = makeLenientParser(item);

export const asSpawn = (value: unknown) => asSubagentSource(value)?.thread_spawn ?? null;

/** The paths that a command reads, as parsed by the client. */
export const readPaths = (value: unknown): string[] =>
  parseEach(asParsedCommand, value).flatMap(({ type, path }) => (type === "read" && path ? [path] : []));

/** Parts of a message; a string is one part of text. Skips invalid parts. */
export function asParts(content: unknown): { type: string; text: string }[] {
  const parts = parseEach(asPart, typeof content === "string" ? [{ type: "text", text: content }] : content);
  return parts.map(({ type, text }) => ({ type: type ?? "", text: text ?? "" }));
}
