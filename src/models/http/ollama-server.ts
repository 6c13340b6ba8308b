import * as z from "zod/mini";
import { PommelError } from "../../base/errors.ts";
import type { Availability, EmbeddedKind } from "../embed/embedder.ts";
import { type Endpoint, type RemoteCaller, RequestFailed, requestJson } from "./request.ts";

export function describeOllama(base: string): string {
  return `Ollama at ${base}`;
}

/** Converts a failed request to Ollama into a PommelError. */
export function toOllamaError(
  failure: RequestFailed,
  base: string,
  model: string,
  caller: RemoteCaller,
): PommelError {
  const { kind, status, reply } = failure;
  if (status === 404 && /model/i.test(reply)) return makeModelMissingError(base, model, caller, failure);
  const hint =
    kind === "unreachable"
      ? `Start it (\`ollama serve\`; get it from https://ollama.com), or set ${caller.ollamaUrl} to its address.`
      : kind === "timeout"
        ? "It may be busy, or the model too large for this machine; see `ollama ps`."
        : `Check ${caller.ollamaUrl}, and the server's log.`;
  return new PommelError(caller.code, `${describeOllama(base)} ${failure.message}.`, hint, {
    cause: failure,
  });
}

function makeModelMissingError(
  base: string,
  model: string,
  caller: RemoteCaller,
  cause?: unknown,
): PommelError {
  const orPm = caller.isPulledByPm ? ` or \`pm models pull ollama/${model}\`` : "";
  const hint = `Run \`ollama pull ${model}\`${orPm}.`;
  return new PommelError(caller.code, `${describeOllama(base)} has no model ${model}.`, hint, { cause });
}

const tagsAnswer = z.object({
  models: z.array(z.object({ name: z.string(), capabilities: z.optional(z.array(z.string())) })),
});
const lookTimeoutMs = 1000;

/** Whether Ollama answers and has a model; `models` lists its embedding models. */
export async function checkOllamaModel(
  model: string,
  endpoint: Endpoint,
  caller: RemoteCaller,
  signal: AbortSignal,
): Promise<Availability> {
  try {
    const options = { timeoutMs: lookTimeoutMs, signal };
    const { models } = (await requestJson(endpoint, "/api/tags", tagsAnswer, options)).value;
    const names = models.map(({ name }) => stripLatestTag(name));
    // Older servers report no capabilities.
    const embedding = models.filter(({ capabilities }) => capabilities?.includes("embedding") ?? true);
    const found = { models: embedding.map(({ name }) => stripLatestTag(name)) };
    if (names.includes(stripLatestTag(model))) {
      return { usable: true, detail: `${describeOllama(endpoint.base)} has it`, hint: "", ...found };
    }
    const { message, hint } = makeModelMissingError(endpoint.base, model, caller);
    return { usable: false, detail: message.replace(/\.$/, ""), hint, ...found };
  } catch (error) {
    if (!(error instanceof RequestFailed)) throw error;
    const { message, hint } = toOllamaError(error, endpoint.base, model, caller);
    return { usable: false, detail: message.replace(/\.$/, ""), hint };
  }
}

interface OllamaModel {
  /** null when it depends on the pulled size. */
  dimensions: number | null;
  /** Context in tokens as served by Ollama. */
  context: number;
  prefixes?: Record<EmbeddedKind, string>;
}

const nomicPrefixes = { passage: "search_document: ", query: "search_query: " };

/**
 * Facts from model cards. Unlisted models work too: dimensions come from the first answer, and texts get no prefix.
 * Prefixes change the vector space: adding one to a listed model needs another id.
 */
const knownModels: Record<string, OllamaModel> = {
  "nomic-embed-text": { dimensions: 768, context: 8192, prefixes: nomicPrefixes },
  "nomic-embed-text-v2-moe": { dimensions: 768, context: 512, prefixes: nomicPrefixes },
  "jina-embeddings-v2-base-code": { dimensions: 768, context: 8192 },
  "bge-m3": { dimensions: 1024, context: 8192 },
  "all-minilm": { dimensions: 384, context: 512 },
  "mxbai-embed-large": {
    dimensions: 1024,
    context: 512,
    prefixes: { passage: "", query: "Represent this sentence for searching relevant passages: " },
  },
  embeddinggemma: {
    dimensions: 768,
    context: 2048,
    prefixes: { passage: "title: none | text: ", query: "task: code retrieval | query: " },
  },
  "qwen3-embedding": {
    dimensions: null,
    context: 8192,
    prefixes: {
      passage: "",
      query: "Instruct: Given a question about a code base, retrieve the code that answers it\nQuery:",
    },
  },
};

/** The namespace and the tag of a name do not matter: "unclemusclez/jina-embeddings-v2-base-code:q8_0". */
export function findOllamaModel(model: string): Required<OllamaModel> {
  const name = model.replace(/^.*\//, "").replace(/:.*$/, "");
  const known = Object.hasOwn(knownModels, name) ? knownModels[name] : undefined;
  return { dimensions: null, context: 8192, prefixes: { passage: "", query: "" }, ...known };
}

/** A name without a tag means the tag `latest`. */
export function stripLatestTag(model: string): string {
  return model.replace(/:latest$/, "");
}
