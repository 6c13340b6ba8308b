import { type FakeServer, fakeVector, sendJson, startFakeServer } from "./fake-server.ts";

interface FakeOpenaiOptions {
  /** The key it wants; null for none. */
  key?: string | null;
  models?: Record<string, number>;
}

/** For tests: a server that speaks OpenAI's protocol, with base URL `…/v1`. A token is four characters. */
export async function startFakeOpenai({
  key = "sk-right",
  models = { "text-embedding-3-large": 3072, "text-embedding-3-small": 1536 },
}: FakeOpenaiOptions = {}): Promise<FakeServer> {
  const server = await startFakeServer({
    "POST /v1/embeddings": ({ headers, body }, response) => {
      const refuse = (status: number, message: string, code: string | null = null) =>
        sendJson(response, { error: { message, type: "invalid_request_error", param: null, code } }, status);
      if (key !== null && headers.authorization !== `Bearer ${key}`) {
        const given = String(headers.authorization).replace("Bearer ", "");
        return refuse(401, `Incorrect API key provided: ${given}.`, "invalid_api_key");
      }
      const native = models[body.model];
      if (native === undefined)
        return refuse(404, `The model \`${body.model}\` does not exist.`, "model_not_found");
      const texts = body.input;
      if (!Array.isArray(texts) || texts.length > 2048 || texts.some((text) => text === "")) {
        return refuse(400, "'$.input' is invalid. Please check the API reference.");
      }
      if (texts.some((text) => text.length > 8192 * 4)) {
        return refuse(400, "This model's maximum context length is 8192 tokens, however you requested more.");
      }
      if (texts.some((text) => text.includes("poison"))) return refuse(400, "'$.input' is invalid.");
      const dimensions = (body.dimensions as number | undefined) ?? native;
      if (dimensions > native) return refuse(400, `Invalid value for 'dimensions' = ${dimensions}.`);
      const data = texts.map((text, index) => {
        const vector = fakeVector(text, dimensions);
        const embedding =
          body.encoding_format === "base64"
            ? Buffer.from(Float32Array.from(vector).buffer).toString("base64")
            : vector;
        return { object: "embedding", index, embedding };
      });
      const tokens = texts.reduce((sum, text) => sum + Math.ceil(text.length / 4), 0);
      const usage = { prompt_tokens: tokens, total_tokens: tokens };
      // `index` says which is which; the order does not.
      sendJson(response, { object: "list", data: data.reverse(), model: body.model, usage });
    },
  });
  return { ...server, url: `${server.url}/v1` };
}
