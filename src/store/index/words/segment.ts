import { levels as allLevels, type Level } from "../../../base/levels.ts";
import { detachText } from "../../../base/text/detached.ts";
import type { Terms } from "../records.ts";
import { ByteStrings, ensureLength } from "./byte-strings.ts";
import {
  encodeTimes,
  fieldCount,
  isLong,
  joinPostings,
  type Postings,
  PostingsReader,
  PostingsWriter,
} from "./postings.ts";

/**
 * The chunks of a segment: of some that were written together, or of several such segments that were merged. Postings count
 * them from 0 on, in the order of their ids.
 */
export interface SegmentChunks {
  /** Ascending. */
  ids: Uint32Array;
  /** How many words each has. */
  lengths: Uint32Array;
  /** Places in levels.ts. */
  levels: Uint8Array;
}

/** For each chunk two varints, for the distance of its id from the one before and for its length, and a byte for its level. */
export function encodeChunks({ ids, lengths, levels }: SegmentChunks): Uint8Array {
  const bytes = new Uint8Array(ids.length * (2 * maxVarint + 1));
  let at = 0;
  for (let i = 0; i < ids.length; i++) {
    at = writeVarint(bytes, at, ids[i]! - (i === 0 ? 0 : ids[i - 1]!));
    at = writeVarint(bytes, at, lengths[i]!);
    bytes[at++] = levels[i]!;
  }
  return bytes.slice(0, at);
}

/** Bytes of a number below 2 ** 32. */
const maxVarint = 5;

function writeVarint(bytes: Uint8Array, at: number, value: number): number {
  let last = at;
  for (let rest = value; rest >= 0x80; rest = Math.floor(rest / 128)) last++;
  let rest = value;
  for (let i = last; i >= at; i--, rest = Math.floor(rest / 128))
    bytes[i] = (rest % 128) | (i < last ? 0x80 : 0);
  return last + 1;
}

export function decodeChunks(bytes: Uint8Array, count: number): SegmentChunks {
  const ids = new Uint32Array(count);
  const lengths = new Uint32Array(count);
  const levels = new Uint8Array(count);
  let [at, id] = [0, 0];
  // Without a function for both numbers: a process that answers one question reads all chunks, a million in large projects.
  for (let i = 0; i < count; i++) {
    let byte = bytes[at++]!;
    let distance = byte & 0x7f;
    while (byte > 0x7f) {
      byte = bytes[at++]!;
      distance = distance * 128 + (byte & 0x7f);
    }
    byte = bytes[at++]!;
    let length = byte & 0x7f;
    while (byte > 0x7f) {
      byte = bytes[at++]!;
      length = length * 128 + (byte & 0x7f);
    }
    id += distance;
    ids[i] = id;
    lengths[i] = length;
    levels[i] = bytes[at++]!;
  }
  return { ids, lengths, levels };
}

/** The place of a chunk in a segment; -1 if it is not there. */
export function findChunkPlace(ids: Uint32Array, id: number): number {
  let [from, to] = [0, ids.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if (ids[middle]! < id) from = middle + 1;
    else to = middle;
  }
  return ids[from] === id ? from : -1;
}

/** The words of a chunk's fields, in the order of postings: token streams, or numbers of the segment's words. */
export type ChunkFields = readonly [name: Terms, path: Terms, head: Terms, body: Terms];

/** The word under which postings have the chunks that define a name; no token begins like that. @param key `nameKey` */
export const toNameWord = (key: string) => `=${key}`;

/**
 * What is known of a word, in numbers: how many chunks have it, what follows the last of them in its list, and of the last that it was
 * met in (counted from 1 on) its last place, and how often each field has it.
 */
const [chunkCount, afterLast, metIn, lastPlace, times] = [0, 1, 2, 3, 4];
const numbersPerWord = times + fieldCount;

/** Makes a segment of chunks that are written together. */
export class SegmentBuilder {
  private readonly lengths: number[] = [];
  private readonly levels: number[] = [];
  private readonly words = new Map<string, number>();
  private known = new Uint32Array(0);
  /** The terms of the chunk at hand, how many there are, and the different words among them. */
  private terms = new Uint32Array(0);
  private given = 0;
  private readonly seen: number[] = [];

