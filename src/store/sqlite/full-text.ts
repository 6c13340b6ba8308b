import { LRUCache } from "lru-cache";
import { lengthShare, saturation } from "../../base/text/rarity.ts";
import { makeTokenStream, toFtsPhrase } from "../../base/text/tokens.ts";
import { Best, type ScoredRow } from "../best.ts";
import type { Connection } from "./connection.ts";

/**
 * BM25 over FTS5's tables. FTS5's own bm25() asks for one place after the other, which takes ten times as long, and goes on to
 * count rows that are gone. So the places of a word are read at once from `fts5vocab`, and a row's length from a table beside it.
 */

/** The full-text tables with their columns. */
const columns = {
  chunk_terms: ["prompt", "answer", "actions", "errors"],
  session_terms: ["title", "branch", "prompts", "summary"],
  commit_terms: ["subject", "body", "files", "author"],
} as const;

export type TextTable = keyof typeof columns;

/** The SQL that makes a table, which keeps no text, and beside it one of how many words each row has. */
export const createTextTable = (table: TextTable): string =>
  `CREATE VIRTUAL TABLE ${table} USING fts5 (
    ${columns[table].join(", ")},
    content = '', contentless_delete = 1,
    tokenize = "ascii tokenchars '_$'"
  );
  CREATE TABLE ${table}_lengths (id INTEGER PRIMARY KEY, words INTEGER NOT NULL) STRICT;`;

const buildDeletions = (table: TextTable, row: string) => [
  `DELETE FROM ${table} WHERE rowid = ${row}`,
  `DELETE FROM ${table}_lengths WHERE id = ${row}`,
];

/** The SQL that removes a row, for triggers. */
export const deleteTexts = (table: TextTable, row: string): string =>
  buildDeletions(table, row)
    .map((sql) => `${sql};`)
    .join(" ");

export function removeTexts(db: Connection, table: TextTable, row: number): void {
  for (const sql of buildDeletions(table, "?")) db.prepare(sql).run(row);
}

/** Adds a row that is not there. @param texts of its columns, in order */
export function insertTexts(db: Connection, table: TextTable, row: number, texts: readonly string[]): void {
  const streams = texts.map(makeTokenStream);
  const words = streams.reduce((sum, stream) => sum + countWords(stream), 0);
  db.prepare(`INSERT INTO ${table} (rowid, ${columns[table].join(", ")}) VALUES (?, ?, ?, ?, ?)`).run(
    row,
    ...streams,
  );
  db.prepare(`INSERT INTO ${table}_lengths (id, words) VALUES (?, ?)`).run(row, words);
}

const countWords = (stream: string) => (stream === "" ? 0 : stream.split(" ").length);

/** How well rows match: higher is better, comparable within one call. */
export interface TextScores {
  /** Rows that match in a column that counts, each once. */
  rows: Uint32Array;
  /** By row; others have none, or 0. */
  scores: { readonly [row: number]: number };
}

/** What an occurrence in each column counts. Columns without a weight are not looked at. */
export type ColumnWeights = Readonly<Record<string, number>>;

/** The least weight of a token, as in FTS5's bm25(). */
const minRarity = 1e-6;

/**
 * BM25 of each row that holds any of the tokens, with the formula and constants of FTS5's bm25().
 * @param tokens of our token stream; one of several words is a phrase, which counts once in a column that holds it
 */
export function scoreRows(
  db: Connection,
  table: TextTable,
  tokens: readonly string[],
  weights: ColumnWeights,
): TextScores {
  if (tokens.length === 0) return { rows: new Uint32Array(0), scores: [] };
  const { rows: total, norms } = readLengths(db, table);
  const scores = new Float64Array(norms.length);
  const sums = new Float64Array(norms.length).fill(-1);
  const found: number[] = [];
  for (const token of tokens) {
    const { rows, counts } = readCounts(db, table, token, weights, sums);
    const rarity = Math.max(Math.log((total - rows.length + 0.5) / (rows.length + 0.5)), minRarity);
    for (let i = 0; i < rows.length; i++) {
      const row = rows[i]!;
      const count = counts[i]!;
      if (count === 0) continue;
      if (scores[row] === 0) found.push(row);
      scores[row]! += rarity * ((count * (saturation + 1)) / (count + norms[row]!));
    }
  }
  return { rows: Uint32Array.from(found), scores };
}

/** The best `k` rows of a scope; of equal ones the lower. @param scope null: all rows */
export function selectBestRows(
  { rows, scores }: TextScores,
  k: number,
  scope: ReadonlySet<number> | null,
): ScoredRow[] {
  const best = new Best(k);
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i]!;
    const score = scores[row]!;
    if (score >= best.least && (scope === null || scope.has(row))) best.offer(row, score);
  }
  return best.takeSorted();
}

/** The scores of some rows alone. */
export function filterRows({ rows, scores }: TextScores, wanted: ReadonlySet<number>): TextScores {
  const kept = rows.filter((row) => wanted.has(row));
  const ofKept: Record<number, number> = {};
  for (const row of kept) ofKept[row] = scores[row]!;
  return { rows: kept, scores: ofKept };
}

