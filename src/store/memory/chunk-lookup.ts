import type { Match } from "../code-lookup.ts";
import { type ChunkFilter, conditionsOf } from "./chunk-filter.ts";
import type { Memory } from "./memory.ts";

/** Weights of the columns of the full-text index. */
export interface TermWeights {
  prompt: number;
  answer: number;
  actions: number;
  errors: number;
}

/** FTS5 syntax has no meaning inside quotes. */
const quote = (token: string) => `"${token.replaceAll('"', '""')}"`;

/** The best `limit` chunks that hold any of the tokens, by BM25 over weighted columns; as `matchTokens` for code. */
export function matchSessionTokens(
  memory: Memory,
  tokens: readonly string[],
  weights: TermWeights,
  limit: number,
  filter: ChunkFilter,
): Match[] {
  return match(memory, tokens.map(quote).join(" OR "), weights, limit, filter);
}

/** As `matchSessionTokens`, of chunks that hold the tokens one right after the other. */
export function matchSessionPhrase(
  memory: Memory,
  tokens: readonly string[],
  weights: TermWeights,
  limit: number,
  filter: ChunkFilter,
): Match[] {
  return match(memory, tokens.map(quote).join(" + "), weights, limit, filter);
}

function match(
  memory: Memory,
  words: string,
  { prompt, answer, actions, errors }: TermWeights,
  limit: number,
  filter: ChunkFilter,
): Match[] {
  if (words === "") return [];
  const { sql, given } = conditionsOf(filter);
  const restriction = sql === null ? "" : `AND rowid IN (SELECT id FROM chunks WHERE ${sql})`;
  return memory
    .prepare(
      `SELECT rowid, -bm25(chunk_terms, ${prompt}, ${answer}, ${actions}, ${errors}) AS score
       FROM chunk_terms WHERE chunk_terms MATCH @words ${restriction} ORDER BY score DESC LIMIT @limit`,
    )
    .all({ words, limit, ...given }) as Match[];
}

/** In how many chunks of sessions each token occurs; absent tokens are missing. */
export function sessionFrequencies(memory: Memory, tokens: readonly string[]): Map<string, number> {
  const known = memory.untilWritten<string, number>("session chunk frequencies");
  const counts = new Map<string, number>();
  for (const token of tokens) {
    const count = known.get(token) ?? countChunks(memory, token);
    known.set(token, count);
    if (count > 0) counts.set(token, count);
  }
  return counts;
}

function countChunks(memory: Memory, token: string): number {
  memory.exec("CREATE VIRTUAL TABLE IF NOT EXISTS temp.term_counts USING fts5vocab(main, chunk_terms, row)");
  const row = memory.prepare("SELECT doc FROM temp.term_counts WHERE term = ?").get(token);
  return (row as { doc: number } | undefined)?.doc ?? 0;
}
