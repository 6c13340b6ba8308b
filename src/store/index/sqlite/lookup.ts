import { phraseOf } from "../../../text/tokens.ts";
import type { Connection } from "../../sqlite/connection.ts";
import type { ChunkId, Definition, FieldWeights, Match, Scope } from "../port.ts";

/**
 * The best `limit` chunks that hold any of the tokens, by BM25 over weighted columns (Robertson's BM25 as FTS5
 * computes it, k1 = 1.2, b = 0.75). `ORDER BY` an aliased bm25() call is a quarter faster than `ORDER BY rank`.
 */
export function matchTokens(
  db: Connection,
  tokens: readonly string[],
  weights: FieldWeights,
  limit: number,
  scope: Scope,
): Match[] {
  if (tokens.length === 0) return [];
  const restriction =
    scope.files || scope.levels
      ? `AND rowid IN (SELECT id FROM chunks
           WHERE (@files IS NULL OR file_id IN (SELECT value FROM json_each(@files)))
             AND (@levels IS NULL OR level IN (SELECT value FROM json_each(@levels))))`
      : "";
  const { name, path, head, body } = weights;
  return db
    .prepare(
      `SELECT rowid AS id, -bm25(chunk_terms, ${name}, ${path}, ${head}, ${body}) AS score
       FROM chunk_terms WHERE chunk_terms MATCH @words ${restriction} ORDER BY score DESC LIMIT @limit`,
    )
    .all({
      words: tokens.map(phraseOf).join(" OR "),
      limit,
      ...(restriction && {
        files: scope.files && JSON.stringify(scope.files),
        levels: scope.levels && JSON.stringify(scope.levels),
      }),
    }) as Match[];
}

/** Chunks that define a symbol with one of the keys, at most `limit` a key. */
export function definitionsOf(db: Connection, keys: readonly string[], limit: number): Definition[] {
  const statement = db.prepare(
    `SELECT @key AS key, name, kind, chunk_id AS id FROM symbols
     WHERE rowid IN (SELECT rowid FROM symbol_keys WHERE symbol_keys MATCH @word LIMIT @limit)`,
  );
  return keys.flatMap((key) => statement.all({ key, word: phraseOf(key), limit }) as Definition[]);
}

/** The chunks that hold each phrase, at most `limit` of each. */
export function chunksWithPhrases(db: Connection, phrases: readonly string[], limit: number): ChunkId[][] {
  const statement = db
    .prepare("SELECT rowid FROM chunk_terms WHERE chunk_terms MATCH @phrase LIMIT @limit")
    .pluck();
  return phrases.map((phrase) => statement.all({ phrase: phraseOf(phrase), limit }) as ChunkId[]);
}