/** In how many rows of a table each token occurs; absent tokens are missing. Remembered. */
export function countRowsByToken(
  db: Connection,
  table: TextTable,
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

function countRows(db: Connection, table: TextTable, token: string): number {
  if (token.includes(" ")) {
    return db.readValue<number>(`SELECT count(*) FROM ${table} WHERE ${table} MATCH ?`, toFtsPhrase(token));
  }
  const words = openVocabulary(db, table, "row");
  return db.readValue<number | null>(`SELECT doc FROM ${words} WHERE term = ?`, token) ?? 0;
}

/**
 * A view of a table's words (https://www.sqlite.org/fts5.html#the_fts5vocab_virtual_table_module): how many rows have each
 * (`row`), or all of its places (`instance`). It holds nothing, and is gone with the connection.
 */
function openVocabulary(db: Connection, table: TextTable, type: "row" | "instance"): string {
  const name = `temp.${table}_by_${type}`;
  db.exec(`CREATE VIRTUAL TABLE IF NOT EXISTS ${name} USING fts5vocab (main, ${table}, ${type})`);
  return name;
}

/** The rows that hold a token, and what its places in each count together. */
interface TokenCounts {
  rows: Uint32Array;
  counts: Float64Array;
}

/** Bytes of a table's counts that are kept until something is written: searches meet the same words again and again. */
const maxKeptBytes = 48 * 2 ** 20;

/** @param sums room for a number a row, all -1, as which they are left */
function readCounts(
  db: Connection,
  table: TextTable,
  token: string,
  weights: ColumnWeights,
  sums: Float64Array,
): TokenCounts {
  const kept = db.readOnce(
    `counts in ${table}`,
    () =>
      new LRUCache<string, TokenCounts>({
        maxSize: maxKeptBytes,
        sizeCalculation: ({ rows, counts }, key) => key.length + rows.byteLength + counts.byteLength,
      }),
  );
  const key = `${token} ${JSON.stringify(weights)}`;
  const known = kept.get(key);
  if (known !== undefined) return known;
  const rows: number[] = [];
  const weightsInOrder = columns[table].map((column) => weights[column]);
  for (const place of token.includes(" ") ? readPhrase(db, table, token) : readWord(db, table, token)) {
    const weight = weightsInOrder[place % columnCount];
    if (weight === undefined) continue;
    const row = Math.floor(place / columnCount);
    if (sums[row]! < 0) {
      rows.push(row);
      sums[row] = 0;
    }
    sums[row]! += weight;
  }
  const found = { rows: Uint32Array.from(rows), counts: Float64Array.from(rows, (row) => sums[row]!) };
  for (const row of rows) sums[row] = -1;
  kept.set(key, found);
  return found;
}

/** Columns of a table. */
const columnCount = 4;

/**
 * Where a word stands, in one number for each place: its row times `columnCount`, and the number of its column. One text with
 * commas, as so many rows one by one take several times as long, and a text for each column half as long again.
 */
function readWord(db: Connection, table: TextTable, word: string): number[] {
  const numbers = columns[table].map((column, i) => `WHEN '${column}' THEN ${i}`);
  const list = db.readValue<string | null>(
    `SELECT group_concat(doc * ${columnCount} + CASE col ${numbers.join(" ")} END)
     FROM ${openVocabulary(db, table, "instance")} WHERE term = ?`,
    word,
  );
  return JSON.parse(`[${list ?? ""}]`);
}

/** As `readWord`, where a phrase stands; once for each column that holds it. */
function readPhrase(db: Connection, table: TextTable, phrase: string): number[] {
  const inColumns = columns[table].map(
    (column, i) =>
      `SELECT rowid * ${columnCount} + ${i} AS place FROM ${table} WHERE ${table} MATCH '{${column}} : ' || @phrase`,
  );
  const list = db.readValue<string | null>(
    `SELECT group_concat(place) FROM (${inColumns.join(" UNION ALL ")})`,
    { phrase: toFtsPhrase(phrase) },
  );
  return JSON.parse(`[${list ?? ""}]`);
}

/** How many rows there are, and what the length of each means for BM25, by row. */
function readLengths(db: Connection, table: TextTable): { rows: number; norms: Float64Array } {
  return db.readOnce(`lengths in ${table}`, () => {
    const { ids, sizes } = db.get<{ ids: string; sizes: string }>(
      `SELECT json_group_array(id) AS ids, json_group_array(words) AS sizes FROM ${table}_lengths`,
    );
    const rows = JSON.parse(ids) as number[];
    const lengths = JSON.parse(sizes) as number[];
    const mean = lengths.reduce((sum, length) => sum + length, 0) / rows.length;
    const norms = new Float64Array(rows.reduce((most, row) => Math.max(most, row), 0) + 1);
    rows.forEach((row, i) => {
      norms[row] = saturation * (1 - lengthShare + (lengthShare * lengths[i]!) / mean);
    });
    return { rows: rows.length, norms };
  });
}
