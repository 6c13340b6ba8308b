import { encodeVarints, pushVarint } from "../../../base/text/varint.ts";
import type { FieldWeights } from "../port.ts";

/**
 * Where a word occurs in the chunks of a segment (segment.ts), as bytes that are read one after the other:
 *
 * - `list`: for each chunk that holds it, ascending, a varint for the distance from the one before, and how often each field
 *   has it: a byte with a bit for each such field below and `times` above, for once in each but the last of them, and there
 *   so often. For what does not fit `times` is 15, and a varint for each of the fields follows.
 * - `places`: for each chunk as many varints as it has the word, the distance of each from the one before. Fields follow each
 *   other with a gap, so that no phrase reaches from one into the next.
 *
 * Scoring reads the list alone, mostly two bytes a chunk. A chunk that has the word nowhere (`toNameWord`) is in the list, with 0
 * for the byte.
 */
export interface Postings {
  /** How many chunks hold the word. */
  chunks: number;
  list: Uint8Array;
  places: Uint8Array;
}

/** In their order: name, path, head, body. */
export const fieldCount = 4;
/** `times` of what does not fit into a byte. */
const longTimesCode = 15;

/** Writes the postings of one word, chunk by chunk. */
export class PostingsWriter {
  private chunks = 0;
  private last = -1;
  private readonly list: number[] = [];
  private readonly places: number[] = [];

  /**
   * @param chunk beyond the one before
   * @param times how often each field has the word
   * @param places ascending, as many as that is together
   */
  add(chunk: number, times: ArrayLike<number>, places: ArrayLike<number>): void {
    this.chunks++;
    pushVarint(this.list, chunk - this.last - 1);
    this.last = chunk;
    const code = encodeTimes(times);
    this.list.push(code);
    if (isLong(code)) {
      for (let field = 0; field < fieldCount; field++)
        if (times[field]! > 0) pushVarint(this.list, times[field]!);
    }
    let before = 0;
    for (let i = 0; i < places.length; i++) {
      pushVarint(this.places, places[i]! - before);
      before = places[i]!;
    }
  }

  finish(): Postings {
    const { chunks, list, places } = this;
    return { chunks, list: new Uint8Array(list), places: new Uint8Array(places) };
  }
}

/** Postings of the same word in chunks that follow each other, as one. @param parts with the chunk that each begins to count from */
export function joinPostings(parts: readonly { postings: Postings; from: number }[]): Postings {
  const lists: Uint8Array[] = [];
  let last = -1;
  parts.forEach(({ postings, from }, part) => {
    const reader = new PostingsReader(postings.list);
    if (!reader.next()) return;
    const first = from + reader.chunk;
    lists.push(
      encodeVarints([first - last - 1]),
      postings.list.subarray(encodeVarints([reader.chunk]).length),
    );
    // Where the last one ends matters to nobody.
    if (part === parts.length - 1) return;
    while (reader.next());
    last = from + reader.chunk;
  });
  return {
    chunks: parts.reduce((sum, { postings }) => sum + postings.chunks, 0),
    list: Buffer.concat(lists),
    places: Buffer.concat(parts.map(({ postings }) => postings.places)),
  };
}

/** How often each field has a word, as a byte. @param from where these numbers begin */
export function encodeTimes(times: ArrayLike<number>, from = 0): number {
  let mask = 0;
  let ofLast = 0;
  let isShort = true;
  for (let field = 0; field < fieldCount; field++) {
    const n = times[from + field]!;
    if (n === 0) continue;
    if (ofLast > 1) isShort = false;
    mask |= 1 << field;
    ofLast = n;
  }
  return mask | ((isShort && ofLast < longTimesCode ? ofLast : longTimesCode) << 4);
}

/** Whether numbers follow the byte. */
export const isLong = (code: number) => code >> 4 === longTimesCode;

/** What a code stands for: the sum of the weights of the fields, each as often as it has the word. 0 for the long ones. */
function sumWeightsByCode(weights: readonly number[]): Float64Array {
  const sums = new Float64Array(256);
  for (let code = 0; code < longTimesCode << 4; code++) {
    let last = 0;
    for (let field = 0; field < fieldCount; field++) {
      if ((code & (1 << field)) === 0) continue;
      sums[code]! += weights[field]!;
      last = weights[field]!;
    }
    sums[code]! += last * ((code >> 4) - 1);
  }
  return sums;
}

/** Field weights, prepared for reading lists with them. */
export class FieldSums {
  /** Of the fields, in their order. */
  readonly weights: readonly number[];
  readonly ofCode: Float64Array;

  constructor({ name, path, head, body }: FieldWeights) {
    this.weights = [name, path, head, body];
    this.ofCode = sumWeightsByCode(this.weights);
  }

