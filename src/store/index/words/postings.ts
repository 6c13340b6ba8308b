import { encodeVarints, pushVarint } from "../../../text/varint.ts";
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
 * Scoring reads the list alone, mostly two bytes a chunk. A chunk that has the word nowhere (`nameWord`) is in the list, with 0
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
const long = 15;

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
    const code = codeOf(times);
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
export function joined(parts: readonly { postings: Postings; from: number }[]): Postings {
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
export function codeOf(times: ArrayLike<number>, from = 0): number {
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
  return mask | ((isShort && ofLast < long ? ofLast : long) << 4);
}

/** Whether numbers follow the byte. */
export const isLong = (code: number) => code >> 4 === long;

/** What a code stands for: the sum of the weights of the fields, each as often as it has the word. 0 for the long ones. */
function sumsOfCodes(weights: readonly number[]): Float64Array {
  const sums = new Float64Array(256);
  for (let code = 0; code < long << 4; code++) {
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
    this.ofCode = sumsOfCodes(this.weights);
  }

  /** Of a long code, whose numbers are from `at` on. */
  ofLong(code: number, list: Uint8Array, at: number): { sum: number; next: number } {
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
export const lengthNorm = (words: number, average: number) => k1 * (1 - b + (b * words) / average);

/** What the frequency of a word is multiplied with, above the line. */
export const bm25Factor = (idf: number) => idf * (k1 + 1);

/** Adds what a word contributes to the BM25 scores of a segment's chunks (Robertson; k1 = 1.2, b = 0.75, as in FTS5). */
export function addScores(
  list: Uint8Array,
  sums: FieldSums,
  idf: number,
  norms: Float32Array,
  scores: Float32Array,
): void {
  const { ofCode } = sums;
  const factor = bm25Factor(idf);
  const { length } = list;
  let chunk = -1;
  for (let at = 0; at < length; ) {
    let byte = list[at++]!;
    let distance = byte & 0x7f;
    while (byte > 0x7f) {
      byte = list[at++]!;
      distance = (distance << 7) | (byte & 0x7f);
    }
    chunk += distance + 1;
    const code = list[at++]!;
    let frequency = ofCode[code]!;
    if (code >> 4 === long) {
      const { sum, next } = sums.ofLong(code, list, at);
      frequency = sum;
      at = next;
    }
    scores[chunk]! += (factor * frequency) / (frequency + norms[chunk]!);
  }
}

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
  return times === long || fields === 0 ? 0 : fields - 1 + times;
});

/** Chunks from one mark to the next: to read so many takes about as long as to find the mark. */
const chunksPerMark = 32;

/** Where one can begin to read in the middle of long postings, so that not all of them has to be read. */
class Marks {
  /** For each mark the chunk before it, the place in the list, and how many places the chunks up to there have. */
  readonly chunks: Uint32Array;
  readonly ats: Uint32Array;
  private readonly placesBefore: Uint32Array;
  private placesAts: Uint32Array | null = null;

  constructor({ chunks, list }: Pick<Postings, "chunks" | "list">) {
    const count = Math.floor(chunks / chunksPerMark);
    this.chunks = new Uint32Array(count);
    this.ats = new Uint32Array(count);
    this.placesBefore = new Uint32Array(count);
    const reader = new PostingsReader(list);
    for (let mark = 0; mark < count; mark++) {
      for (let i = 0; i < chunksPerMark; i++) reader.next();
      this.chunks[mark] = reader.chunk;
      this.ats[mark] = reader.read;
      this.placesBefore[mark] = reader.readPlaces;
    }
  }

  /** The last mark from `from` on that lies before a chunk; -1 if none does. */
  before(chunk: number, from: number): number {
    const { chunks } = this;
    if (from >= chunks.length || chunks[from]! >= chunk) return -1;
    let [low, high] = [from, chunks.length];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (chunks[middle]! < chunk) low = middle;
      else high = middle;
    }
    return low;
  }

  /** Where the places behind a mark begin. */
  placesAt(mark: number, places: Uint8Array): number {
    this.placesAts ??= this.marked(places);
    return this.placesAts[mark]!;
  }

  private marked(places: Uint8Array): Uint32Array {
    const { placesBefore } = this;
    const ats = new Uint32Array(placesBefore.length);
    let [at, count] = [0, 0];
    for (let mark = 0; mark < ats.length; mark++) {
      for (const before = placesBefore[mark]!; count < before; ) if (places[at++]! < 0x80) count++;
      ats[mark] = at;
    }
    return ats;
  }
}

const knownMarks = new WeakMap<Uint8Array, Marks>();

/** The marks of postings, made once for as long as their list is kept. */
export function marksOf(postings: Pick<Postings, "chunks" | "list">): Marks {
  let marks = knownMarks.get(postings.list);
  if (marks === undefined) {
    marks = new Marks(postings);
    knownMarks.set(postings.list, marks);
  }
  return marks;
}

/** Reads postings, chunk by chunk. */
export class PostingsReader {
  /** Where it is; -1 before the first. */
  chunk = -1;
  private at = 0;
  private code = 0;
  private mark = 0;
  /** Of a long code: how often each field has the word. */
  private readonly numbers = [0, 0, 0, 0];
  /** Places of this chunk that were not read, and of those before it. */
  private left = 0;
  private skipped = 0;
  private placesAt = 0;
  /** The mark that `placesAt` is still to be taken from; -1 for none. */
  private placesMark = -1;

  /**
   * @param postings whose places are read when they are asked for
   * @param marks of the same postings, to read less of them; null: all is read
   */
  constructor(
    private readonly list: Uint8Array,
    private readonly postings: Pick<Postings, "places"> = { places: new Uint8Array() },
    private readonly marks: Marks | null = null,
  ) {}

  /** How much of the list was read. Bytes. */
  get read(): number {
    return this.at;
  }

  /** How many places the chunks that were read have, where none of them was asked for. */
  get readPlaces(): number {
    return this.skipped + this.left;
  }

  /** Goes to the next chunk; false when there is none. */
  next(): boolean {
    return this.seek(this.chunk + 1);
  }

  /** How often each field of that chunk has the word. */
  times(): number[] {
    const { code } = this;
    const times = code >> 4;
    return this.numbers.map((number, field) => {
      if ((code & (1 << field)) === 0) return 0;
      if (times === long) return number;
      const isLast = (code & 0xf) >> (field + 1) === 0;
      return isLast ? times : 1;
    });
  }

  /** Goes to a chunk, or the first beyond it; false when there is none. */
  seek(chunk: number): boolean {
    if (this.marks !== null) this.jump(this.marks, chunk);
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
      if (code >> 4 !== long) continue;
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

  /** Goes on behind the last mark before a chunk, if that is beyond where it is. */
  private jump(marks: Marks, chunk: number): void {
    const mark = marks.before(chunk, this.mark);
    if (mark < 0) return;
    this.mark = mark + 1;
    if (marks.ats[mark]! <= this.at) return;
    this.at = marks.ats[mark]!;
    this.chunk = marks.chunks[mark]!;
    this.skipped = 0;
    this.left = 0;
    this.placesMark = mark;
  }

  /** The places of this chunk, ascending; once. */
  places(): number[] {
    const { places: bytesOfPlaces } = this.postings;
    if (this.placesMark >= 0) this.placesAt = this.marks!.placesAt(this.placesMark, bytesOfPlaces);
    this.placesMark = -1;
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
      this.numbers[field] = this.number();
      sum += this.numbers[field]!;
    }
    return sum;
  }

  private number(): number {
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
