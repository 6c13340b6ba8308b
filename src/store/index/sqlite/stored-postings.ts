import { addTo } from "../../../base/multimap.ts";
import type { Connection } from "../../sqlite/connection.ts";
import type { LoadedSegments } from "../words/loaded-segments.ts";
import type { Postings } from "../words/postings.ts";

/**
 * Longer postings are in `long_postings`, apart from their word: to compare words SQLite reads the whole of a row that does not
 * fit into its page, and most searches among the words meet a long one. Bytes; a row of 1,000 would still fit.
 */
const maxShort = 800;

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
export const rowsPerInsert = 8;
const buildInsert = (rows: number) =>
  `INSERT OR FAIL INTO postings (segment, word, chunks, list, places, long)
   VALUES ${Array(rows).fill("(?, ?, ?, ?, ?, ?)").join(", ")}`;
const insertOne = buildInsert(1);
const insertSeveral = buildInsert(rowsPerInsert);

/** @param words each is of use until `rowsPerInsert` more were asked for */
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
    if (rows.length < rowsPerInsert) continue;
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

export function readPostingsList(
  db: Connection,
  { list, long }: Pick<PostingsRow, "list" | "long">,
): Uint8Array {
  return long === null ? list : readLongBytes(db, long);
}

export function readPostingsPlaces(
  db: Connection,
  { places, long }: Pick<PostingsRow, "places" | "long">,
): Uint8Array {
  return long === null ? places : readLongBytes(db, long + 1);
}

function readLongBytes(db: Connection, id: number): Uint8Array {
  return db.readValue<Uint8Array>("SELECT bytes FROM long_postings WHERE id = ?", id);
}

/** What is kept of the words that were read last: for each chunk of the index so many bytes, which serves some twenty questions. */
const keptBytesPerChunk = 32;
const minKept = 8_000_000;
/** What a word takes. Bytes, about. */
const bytesPerWord = 200;
/** What a segment's postings of a word take beside their bytes: objects, and two arrays with a buffer each. Bytes, about. */
const bytesPerPostings = 700;

interface Word {
  ofSegment: Map<number, StoredPostings>;
  /** The segments that were asked for it. */
  asked: ReadonlySet<number>;
}

/** What a new word was asked of. */
const noSegments: ReadonlySet<number> = new Set();

/**
 * What segments have of words, read as it is asked for. As segments never change, what was read is right as long as they are in
 * use: questions share most of their words, and all the common ones, whose postings are long.
 */
export class ReadPostings {
  /** Those asked for last at the end. */
  private readonly words = new Map<string, Word>();
  private used: ReadonlySet<number> = new Set();
  private kept = 0;
  private maxKept = minKept;

  constructor(private readonly db: Connection) {}

  /** @param segments those in use */
  follow({ all, total }: Pick<LoadedSegments, "all" | "total">): void {
    const { used } = this;
    if (all.length !== used.size || all.some(({ id }) => !used.has(id))) {
      this.used = new Set(all.map(({ id }) => id));
    }
    this.maxKept = Math.max(minKept, keptBytesPerChunk * total);
  }

  release(): void {
    this.words.clear();
    this.kept = 0;
  }

  /** For each word what each segment in use has of it. */
  findPostings(words: readonly string[]): ReadonlyMap<number, Postings>[] {
    if (this.kept > this.maxKept) this.forgetOldest();
    const unasked = new Map<ReadonlySet<number>, string[]>();
    const found = words.map((name) => {
      const word = this.words.get(name) ?? { ofSegment: new Map(), asked: noSegments };
      if (this.words.delete(name) === false) this.kept += bytesPerWord;
      this.words.set(name, word);
      if (word.asked !== this.used) {
        addTo(unasked, word.asked, name);
      }
      return word.ofSegment;
    });
    for (const [asked, names] of unasked) this.ask(names, asked);
    return found;
  }

  private ask(names: readonly string[], asked: ReadonlySet<number>): void {
    const segments = [...this.used].filter((id) => !asked.has(id));
    for (const name of names) {
      const word = this.words.get(name)!;
      word.asked = this.used;
      for (const [segment, postings] of word.ofSegment) {
        if (this.used.has(segment)) continue;
        word.ofSegment.delete(segment);
        this.kept -= postings.bytes;
      }
    }
    const rows = this.db.all<
      PostingsRow & {
        word: string;
        segment: number;
      }
    >(
      `SELECT w.value AS word, s.value AS segment, ${postingsColumns} FROM json_each(?) w CROSS JOIN json_each(?) s
       CROSS JOIN postings p ON p.segment = s.value AND p.word = w.value`,
      names,
      segments,
    );
    for (const { word, segment, ...row } of rows) {
      const postings = new StoredPostings(row, this.reading);
      this.words.get(word)!.ofSegment.set(segment, postings);
      this.kept += postings.bytes;
    }
  }

  private readonly reading = (
    read: typeof readPostingsList | typeof readPostingsPlaces,
    row: PostingsRow,
  ): Uint8Array => {
    const bytes = read(this.db, row);
    this.kept += bytes.length;
    return bytes;
  };

  /** Half of it, so that this need not be done with every question. */
  private forgetOldest(): void {
    for (const [name, { ofSegment }] of this.words) {
      if (this.kept * 2 <= this.maxKept) return;
      this.words.delete(name);
      this.kept -= bytesPerWord;
      for (const { bytes } of ofSegment.values()) this.kept -= bytes;
    }
  }
}

/** Long ones are read when they are asked for. */
class StoredPostings implements Postings {
  private longList: Uint8Array | null = null;
  private longPlaces: Uint8Array | null = null;

  constructor(
    private readonly row: PostingsRow,
    private readonly read: (
      which: typeof readPostingsList | typeof readPostingsPlaces,
      row: PostingsRow,
    ) => Uint8Array,
  ) {}

  get chunks(): number {
    return this.row.chunks;
  }

  get list(): Uint8Array {
    if (this.row.long === null) return this.row.list;
    this.longList ??= this.read(readPostingsList, this.row);
    return this.longList;
  }

  get places(): Uint8Array {
    if (this.row.long === null) return this.row.places;
    this.longPlaces ??= this.read(readPostingsPlaces, this.row);
    return this.longPlaces;
  }

  /** What it takes. */
  get bytes(): number {
    const { list, places } = this.row;
    const long = (this.longList?.length ?? 0) + (this.longPlaces?.length ?? 0);
    return bytesPerPostings + list.length + places.length + long;
  }
}
