import { randomUUID } from "node:crypto";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import * as z from "zod/mini";

/**
 * A stand-in for the Messages API on 127.0.0.1: it plays a model that follows a script, so that a real client can be
 * led through a session without a key, a network or chance.
 */

/** What a model says in a message. A tool's id is drawn where none is given. */
type Said =
  | { type: "text"; text: string }
  | { type: "thinking"; thinking: string }
  | { type: "tool_use"; name: string; input: Record<string, unknown>; id?: string };

/** A message of the model for each time that it is asked. */
export type Script = readonly (readonly Said[])[];

/** One for any model, or one that depends on the tools that it may call. */
type Scripted = Script | ((tools: readonly string[]) => Script);

/** What chooses a script, in a prompt. */
export const cue = (script: string) => `[[script:${script}]]`;
const cueIn = /\[\[script:([\w-]+)\]\]/g;
/** What hooks added may quote other prompts. */
const hookContext = /(?:<|&lt;)pommel-context(?:>|&gt;)[\s\S]*?(?:<|&lt;)\/pommel-context(?:>|&gt;)/g;

/** How the clients ask to sum up a conversation. */
const compactionRequest = /your task is to create a detailed summary|create a new anchored summary/i;

const block = z.looseObject({ type: z.string(), text: z.optional(z.string()) });
const maxSpoken = z.union([z.string(), z.array(block)]);
const toolResult = z.object({
  type: z.literal("tool_result"),
  tool_use_id: z.string(),
  content: z.optional(maxSpoken),
  is_error: z.optional(z.boolean()),
});
const messagesRequest = z.object({
  model: z.string(),
  stream: z.optional(z.boolean()),
  messages: z.array(z.object({ role: z.string(), content: maxSpoken })),
  tools: z.optional(
    z.array(z.looseObject({ name: z.optional(z.string()), defer_loading: z.optional(z.boolean()) })),
  ),
  output_config: z.optional(z.unknown()),
});
type MessagesRequest = z.infer<typeof messagesRequest>;

export interface MockApi {
  url: string;
  /** What the client could not get an answer to: empty when all went well. */
  problems: string[];
  /** What the client said that a tool answered, by the id of its use. */
  toolResults: Map<string, ToolResult>;
  /** The tools that the first request of each script lets a model call at once, without those that it has to load first. */
  toolsAtFirst: Map<string, string[]>;
  /** What models were given to read, one request after the other. */
  requests: readonly string[];
  /** Whether a model was given this to read, anywhere. */
  wasGiven: (text: string) => boolean;
  close: () => Promise<void>;
}

interface ToolResult {
  text: string;
  isError: boolean;
}

interface MockApiOptions {
  scripts: Readonly<Record<string, Scripted>>;
  /** What a compaction is answered with. */
  compaction: string;
}

