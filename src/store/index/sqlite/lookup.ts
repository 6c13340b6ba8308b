import { phraseOf } from "../../../text/tokens.ts";
import type { Connection } from "../../sqlite/connection.ts";
import type { Definition } from "../port.ts";

/** Chunks that define a symbol with one of the keys, at most `limit` a key. */
export function definitionsOf(db: Connection, keys: readonly string[], limit: number): Definition[] {
  const statement = db.prepare(
    `SELECT @key AS key, name, kind, chunk_id AS id FROM symbols
     WHERE rowid IN (SELECT rowid FROM symbol_keys WHERE symbol_keys MATCH @word LIMIT @limit)`,
  );
  return keys.flatMap((key) => statement.all({ key, word: phraseOf(key), limit }) as Definition[]);
}
