import type { TextKind } from "../embedder.ts";

interface KnownModel {
  /** null where it depends on the size that is pulled. */
  dimensions: number | null;
  /** Tokens that it takes in as Ollama serves it. */
  context: number;
  prefixes?: Record<TextKind, string>;
}

const nomicPrefixes = { passage: "search_document: ", query: "search_query: " };

/**
 * What the makers of models say of them (their model cards). A model that is not listed works too: its length is
 * learnt from its answer, and texts are given to it as they are. Prefixes change the space: a model that gets some
 * here after people have used it needs another id.
 */
const knownModels: Record<string, KnownModel> = {
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
export function knownModel(model: string): Required<KnownModel> {
  const name = model.replace(/^.*\//, "").replace(/:.*$/, "");
  const known = Object.hasOwn(knownModels, name) ? knownModels[name] : undefined;
  return { dimensions: null, context: 8192, prefixes: { passage: "", query: "" }, ...known };
}

/** A name without a tag means the tag `latest`. */
export function withoutLatest(model: string): string {
  return model.replace(/:latest$/, "");
}
