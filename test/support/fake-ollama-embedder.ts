import { type FakeServer, fakeVector, sendJson, startFakeServer } from "./fake-server.ts";

interface FakeOllamaOptions {
  /** The models that are there and the length of their vectors. */
  models?: Record<string, number>;
  /** Those that can be pulled. */
  registry?: Record<string, number>;
  /** The vector of a text; by default it depends on every character. */
  vector?: (text: string, dimensions: number) => number[];
  /** Longer texts are refused, though they should be cut: so did some versions. Characters. */
  refuseAbove?: number;
}

/** For tests: a server that speaks Ollama's protocol. A text that contains "poison" gives NaN. */
export async function startFakeOllama({
  models = { "nomic-embed-text": 768 },
  registry = {},
  vector = fakeVector,
  refuseAbove = Number.POSITIVE_INFINITY,
}: FakeOllamaOptions = {}): Promise<FakeServer & { models: Record<string, number> }> {
  const installed = { ...models };
  const server = await startFakeServer({
    "POST /api/embed": ({ body }, response) => {
      const texts = body.input;
      if (!Array.isArray(texts) || texts.some((text) => typeof text !== "string")) {
        return sendJson(response, { error: "invalid input type" }, 400);
      }
      const dimensions = installed[String(body.model).replace(/:latest$/, "")];
      if (dimensions === undefined) {
        const error = `model "${body.model}" not found, try pulling it first`;
        return sendJson(response, { error }, 404);
      }
      if (texts.some((text) => text.length > refuseAbove)) {
        return sendJson(response, { error: "the input length exceeds the context length" }, 400);
      }
      if (texts.some((text) => text.includes("poison"))) {
        return sendJson(response, { error: "failed to encode response: json: unsupported value: NaN" }, 500);
      }
      const embeddings = texts.map((text) => vector(text, dimensions));
      sendJson(response, {
        model: body.model,
        embeddings,
        total_duration: 14_143_917,
        load_duration: 1_019_500,
        prompt_eval_count: texts.length * 8,
      });
    },
    "GET /api/tags": (_request, response) => {
      const entries = Object.keys(installed).map((name) => ({
        name: name.includes(":") ? name : `${name}:latest`,
        model: name,
        modified_at: "2026-05-10T08:06:48.639712648-07:00",
        size: 274_302_450,
        digest: "0a109f422b47e3a30ba2b10eca18548e944e8a23073ee3f3e947efcf3c45e59f",
        details: { format: "gguf", family: "nomic-bert", parameter_size: "137M", quantization_level: "F16" },
      }));
      sendJson(response, { models: entries });
    },
    "POST /api/pull": async ({ body }, response) => {
      response.writeHead(200, { "content-type": "application/x-ndjson" });
      const name = String(body.model);
      const dimensions = registry[name];
      const layer = { status: "pulling 970aa74c0a90", digest: "sha256:970aa74c0a90", total: 274_290_656 };
      const config = { status: "pulling c71d239df917", digest: "sha256:c71d239df917", total: 11_357 };
      const lines: object[] =
        dimensions === undefined
          ? [{ status: "pulling manifest" }, { error: "pull model manifest: file does not exist" }]
          : [
              { status: "pulling manifest" },
              layer,
              { ...layer, completed: 137_145_328 },
              { ...layer, completed: layer.total },
              { ...config, completed: config.total },
              { status: "verifying sha256 digest" },
              { status: "writing manifest" },
              { status: "success" },
            ];
      const text = `${lines.map((line) => JSON.stringify(line)).join("\n")}\n`;
      // Pieces as the network delivers them, which are not lines.
      for (let at = 0; at < text.length; at += 50) {
        await new Promise<void>((resolve) => response.write(text.slice(at, at + 50), () => resolve()));
      }
      if (dimensions !== undefined) installed[name] = dimensions;
      response.end();
    },
  });
  return { ...server, models: installed };
}
