import { phraseOf } from "../../text/tokens.ts";
import { decodeVarints } from "../../text/varint.ts";
import { Best, type Scored } from "../best.ts";
import type { Connection } from "./connection.ts";
import { eachPlace, eachRow, listsOf, type TextList } from "./full-text-lists.ts";
import { totalsOf } from "./full-text-totals.ts";
import { type ListKernel, listKernel, saturation } from "./list-kernel.ts";

/** How well rows match: higher is better, comparable within one call. */
export interface TextScores {
  /** Rows that match in a column that counts, each once. */
  rows: Uint32Array;
  /** By row; others have none, or 0. */
  scores: { readonly [row: number]: number };
}

/** What an occurrence in each column counts. Columns without a weight are not looked at. */
export type ColumnWeights = Readonly<Record<string, number>>;

/** Those of FTS5's bm25(): how much a row's length counts, the least weight of a token. */
const lengthShare = 0.75;
const leastRarity = 1e-6;

/**
 * BM25 of each row that holds any of the tokens, as FTS5's bm25() has it (ext/fts5/fts5_aux.c) but for how logarithms are
 * rounded. That takes ten times as long: it asks FTS5 for one place after the other.
 *
 * @param tokens of our token stream; one of several words is a phrase
 */
export function scoreRows(
  db: Connection,
  table: string,
  tokens: readonly string[],
  weights: ColumnWeights,
): TextScores {
  if (tokens.length === 0) return { rows: new Uint32Array(0), scores: [] };
  const totals = totalsOf(db, table);
  const lists = tokens.map((token) => listsOfWords(db, table, token));
  if (totals === null || lists.some((one) => one === null)) return scoredByFts(db, table, tokens, weights);
  const mean = totals.words.reduce((sum, words) => sum + words, 0) / totals.rows;
  const byColumn = Float64Array.from(columnsIn(db, table), (column) => weights[column] ?? -1);
  const kernel = listKernel();
  const norms = normsOf(db, table, mean);
  kernel.begin(norms);
  const rows = new Uint32Array(norms.length);
  let found = 0;
  for (const ofToken of lists as (readonly TextList[])[][]) {
    const holders = takeOccurrences(kernel, ofToken, byColumn);
    const rarity = Math.log((totals.rows - holders + 0.5) / (holders + 0.5));
    const added = kernel.add(rarity > 0 ? rarity : leastRarity);
    rows.set(added, found);
    found += added.length;
  }
  return { rows: rows.subarray(0, found), scores: kernel.scores().slice() };
}

/** The best `k` rows of a scope; of equal ones the lower. @param scope null: all rows */
export function bestRows(
  { rows, scores }: TextScores,
  k: number,
  scope: ReadonlySet<number> | null,
): Scored[] {
  const best = new Best(k);
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i]!;
    const score = scores[row]!;
    if (score >= best.least && (scope === null || scope.has(row))) best.offer(row, score);
  }
  return best.sorted();
}

/** The scores of some rows alone. */
export function onlyRows({ rows, scores }: TextScores, wanted: ReadonlySet<number>): TextScores {
  const kept = rows.filter((row) => wanted.has(row));
  const ofKept: Record<number, number> = {};
  for (const row of kept) ofKept[row] = scores[row]!;
  return { rows: kept, scores: ofKept };
}

/** In how many rows of a table each token occurs; absent tokens are missing. Remembered. */
export function frequenciesIn(
  db: Connection,
  table: "chunk_terms" | "commit_terms" | "session_terms",
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
  const lists = token.includes(" ") ? null : listsOf(db, table, token);
  if (lists !== null) return rowsIn(lists);
  return db.value<number>(`SELECT count(*) FROM ${table} WHERE ${table} MATCH ?`, phraseOf(token));
}

/** The lists of each word of a token; null: FTS5 stores them in another way. */
function listsOfWords(db: Connection, table: string, token: string): (readonly TextList[])[] | null {
  const lists: (readonly TextList[])[] = [];
  for (const word of token.split(" ")) {
    const ofWord = listsOf(db, table, word);
    if (ofWord === null) return null;
    lists.push(ofWord);
  }
  return lists;
}