export async function startMockApi(options: MockApiOptions): Promise<MockApi> {
  const problems: string[] = [];
  const toolResults: MockApi["toolResults"] = new Map();
  const toolsAtFirst: MockApi["toolsAtFirst"] = new Map();
  const requests: string[] = [];
  const server = createServer(async (request, response) => {
    const path = request.url?.split("?")[0] ?? "";
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    try {
      if (path === "/v1/messages/count_tokens") return sendJson(response, 200, { input_tokens: 100 });
      // It asks whether anyone is there.
      if (request.method === "HEAD") return response.writeHead(200).end();
      if (path !== "/v1/messages") return sendJson(response, 404, apiError("not_found_error", path));
      const body = Buffer.concat(parts).toString("utf8");
      const asked = z.parse(messagesRequest, JSON.parse(body));
      for (const result of asked.messages.flatMap(toolResultsIn)) toolResults.set(...result);
      requests.push(body);
      const cued = cuedIn(asked.messages);
      if (cued && asked.tools?.length && !toolsAtFirst.has(cued.script)) {
        toolsAtFirst.set(cued.script, callable(asked.tools));
      }
      const answer = message(asked.model, answerTo(asked, options));
      if (asked.stream) stream(response, answer);
      else sendJson(response, 200, answer);
    } catch (error) {
      problems.push(`${request.method} ${path}: ${error instanceof Error ? error.message : String(error)}`);
      // A client asks again after a 5xx, for a long time.
      sendJson(response, 400, apiError("invalid_request_error", "the mock does not understand"));
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    problems,
    toolResults,
    toolsAtFirst,
    requests,
    wasGiven: (text) => requests.some((body) => body.includes(JSON.stringify(text).slice(1, -1))),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/**
 * The script is that of the last cue in what the user said, and how far it is, the number of answers since. A subagent
 * finds its own cue in its task.
 */
function answerTo(
  { messages, tools, output_config }: MessagesRequest,
  options: MockApiOptions,
): readonly Said[] {
  const last = messages.at(-1);
  if (last && compactionRequest.test(textOf(last.content)))
    return [{ type: "text", text: options.compaction }];
  // Requests on the side, as for a title, come without tools.
  if (!tools?.length) {
    return [{ type: "text", text: output_config === undefined ? "Fine." : '{"title":"A scripted session"}' }];
  }
  const cued = cuedIn(messages);
  if (!cued) throw new Error("the prompt has no cue");
  const scripted = options.scripts[cued.script];
  if (!scripted) throw new Error(`there is no script ${cued.script}`);
  const script = typeof scripted === "function" ? scripted(callable(tools)) : scripted;
  return script[cued.step] ?? [{ type: "text", text: "That was all." }];
}

/** The script that the last cue names, and how far it is. */
function cuedIn(messages: MessagesRequest["messages"]): { script: string; step: number } | null {
  for (let at = messages.length - 1; at >= 0; at--) {
    const { role, content } = messages[at]!;
    const script =
      role === "user" ? [...textOf(content).replace(hookContext, "").matchAll(cueIn)].at(-1)?.[1] : undefined;
    if (script === undefined) continue;
    const step = messages.slice(at).filter((message) => message.role === "assistant").length;
    return { script, step };
  }
  return null;
}

function callable(tools: NonNullable<MessagesRequest["tools"]>): string[] {
  return tools.flatMap(({ name, defer_loading }) => (name === undefined || defer_loading ? [] : [name]));
}

function toolResultsIn({ content }: MessagesRequest["messages"][number]): [string, ToolResult][] {
  if (typeof content === "string") return [];
  return content.flatMap((one): [string, ToolResult][] => {
    const parsed = z.safeParse(toolResult, one);
    if (!parsed.success) return [];
    const { tool_use_id, content: said = "", is_error = false } = parsed.data;
    return [[tool_use_id, { text: textOf(said), isError: is_error }]];
  });
}

function textOf(content: z.infer<typeof maxSpoken>): string {
  if (typeof content === "string") return content;
  return content.map((block) => (block.type === "text" ? (block.text ?? "") : "")).join("\n");
}

const drawId = (kind: string) => `${kind}_${randomUUID().replaceAll("-", "")}`;

function message(model: string, said: readonly Said[]) {
  const content = said.map((one) => {
    if (one.type === "tool_use") return { ...one, id: one.id ?? drawId("toolu") };
    return one.type === "thinking" ? { ...one, signature: "bW9jaw==" } : one;
  });
  return {
    id: drawId("msg"),
    type: "message",
    role: "assistant",
    model,
    content,
    stop_reason: content.some(({ type }) => type === "tool_use") ? "tool_use" : "end_turn",
    stop_sequence: null,
    usage: {
      input_tokens: 100,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 0,
      output_tokens: 20,
    },
  };
}

/** As server-sent events: each block begins empty and gets all of its content at once. */
function stream(response: ServerResponse, whole: ReturnType<typeof message>): void {
  response.writeHead(200, { "content-type": "text/event-stream" });
  const send = (type: string, fields: object = {}) =>
    response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`);
  send("message_start", { message: { ...whole, content: [], stop_reason: null } });
  for (const [index, one] of whole.content.entries()) {
    const { empty, deltas } = piecesOf(one);
    send("content_block_start", { index, content_block: empty });
    for (const delta of deltas) send("content_block_delta", { index, delta });
    send("content_block_stop", { index });
  }
  const { stop_reason, stop_sequence, usage } = whole;
  send("message_delta", {
    delta: { stop_reason, stop_sequence },
    usage: { output_tokens: usage.output_tokens },
  });
  send("message_stop");
  response.end();
}

function piecesOf(one: ReturnType<typeof message>["content"][number]): { empty: object; deltas: object[] } {
  if (one.type === "text") {
    return { empty: { ...one, text: "" }, deltas: [{ type: "text_delta", text: one.text }] };
  }
  if (one.type === "thinking") {
    return {
      empty: { ...one, thinking: "", signature: "" },
      deltas: [
        { type: "thinking_delta", thinking: one.thinking },
        { type: "signature_delta", signature: one.signature },
      ],
    };
  }
  const input = JSON.stringify(one.input);
  return {
    empty: { ...one, input: {} },
    deltas: [{ type: "input_json_delta", partial_json: input }],
  };
}

function sendJson(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
}

function apiError(type: string, message: string) {
  return { type: "error", error: { type, message } };
}
