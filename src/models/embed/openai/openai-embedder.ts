import * as z from "zod/mini";
import { numbers } from "../../http/numbers.ts";
import { isOpenaiAt, type OpenaiServer, openaiFailure, readKey } from "../../http/openai-server.ts";
import { waitAskedFor } from "../../http/rate-limits.ts";
import { refusalOf } from "../../http/refusal.ts";
import { embedCaller } from "../../http/remote-caller.ts";
import { RemoteEmbedder } from "../../http/remote-embedder.ts";
import { endpointAt, RequestFailed, requestJson } from "../../http/request.ts";
import { type Clock, retrying, systemClock, timeoutFor } from "../../http/retry.ts";
import type { Embedder } from "../embedder.ts";
import { knownModel, readModel } from "./known-models.ts";
import { RateGate } from "./rate-gate.ts";

interface OpenaiOptions {
  clock?: Clock;
  timeoutMs?: number;
  env?: NodeJS.ProcessEnv;
  /** Whether this is OpenAI itself, whose models and prices are known and which wants a key. */
  isOpenai?: boolean;
}

const embeddingsAnswer = z.object({
  data: z.array(z.object({ index: z.number(), embedding: z.union([z.string(), numbers]) })),
  usage: z.optional(z.object({ total_tokens: z.optional(z.number()) })),
});

/** OpenAI takes 2,048 texts, 300,000 tokens, 8,191 of each text; what fails is lost, so a request is smaller. */
const openaiLimits = { texts: 512, tokens: 250_000, tokensPerText: 8000 };
/** Many servers that speak the same protocol take no more texts than this. */
const otherLimits = { ...openaiLimits, texts: 32 };
const defaultTimeoutMs = 60_000;

/**
 * A model behind an OpenAI-compatible API. The key is read from the environment when it is needed, sent to that
 * server in a header, and never shown.
 */
export function createOpenaiEmbedder(
  model: string,
  { url, keyVariable }: OpenaiServer,
  {
    clock = systemClock,
    timeoutMs = defaultTimeoutMs,
    env = process.env,
    isOpenai = isOpenaiAt(url),
  }: OpenaiOptions = {},
): Embedder {
  const { name, length } = readModel(model);
  const known = isOpenai ? knownModel(name) : null;
  const { base } = endpointAt(url);
  const server = `The API at ${base}`;
  const gate = new RateGate(clock);
  const used = { requests: 0, tokens: 0 };
  return new RemoteEmbedder({
    // Elsewhere a name may mean any model; some servers do not even look at it.
    id: isOpenai ? `openai/${model}` : `openai/${model} at ${new URL(url).host}`,
    server,
    model: name,
    dimensions: length ?? known?.dimensions ?? 0,
    prefixes: { passage: "", query: "" },
    limits: isOpenai ? openaiLimits : otherLimits,
    async ask(texts, kind, signal) {
      const retryTimeouts = timeoutFor[kind];
      const endpoint = endpointAt(url, readKey({ url, keyVariable }, embedCaller, env, isOpenai));
      const body = {
        model: name,
        input: texts,
        // A quarter of the bytes; not every other server knows it.
        encoding_format: isOpenai ? "base64" : "float",
        ...(length === null ? {} : { dimensions: length }),
      };
      const request = async () => {
        await gate.pass(retryTimeouts.maxWaitMs, signal);
        return requestJson(endpoint, "/embeddings", embeddingsAnswer, { body, timeoutMs, signal });
      };
      try {
        const { value, headers } = await retrying(request, {
          retryTimeouts,
          clock,
          signal,
          onFailure: ({ waitMs }) => gate.hold(waitMs),
        });
        gate.hold(waitAskedFor(headers));
        used.requests++;
        used.tokens += value.usage?.total_tokens ?? 0;
        return value.data.toSorted((a, b) => a.index - b.index).map(({ embedding }) => floatsOf(embedding));
      } catch (error) {
        if (!(error instanceof RequestFailed)) throw error;
        throw refusalOf(error) ?? openaiFailure(error, server, name, keyVariable, embedCaller);
      }
    },
    usage: () => ({ ...used, dollars: known && (used.tokens / 1e6) * known.dollarsPerMillion }),
  });
}

/** Base64 holds float32, little-endian. */
function floatsOf(embedding: string | number[]): ArrayLike<number> {
  if (typeof embedding !== "string") return embedding;
  const bytes = Buffer.from(embedding, "base64");
  const floats = new Float32Array(Math.floor(bytes.length / 4));
  for (let i = 0; i < floats.length; i++) floats[i] = bytes.readFloatLE(i * 4);
  return floats;
}
