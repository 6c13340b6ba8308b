import { fieldCount, type Postings, PostingsReader, PostingsWriter } from "./postings.ts";

/**
 * The chunks of a segment that hold a phrase, ascending: its words one after the other, in one field.
 * @param words what the segment has of each word of the phrase, in its order; what is not needed is not looked at, so it may be
 *   read as it is asked for
 */
export function* findChunksWithPhrase(words: readonly Postings[]): Generator<number> {
  for (const { chunk } of findPhraseOccurrences(words)) yield chunk;
}

/** A phrase as if it were a word: what scoring reads of it. Words as of `findChunksWithPhrase`. */
export function buildPhraseList(words: readonly Postings[]): Pick<Postings, "chunks" | "list"> {
  const writer = new PostingsWriter();
  for (const { chunk, begins, first } of findPhraseOccurrences(words)) {
    const ofPhrase = new Array<number>(fieldCount).fill(0);
    const all = first.readPlaces();
    // Places come field by field.
    let at = 0;
    first.readTimes().forEach((count, field) => {
      for (const end = at + count; at < end; at++) if (begins.includes(all[at]!)) ofPhrase[field]!++;
    });
    writer.add(chunk, ofPhrase, []);
  }
  return writer.finish();
}

/** A chunk with a phrase, and where that begins; the first word of the phrase there. */
interface Occurrence {
  chunk: number;
  begins: readonly number[];
  first: WordOfPhrase;
}

/**
 * The rarest words say first which chunks may have it: so a common word is only read where the others stand as they should, and
 * mostly they do not.
 */
function* findPhraseOccurrences(phrase: readonly Postings[]): Generator<Occurrence> {
  const words = phrase.map((postings, place) => new WordOfPhrase(postings, place));
  const [rarest, ...others] = words.toSorted((a, b) => a.chunks - b.chunks);
  if (rarest === undefined) return;
  search: for (let chunk = 0; rarest.seek(chunk); chunk++) {
    chunk = rarest.chunk;
    let begins: readonly number[] | null = null;
    for (const word of others) {
      if (!word.seek(chunk)) return;
      if (word.chunk !== chunk) continue search;
      begins = word.filterBegins(begins ?? rarest.listPhraseBegins());
      if (begins.length === 0) continue search;
    }
    yield { chunk, begins: begins ?? rarest.listPhraseBegins(), first: words[0]! };
  }
}

/** Where a word of a phrase is. */
class WordOfPhrase {
  private reader: PostingsReader | null = null;
  private placesOf = -1;
  private known: readonly number[] = [];

  /** @param place in the phrase, from 0 */
  constructor(
    private readonly postings: Postings,
    private readonly place: number,
  ) {}

  get chunks(): number {
    return this.postings.chunks;
  }

  get chunk(): number {
    return this.reader?.chunk ?? -1;
  }

  seek(chunk: number): boolean {
    this.reader ??= new PostingsReader(this.postings.list, this.postings);
    return this.reader.seek(chunk);
  }

  readTimes(): number[] {
    return this.reader?.readTimes() ?? [];
  }

  /** Its places in this chunk, ascending. */
  readPlaces(): readonly number[] {
    if (this.reader !== null && this.placesOf !== this.chunk) {
      this.known = this.reader.readPlaces();
      this.placesOf = this.chunk;
    }
    return this.known;
  }

  /** Where the phrase begins if it is there. */
  listPhraseBegins(): readonly number[] {
    return this.place === 0 ? this.readPlaces() : this.readPlaces().map((place) => place - this.place);
  }

  /** Of places where the phrase may begin, ascending, those that have this word where it should be. */
  filterBegins(begins: readonly number[]): readonly number[] {
    const places = this.readPlaces();
    let at = 0;
    return begins.filter((begin) => {
      while (places[at]! < begin + this.place) at++;
      return places[at] === begin + this.place;
    });
  }
}
