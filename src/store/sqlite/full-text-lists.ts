import { LRUCache } from "lru-cache";
import { decodeVarints } from "../../text/varint.ts";
import type { Connection } from "./connection.ts";
import { columnsOf } from "./full-text-totals.ts";

/**
 * Reads the lists of FTS5's index: which rows hold a word, and where. FTS5 itself gives them row by row, through a call
 * for each of the words in it, which takes ten times as long.
 *
 * The format is that of SQLite's ext/fts5/fts5_index.c, whose head describes it: row 10 of `<table>_data` names the
 * segments, `<table>_idx` the page of a segment on which a word may be, pages hold words in order, each with its list. A list
 * goes on over pages; the first row on a page is whole, each other one the distance to the row before. Rows that were
 * deleted are in hash tables beside their segments. Only tables with `contentless_delete` are read; nothing is written.
 */

/** In place of an offset: those that follow are in the column that comes next. */
const columnMark = 1;
/** Of the row of `_data` that holds the structure. */
const structureRow = 10;
/** The structure of tables with `contentless_delete`, after four bytes that count changes of the configuration. */
const structureMark = [0xff, 0, 0, 1];
/** Every word begins with it: those of other indexes, by prefixes, begin with others. */
const mainIndex = "0";
/** Bits of a page's row that its number takes. */
const pageBits = 37;
/** Added to the number of a segment in the rows of its deleted ones. */
const goneSegment = 1 << 16;

interface TextSegment {
  id: number;
  firstPage: number;
  lastPage: number;
  /** Rows that were deleted since it was written, ascending. */
  gone: Uint32Array;
}

/** A segment's rows with a word, as they are stored. */
export interface TextList {
  bytes: Uint8Array;
  /** Where rows are whole. */
  whole: readonly number[];
  /** Rows that are not to be read, ascending. */
  gone: Uint32Array;
}

/**
 * Bytes of lists of a table that are kept until something is written: searches meet the same words again and again, and each
 * reads a list twice, to see how rare a word is, and to score.
 */
const maxListBytes = 16 * 2 ** 20;

/** The lists of a word, one for each segment that has it: no row is in two of them. null: the format is another one. */
export function listsOf(db: Connection, table: string, word: string): readonly TextList[] | null {
  const segments = segmentsOf(db, table);
  if (segments === null) return null;
  const kept = db.once(
    `lists of ${table}`,
    () => new LRUCache<string, readonly TextList[]>({ maxSize: maxListBytes, sizeCalculation: sizeOf }),
  );
  const known = kept.get(word);
  if (known !== undefined) return known;
  const term = new TextEncoder().encode(mainIndex + word);
  const lists = pagesOf(db, table, segments, term).flatMap((pages, i): TextList[] => {
    const list = listOn(pages, term);
    return list === null ? [] : [{ ...list, gone: segments[i]!.gone }];
  });
  kept.set(word, lists);
  return lists;
}

/** What objects take is about that of a list of this many bytes. */
const sizeOf = (lists: readonly TextList[]) =>
  lists.reduce((sum, { bytes }) => sum + bytes.length + 200, 200);

/** The pages of each segment on which the list of a word is, if the segment has it: up to the next one with a word. */
function pagesOf(
  db: Connection,
  table: string,
  segments: readonly TextSegment[],
  term: Uint8Array,
): Uint8Array[][] {
  // As one text and one blob: so many rows take several times as long.
  const found = db.get<{ places: string; sizes: string; pages: Uint8Array }>(
    `SELECT json_group_array(place) AS places, json_group_array(length(block)) AS sizes,
       CAST(group_concat(block, '') AS BLOB) AS pages
     FROM (SELECT key AS place, value ->> 0 AS segment,
         max(value ->> 1, coalesce((SELECT pgno >> 1 FROM ${table}_idx
           WHERE segid = value ->> 0 AND term <= @term ORDER BY term DESC LIMIT 1), 0)) AS first,
         coalesce((SELECT pgno >> 1 FROM ${table}_idx
           WHERE segid = value ->> 0 AND term > @term ORDER BY term LIMIT 1), value ->> 2) AS last
       FROM json_each(@segments))
     JOIN ${table}_data ON id BETWEEN (segment << ${pageBits}) + first AND (segment << ${pageBits}) + last`,
    {
      term,
      segments: segments.map(({ id, firstPage, lastPage }) => [id, firstPage, lastPage]),
    },
  );
  const places = JSON.parse(found.places) as number[];
  const pages: Uint8Array[][] = segments.map(() => []);
  let at = 0;
  for (const [i, size] of (JSON.parse(found.sizes) as number[]).entries()) {
    pages[places[i]!]!.push(found.pages.subarray(at, at + size));
    at += size;
  }
  return pages;
}

/** Calls `visit` for each row that is not deleted, ascending, with where in the bytes its places are: see `eachPlace`. */
export function eachRow(
  { bytes, whole, gone }: TextList,
  visit: (row: number, from: number, to: number) => void,
): void {
  let row = 0;
  let nextWhole = 0;
  let nextGone = 0;
  for (let at = 0; at < bytes.length; ) {
    const isWhole = whole[nextWhole] === at;
    if (isWhole) nextWhole++;
    let byte = bytes[at++]!;
    let distance = byte & 0x7f;
    for (; byte > 0x7f; distance = distance * 128 + (byte & 0x7f)) byte = bytes[at++]!;
    row = isWhole ? distance : row + distance;
    byte = bytes[at++]!;
    // The lowest bit marks a deletion, which tables of this kind keep elsewhere.
    let size = byte & 0x7f;
    for (; byte > 0x7f; size = size * 128 + (byte & 0x7f)) byte = bytes[at++]!;
    // In a damaged list it may be more than there is.
    const end = Math.min(at + (size >>> 1), bytes.length);
    while (gone[nextGone]! < row) nextGone++;
    if (gone[nextGone] !== row) visit(row, at, end);
    at = end;
  }
}

