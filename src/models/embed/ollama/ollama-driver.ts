import * as z from "zod/mini";
import { PommelError } from "../../../project/errors.ts";
import { ollamaAt, ollamaFailure } from "../../http/ollama-server.ts";
import { embedCaller } from "../../http/remote-caller.ts";
import { type Endpoint, endpointAt, RequestFailed, requestLines } from "../../http/request.ts";
import type { EmbedderDriver, PullProgress } from "../embedder.ts";
import { createOllamaEmbedder } from "./ollama-embedder.ts";
import { lookForOllamaModel } from "./ollama-models.ts";

export const ollamaDriver: EmbedderDriver = {
  name: "ollama",
  about: "a model in Ollama, on this machine or where embed.ollama_url points",
  defaultModel: "nomic-embed-text",
  create: (model, settings) => createOllamaEmbedder(model, settings.ollamaUrl),
  available: (model, settings, signal) =>
    lookForOllamaModel(model, endpointAt(settings.ollamaUrl), embedCaller, signal),
  pull: (model, settings, onProgress, signal) =>
    pull(model, endpointAt(settings.ollamaUrl), onProgress, signal),
};

const pullLine = z.object({
  status: z.optional(z.string()),
  error: z.optional(z.string()),
  digest: z.optional(z.string()),
  total: z.optional(z.number()),
  completed: z.optional(z.number()),
});

/** What is there already Ollama only checks; what was broken off it takes up again. */
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
      : ollamaFailure(error, endpoint.base, model, embedCaller);
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
    `${ollamaAt(base)} could not pull ${model}: ${why}.`,
    "Check the name at https://ollama.com/search?c=embedding, then run it again: it continues where it stopped.",
  );
}
