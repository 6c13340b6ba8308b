import { type Answering, echo } from "./fake-answers.ts";
import { type FakeServer, sendJson, startFakeServer } from "./fake-server.ts";

/** For tests: a server that speaks Ollama's protocol and writes what `answering` says. A token is four characters. */
export async function startFakeOllama(answering: Answering = echo): Promise<FakeServer> {
  return startFakeServer({
    "POST /api/generate": ({ body }, response) => {
      const { model, prompt, system = "", stream, format, options } = body as Record<string, unknown>;
      if (model !== "llama3.1:8b") {
        return sendJson(response, { error: `model "${model}" not found, try pulling it first` }, 404);
      }
      const { num_ctx, num_predict, temperature } = (options ?? {}) as Record<string, unknown>;
      if (stream !== false || typeof prompt !== "string" || typeof num_predict !== "number") {
        return sendJson(response, { error: "not what is asked for here" }, 400);
      }
      if (typeof num_ctx !== "number" || typeof temperature !== "number") {
        return sendJson(response, { error: "invalid options" }, 400);
      }
      // As the real one: what does not fit is cut off at the front.
      const seen = prompt.slice(-4 * (num_ctx - num_predict));
      const text = answering({ system: String(system), prompt: seen, json: format === "json" });
      const written = text.slice(0, 4 * num_predict);
      sendJson(response, {
        model,
        created_at: "2026-05-10T08:06:48.639712648Z",
        response: written,
        done: true,
        done_reason: written === text ? "stop" : "length",
        total_duration: 5_043_500_667,
        prompt_eval_count: Math.ceil((seen.length + String(system).length) / 4),
        eval_count: Math.ceil(written.length / 4),
      });
    },
  });
}
