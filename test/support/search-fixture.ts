import { searchWithCommits } from "../../src/attribution/search/search-with-commits.ts";
import { QueryEmbedder } from "../../src/code/search/vectors/query-embedder.ts";
import type { Embedder } from "../../src/models/embed/embedder.ts";
import { openQuery, type SessionAnswer, type SessionQuery } from "../../src/sessions/search/types.ts";
import type { Memory } from "../../src/store/memory/memory.ts";

/** For tests: a model that knows three things, and what belongs to them. */
export const fewThings: Embedder = {
  id: "few-things",
  dimensions: 3,
  prepare: async () => {},
  close: async () => {},
  embed: async (texts) =>
    texts.map((text) => {
      const knows = [/retr|flak|again/i, /cache|evict|forget/i, /schema|table|column/i];
      const vector = Int8Array.from(knows, (about) => (about.test(text) ? 100 : 0));
      return vector.some((x) => x > 0) ? vector : null;
    }),
};

/** What a chunk is stored with: the model's vector of its text. */
export async function vectorsFor(text: string, by: Embedder = fewThings) {
  const [vector = null] = await by.embed([text], "passage", AbortSignal.timeout(1000));
  return new Map([[by.id, { dimensions: vector?.length ?? 0, data: vector ?? new Int8Array() }]]);
}

/** Asks a memory; everything may be left open. */
export function asker(memory: Memory, root: string, model: Embedder | null = fewThings, now?: () => number) {
  const embedder = model && new QueryEmbedder({ first: model });
  const patience = { ms: 20_000, continueLater: false };
  const search = searchWithCommits({ root, memory, embedder, waitPolicy: patience, ...(now && { now }) });
  return {
    search,
    ask: (query: string, more: Partial<SessionQuery> = {}): Promise<SessionAnswer> =>
      search.search({ ...openQuery, query, ...more }),
  };
}
