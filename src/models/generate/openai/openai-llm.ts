import * as z from "zod/mini";
import { isOpenaiAt, type OpenaiServer, readKey, toOpenaiError } from "../../http/openai-server.ts";
import { buildEndpoint, type Endpoint, RequestFailed, requestJson } from "../../http/request.ts";
import { retryFailures } from "../../http/retry.ts";
import {
  cleanAnswer,
  defaultOptions,
  estimateInputTokens,
  estimatePromptTokens,
  isLoopback,
  type Llm,
  type LlmDriver,
  type LlmOptions,
  type LlmRequest,
  llmCaller,
  llmTimeouts,
} from "../llm.ts";

interface ModelPrices {
  /** List prices for a million tokens, as of June 2026. Dollars. */
  input: number;
  output: number;
}

/** Models of api.openai.com (https://developers.openai.com/api/docs/pricing). */
const knownModels: Record<string, ModelPrices> = {
  "gpt-4o": { input: 2.5, output: 10 },
  "gpt-4o-mini": { input: 0.15, output: 0.6 },
  "gpt-4.1": { input: 2, output: 8 },
  "gpt-4.1-mini": { input: 0.4, output: 1.6 },
  "gpt-4.1-nano": { input: 0.1, output: 0.4 },
  "gpt-5": { input: 1.25, output: 10 },
  "gpt-5-mini": { input: 0.25, output: 2 },
  "gpt-5-nano": { input: 0.05, output: 0.4 },
};

/** A call's cost; null for an unknown price. A dated name ("gpt-4o-2024-08-06") is its model. */
function computeDollars(model: string, inputTokens: number, outputTokens: number): number | null {
  const name = model.replace(/-\d{4}-\d{2}-\d{2}$/, "");
  if (!Object.hasOwn(knownModels, name)) return null;
  const { input, output } = knownModels[name]!;
  return (inputTokens * input + outputTokens * output) / 1e6;
}

/** Whether the model reasons before it answers, which counts as output. */
function isReasoning(model: string): boolean {
  return /^(o\d|gpt-5)/.test(model);
}

interface OpenaiLlmOptions extends LlmOptions {
  /** OpenAI itself, with known models and prices, and a required key. */
  isOpenai?: boolean;
}

const completion = z.object({
  choices: z
    .array(
      z.object({
        message: z.object({ content: z.nullish(z.string()) }),
        finish_reason: z.nullish(z.string()),
      }),
    )
    .check(z.minLength(1)),
  usage: z.nullish(
    z.object({ prompt_tokens: z.optional(z.number()), completion_tokens: z.optional(z.number()) }),
  ),
});

export const openaiDriver: LlmDriver = {
  name: "openai",
  about: "any OpenAI-compatible API: the texts are sent to openai.url",
  defaultModel: null,
  environment: ({ openaiKeyVariable }) => [openaiKeyVariable],
  create: (model, { openaiUrl, openaiKeyVariable }, options) =>
    createOpenaiLlm(model, { url: openaiUrl, keyVariable: openaiKeyVariable }, options),
  isLocal: (_model, { openaiUrl }) => isLoopback(openaiUrl),
};

/**
 * A model behind an OpenAI-compatible API. The key is read from the environment when it is needed, sent to that
 * server in a header, and never shown.
 */
export function createOpenaiLlm(
  model: string,
  { url, keyVariable }: OpenaiServer,
  options: OpenaiLlmOptions = {},
): Llm {
  const { clock, timeoutMs, env, isOpenai } = { ...defaultOptions, isOpenai: isOpenaiAt(url), ...options };
  const { base } = buildEndpoint(url);
  const server = `The API at ${base}`;
  /** Parameters that the server rejected. */
  const refused = new Set<Parameter>();

  async function ask(endpoint: Endpoint, request: LlmRequest, signal: AbortSignal | undefined) {
    for (;;) {
      const body = { model, messages: buildMessages(request), ...buildParameters(request, refused) };
      const send = () => requestJson(endpoint, "/chat/completions", completion, { body, timeoutMs, signal });
      try {
        return (await retryFailures(send, { retryTimeouts: llmTimeouts, clock, signal })).value;
      } catch (error) {
        const culprit = error instanceof RequestFailed ? findRefusedParameter(error, body) : null;
        if (culprit === null) throw error;
        // Never send a request without a limit.
        if (limits.includes(culprit) && limits.some((name) => refused.has(name))) throw error;
        refused.add(culprit);
      }
    }
  }

  function buildParameters(
    { maxTokens, temperature, json }: LlmRequest,
    without: ReadonlySet<Parameter>,
  ): Partial<Record<Parameter, unknown>> {
    // OpenAI's models need the newer name, many other servers only know the older one.
    const isNewer = isOpenai ? !without.has("max_completion_tokens") : without.has("max_tokens");
    const parameters: Partial<Record<Parameter, unknown>> = {
      [isNewer ? "max_completion_tokens" : "max_tokens"]: maxTokens,
      temperature,
      ...(json ? { response_format: { type: "json_object" } } : {}),
      ...(isOpenai && isReasoning(model) ? { reasoning_effort: "low" } : {}),
    };
    for (const name of without) delete parameters[name];
    return parameters;
  }

  return {
    // Other servers may use any model under this name.
    id: isOpenai ? `openai/${model}` : `openai/${model} at ${new URL(url).host}`,
    async generate(request, signal) {
      signal?.throwIfAborted();
      const endpoint = buildEndpoint(url, readKey({ url, keyVariable }, llmCaller, env, isOpenai));
      try {
        const { choices, usage } = await ask(endpoint, request, signal);
        const { message, finish_reason } = choices[0]!;
        const inputTokens = usage?.prompt_tokens ?? estimateInputTokens(request);
        const outputTokens = usage?.completion_tokens ?? estimatePromptTokens(message.content ?? "");
        return {
          text: cleanAnswer(message.content ?? "", server, finish_reason === "length"),
          inputTokens,
          outputTokens,
          dollars: computePrice(inputTokens, outputTokens),
        };
      } catch (error) {
        if (!(error instanceof RequestFailed)) throw error;
        throw toOpenaiError(error, server, model, keyVariable, llmCaller);
      }
    },
  };

  function computePrice(inputTokens: number, outputTokens: number): number | null {
    if (isLoopback(url) && !isOpenai) return 0;
    return isOpenai ? computeDollars(model, inputTokens, outputTokens) : null;
  }
}

const parameterNames = [
  "max_completion_tokens",
  "max_tokens",
  "temperature",
  "response_format",
  "reasoning_effort",
] as const;
type Parameter = (typeof parameterNames)[number];
/** Parameter names for the token limit. */
const limits: readonly Parameter[] = ["max_completion_tokens", "max_tokens"];

/** "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead." */
function findRefusedParameter({ status, reply: said }: RequestFailed, sent: object): Parameter | null {
  if (status !== 400 && status !== 422) return null;
  return parameterNames.find((name) => Object.hasOwn(sent, name) && said.includes(name)) ?? null;
}

function buildMessages({ system, prompt }: LlmRequest): { role: string; content: string }[] {
  const user = { role: "user", content: prompt };
  return system === undefined ? [user] : [{ role: "system", content: system }, user];
}
