import { phraseOf } from "../../../text/tokens.ts";
import type { Memory } from "../memory.ts";
import type { SessionChunkId } from "../memory-records.ts";
import { type ChunkFilter, conditionsOf } from "./chunk-filter.ts";
import { sessionChunkCount } from "./chunks.ts";

/** A chunk that matched, and how well: higher is better, comparable within one call. */
export interface SessionMatch {
  id: SessionChunkId;
  score: number;
}

/** Weights of the columns of the full-text index. */
export interface TermWeights {
  prompt: number;
  answer: number;
  actions: number;
  errors: number;
}

/** FTS5's BM25 gives a token of more than half of the chunks no weight, but takes the longest to count it. */
const commonShare = 0.5;
/** With fewer chunks it costs little, and chunks that contain nothing else are found as well. */
const manyChunks = 1000;

/** The tokens that are not common; all of them where all are. How many chunks hold each is remembered. */
export function rareTokens(memory: Memory, tokens: readonly string[]): readonly string[] {
  const chunks = sessionChunkCount(memory);
  if (chunks < manyChunks) return tokens;
  const common = commonShare * chunks;
  const counts = memory.cacheUntilWrite<string, number>("chunks by token");
  const rare = tokens.filter((token) => {
    let count = counts.get(token);
    if (count === undefined) {
      count = memory
        .prepare("SELECT count(*) FROM chunk_terms WHERE chunk_terms MATCH ?")
        .pluck()
        .get(phraseOf(token)) as number;
      counts.set(token, count);
    }
    return count <= common;
  });
  return rare.length > 0 ? rare : tokens;
}

/** The best `limit` chunks that hold any of the tokens, by BM25 over weighted columns; as `matchTokens` for code. */
export function matchSessionTokens(
  memory: Memory,
  tokens: readonly string[],
  { prompt, answer, actions, errors }: TermWeights,
  limit: number,
  filter: ChunkFilter,
): SessionMatch[] {
  if (tokens.length === 0) return [];
  const { sql, given } = conditionsOf(filter);
  // The plus keeps SQLite from looking each row of the filter up in the full-text index by itself, a hundred times slower.
  const restriction = sql === null ? "" : `AND +rowid IN (SELECT id FROM chunks WHERE ${sql})`;
  return memory
    .prepare(
      `SELECT rowid AS id, -bm25(chunk_terms, ${prompt}, ${answer}, ${actions}, ${errors}) AS score
       FROM chunk_terms WHERE chunk_terms MATCH @words ${restriction} ORDER BY score DESC LIMIT @limit`,
    )
    .all({ words: tokens.map(phraseOf).join(" OR "), limit, ...given }) as SessionMatch[];
}
