import type { Connection } from "./connection.ts";

/** In how many chunks each token occurs; absent tokens are missing. */
export function chunkFrequencies(db: Connection, tokens: readonly string[]): Map<string, number> {
  const known = db.cacheUntilWrite<string, number>("chunk frequencies");
  const counts = new Map<string, number>();
  for (const token of tokens) {
    const count = known.get(token) ?? countChunks(db, token);
    known.set(token, count);
    if (count > 0) counts.set(token, count);
  }
  return counts;
}

function countChunks(db: Connection, token: string): number {
  db.exec("CREATE VIRTUAL TABLE IF NOT EXISTS temp.term_counts USING fts5vocab(main, chunk_terms, row)");
  const row = db.prepare("SELECT doc FROM temp.term_counts WHERE term = ?").get(token);
  return (row as { doc: number } | undefined)?.doc ?? 0;
}
