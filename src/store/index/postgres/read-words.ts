import { Kept } from "../../kept.ts";
import type { LoadedSegments } from "../words/loaded-segments.ts";
import type { Postings } from "../words/postings.ts";
import { entryOf, type Found } from "../words/stored-words.ts";
import type { Snapshot } from "./rows.ts";

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
  private readonly known = new Kept<string, Read>(maxKept, bytesOf);

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
