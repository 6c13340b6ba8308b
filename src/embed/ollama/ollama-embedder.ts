import * as z from "zod/mini";
import { PommelError } from "../../project/errors.ts";
import type { Embedder } from "../embedder.ts";
import { numbers } from "../remote/numbers.ts";
import { refusalOf } from "../remote/refusal.ts";
import { RemoteEmbedder } from "../remote/remote-embedder.ts";
import { endpointAt, RequestFailed, requestJson } from "../remote/request.ts";
import { type Clock, patienceFor, retrying, systemClock } from "../remote/retry.ts";
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
        return (await retrying(request, { patience: patienceFor[kind], clock, signal })).value.embeddings;
      } catch (error) {
        if (!(error instanceof RequestFailed)) throw error;
        throw refusalOf(error) ?? ollamaFailure(error, endpoint.base, model);
      }
    },
  });
}

export function ollamaAt(base: string): string {
  return `Ollama at ${base}`;
}

/** What went wrong between us and Ollama, for a person. */
export function ollamaFailure(failure: RequestFailed, base: string, model: string): PommelError {
  const { kind, status, said } = failure;
  if (status === 404 && /model/i.test(said)) return modelMissing(base, model, failure);
  const hint =
    kind === "unreachable"
      ? "Start it (`ollama serve`; it is at https://ollama.com), or set embed.ollama_url to where it is."
      : kind === "timeout"
        ? "It may be busy, or the model too large for this machine. `ollama ps` shows what it runs."
        : "Check embed.ollama_url, and the server's log.";
  return new PommelError("embedder_unavailable", `${ollamaAt(base)} ${failure.message}.`, hint, {
    cause: failure,
  });
}

export function modelMissing(base: string, model: string, cause?: unknown): PommelError {
  return new PommelError(
    "embedder_unavailable",
    `${ollamaAt(base)} has no model ${model}.`,
    `Run \`ollama pull ${model}\` or \`pm models pull ollama/${model}\`.`,
    { cause },
  );
}
