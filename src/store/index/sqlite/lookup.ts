import { nameKey } from "../../../text/tokens.ts";
import type { Definition } from "../port.ts";
import type { IndexDatabase } from "./index-database.ts";

/** Chunks that define a symbol with one of the keys, at most `limit` a key. */
export function definitionsOf(db: IndexDatabase, keys: readonly string[], limit: number): Definition[] {
  const symbols = db.prepare(
    "SELECT name, kind, chunk_id AS id FROM symbols WHERE chunk_id = ? ORDER BY rowid",
  );
  return keys.flatMap((key) => {
    const found: Definition[] = [];
    for (const chunk of db.words.definers(key)) {
      for (const symbol of symbols.all(chunk) as Omit<Definition, "key">[]) {
        if (nameKey(symbol.name) === key) found.push({ key, ...symbol });
        if (found.length === limit) return found;
      }
    }
    return found;
  });
}
