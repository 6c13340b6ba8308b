import * as z from "zod/mini";
import { numbers } from "../../http/numbers.ts";
import { ollamaAt, ollamaFailure } from "../../http/ollama-server.ts";
import { refusalOf } from "../../http/refusal.ts";
import { embedCaller } from "../../http/remote-caller.ts";
import { RemoteEmbedder } from "../../http/remote-embedder.ts";
import { endpointAt, RequestFailed, requestJson } from "../../http/request.ts";
import { type Clock, retrying, systemClock, timeoutFor } from "../../http/retry.ts";
import type { Embedder } from "../embedder.ts";
import { knownModel, withoutLatest } from "./known-models.ts";

const embedAnswer = z.object({ embeddings: z.array(numbers) });

/** Ollama works the texts of a request off at once, on a CPU some 1,000 tokens a second: this is half a minute. */
const limits = { texts: 32, tokens: 16_000 };
/** A model may first have to be loaded. */
const defaultTimeoutMs = 180_000;

/**
 * A model in Ollama, asked over HTTP. Three calls of a few lines each need no client library. How long the model
 * stays in memory is left to the server (OLLAMA_KEEP_ALIVE, 5 minutes by default): a `keep_alive` of ours would
 * override what its owner decided.
 */
export function createOllamaEmbedder(
  model: string,
  url: string,
  { clock = systemClock, timeoutMs = defaultTimeoutMs }: { clock?: Clock; timeoutMs?: number } = {},
): Embedder {
  const endpoint = endpointAt(url);
  const { dimensions, context, prefixes } = knownModel(model);
  return new RemoteEmbedder({
    id: `ollama/${withoutLatest(model)}`,
    server: ollamaAt(endpoint.base),
    model,
    dimensions: dimensions ?? 0,
    prefixes,
    limits: { ...limits, tokensPerText: context },
    async ask(texts, kind, signal) {
      // By default Ollama cuts at 2,048 or 4,096 tokens, whatever the model can take in.
      const body = { model, input: texts, truncate: true, options: { num_ctx: 8192 } };
      const request = () => requestJson(endpoint, "/api/embed", embedAnswer, { body, timeoutMs, signal });
      try {
        return (await retrying(request, { retryTimeouts: timeoutFor[kind], clock, signal })).value.embeddings;
      } catch (error) {
        if (!(error instanceof RequestFailed)) throw error;
        throw refusalOf(error) ?? ollamaFailure(error, endpoint.base, model, embedCaller);
      }
    },
  });
}
