import * as z from "zod/mini";
import { PommelError } from "../../../base/errors.ts";
import { isOpenaiAt, type OpenaiServer, readKey, toOpenaiError } from "../../http/openai-server.ts";
import { numbers, RemoteEmbedder } from "../../http/remote-embedder.ts";
import { buildEndpoint, embedCaller, RequestFailed, requestJson, waitAskedFor } from "../../http/request.ts";
import { type Clock, findRefusal, retryFailures, systemClock, timeoutFor } from "../../http/retry.ts";
import type { Embedder, EmbedderDriver } from "../embedder.ts";

export const openaiDriver: EmbedderDriver = {
  name: "openai",
  about: "any OpenAI-compatible API: the texts are sent to openai.url",
  defaultModel: "text-embedding-3-large",
  environment: ({ openaiKeyVariable }) => [openaiKeyVariable],
  create: (model, { openaiUrl, openaiKeyVariable }) =>
    createOpenaiEmbedder(model, { url: openaiUrl, keyVariable: openaiKeyVariable }),
  // Only check for the key: a request would cost, and contact the server.
  async checkAvailability(_model, { openaiUrl, openaiKeyVariable }) {
    try {
      const key = readKey({ url: openaiUrl, keyVariable: openaiKeyVariable }, embedCaller);
      const detail = key === null ? `without a key, at ${openaiUrl}` : `with the key in ${openaiKeyVariable}`;
      return { usable: true, detail: `${detail}; not asked`, hint: "" };
    } catch (error) {
      if (!(error instanceof PommelError)) throw error;
      return { usable: false, detail: error.message.replace(/\.$/, ""), hint: error.hint };
    }
  },
};

interface OpenaiOptions {
  clock?: Clock;
  timeoutMs?: number;
  env?: NodeJS.ProcessEnv;
  /** OpenAI itself, with known models and prices, and a required key. */
  isOpenai?: boolean;
}

const embeddingsAnswer = z.object({
  data: z.array(z.object({ index: z.number(), embedding: z.union([z.string(), numbers]) })),
  usage: z.optional(z.object({ total_tokens: z.optional(z.number()) })),
});

/** OpenAI takes 2,048 texts, 300,000 tokens, 8,191 of each text; smaller requests lose less on failure. */
const openaiLimits = { texts: 512, tokens: 250_000, tokensPerText: 8000 };
/** Many compatible servers accept no more texts. */
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
  const known = isOpenai ? findKnownModel(name) : null;
  const { base } = buildEndpoint(url);
  const server = `The API at ${base}`;
  const gate = new RateGate(clock);
  const used = { requests: 0, tokens: 0 };
  return new RemoteEmbedder({
    // Other servers may use any model under this name.
    id: isOpenai ? `openai/${model}` : `openai/${model} at ${new URL(url).host}`,
    server,
    model: name,
    dimensions: length ?? known?.dimensions ?? 0,
    prefixes: { passage: "", query: "" },
    limits: isOpenai ? openaiLimits : otherLimits,
    async ask(texts, kind, signal) {
      const retryTimeouts = timeoutFor[kind];
      const endpoint = buildEndpoint(url, readKey({ url, keyVariable }, embedCaller, env, isOpenai));
      const body = {
        model: name,
        input: texts,
        // A quarter of the bytes; not every other server knows it.
        encoding_format: isOpenai ? "base64" : "float",
        ...(length === null ? {} : { dimensions: length }),
      };
      const request = async () => {
        await gate.waitUntilOpen(retryTimeouts.maxWaitMs, signal);
        return requestJson(endpoint, "/embeddings", embeddingsAnswer, { body, timeoutMs, signal });
      };
      try {
        const { value, headers } = await retryFailures(request, {
          retryTimeouts,
          clock,
          signal,
          onFailure: ({ waitMs }) => gate.hold(waitMs),
        });
        gate.hold(waitAskedFor(headers));
        used.requests++;
        used.tokens += value.usage?.total_tokens ?? 0;
        return value.data
          .toSorted((a, b) => a.index - b.index)
          .map(({ embedding }) => decodeFloats(embedding));
      } catch (error) {
        if (!(error instanceof RequestFailed)) throw error;
        throw findRefusal(error) ?? toOpenaiError(error, server, name, keyVariable, embedCaller);
      }
    },
    usage: () => ({ ...used, dollars: known && (used.tokens / 1e6) * known.dollarsPerMillion }),
  });
}

/** Base64 holds float32, little-endian. */
function decodeFloats(embedding: string | number[]): ArrayLike<number> {
  if (typeof embedding !== "string") return embedding;
  const bytes = Buffer.from(embedding, "base64");
  const floats = new Float32Array(Math.floor(bytes.length / 4));
  for (let i = 0; i < floats.length; i++) floats[i] = bytes.readFloatLE(i * 4);
  return floats;
}

interface PricedEmbedder {
  dimensions: number;
  /** List price for a million tokens, as of November 2026. */
  dollarsPerMillion: number;
}

/** The models of api.openai.com (https://developers.openai.com/api/docs/pricing). */
const knownModels: Record<string, PricedEmbedder> = {
  "text-embedding-3-large": { dimensions: 3072, dollarsPerMillion: 0.13 },
  "text-embedding-3-small": { dimensions: 1536, dollarsPerMillion: 0.02 },
  "text-embedding-ada-002": { dimensions: 1536, dollarsPerMillion: 0.1 },
};

function findKnownModel(name: string): PricedEmbedder | null {
  return Object.hasOwn(knownModels, name) ? knownModels[name]! : null;
}

/** "text-embedding-3-large@1024": a model, and the length its vectors are to be shortened to. */
function readModel(model: string): { name: string; length: number | null } {
  const [, name, length] = /^(.+)@([1-9]\d{0,5})$/.exec(model) ?? [];
  return name === undefined ? { name: model, length: null } : { name, length: Number(length) };
}

/** Delays all requests of an embedder while the server asks to wait. */
class RateGate {
  private opensAt = 0;

  constructor(private readonly clock: Clock) {}

  /** Closes the gate for `ms`; null changes nothing. */
  hold(ms: number | null): void {
    if (ms !== null) this.opensAt = Math.max(this.opensAt, this.clock.now() + ms);
  }

  /**
   * Waits until it opens.
   * @throws RequestFailed when that takes longer than `maxWaitMs`; the signal's reason when it is aborted
   */
  async waitUntilOpen(maxWaitMs: number, signal: AbortSignal | undefined): Promise<void> {
    for (let wait = this.wait(); wait > 0; wait = this.wait()) {
      if (wait > maxWaitMs) throw makeTooEarlyError(wait);
      await this.clock.sleep(wait, signal);
    }
  }

  private wait(): number {
    return this.opensAt - this.clock.now();
  }
}

function makeTooEarlyError(waitMs: number): RequestFailed {
  const message = `asks to wait another ${Math.ceil(waitMs / 1000)} s`;
  return new RequestFailed("status", message, { status: 429, waitMs });
}