  /**
   * @param first the id of the first chunk; the others count on
   * @param bytes two for each word: its list, and its places. Empty
   */
  constructor(
    private readonly first: number,
    private readonly bytes = new ByteStrings(),
  ) {}

  /** The id of the chunk that is added next. */
  get next(): number {
    return this.first + this.lengths.length;
  }

  /** How many were added. */
  get count(): number {
    return this.lengths.length;
  }

  /** How many different words they have. */
  get different(): number {
    return this.words.size;
  }

  /** The numbers of words, one after the other. */
  numberWords(words: readonly string[]): Uint32Array {
    const numbers = new Uint32Array(words.length);
    for (let i = 0; i < words.length; i++) numbers[i] = this.numberWord(words[i]!);
    return numbers;
  }

  /**
   * The words of a text as `add` takes them, of no use after it.
   * @param numbers of the words of its file
   */
  renumberTerms(terms: Terms, numbers: Uint32Array): Terms {
    if (typeof terms === "string") return terms;
    const from = this.given;
    this.given += terms.length;
    this.terms = ensureLength(this.terms, this.given);
    for (let i = 0; i < terms.length; i++) this.terms[from + i] = numbers[terms[i]!]!;
    return this.terms.subarray(from, this.given);
  }

  /** @param names keys of those that the chunk defines, each once */
  add(level: Level, fields: ChunkFields, names: Iterable<string>): void {
    for (const key of names) this.list(this.numberWord(toNameWord(key)));
    this.given = 0;
    this.seen.length = 0;
    let place = 0;
    let length = 0;
    for (let field = 0; field < fieldCount; field++) {
      const terms = fields[field]!;
      if (terms.length === 0) continue;
      const words = typeof terms === "string" ? this.numberWords(terms.split(" ")) : terms;
      for (let i = 0; i < words.length; i++) {
        if (this.recordOccurrence(words[i]!, field, place++)) this.seen.push(words[i]!);
      }
      length += words.length;
      place++;
    }
    for (const word of this.seen) this.list(word);
    this.lengths.push(length);
    this.levels.push(allLevels.indexOf(level));
  }

  private numberWord(token: string): number {
    let word = this.words.get(token);
    if (word === undefined) {
      word = this.words.size;
      // A token of a stream would keep all of that.
      this.words.set(detachText(token), word);
      this.known = ensureLength(this.known, (word + 1) * numbersPerWord);
      this.bytes.add();
      this.bytes.add();
    }
    return word;
  }

  /** @returns whether the chunk at hand did not have it yet */
  private recordOccurrence(word: number, field: number, place: number): boolean {
    const { known } = this;
    const at = word * numbersPerWord;
    const isNew = known[at + metIn] !== this.lengths.length + 1;
    this.bytes.pushVarint(2 * word + 1, isNew ? place : place - known[at + lastPlace]!);
    known[at + metIn] = this.lengths.length + 1;
    known[at + lastPlace] = place;
    known[at + times + field]!++;
    return isNew;
  }

  /** Adds the chunk at hand to the list of a word. */
  private list(word: number): void {
    const { bytes, known } = this;
    const [at, list] = [word * numbersPerWord, 2 * word];
    const from = at + times;
    bytes.pushVarint(list, this.lengths.length - known[at + afterLast]!);
    const code = encodeTimes(known, from);
    bytes.push(list, code);
    if (isLong(code)) {
      for (let i = from; i < from + fieldCount; i++) if (known[i]! > 0) bytes.pushVarint(list, known[i]!);
    }
    known[at + chunkCount]!++;
    known[at + afterLast] = this.lengths.length + 1;
    known.fill(0, from, from + fieldCount);
  }

  buildSegmentChunks(): SegmentChunks {
    return {
      ids: Uint32Array.from(this.lengths, (_, i) => this.first + i),
      lengths: Uint32Array.from(this.lengths),
      levels: Uint8Array.from(this.levels),
    };
  }

