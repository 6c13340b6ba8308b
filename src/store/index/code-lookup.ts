import { phraseOf } from "../../text/tokens.ts";
import type { CodeIndex } from "./code-index.ts";

/** A chunk that matched, and how well: higher is better, comparable within one call. */
export interface Match {
  rowid: number;
  score: number;
}

/** Restricts a lookup; null means everywhere. */
export interface LookupScope {
  /** Rows of `files`. */
  fileIds: readonly number[] | null;
  levels: readonly string[] | null;
}

/** Weights of the columns of the full-text index. */
export interface ColumnWeights {
  name: number;
  path: number;
  head: number;
  body: number;
}

/**
 * The best `limit` chunks that hold any of the tokens, by BM25 over weighted columns (Robertson's BM25 as FTS5
 * computes it, k1 = 1.2, b = 0.75). `ORDER BY` an aliased bm25() call is a quarter faster than `ORDER BY rank`.
 */
export function matchTokens(
  index: CodeIndex,
  tokens: readonly string[],
  weights: ColumnWeights,
  limit: number,
  scope: LookupScope,
): Match[] {
  if (tokens.length === 0) return [];
  const restriction =
    scope.fileIds || scope.levels
      ? `AND rowid IN (SELECT id FROM chunks
           WHERE (@files IS NULL OR file_id IN (SELECT value FROM json_each(@files)))
             AND (@levels IS NULL OR level IN (SELECT value FROM json_each(@levels))))`
      : "";
  const { name, path, head, body } = weights;
  return index
    .prepare(
      `SELECT rowid, -bm25(chunk_terms, ${name}, ${path}, ${head}, ${body}) AS score
       FROM chunk_terms WHERE chunk_terms MATCH @words ${restriction} ORDER BY score DESC LIMIT @limit`,
    )
    .all({
      words: tokens.map(phraseOf).join(" OR "),
      limit,
      ...(restriction && {
        files: scope.fileIds && JSON.stringify(scope.fileIds),
        levels: scope.levels && JSON.stringify(scope.levels),
      }),
    }) as Match[];
}

export interface DefinedName {
  key: string;
  name: string;
  kind: string;
  rowid: number;
}

/** Chunks that define a symbol with one of the (normalised) names, at most `limit` a name. */
export function definitionsOf(index: CodeIndex, keys: readonly string[], limit: number): DefinedName[] {
  const statement = index.prepare(
    `SELECT key, name, kind, chunk_id AS rowid FROM symbols WHERE key = @key LIMIT @limit`,
  );
  return keys.flatMap((key) => statement.all({ key, limit }) as DefinedName[]);
}

/** In how many chunks each token occurs; absent tokens are missing. */
export function chunkFrequencies(index: CodeIndex, tokens: readonly string[]): Map<string, number> {
  const known = index.untilWritten<string, number>("chunk frequencies");
  const counts = new Map<string, number>();
  for (const token of tokens) {
    const count = known.get(token) ?? countChunks(index, token);
    known.set(token, count);
    if (count > 0) counts.set(token, count);
  }
  return counts;
}

function countChunks(index: CodeIndex, token: string): number {
  index.exec("CREATE VIRTUAL TABLE IF NOT EXISTS temp.term_counts USING fts5vocab(main, chunk_terms, row)");
  const row = index.prepare("SELECT doc FROM temp.term_counts WHERE term = ?").get(token);
  return (row as { doc: number } | undefined)?.doc ?? 0;
}
