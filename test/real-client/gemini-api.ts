import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import * as z from "zod/mini";

/** A stand-in for the Gemini API on 127.0.0.1, which plays a model that follows a script: as `mock-api.ts` for Claude's. */

/** A part of what a model says. */
type Said = { text: string } | { functionCall: { name: string; args: Record<string, unknown> } };

/** What the model says for each time that it is asked. */
export type GeminiScript = readonly (readonly Said[])[];

export const say = (text: string): readonly Said[] => [{ text }];
export const call = (name: string, args: Record<string, unknown>): readonly Said[] => [
  { functionCall: { name, args } },
];

/** The client's system instruction when it compresses a conversation asks for this. */
const compression = "<state_snapshot>";
/** What hooks added may quote other prompts. */
const hookContext = /<hook_context>[\s\S]*?<\/hook_context>/g;
const cueIn = /\[\[script:([\w-]+)\]\]/g;

const part = z.looseObject({
  text: z.optional(z.string()),
  functionResponse: z.optional(z.looseObject({ name: z.string(), response: z.optional(z.unknown()) })),
});
const asked = z.object({
  contents: z.array(z.object({ role: z.optional(z.string()), parts: z.array(part) })),
  systemInstruction: z.optional(z.looseObject({ parts: z.optional(z.array(part)) })),
  tools: z.optional(z.array(z.unknown())),
});
type Asked = z.infer<typeof asked>;

export interface GeminiApi {
  url: string;
  /** What the client could not get an answer to: empty when all went well. */
  problems: string[];
  /** What the client said that tools answered: name and answer as JSON. */
  answers: Map<string, string>;
  /** What the model was given to read, one request after the other. */
  requests: string[];
  /** Whether the model was given this to read, anywhere. */
  wasGiven: (text: string) => boolean;
  close: () => Promise<void>;
}

export async function startGeminiApi(options: {
  scripts: Readonly<Record<string, GeminiScript>>;
  /** What a compression is answered with. */
  snapshot: string;
}): Promise<GeminiApi> {
  const problems: string[] = [];
  const answers = new Map<string, string>();
  const requests: string[] = [];
  const server = createServer(async (request, response) => {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece as Buffer);
    const path = request.url?.split("?")[0] ?? "";
    try {
      if (path.endsWith(":countTokens")) return sendJson(response, 200, { totalTokens: 100 });
      if (!/:(?:stream)?[gG]enerateContent$/.test(path)) return sendJson(response, 404, {});
      const body = Buffer.concat(pieces).toString("utf8");
      const given = z.parse(asked, JSON.parse(body));
      for (const { functionResponse } of given.contents.flatMap(({ parts }) => parts)) {
        if (functionResponse) answers.set(functionResponse.name, JSON.stringify(functionResponse.response));
      }
      requests.push(body);
      const answer = answerOf(answerTo(given, options));
      if (path.endsWith(":generateContent")) return sendJson(response, 200, answer);
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.end(`data: ${JSON.stringify(answer)}\r\n\r\n`);
    } catch (error) {
      problems.push(`${request.method} ${path}: ${error instanceof Error ? error.message : String(error)}`);
      sendJson(response, 400, { error: { code: 400, message: "the mock does not understand" } });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    problems,
    answers,
    requests,
    wasGiven: (text) => requests.some((body) => body.includes(JSON.stringify(text).slice(1, -1))),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** The script is that of the last cue in what the user said, and how far it is, the number of answers since. */
function answerTo(
  { contents, tools, systemInstruction }: Asked,
  { scripts, snapshot }: { scripts: Readonly<Record<string, GeminiScript>>; snapshot: string },
): readonly Said[] {
  if (textOf(systemInstruction?.parts).includes(compression) && !tools?.length) return say(snapshot);
  // Requests on the side, as for which model to take, come without tools.
  if (!tools?.length) return say("{}");
  for (let at = contents.length - 1; at >= 0; at--) {
    const { role, parts } = contents[at]!;
    const name =
      role === "user" ? [...textOf(parts).replace(hookContext, "").matchAll(cueIn)].at(-1)?.[1] : undefined;
    if (name === undefined) continue;
    const script = scripts[name];
    if (!script) throw new Error(`there is no script ${name}`);
    const step = contents.slice(at).filter((content) => content.role === "model").length;
    return script[step] ?? say("That was all.");
  }
  // A command of the client that is sent as a prompt, too, has none.
  if (/^\/\w+$/m.test(textOf(contents.at(-1)?.parts))) return say("Fine.");
  throw new Error("the prompt has no cue");
}

function textOf(parts: readonly z.infer<typeof part>[] = []): string {
  return parts.map(({ text = "" }) => text).join("\n");
}

function answerOf(parts: readonly Said[]) {
  return {
    candidates: [{ content: { role: "model", parts }, finishReason: "STOP", index: 0 }],
    usageMetadata: { promptTokenCount: 100, candidatesTokenCount: 20, totalTokenCount: 120 },
    modelVersion: "scripted",
  };
}

function sendJson(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
}
