import type { Definition } from "../port.ts";
import { definitionsByKey } from "../words/stored-words.ts";
import type { IndexDatabase } from "./index-database.ts";

/** Chunks that define a symbol with one of the keys, at most `limit` a key. */
export function definitionsOf(db: IndexDatabase, keys: readonly string[], limit: number): Definition[] {
  const definers = db.words.definers(keys, limit);
  const symbols = db
    .prepare(
      `SELECT s.name, s.kind, s.chunk_id AS id FROM json_each(?) wanted JOIN symbols s ON s.chunk_id = wanted.value
       ORDER BY s.chunk_id, s.rowid`,
    )
    .all(JSON.stringify([...new Set(definers.flat())])) as Omit<Definition, "key">[];
  return definitionsByKey(keys, symbols, limit);
}
