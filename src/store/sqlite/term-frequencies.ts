import type { Connection } from "./connection.ts";

/** In how many rows of a full-text table each token occurs; absent tokens are missing. */
export function frequenciesIn(
  db: Connection,
  table: "chunk_terms" | "commit_terms",
  tokens: readonly string[],
): Map<string, number> {
  const known = db.cacheUntilWrite<string, number>(`frequencies in ${table}`);
  const counts = new Map<string, number>();
  for (const token of tokens) {
    const count = known.get(token) ?? countRows(db, table, token);
    known.set(token, count);
    if (count > 0) counts.set(token, count);
  }
  return counts;
}

function countRows(db: Connection, table: string, token: string): number {
  db.exec(`CREATE VIRTUAL TABLE IF NOT EXISTS temp.${table}_counts USING fts5vocab(main, ${table}, row)`);
  const row = db.prepare(`SELECT doc FROM temp.${table}_counts WHERE term = ?`).get(token);
  return (row as { doc: number } | undefined)?.doc ?? 0;
}
