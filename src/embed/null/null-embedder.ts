import type { Embedder } from "../embedder.ts";

/** Makes no vectors: search is lexical. */
export const nullEmbedder: Embedder = {
  id: "none",
  dimensions: 0,
  embed: async (texts) => texts.map(() => null),
};
