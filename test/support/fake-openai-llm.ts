import { type Answering, echo } from "./fake-answers.ts";
import { type FakeServer, sendJson, startFakeServer } from "./fake-server.ts";

interface FakeOpenaiOptions {
  answering?: Answering | undefined;
  /** The key it wants; null for none. */
  key?: string | null;
  /** Parameters that it refuses by name. */
  refuses?: string[];
}

const models = ["gpt-4o-mini", "gpt-4o-mini-2024-07-18", "gpt-5-mini", "gpt-9", "constructor", "local"];

/** For tests: a server that speaks OpenAI's protocol, with base URL `…/v1`. A token is four characters. */
export async function startFakeOpenai({
  answering = echo,
  key = "sk-right",
  refuses = [],
}: FakeOpenaiOptions = {}): Promise<FakeServer> {
  const server = await startFakeServer({
    "POST /v1/chat/completions": ({ headers, body }, response) => {
      const refuse = (status: number, message: string, code: string | null = null) =>
        sendJson(response, { error: { message, type: "invalid_request_error", param: null, code } }, status);
      if (key !== null && headers.authorization !== `Bearer ${key}`) {
        const given = String(headers.authorization).replace("Bearer ", "");
        return refuse(401, `Incorrect API key provided: ${given}.`, "invalid_api_key");
      }
      if (!models.includes(body.model)) {
        return refuse(404, `The model \`${body.model}\` does not exist.`, "model_not_found");
      }
      const unsupported = refuses.find((name) => name in body);
      if (unsupported) return refuse(400, `Unsupported parameter: '${unsupported}' is not supported.`);
      const messages = body.messages as { role: string; content: string }[];
      const said = (role: string) => messages.find((message) => message.role === role)?.content ?? "";
      const json = JSON.stringify(body.response_format) === '{"type":"json_object"}';
      const text = answering({ system: said("system"), prompt: said("user"), json });
      const most = Number(body.max_completion_tokens ?? body.max_tokens ?? Number.POSITIVE_INFINITY);
      const content = text.slice(0, 4 * most);
      const finish_reason = content === text ? "stop" : "length";
      sendJson(response, {
        id: "chatcmpl-1",
        object: "chat.completion",
        model: body.model,
        choices: [{ index: 0, message: { role: "assistant", content, refusal: null }, finish_reason }],
        usage: {
          prompt_tokens: Math.ceil((said("system").length + said("user").length) / 4),
          completion_tokens: Math.ceil(content.length / 4),
        },
      });
    },
  });
  return { ...server, url: `${server.url}/v1` };
}
