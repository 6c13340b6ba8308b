import { bestRows, frequenciesIn, scoreRows } from "../../sqlite/full-text-scores.ts";
import type { Memory } from "../memory.ts";
import type { SessionChunkId } from "../memory-records.ts";
import { type ChunkFilter, scopeOf } from "./chunk-filter.ts";
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

/** BM25 gives a token of more than half of the chunks no weight, but its list is the longest to read. */
const commonShare = 0.5;
/** With fewer chunks it costs little, and chunks that contain nothing else are found as well. */
const manyChunks = 1000;

/** The tokens that are not common; all of them where all are. */
export function rareTokens(memory: Memory, tokens: readonly string[]): readonly string[] {
  const chunks = sessionChunkCount(memory);
  if (chunks < manyChunks) return tokens;
  const holding = frequenciesIn(memory, "chunk_terms", tokens);
  const rare = tokens.filter((token) => (holding.get(token) ?? 0) <= commonShare * chunks);
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
  const scope = scopeOf(memory, filter) as ReadonlySet<number> | null;
  const scores = scoreRows(memory, "chunk_terms", tokens, { prompt, answer, actions, errors });
  return bestRows(scores, limit, scope).map(({ row, score }) => ({ id: row as SessionChunkId, score }));
}