  /** Of a long code, whose numbers are from `at` on. */
  sumLongCode(code: number, list: Uint8Array, at: number): { sum: number; next: number } {
    let sum = 0;
    let next = at;
    for (let field = 0; field < fieldCount; field++) {
      if ((code & (1 << field)) === 0) continue;
      let byte = list[next++]!;
      let times = byte & 0x7f;
      while (byte > 0x7f) {
        byte = list[next++]!;
        times = times * 128 + (byte & 0x7f);
      }
      sum += times * this.weights[field]!;
    }
    return { sum, next };
  }
}

/** BM25's saturation of a word that a chunk has often. */
const k1 = 1.2;
/** How much BM25 holds a chunk's length against it. */
const b = 0.75;

/** What BM25 adds to the frequency of a word in a chunk of so many words, below the line. */
export const computeLengthNorm = (words: number, average: number) => k1 * (1 - b + (b * words) / average);

/** What the frequency of a word is multiplied with, above the line. */
export const computeBm25Factor = (idf: number) => idf * (k1 + 1);

/** How many of the chunks in a list are not among those that are gone. */
export function countPresent(list: Uint8Array, isGone: Uint8Array): number {
  const reader = new PostingsReader(list);
  let count = 0;
  while (reader.next()) if (isGone[reader.chunk] === 0) count++;
  return count;
}

/** For each code how often its chunk has the word; 0 for the long ones. */
const countsOfCodes = Uint8Array.from({ length: 256 }, (_, code) => {
  const times = code >> 4;
  let fields = 0;
  for (let field = 0; field < fieldCount; field++) fields += (code >> field) & 1;
  return times === longTimesCode || fields === 0 ? 0 : fields - 1 + times;
});

/** Reads postings, chunk by chunk. */
export class PostingsReader {
  /** Where it is; -1 before the first. */
  chunk = -1;
  private at = 0;
  private code = 0;
  /** Of a long code: how often each field has the word. */
  private readonly numbers = [0, 0, 0, 0];
  /** Places of this chunk that were not read, and of those before it. */
  private left = 0;
  private skipped = 0;
  private placesAt = 0;

  /** @param postings whose places are read when they are asked for */
  constructor(
    private readonly list: Uint8Array,
    private readonly postings: Pick<Postings, "places"> = { places: new Uint8Array() },
  ) {}

  /** Goes to the next chunk; false when there is none. */
  next(): boolean {
    return this.seek(this.chunk + 1);
  }

  /** How often each field of that chunk has the word. */
  readTimes(): number[] {
    const { code } = this;
    const times = code >> 4;
    return this.numbers.map((number, field) => {
      if ((code & (1 << field)) === 0) return 0;
      if (times === longTimesCode) return number;
      const isLast = (code & 0xf) >> (field + 1) === 0;
      return isLast ? times : 1;
    });
  }

  /** Goes to a chunk, or the first beyond it; false when there is none. */
  seek(chunk: number): boolean {
    const { list } = this;
    const { length } = list;
    let { at, chunk: now, code, skipped, left } = this;
    while (now < chunk && at < length) {
      skipped += left;
      let byte = list[at++]!;
      let distance = byte & 0x7f;
      while (byte > 0x7f) {
        byte = list[at++]!;
        distance = (distance << 7) | (byte & 0x7f);
      }
      now += distance + 1;
      code = list[at++]!;
      left = countsOfCodes[code]!;
      if (code >> 4 !== longTimesCode) continue;
      this.at = at;
      this.code = code;
      left = this.readNumbers();
      at = this.at;
    }
    this.at = at;
    this.chunk = now;
    this.code = code;
    this.skipped = skipped;
    this.left = left;
    return now >= chunk;
  }

  /** The places of this chunk, ascending; once. */
  readPlaces(): number[] {
    const { places: bytesOfPlaces } = this.postings;
    let at = this.placesAt;
    for (; this.skipped > 0; this.skipped--) while (bytesOfPlaces[at++]! > 0x7f);
    const places: number[] = [];
    let place = 0;
    for (; this.left > 0; this.left--) {
      let byte = bytesOfPlaces[at++]!;
      let distance = byte & 0x7f;
      while (byte > 0x7f) {
        byte = bytesOfPlaces[at++]!;
        distance = distance * 128 + (byte & 0x7f);
      }
      place += distance;
      places.push(place);
    }
    this.placesAt = at;
    return places;
  }

  /** @returns their sum */
  private readNumbers(): number {
    let sum = 0;
    for (let field = 0; field < fieldCount; field++) {
      if ((this.code & (1 << field)) === 0) continue;
      this.numbers[field] = this.readVarint();
      sum += this.numbers[field]!;
    }
    return sum;
  }

  private readVarint(): number {
    const { list } = this;
    let byte = list[this.at++]!;
    let value = byte & 0x7f;
    while (byte > 0x7f) {
      byte = list[this.at++]!;
      value = value * 128 + (byte & 0x7f);
    }
    return value;
  }
}
