import { LRUCache } from "lru-cache";
import { addTo } from "../../../project/multimap.ts";
import {
  isLate,
  LoadedSegments,
  marked,
  type StoredSegment,
  toMerge,
  worthMerging,
} from "../words/loaded-segments.ts";
import type { Postings } from "../words/postings.ts";
import { decodeChunks, encodeChunks, placeOf, type SegmentBuilder, SegmentMerge } from "../words/segment.ts";
import { entryOf, type Found, StoredWords } from "../words/stored-words.ts";
import { type Change, isolate, jsonRows, type Snapshot } from "./rows.ts";

/** What words in memory may take. Bytes. */
const maxKept = 48e6;
/** What a word takes besides its postings: objects, and two arrays with a buffer each. Bytes, about. */
const perWord = 700;

/** What a segment has of a word; empty where it has none. */
interface Read extends Postings {
  /** Places are longer than lists, and read for phrases only. */
  hasPlaces: boolean;
}

const nothing = new Uint8Array();
const absent: Read = { chunks: 0, list: nothing, places: nothing, hasPlaces: true };

/**
 * What segments have of words, as it was read: segments never change, and questions share most of their words, all the common
 * ones among them, whose postings are long.
 */
export class ReadWords {
  /** By segment and word; those that were read first go first. */
  private readonly known = new LRUCache<string, Read>({ maxSize: maxKept, sizeCalculation: bytesOf });

  async of(
    snapshot: Snapshot,
    words: readonly string[],
    { all }: LoadedSegments,
    withPlaces: boolean,
  ): Promise<Found<Postings>> {
    const found = new Map<string, Map<number, Postings>>();
    const missing = { words: new Set<string>(), segments: new Set<number>() };
    for (const word of words) {
      for (const { id } of all) {
        const read = this.known.get(keyOf(id, word));
        if (read === undefined || (withPlaces && !read.hasPlaces)) {
          missing.words.add(word);
          missing.segments.add(id);
        } else if (read.chunks > 0) entryOf(found, word).set(id, read);
      }
    }
    if (missing.words.size === 0) return found;
    for (const [segment, word, read] of await this.ask(snapshot, missing, withPlaces)) {
      if (read.chunks > 0) entryOf(found, word).set(segment, read);
    }
    return found;
  }

  release(): void {
    this.known.clear();
  }

  private async ask(
    { sql }: Snapshot,
    missing: { words: ReadonlySet<string>; segments: ReadonlySet<number> },
    withPlaces: boolean,
  ): Promise<[segment: number, word: string, Read][]> {
    const [words, segments] = [[...missing.words], [...missing.segments]];
    // Outside of a transaction segments may be gone by now, of which nothing must be remembered: those that are there come first.
    const rows = await sql<(Postings & { segment: number; word: string | null })[]>`
      SELECT id AS segment, NULL AS word, 0 AS chunks, ''::bytea AS list, ''::bytea AS places
      FROM pommel_index_3.word_segments WHERE id = ANY(${segments}::bigint[])
      UNION ALL
      SELECT segment, word, chunks, list, ${withPlaces ? sql`places` : sql`''::bytea`} FROM pommel_index_3.postings
      WHERE segment = ANY(${segments}::bigint[]) AND word = ANY(${words}::text[])`;
    const present = rows.filter(({ word }) => word === null).map(({ segment }) => segment);
    const read = new Map(
      rows.map(({ segment, word, ...postings }) => [
        keyOf(segment, word ?? ""),
        { ...postings, hasPlaces: withPlaces },
      ]),
    );
    return present.flatMap((segment) =>
      words.map((word): [number, string, Read] => {
        const one = read.get(keyOf(segment, word)) ?? absent;
        this.known.set(keyOf(segment, word), one);
        return [segment, word, one];
      }),
    );
  }
}

const keyOf = (segment: number, word: string) => `${segment} ${word}`;

function bytesOf({ list, places }: Read): number {
  return perWord + list.length + places.length;
}

/** Words whose postings are merged with one statement. */
const wordsTogether = 5000;

/** Words of chunks, or of commits: postings of our own in rows of the server, scored here (docs/decisions/0008-index-port.md). */
export class PostgresWords {
  private known: { revision: string; segments: LoadedSegments } | null = null;
  private readonly read = new ReadWords();

  constructor(private readonly holds: "chunks" | "commits") {}

  // Writing