/** Calls `visit` for each place of a word in a row: its column, and its offset there in words. */
export function eachPlace(
  bytes: Uint8Array,
  from: number,
  to: number,
  visit: (column: number, offset: number) => void,
): void {
  let column = 0;
  let offset = 0;
  for (let at = from; at < to; at += widthAt(bytes, at)) {
    const value = numberAt(bytes, at);
    if (value === columnMark) {
      column = numberAt(bytes, ++at);
      offset = 0;
    } else {
      // So that none is a mark.
      offset += value - 2;
      visit(column, offset);
    }
  }
}

function segmentsOf(db: Connection, table: string): TextSegment[] | null {
  return db.once(`segments of ${table}`, () => {
    if (columnsOf(db, table) === 0) return null;
    const block = db.prepare(`SELECT block FROM ${table}_data WHERE id = ?`).pluck().get(structureRow);
    if (!(block instanceof Uint8Array) || structureMark.some((byte, i) => block[4 + i] !== byte)) return null;
    const numbers = decodeVarints(block.subarray(8));
    return numbers && segmentsIn(db, table, numbers);
  });
}

function segmentsIn(db: Connection, table: string, numbers: readonly number[]): TextSegment[] | null {
  let at = 0;
  const take = (count: number) => {
    at += count;
    return numbers.slice(at - count, at);
  };
  const segments: TextSegment[] = [];
  // How many levels, segments and writes there are.
  take(3);
  while (at < numbers.length) {
    const [_merging, count = 0] = take(2);
    for (const end = at + 8 * count; at < end && at < numbers.length; ) {
      const [id = 0, firstPage = 0, lastPage = 0, _origin, _lastOrigin, gonePages = 0] = take(8);
      // All of it is merged into another one already.
      if (lastPage === 0) continue;
      const gone = goneOf(db, table, id, gonePages);
      if (gone === null) return null;
      segments.push({ id, firstPage, lastPage, gone });
    }
  }
  return segments;
}

/** null: they are stored in another way, or damaged. */
function goneOf(db: Connection, table: string, segment: number, pages: number): Uint32Array | null {
  const gone: number[] = [];
  const blocks = db.column<Uint8Array>(
    `SELECT block FROM ${table}_data WHERE id BETWEEN (@key << ${pageBits}) AND (@key << ${pageBits}) + @pages - 1`,
    { key: segment + goneSegment, pages },
  );
  for (const block of blocks) {
    const view = new DataView(block.buffer, block.byteOffset, block.byteLength);
    const width = block[0];
    // Wider ones are of rows beyond 32 bits.
    if (width !== 4) return null;
    if (block[1] !== 0) gone.push(0);
    for (let at = 8; at + width <= block.length; at += width) {
      const row = view.getUint32(at);
      if (row !== 0) gone.push(row);
    }
  }
  return Uint32Array.from(gone).sort();
}

/** The list of a word that begins on the first of these pages; it goes on up to the first word of one of the others. */
function listOn([first, ...others]: readonly Uint8Array[], term: Uint8Array): Omit<TextList, "gone"> | null {
  const place = first === undefined ? null : placeOfTerm(first, term);
  if (first === undefined || place === null) return null;
  const begin = first.subarray(place.from, place.to ?? endOf(first));
  const parts = [begin];
  const whole: number[] = [];
  let { length } = begin;
  for (const page of place.to === null ? others : []) {
    const hasTerm = endOf(page) < page.length;
    const end = hasTerm ? numberAt(page, endOf(page)) : endOf(page);
    const firstRow = (page[0]! << 8) | page[1]!;
    if (firstRow > 0 && firstRow < end) whole.push(length + firstRow - pageHead);
    parts.push(page.subarray(pageHead, end));
    length += end - pageHead;
    if (hasTerm) break;
  }
  return { bytes: Buffer.concat(parts, length), whole };
}

/** Bytes: where the first whole row of a page is, and where its words and lists end. */
const pageHead = 4;
/** Behind it is where each word begins, each number the distance to the one before. */
const endOf = (page: Uint8Array) => (page[2]! << 8) | page[3]!;

/** Where on a page the list of a word is; null as its end when it is the page's last. null: the word is not on it. */
function placeOfTerm(page: Uint8Array, term: Uint8Array): { from: number; to: number | null } | null {
  // How many bytes the word before has in common with the one looked for.
  let common = 0;
  let start = 0;
  for (let next = endOf(page); next < page.length; ) {
    const isFirst = start === 0;
    start += numberAt(page, next);
    next += widthAt(page, next);
    // The first one on a page is whole.
    const kept = isFirst ? 0 : numberAt(page, start);
    let at = isFirst ? start : start + widthAt(page, start);
    const added = numberAt(page, at);
    at += widthAt(page, at);
    if (kept > common) continue;
    common = kept;
    while (common < term.length && common - kept < added && page[at + common - kept] === term[common])
      common++;
    if (common < term.length || kept + added > term.length) continue;
    return { from: at + added, to: next < page.length ? start + numberAt(page, next) : null };
  }
  return null;
}

/** The varint at a place. */
function numberAt(bytes: Uint8Array, at: number): number {
  let byte = bytes[at]!;
  let value = byte & 0x7f;
  for (let i = at + 1; byte > 0x7f; i++) {
    byte = bytes[i]!;
    value = value * 128 + (byte & 0x7f);
  }
  return value;
}

function widthAt(bytes: Uint8Array, at: number): number {
  let width = 1;
  while (bytes[at + width - 1]! > 0x7f) width++;
  return width;
}
