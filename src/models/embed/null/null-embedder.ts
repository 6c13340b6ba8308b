import type { Embedder, EmbedderDriver } from "../embedder.ts";

/** Makes no vectors: search is lexical. */
export const nullEmbedder: Embedder = {
  id: "none",
  dimensions: 0,
  prepare: async () => {},
  embed: async (texts) => texts.map(() => null),
  close: async () => {},
};

export const nullDriver: EmbedderDriver = {
  name: "none",
  about: "no vectors: search uses words and code structure",
  defaultModel: null,
  create: () => nullEmbedder,
  available: async () => ({ usable: true, detail: "nothing to run", hint: "" }),
};
