import * as z from "zod/mini";
import { PommelError } from "../../../base/errors.ts";
import {
  checkOllamaModel,
  describeOllama,
  findOllamaModel,
  stripLatestTag,
  toOllamaError,
} from "../../http/ollama-server.ts";
import { numbers, RemoteEmbedder } from "../../http/remote-embedder.ts";
import {
  buildEndpoint,
  type Endpoint,
  embedCaller,
  RequestFailed,
  requestJson,
  requestLines,
} from "../../http/request.ts";
import { type Clock, findRefusal, retryFailures, systemClock, timeoutFor } from "../../http/retry.ts";
import type { Embedder, EmbedderDriver, PullProgress } from "../embedder.ts";

export const ollamaDriver: EmbedderDriver = {
  name: "ollama",
  about: "a model in Ollama, on this machine or where ollama.url points",
  defaultModel: "nomic-embed-text",
  create: (model, settings) => createOllamaEmbedder(model, settings.ollamaUrl),
  checkAvailability: (model, settings, signal) =>
    checkOllamaModel(model, buildEndpoint(settings.ollamaUrl), embedCaller, signal),
  pull: (model, settings, onProgress, signal) =>
    pull(model, buildEndpoint(settings.ollamaUrl), onProgress, signal),
};

const pullLine = z.object({
  status: z.optional(z.string()),
  error: z.optional(z.string()),
  digest: z.optional(z.string()),
  total: z.optional(z.number()),
  completed: z.optional(z.number()),
});

/** Ollama verifies existing layers, and resumes interrupted downloads. */
async function pull(
  model: string,
  endpoint: Endpoint,
  onProgress: (progress: PullProgress) => void,
  signal: AbortSignal,
): Promise<void> {
  /** Bytes by layer. */
  const layers = new Map<string, { done: number; total: number }>();
  let step = "";
  try {
    for await (const line of requestLines(endpoint, "/api/pull", { model, stream: true }, signal)) {
      if (line.trim() === "") continue;
      const { status = "", error, digest, total = 0, completed = 0 } = readPullLine(line);
      if (error !== undefined) throw pullFailed(endpoint, model, error);
      step = status;
      if (digest !== undefined) layers.set(digest, { done: completed, total });
      const sum = { done: 0, total: 0 };
      for (const layer of layers.values()) {
        sum.done += layer.done;
        sum.total += layer.total;
      }
      onProgress({ step, ...sum });
    }
  } catch (error) {
    if (!(error instanceof RequestFailed)) throw error;
    throw error.kind === "status"
      ? pullFailed(endpoint, model, error.reply || error.message)
      : toOllamaError(error, endpoint.base, model, embedCaller);
  }
  if (step !== "success") throw pullFailed(endpoint, model, "the download broke off");
}

function readPullLine(line: string): z.infer<typeof pullLine> {
  try {
    return pullLine.parse(JSON.parse(line));
  } catch {
    throw new RequestFailed("nonsense", "answered with something unexpected");
  }
}

function pullFailed({ base }: Endpoint, model: string, why: string): PommelError {
  return new PommelError(
    "embedder_unavailable",
    `${describeOllama(base)} could not pull ${model}: ${why}.`,
    "Check the name at https://ollama.com/search?c=embedding, then run it again: it continues where it stopped.",
  );
}

const embedAnswer = z.object({ embeddings: z.array(numbers) });

/** Ollama works through a request at once; on a CPU, at some 1,000 tokens a second, this is up to half a minute. */
const limits = { texts: 32, tokens: 16_000 };
/** Includes loading the model. */
const defaultTimeoutMs = 180_000;

/**
 * A model in Ollama over HTTP. Three short calls need no client library. Sends no `keep_alive`, which would override
 * the owner's OLLAMA_KEEP_ALIVE.
 */
export function createOllamaEmbedder(
  model: string,
  url: string,
  { clock = systemClock, timeoutMs = defaultTimeoutMs }: { clock?: Clock; timeoutMs?: number } = {},
): Embedder {
  const endpoint = buildEndpoint(url);
  const { dimensions, context, prefixes } = findOllamaModel(model);
  return new RemoteEmbedder({
    id: `ollama/${stripLatestTag(model)}`,
    server: describeOllama(endpoint.base),
    model,
    dimensions: dimensions ?? 0,
    prefixes,
    limits: { ...limits, tokensPerText: context },
    async ask(texts, kind, signal) {
      // Ollama's default context is 2,048 or 4,096 tokens, whatever the model supports.
      const body = { model, input: texts, truncate: true, options: { num_ctx: 8192 } };
      const request = () => requestJson(endpoint, "/api/embed", embedAnswer, { body, timeoutMs, signal });
      try {
        return (await retryFailures(request, { retryTimeouts: timeoutFor[kind], clock, signal })).value
          .embeddings;
      } catch (error) {
        if (!(error instanceof RequestFailed)) throw error;
        throw findRefusal(error) ?? toOllamaError(error, endpoint.base, model, embedCaller);
      }
    },
  });
}