  async add({ sql, project }: Change, segment: SegmentBuilder): Promise<void> {
    const chunks = segment.chunks();
    if (chunks.ids.length === 0) return;
    const id = await this.insertSegment({ sql, project }, chunks, chunks.ids[0]!, chunks.ids.at(-1)!);
    await insertPostings({ sql }, id, [...segment.postings()]);
  }

  private async insertSegment(
    { sql, project }: Pick<Change, "sql" | "project">,
    chunks: ReturnType<SegmentBuilder["chunks"]>,
    first: number,
    last: number,
  ): Promise<number> {
    const [row] = await sql<{ id: number }[]>`
      INSERT INTO pommel_index_3.word_segments (project, holds, chunks, first_chunk, last_chunk, data)
      VALUES (${project}, ${this.holds}, ${chunks.ids.length}, ${first}, ${last}, ${Buffer.from(encodeChunks(chunks))})
      RETURNING id`;
    return row!.id;
  }

  async remove({ sql, project }: Change, ids: readonly number[]): Promise<void> {
    if (ids.length === 0) return;
    await sql`
      UPDATE pommel_index_3.word_segments SET gone = gone + found.n
      FROM (SELECT s.id, count(*)::integer AS n
            FROM unnest(${[...ids]}::integer[]) AS c (chunk)
            JOIN pommel_index_3.word_segments s ON s.project = ${project} AND s.holds = ${this.holds}
              AND c.chunk BETWEEN s.first_chunk AND s.last_chunk
            GROUP BY s.id) found
      WHERE word_segments.id = found.id`;
    await sql`INSERT INTO pommel_index_3.gone_chunks SELECT ${project}, ${this.holds}, unnest(${[...ids]}::integer[])`;
  }

  /** Whether there are segments to merge. */
  async isDue(snapshot: Pick<Snapshot, "sql" | "project">): Promise<boolean> {
    return toMerge(await this.stored(snapshot), worthMerging.usually) !== null;
  }

  async isLate(change: Change): Promise<boolean> {
    return isLate(await this.stored(change));
  }

  /** Makes one segment of several. @returns false where there was nothing to do */
  async merge(change: Change): Promise<boolean> {
    const { sql, project } = change;
    const sources = toMerge(await this.stored(change), worthMerging.usually);
    if (sources === null) return false;
    const ids = sources.map(({ id }) => id);
    const [first, last] = [sources[0]!.first, sources.at(-1)!.last];
    const loaded = await this.load(change, sources);
    const merge = new SegmentMerge(loaded.all.map((chunks) => ({ chunks, isGone: chunks.isGone })));
    const target = await this.insertSegment(change, merge.chunks, first, last);
    const sourceOf = new Map(ids.map((id, i) => [id, i]));
    for (let after = ""; ; ) {
      const [end] = await sql<{ word: string }[]>`
        SELECT max(word) AS word FROM (SELECT DISTINCT word FROM pommel_index_3.postings
          WHERE segment = ANY(${ids}::bigint[]) AND word > ${after} ORDER BY word LIMIT ${wordsTogether}) next`;
      if (end?.word == null) break;
      const rows = await sql<(Postings & { segment: number; word: string })[]>`
        SELECT segment, word, chunks, list, places FROM pommel_index_3.postings
        WHERE segment = ANY(${ids}::bigint[]) AND word > ${after} AND word <= ${end.word}`;
      const parts = new Map<string, { source: number; postings: Postings }[]>();
      for (const row of rows) {
        const part = { source: sourceOf.get(row.segment)!, postings: row };
        addTo(parts, row.word, part);
      }
      const merged = [...parts].map(([word, ofWord]): [string, Postings] => [
        word,
        merge.merged(ofWord.sort((a, b) => a.source - b.source)),
      ]);
      await insertPostings(
        change,
        target,
        merged.filter(([, { chunks }]) => chunks > 0),
      );
      after = end.word;
    }
    await sql`DELETE FROM pommel_index_3.gone_chunks WHERE project = ${project} AND holds = ${this.holds}
      AND chunk BETWEEN ${first} AND ${last}`;
    await sql`DELETE FROM pommel_index_3.postings WHERE segment = ANY(${ids}::bigint[])`;
    await sql`DELETE FROM pommel_index_3.word_segments WHERE id = ANY(${ids}::bigint[])`;
    return true;
  }

  // Reading

