import type { Availability } from "../embed/embedder.ts";
import type { RemoteCaller } from "../http/remote-caller.ts";
import { type Clock, systemClock, type Timeouts } from "../http/retry.ts";
import type { Llm } from "./llm.ts";

/** What drivers need to know beyond the model's name. */
export interface LlmSettings {
  /** Where Ollama answers, e.g. `http://127.0.0.1:11434`. */
  ollamaUrl: string;
  /** Base of an OpenAI-compatible API, e.g. `https://api.openai.com/v1`. */
  openaiUrl: string;
  /** The environment variable that holds the key; the key itself is never stored. */
  openaiKeyVariable: string;
}

/** What tests set otherwise. */
export interface LlmOptions {
  clock?: Clock;
  /** For the whole answer. */
  timeoutMs?: number;
  env?: NodeJS.ProcessEnv;
}

/** A way to get texts written, registered in `registry.ts`. */
export interface LlmDriver {
  /** As in `llm.model = "name"` or `"name/model"`. */
  name: string;
  /** One line for people: what it is, and whether texts leave the machine. */
  about: string;
  /** The model used when none is named; null where one has to be named, or there is none. */
  defaultModel: string | null;
  /** Environment variables that it reads: a daemon is started with these and few others. */
  environment?(settings: LlmSettings): string[];
  /** Null for the driver that writes nothing. */
  create(model: string, settings: LlmSettings, options?: LlmOptions): Llm | null;
  /** Looks whether `model` can be used, without asking it anything. Absent where nobody can tell without trying. */
  available?(model: string, settings: LlmSettings, signal: AbortSignal): Promise<Availability>;
  /** Whether what `model` is asked stays on this machine. */
  isLocal(model: string, settings: LlmSettings): boolean;
}

export const llmCaller: RemoteCaller = {
  code: "llm_unavailable",
  ollamaUrl: "llm.ollama_url",
  openaiUrl: "llm.openai_url",
  isPulledByPm: false,
};

/** Nobody waits for the answer, but the queue does: what uses it has another way, or tries again later. */
export const llmTimeouts: Timeouts = { attempts: 3, maxWaitMs: 20_000 };

export const defaultOptions = { clock: systemClock, timeoutMs: 120_000, env: process.env };
