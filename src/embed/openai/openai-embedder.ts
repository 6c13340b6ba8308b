import * as z from "zod/mini";
import { PommelError } from "../../project/errors.ts";
import type { Embedder } from "../embedder.ts";
import { numbers } from "../remote/numbers.ts";
import { waitAskedFor } from "../remote/rate-limits.ts";
import { refusalOf } from "../remote/refusal.ts";
import { RemoteEmbedder } from "../remote/remote-embedder.ts";
import { endpointAt, RequestFailed, requestJson } from "../remote/request.ts";
import { type Clock, patienceFor, retrying, systemClock } from "../remote/retry.ts";
import { knownModel, readModel } from "./known-models.ts";
import { RateGate } from "./rate-gate.ts";

export interface OpenaiSettings {
  /** Base of the API: `/embeddings` follows. */
  url: string;
  keyVariable: string;
}

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
  { url, keyVariable }: OpenaiSettings,
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
      const patience = patienceFor[kind];
      const endpoint = endpointAt(url, readKey({ url, keyVariable }, env, isOpenai));
      const body = {
        model: name,
        input: texts,
        // A quarter of the bytes; not every other server knows it.
        encoding_format: isOpenai ? "base64" : "float",
        ...(length === null ? {} : { dimensions: length }),
      };
      const request = async () => {
        await gate.pass(patience.longestWaitMs, signal);
        return requestJson(endpoint, "/embeddings", embeddingsAnswer, { body, timeoutMs, signal });
      };
      try {
        const { value, headers } = await retrying(request, {
          patience,
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
        throw refusalOf(error) ?? openaiFailure(error, server, name, keyVariable);
      }
    },
    usage: () => ({ ...used, dollars: known && (used.tokens / 1e6) * known.dollarsPerMillion }),
  });
}

function isOpenaiAt(url: string): boolean {
  return new URL(url).hostname === "api.openai.com";
}

/**
 * The key, or null where none is needed.
 * @throws PommelError `embedder_unavailable`
 */
export function readKey(
  { url, keyVariable }: OpenaiSettings,
  env: NodeJS.ProcessEnv = process.env,
  isNeeded: boolean = isOpenaiAt(url),
): string | null {
  const key = env[keyVariable]?.trim() ?? "";
  if (key === "" && !isNeeded) return null;
  if (key === "") {
    throw new PommelError(
      "embedder_unavailable",
      `${new URL(url).host} wants a key, and the environment variable ${keyVariable} is not set.`,
      `Set ${keyVariable} where the daemon is started, then run \`pm stop\` and \`pm start\`.`,
    );
  }
  // It could not be a header, and the complaint about that would show it.
  if (!/^[\x21-\x7e]+$/.test(key)) {
    throw new PommelError(
      "embedder_unavailable",
      `The environment variable ${keyVariable} holds no key: it has blanks or letters that no key has.`,
      "Copy the key again.",
    );
  }
  return key;
}

/** Base64 holds float32, little-endian. */
function floatsOf(embedding: string | number[]): ArrayLike<number> {
  if (typeof embedding !== "string") return embedding;
  const bytes = Buffer.from(embedding, "base64");
  const floats = new Float32Array(Math.floor(bytes.length / 4));
  for (let i = 0; i < floats.length; i++) floats[i] = bytes.readFloatLE(i * 4);
  return floats;
}

function openaiFailure(
  failure: RequestFailed,
  server: string,
  model: string,
  keyVariable: string,
): PommelError {
  const { status } = failure;
  // On 401 and 403 its own words may repeat parts of the key.
  const [message, hint] =
    status === 401 || status === 403
      ? [
          `${server} answered ${status}: it does not accept the key in ${keyVariable}, or not for ${model}.`,
          `Check ${keyVariable} where the daemon was started, and what that key may do.`,
        ]
      : [`${server} ${failure.message}.`, hintFor(failure)];
  return new PommelError("embedder_unavailable", message, hint, { cause: failure });
}

function hintFor({ kind, status, serverCode, waitMs }: RequestFailed): string {
  if (kind === "unreachable" || kind === "timeout") return "Check the network and embed.openai_url.";
  if (serverCode === "insufficient_quota") return "The account behind the key has no credit left.";
  if (status === 404) return "Check the model's name and embed.openai_url, which usually ends in /v1.";
  if (status === 429) {
    const until = waitMs === null ? "" : ` for another ${Math.ceil(waitMs / 1000)} s`;
    return `The account's rate limit is used up${until}.`;
  }
  return "Check embed.openai_url and the model's name.";
}