  /** The words of a snapshot. */
  async at(snapshot: Snapshot): Promise<StoredWords> {
    return new StoredWords(await this.segments(snapshot), {
      lists: (words, segments) => this.read.of(snapshot, words, segments, false),
      places: (words, segments) => this.read.of(snapshot, words, segments, true),
    });
  }

  /** The chunks that are there. */
  present(snapshot: Snapshot): Promise<Pick<LoadedSegments, "has">> {
    return this.segments(snapshot);
  }

  release(): void {
    this.read.release();
  }

  /** The segments of a snapshot: those that are new are read, and which chunks of the others are gone. */
  private async segments(snapshot: Snapshot): Promise<LoadedSegments> {
    if (this.known?.revision === snapshot.revision) return this.known.segments;
    isolate(snapshot);
    // Where all chunks went, merging leaves a segment without any.
    const stored = (await this.stored(snapshot)).filter(({ chunks }) => chunks > 0);
    const segments = await this.load(snapshot, stored, this.known?.segments);
    this.known = { revision: snapshot.revision, segments };
    return segments;
  }

  private async load(
    { sql, project }: Pick<Snapshot, "sql" | "project">,
    stored: readonly StoredSegment[],
    known = new LoadedSegments(),
  ): Promise<LoadedSegments> {
    const outdated = known.outdated(stored);
    const added = outdated.flatMap(({ stored: { id }, isKnown }) => (isKnown ? [] : [id]));
    const worn = outdated.flatMap(({ stored: { id, gone } }) => (gone > 0 ? [id] : []));
    const data = new Map<number, Uint8Array>();
    if (added.length > 0) {
      const rows = await sql<{ id: number; data: Uint8Array }[]>`
        SELECT id, data FROM pommel_index_3.word_segments WHERE id = ANY(${added}::bigint[])`;
      for (const row of rows) data.set(row.id, row.data);
    }
    const gone = new Map<number, number[]>();
    if (worn.length > 0) {
      const rows = await sql<{ id: number; chunk: number }[]>`
        SELECT s.id, g.chunk FROM pommel_index_3.word_segments s JOIN pommel_index_3.gone_chunks g
          ON g.project = ${project} AND g.holds = ${this.holds} AND g.chunk BETWEEN s.first_chunk AND s.last_chunk
        WHERE s.id = ANY(${worn}::bigint[])`;
      for (const { id, chunk } of rows) {
        addTo(gone, id, chunk);
      }
    }
    return known.following(stored, (one, before) => {
      const chunks = before ?? decodeChunks(data.get(one.id)!, one.chunks);
      const ofSegment = (gone.get(one.id) ?? []).filter((chunk) => placeOf(chunks.ids, chunk) >= 0);
      return { chunks, isGone: marked(chunks.ids, ofSegment) };
    });
  }

  private stored({ sql, project }: Pick<Snapshot, "sql" | "project">): Promise<StoredSegment[]> {
    return sql<StoredSegment[]>`
      SELECT id, chunks, gone, first_chunk AS first, last_chunk AS last FROM pommel_index_3.word_segments
      WHERE project = ${project} AND holds = ${this.holds} ORDER BY first_chunk`;
  }
}

/** In one statement: the bytes one after the other, and for each word where its own are. */
async function insertPostings(
  { sql }: Pick<Change, "sql">,
  segment: number,
  postings: readonly [word: string, postings: Postings][],
): Promise<void> {
  const parts: Uint8Array[] = [];
  let from = 1;
  const rows = postings.map(([w, { chunks: c, list, places }]) => {
    const row = { w, c, f: from, l: list.length, p: places.length };
    parts.push(list, places);
    from += list.length + places.length;
    return row;
  });
  const bytes = Buffer.concat(parts);
  await sql`
    INSERT INTO pommel_index_3.postings (segment, word, chunks, list, places)
    SELECT ${segment}, w, c, substring(data FROM f FOR l), substring(data FROM f + l FOR p)
    FROM json_to_recordset(${jsonRows(rows)}::text::json) AS r (w text, c integer, f integer, l integer, p integer),
      (SELECT ${bytes}::bytea AS data) AS d`;
  const size = bytes.length + rows.reduce((sum, { w }) => sum + w.length, 0);
  await sql`UPDATE pommel_index_3.word_segments SET bytes = bytes + ${size} WHERE id = ${segment}`;
}
