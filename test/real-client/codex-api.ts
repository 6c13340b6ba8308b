import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import * as z from "zod/mini";

/** A stand-in for the Responses API on 127.0.0.1, which plays a model that follows a script: as `mock-api.ts` for Claude's. */

type Said =
  | { text: string }
  /** `id` is that of the call. */
  | { name: string; id: string; input: Record<string, unknown>; namespace?: string }
  /** A tool that takes a text. */
  | { name: string; id: string; text: string }
  /** Looks for a tool that was not shown. */
  | { find: string; id: string };

/** What the model says each time that it is asked. */
export type CodexScript = readonly { said: Said; inputTokens?: number }[];

export const say = (text: string) => ({ said: { text } });
export const shell = (cmd: string, id = "call_shell") => ({
  said: { name: "exec_command", id, input: { cmd } },
});
export const find = (query: string, id: string) => ({ said: { find: query, id } });
export const patch = (...lines: string[]) => ({
  said: { name: "apply_patch", id: "call_patch", text: envelope(...lines) },
});
export const mcp = (tool: string, input: Record<string, unknown>) => ({
  said: { name: tool, namespace: "mcp__pommel", id: `call_${tool}`, input },
});
export const envelope = (...lines: string[]) => ["*** Begin Patch", ...lines, "*** End Patch", ""].join("\n");

const compactionRequest = /CONTEXT CHECKPOINT COMPACTION/;
const cueIn = /\[\[script:([\w-]+)\]\]/g;

const item = z.looseObject({
  type: z.optional(z.string()),
  role: z.optional(z.string()),
  content: z.optional(z.unknown()),
  call_id: z.optional(z.string()),
  output: z.optional(z.unknown()),
  tools: z.optional(z.array(z.unknown())),
});
const asked = z.object({ input: z.array(item) });

export interface CodexApi {
  url: string;
  /** What the client could not get an answer to: empty when all went well. */
  problems: string[];
  /** What the client said that tools answered, by the id of the call; as JSON. */
  answers: Map<string, string>;
  /** What a model was given to read, one request after the other. */
  requests: readonly string[];
  /** Whether a model was given this to read, anywhere, in a conversation with that cue. */
  wasGiven: (text: string, script?: string) => boolean;
  close: () => Promise<void>;
}

export async function startCodexApi(options: {
  scripts: Readonly<Record<string, CodexScript>>;
  /** What a compaction is answered with. */
  summary: string;
}): Promise<CodexApi> {
  const problems: string[] = [];
  const answers = new Map<string, string>();
  const requests: string[] = [];
  /** How often each script was asked. */
  const steps = new Map<string, number>();

  function next(input: readonly z.infer<typeof item>[]): CodexScript[number] {
    if (compactionRequest.test(JSON.stringify(input.at(-1)))) return say(options.summary);
    const human = input.filter(({ role }) => role === "user").map((one) => JSON.stringify(one.content));
    const name = [...human.join("\n").matchAll(cueIn)].at(-1)?.[1] ?? "";
    const step = steps.get(name) ?? 0;
    steps.set(name, step + 1);
    const found = options.scripts[name]?.[step];
    if (!found) throw new Error(`the script "${name}" has no step ${step}`);
    return found;
  }

  const server = createServer(async (request, response) => {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece as Buffer);
    try {
      if (request.url !== "/v1/responses") return sendJson(response, 404);
      const body = Buffer.concat(pieces).toString("utf8");
      const { input } = z.parse(asked, JSON.parse(body));
      requests.push(body);
      for (const { call_id: id, output, tools } of input) {
        const answer = output ?? tools;
        if (id !== undefined && answer !== undefined) answers.set(id, JSON.stringify(answer));
      }
      stream(response, `${requests.length}`, next(input));
    } catch (error) {
      problems.push(`${request.url}: ${error instanceof Error ? error.message : String(error)}`);
      sendJson(response, 400);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    problems,
    answers,
    requests,
    wasGiven: (text, script) =>
      requests.some(
        (body) =>
          body.includes(JSON.stringify(text).slice(1, -1)) &&
          (script === undefined || body.includes(`[[script:${script}]]`)),
      ),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** As server-sent events; the client needs no more of them. */
function stream(response: ServerResponse, n: string, { said, inputTokens = 100 }: CodexScript[number]): void {
  response.writeHead(200, { "content-type": "text/event-stream" });
  const send = (type: string, fields: object) =>
    response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`);
  const id = `resp_${n}`;
  send("response.created", { response: { id } });
  send("response.output_item.done", { output_index: 0, item: { ...itemOf(said), id: `item_${n}` } });
  const usage = { input_tokens: inputTokens, output_tokens: 20, total_tokens: inputTokens + 20 };
  send("response.completed", { response: { id, usage } });
  response.end();
}

function itemOf(said: Said): object {
  if ("find" in said) {
    const { find: query, id: call_id } = said;
    return {
      type: "tool_search_call",
      execution: "client",
      status: "completed",
      call_id,
      arguments: { query },
    };
  }
  if (!("name" in said)) {
    return { type: "message", role: "assistant", content: [{ type: "output_text", text: said.text }] };
  }
  const { name, id: call_id } = said;
  if ("text" in said) {
    return { type: "custom_tool_call", status: "completed", call_id, name, input: said.text };
  }
  const { namespace, input } = said;
  return { type: "function_call", call_id, name, namespace, arguments: JSON.stringify(input) };
}

function sendJson(response: ServerResponse, status: number): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify({ error: { message: "the mock has no answer" } }));
}
