import * as z from "zod/mini";
import { modelMissing, ollamaAt, ollamaFailure } from "../../http/ollama-server.ts";
import type { RemoteCaller } from "../../http/remote-caller.ts";
import { type Endpoint, RequestFailed, requestJson } from "../../http/request.ts";
import type { Availability } from "../embedder.ts";
import { withoutLatest } from "./known-models.ts";

const tagsAnswer = z.object({
  models: z.array(z.object({ name: z.string(), capabilities: z.optional(z.array(z.string())) })),
});
const lookTimeoutMs = 1000;

/** Whether Ollama answers and has a model; `models` are those there that embed. */
export async function lookForOllamaModel(
  model: string,
  endpoint: Endpoint,
  caller: RemoteCaller,
  signal: AbortSignal,
): Promise<Availability> {
  try {
    const options = { timeoutMs: lookTimeoutMs, signal };
    const { models } = (await requestJson(endpoint, "/api/tags", tagsAnswer, options)).value;
    const names = models.map(({ name }) => withoutLatest(name));
    // Older servers do not say what a model is for.
    const embedding = models.filter(({ capabilities }) => capabilities?.includes("embedding") ?? true);
    const found = { models: embedding.map(({ name }) => withoutLatest(name)) };
    if (names.includes(withoutLatest(model))) {
      return { usable: true, detail: `${ollamaAt(endpoint.base)} has it`, hint: "", ...found };
    }
    const { message, hint } = modelMissing(endpoint.base, model, caller);
    return { usable: false, detail: message.replace(/\.$/, ""), hint, ...found };
  } catch (error) {
    if (!(error instanceof RequestFailed)) throw error;
    const { message, hint } = ollamaFailure(error, endpoint.base, model, caller);
    return { usable: false, detail: message.replace(/\.$/, ""), hint };
  }
}
