import type { QueryEmbedder } from "../../code/search/vectors/query-embedder.ts";

/** What a search in this process asks: only the bundled model, as any other takes longer to load than the answer may take. */
export async function createBundledQueryEmbedder(): Promise<QueryEmbedder> {
  const [{ QueryEmbedder }, { getBundledEmbedder: bundledEmbedder }] = await Promise.all([
    import("../../code/search/vectors/query-embedder.ts"),
    import("../../models/embed/static/static-embedder.ts"),
  ]);
  return new QueryEmbedder({ first: bundledEmbedder() });
}
