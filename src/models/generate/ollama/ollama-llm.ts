import * as z from "zod/mini";
import { PommelError } from "../../../base/errors.ts";
import { checkOllamaModel, describeOllama, toOllamaError } from "../../http/ollama-server.ts";
import { buildEndpoint, RequestFailed, requestJson } from "../../http/request.ts";
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

/** https://docs.ollama.com/api/generate; the counts are absent where the server had the prompt in its cache. */
const generateAnswer = z.object({
  response: z.string(),
  done_reason: z.optional(z.string()),
  prompt_eval_count: z.optional(z.number()),
  eval_count: z.optional(z.number()),
});

const maxWindowTokens = 65_536;

export const ollamaDriver: LlmDriver = {
  name: "ollama",
  about: "a model in Ollama, on this machine or where ollama.url points",
  defaultModel: "llama3.1:8b",
  create: (model, settings, options) => createOllamaLlm(model, settings.ollamaUrl, options),
  checkAvailability: (model, { ollamaUrl }, signal) =>
    checkOllamaModel(model, buildEndpoint(ollamaUrl), llmCaller, signal),
  isLocal: (model, { ollamaUrl }) => isLocalAt(ollamaUrl, model),
};

/** ollama.com runs models with this tag; the local server only forwards the prompt. */
function isLocalAt(url: string, model: string): boolean {
  return isLoopback(url) && !/[:-]cloud$/.test(model);
}

/** A model in Ollama over HTTP. The server decides how long it stays in memory. */
function createOllamaLlm(model: string, url: string, options: LlmOptions = {}): Llm {
  const { clock, timeoutMs } = { ...defaultOptions, ...options };
  const endpoint = buildEndpoint(url);
  const server = describeOllama(endpoint.base);
  const dollars = isLocalAt(url, model) ? 0 : null;
  return {
    id: `ollama/${model}`,
    async generate(request, signal) {
      signal?.throwIfAborted();
      const { system, prompt, maxTokens, temperature, json } = request;
      const body = {
        model,
        prompt,
        stream: false,
        ...(system === undefined ? {} : { system }),
        ...(json ? { format: "json" } : {}),
        options: { num_ctx: chooseContextWindow(request), num_predict: maxTokens, temperature },
      };
      const ask = () => requestJson(endpoint, "/api/generate", generateAnswer, { body, timeoutMs, signal });
      try {
        const { value } = await retryFailures(ask, { retryTimeouts: llmTimeouts, clock, signal });
        return {
          text: cleanAnswer(value.response, server, value.done_reason === "length"),
          inputTokens: value.prompt_eval_count ?? estimateInputTokens(request),
          outputTokens: value.eval_count ?? estimatePromptTokens(value.response),
          dollars,
        };
      } catch (error) {
        if (!(error instanceof RequestFailed)) throw error;
        throw toOllamaError(error, endpoint.base, model, llmCaller);
      }
    },
  };
}

/**
 * By default, Ollama silently truncates at 4,096 tokens or less. A different window reloads the model, so only powers
 * of two are used.
 * @throws PommelError `llm_unavailable`
 */
function chooseContextWindow(request: LlmRequest): number {
  const needed = estimateInputTokens(request) + request.maxTokens;
  if (needed > maxWindowTokens) {
    throw new PommelError(
      "llm_unavailable",
      `A prompt of about ${needed} tokens is too long.`,
      `The limit is ${maxWindowTokens}.`,
    );
  }
  return Math.max(4096, 2 ** Math.ceil(Math.log2(needed)));
}