  /**
   * By word, ascending as JavaScript compares them.
   * @param room where to put the bytes of words; null: each has its own
   */
  *buildPostings(room: PostingsRoom | null = null): Generator<[word: string, postings: Postings]> {
    const { bytes } = this;
    for (const word of [...this.words.keys()].sort()) {
      const number = this.words.get(word)!;
      const [inList, inPlaces] = [2 * number, 2 * number + 1];
      const [list, places] =
        room?.takeRoom(bytes.countStringBytes(inList), bytes.countStringBytes(inPlaces)) ?? [];
      yield [
        word,
        {
          chunks: this.known[number * numbersPerWord + chunkCount]!,
          list: bytes.read(inList, list),
          places: bytes.read(inPlaces, places),
        },
      ];
    }
  }
}

/** For the bytes of one word after the other: a hundred thousand arrays would leave holes in memory that the C library does not give back. */
export class PostingsRoom {
  private readonly ofLists: Uint8Array[];
  private readonly ofPlaces: Uint8Array[];
  private at = 0;

  /** @param count of words that are in use at once */
  constructor(count: number) {
    this.ofLists = Array.from({ length: count }, () => new Uint8Array(0));
    this.ofPlaces = Array.from({ length: count }, () => new Uint8Array(0));
  }

  /** Room for a word; that of the `count`th word before becomes its. */
  takeRoom(list: number, places: number): [list: Uint8Array, places: Uint8Array] {
    this.at = (this.at + 1) % this.ofLists.length;
    return [this.takePart(this.ofLists, list), this.takePart(this.ofPlaces, places)];
  }

  private takePart(arrays: Uint8Array[], length: number): Uint8Array {
    arrays[this.at] = ensureLength(arrays[this.at]!, length);
    return arrays[this.at]!.subarray(0, length);
  }
}

/** A segment to merge, and for each of its chunks whether it is gone; null for none. */
export interface MergeSource {
  chunks: SegmentChunks;
  isGone: Uint8Array | null;
}

/** Puts segments together that follow each other, without the chunks that are gone. */
export class SegmentMerge {
  readonly chunks: SegmentChunks;
  private readonly sources: readonly {
    /** The place of its first chunk. */
    from: number;
    /** For each of its chunks the place among those that stay, or `noPlace`; null where all stay. */
    places: Int32Array | null;
  }[];

  constructor(sources: readonly MergeSource[]) {
    let next = 0;
    this.sources = sources.map(({ chunks, isGone }) => {
      const from = next;
      const places = isGone && mapPresentPlaces(isGone);
      next += chunks.ids.length - (isGone?.reduce((sum, gone) => sum + gone, 0) ?? 0);
      return { from, places };
    });
    // In typed arrays, as there may be a million.
    const merged = {
      ids: new Uint32Array(next),
      lengths: new Uint32Array(next),
      levels: new Uint8Array(next),
    };
    let at = 0;
    for (const { chunks, isGone } of sources) {
      for (let i = 0; i < chunks.ids.length; i++) {
        if (isGone?.[i]) continue;
        merged.ids[at] = chunks.ids[i]!;
        merged.lengths[at] = chunks.lengths[i]!;
        merged.levels[at++] = chunks.levels[i]!;
      }
    }
    this.chunks = merged;
  }

  /** The postings of one word. @param parts what the sources have of it, in their order */
  mergePostings(parts: readonly { source: number; postings: Postings }[]): Postings {
    return joinPostings(
      parts.map(({ source, postings }) => {
        const { from, places } = this.sources[source]!;
        return { postings: places === null ? postings : keepPresent(postings, places), from };
      }),
    );
  }
}

const noPlace = -1;

function mapPresentPlaces(isGone: Uint8Array): Int32Array {
  const places = new Int32Array(isGone.length);
  let next = 0;
  for (let i = 0; i < isGone.length; i++) places[i] = isGone[i] === 1 ? noPlace : next++;
  return places;
}

/** Postings without the chunks that are gone; the others are at their places. */
function keepPresent(postings: Postings, placeOfEach: Int32Array): Postings {
  const writer = new PostingsWriter();
  const reader = new PostingsReader(postings.list, postings);
  while (reader.next()) {
    const place = placeOfEach[reader.chunk]!;
    if (place !== noPlace) writer.add(place, reader.readTimes(), reader.readPlaces());
  }
  return writer.finish();
}
