import { PommelError } from "../../base/errors.ts";
import type { Availability } from "../embed/embedder.ts";
import { type RemoteCaller, RequestFailed } from "../http/request.ts";
import { type Clock, systemClock, type Timeouts } from "../http/retry.ts";

/** A text generator. */
export interface Llm {
  /** "ollama/llama3.1:8b". */
  readonly id: string;
  /**
   * Completes a prompt.
   * @throws PommelError `llm_unavailable`; the signal's reason when it is aborted
   */
  generate(request: LlmRequest, signal?: AbortSignal): Promise<LlmAnswer>;
}

export interface LlmRequest {
  system?: string;
  prompt: string;
  /** The answer is cut here. Tokens. */
  maxTokens: number;
  temperature: number;
  /** Request one JSON value. */
  json?: boolean;
}

interface LlmAnswer {
  text: string;
  /** As the server counts them, estimated where it does not. */
  inputTokens: number;
  outputTokens: number;
  /** By the list price; 0 for a model on this machine, null if there is none. */
  dollars: number | null;
}

/**
 * Tokens of a text, estimated: three ASCII characters to one, and one and a half to any other character. English and
 * code make 3 to 4, so this is a little too much; a prompt over the context window silently loses its beginning.
 */
export function estimatePromptTokens(text: string): number {
  let others = 0;
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) > 127) others++;
  return Math.ceil((text.length - others) / 3 + others * 1.5);
}

/** Generous allowance for a model's chat template. */
const templateTokens = 100;

export function estimateInputTokens({ system = "", prompt }: LlmRequest): number {
  return estimatePromptTokens(system) + estimatePromptTokens(prompt) + templateTokens;
}

/** A driver's settings. */
export interface LlmSettings {
  /** Where Ollama answers, e.g. `http://127.0.0.1:11434`. */
  ollamaUrl: string;
  /** Base of an OpenAI-compatible API, e.g. `https://api.openai.com/v1`. */
  openaiUrl: string;
  /** The environment variable that holds the key; the key itself is never stored. */
  openaiKeyVariable: string;
}

/** Overrides for tests. */
export interface LlmOptions {
  clock?: Clock;
  /** For the whole answer. */
  timeoutMs?: number;
  env?: NodeJS.ProcessEnv;
}

/** A text generation driver, registered in `registry.ts`. */
export interface LlmDriver {
  /** As in `llm.model = "name"` or `"name/model"`. */
  name: string;
  /** One line for people: what it is, and whether texts leave the machine. */
  about: string;
  /** The default model; null when it must be named, or there is none. */
  defaultModel: string | null;
  /** Environment variables that it reads: a daemon is started with these and few others. */
  environment?(settings: LlmSettings): string[];
  /** Null for the driver that writes nothing. */
  create(model: string, settings: LlmSettings, options?: LlmOptions): Llm | null;
  /** Checks whether `model` is usable without a request. Absent where that is impossible. */
  checkAvailability?(model: string, settings: LlmSettings, signal: AbortSignal): Promise<Availability>;
  /** Whether prompts stay on this machine. */
  isLocal(model: string, settings: LlmSettings): boolean;
}

export const llmCaller: RemoteCaller = {
  code: "llm_unavailable",
  ollamaUrl: "ollama.url",
  openaiUrl: "openai.url",
  isPulledByPm: false,
};

/** Background timeouts: callers have a fallback, or retry later. */
export const llmTimeouts: Timeouts = { attempts: 3, maxWaitMs: 20_000 };

export const defaultOptions = { clock: systemClock, timeoutMs: 120_000, env: process.env };

/** Reasoning before the answer (Qwen, DeepSeek and others), unless the server removes it. */
const thinking = /^\s*<think(?:ing)?>[\s\S]*?(?:<\/think(?:ing)?>|$)/i;

/**
 * The trimmed answer without reasoning.
 * @throws PommelError `llm_unavailable` when nothing is left
 */
export function cleanAnswer(raw: string, server: string, wasCut: boolean): string {
  const text = raw.replace(thinking, "").trim();
  if (text !== "") return text;
  const failure = new RequestFailed(
    "nonsense",
    `gave an empty answer${wasCut ? ": it was cut off before it began" : ""}`,
  );
  throw new PommelError(
    "llm_unavailable",
    `${server} ${failure.message}.`,
    "Reasoning models may need more room; choose another in llm.model.",
    { cause: failure },
  );
}

/** Whether `url` is on this machine. */
export function isLoopback(url: string): boolean {
  const { hostname } = new URL(url);
  return hostname === "localhost" || hostname === "[::1]" || /^127\.\d+\.\d+\.\d+$/.test(hostname);
}
