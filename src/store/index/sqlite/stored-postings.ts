import type { Connection } from "../../sqlite/connection.ts";
import type { Postings } from "../words/postings.ts";

/**
 * Longer postings are in `long_postings`, apart from their word: to compare words SQLite reads the whole of a row that does not
 * fit into its page, and most searches among the words meet a long one. Bytes; a row of 1,000 would still fit.
 */
export const maxShort = 800;

/** A row of `postings`; `long` where list and places are elsewhere, and empty here. */
export interface PostingsRow extends Postings {
  long: number | null;
}

/** Names of the columns of a `PostingsRow`. */
export const postingsColumns = "chunks, list, places, long";

/**
 * Rows that one statement inserts: to run one for each takes twice the time. What fails fails with its transaction; where a statement
 * undid its own rows, SQLite would keep a copy of every page that it writes to.
 */
export const rowsTogether = 8;
const insertOf = (rows: number) =>
  `INSERT OR FAIL INTO postings (segment, word, chunks, list, places, long)
   VALUES ${Array(rows).fill("(?, ?, ?, ?, ?, ?)").join(", ")}`;
const insertOne = insertOf(1);
const insertSeveral = insertOf(rowsTogether);

/** @param words each is of use until `rowsTogether` more were asked for */
export function insertPostings(
  db: Connection,
  segment: number,
  words: Iterable<[word: string, postings: Postings]>,
): void {
  const several = db.prepare(insertSeveral);
  let rows: unknown[][] = [];
  let bytes = 0;
  for (const [word, { chunks, list, places }] of words) {
    const isShort = list.length + places.length <= maxShort;
    const stored = isShort ? [list, places, null] : [empty, empty, insertLong(db, list, places)];
    rows.push([segment, word, chunks, ...stored]);
    bytes += word.length + list.length + places.length;
    if (rows.length < rowsTogether) continue;
    several.run(...rows.flat());
    rows = [];
  }
  for (const one of rows) db.prepare(insertOne).run(...one);
  db.prepare("UPDATE word_segments SET bytes = bytes + ? WHERE id = ?").run(bytes, segment);
}

/** The list, and behind it the places, as a phrase may need only one of them. @returns the id of the list */
function insertLong(db: Connection, list: Uint8Array, places: Uint8Array): number {
  const insert = db.prepare("INSERT INTO long_postings (bytes) VALUES (?)");
  const { lastInsertRowid } = insert.run(list);
  insert.run(places);
  return lastInsertRowid;
}

const empty = new Uint8Array();

export function listOf(db: Connection, { list, long }: Pick<PostingsRow, "list" | "long">): Uint8Array {
  return long === null ? list : longBytes(db, long);
}

export function placesOf(db: Connection, { places, long }: Pick<PostingsRow, "places" | "long">): Uint8Array {
  return long === null ? places : longBytes(db, long + 1);
}

function longBytes(db: Connection, id: number): Uint8Array {
  return db.prepare("SELECT bytes FROM long_postings WHERE id = ?").pluck().get(id) as Uint8Array;
}