/** Lets the kernel take the rows that hold a token. @returns how many they are */
function takeOccurrences(
  kernel: ListKernel,
  lists: readonly (readonly TextList[])[],
  weights: Float64Array,
): number {
  if (lists.length === 1) return kernel.read(lists[0]!, weights);
  const found = rowsOfPhrase(lists, weights);
  kernel.take(found);
  return found.size;
}

function rowsIn(lists: readonly TextList[]): number {
  let count = 0;
  for (const list of lists) {
    eachRow(list, () => {
      count++;
    });
  }
  return count;
}

/** More words than any column has. */
const columnSize = 2 ** 32;

/**
 * By row: what the occurrences of a phrase count together.
 * @param lists of each of its words
 */
function rowsOfPhrase(lists: readonly (readonly TextList[])[], weights: Float64Array): Map<number, number> {
  const bytes = (word: number) => lists[word]!.reduce((sum, list) => sum + list.bytes.length, 0);
  // The rarest first: then few rows of the others are looked at.
  const words = [...lists.keys()].sort((a, b) => bytes(a) - bytes(b));
  let begins: Map<number, number[]> | null = null;
  for (const word of words) {
    const before: Map<number, number[]> | null = begins;
    const now = new Map<number, number[]>();
    for (const list of lists[word]!) {
      eachRow(list, (row, from, to) => {
        const known = before?.get(row);
        if (before !== null && known === undefined) return;
        const places: number[] = [];
        eachPlace(list.bytes, from, to, (column, offset) => {
          const begin = column * columnSize + offset - word;
          if (weights[column]! < 0 || offset < word) return;
          if (known === undefined || known.includes(begin)) places.push(begin);
        });
        if (places.length > 0) now.set(row, places);
      });
    }
    begins = now;
  }
  const weightOf = (place: number) => weights[Math.floor(place / columnSize)]!;
  const counts = new Map<number, number>();
  for (const [row, places] of begins ?? []) {
    counts.set(
      row,
      places.reduce((sum, place) => sum + weightOf(place), 0),
    );
  }
  return counts;
}

/** What the lengths of rows mean for BM25 where the mean is so many words, by row. */
function normsOf(db: Connection, table: string, mean: number): Float64Array {
  return db.once(`norms of ${table}`, () => {
    // As two texts: so many rows take ten times as long.
    const { ids, sizes } = db.get<{ ids: string; sizes: string | null }>(
      `SELECT json_group_array(id) AS ids, group_concat(hex(sz), '') AS sizes FROM ${table}_docsize`,
    );
    const rows = JSON.parse(ids) as number[];
    const words = decodeVarints(Buffer.from(sizes ?? "", "hex")) ?? [];
    const columns = words.length / rows.length;
    const norms = new Float64Array(rows.reduce((most, row) => Math.max(most, row), 0) + 1);
    rows.forEach((row, i) => {
      let length = 0;
      for (let column = 0; column < columns; column++) length += words[i * columns + column]!;
      norms[row] = saturation * (1 - lengthShare + (lengthShare * length) / mean);
    });
    return norms;
  });
}

const columnsIn = (db: Connection, table: string) =>
  db.once(`columns of ${table}`, () => db.column<string>("SELECT name FROM pragma_table_info(?)", table));

/** What FTS5 says itself. */
function scoredByFts(
  db: Connection,
  table: string,
  tokens: readonly string[],
  weights: ColumnWeights,
): TextScores {
  const columns = columnsIn(db, table);
  const asked = columns.filter((column) => column in weights).join(" ");
  const found = db.all<{ id: number; score: number }>(
    `SELECT rowid AS id, -bm25(${table}, ${columns.map((column) => weights[column] ?? 0).join(", ")}) AS score
     FROM ${table} WHERE ${table} MATCH ?`,
    `{${asked}} : (${tokens.map(phraseOf).join(" OR ")})`,
  );
  return {
    rows: Uint32Array.from(found, ({ id }) => id),
    scores: Object.fromEntries(found.map(({ id, score }) => [id, score])),
  };
}
