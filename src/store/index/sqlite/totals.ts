import type { Sqlite } from "../../sqlite/sqlite.ts";

/** The totals as they are kept, and as they are counted. Triggers of the schema keep them. */
const kept = [
  [
    "files and chunks",
    "SELECT language, skip_reason, files, chunks FROM file_totals WHERE files > 0 ORDER BY 1, 2",
    `SELECT language, skip_reason, count(*) AS files, sum((SELECT count(*) FROM chunks WHERE file_id = files.id)) AS chunks
     FROM files GROUP BY 1, 2 ORDER BY 1, 2`,
  ],
  [
    "vectors",
    "SELECT * FROM vector_totals WHERE files > 0 ORDER BY 1, 2",
    `SELECT model, dimensions, count(*) AS files, sum(length(levels)) AS chunks, sum(missing) AS missing
     FROM vectors GROUP BY 1, 2 ORDER BY 1, 2`,
  ],
] as const;

/** What is wrong with the totals of an index; null for nothing. Reads all rows. */
export function wrongTotals(db: Pick<Sqlite, "prepare">): string | null {
  const isWrong = ([, stored, counted]: (typeof kept)[number]) =>
    JSON.stringify(db.prepare(stored).all()) !== JSON.stringify(db.prepare(counted).all());
  const wrong = kept.find(isWrong);
  return wrong ? `its totals of ${wrong[0]} are wrong` : null;
}
