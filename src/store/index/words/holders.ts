import { fieldCount, type Postings, PostingsReader, PostingsWriter } from "./postings.ts";

/** What one segment has of a word. */
interface Lists {
  list: Uint8Array;
  places: Uint8Array;
}

/**
 * The chunks of a segment that hold a phrase, ascending: its words one after the other, in one field.
 * @param words what the segment has of each word of the phrase, in its order
 */
export function* chunksWithPhrase(words: readonly Lists[]): Generator<number> {
  for (const { chunk } of occurrencesOf(words)) yield chunk;
}

/** A phrase as if it were a word: what scoring reads of it. Words as of `chunksWithPhrase`. */
export function phraseList(words: readonly Lists[]): Pick<Postings, "chunks" | "list"> {
  const writer = new PostingsWriter();
  for (const { chunk, begins, all, times } of occurrencesOf(words)) {
    const ofPhrase = new Array<number>(fieldCount).fill(0);
    // Places come field by field.
    let at = 0;
    times.forEach((count, field) => {
      for (const end = at + count; at < end; at++) if (begins.includes(all[at]!)) ofPhrase[field]!++;
    });
    writer.add(chunk, ofPhrase, []);
  }
  return writer.finish();
}

/** A chunk with a phrase: where that begins, and the places of its first word with how often each field has that. */
interface Occurrence {
  chunk: number;
  begins: readonly number[];
  all: readonly number[];
  times: readonly number[];
}

function* occurrencesOf(words: readonly Lists[]): Generator<Occurrence> {
  const readers = words.map(({ list, places }) => new PostingsReader(list, places));
  const [first, ...others] = readers;
  while (first?.next()) {
    // Each reader goes on to the farthest of them, until they meet.
    let { chunk } = first;
    for (let i = 0; i < readers.length; i++) {
      if (!readers[i]!.seek(chunk)) return;
      if (readers[i]!.chunk === chunk) continue;
      chunk = readers[i]!.chunk;
      i = -1;
    }
    const all = first.places();
    let begins: readonly number[] = all;
    others.forEach((other, i) => {
      if (begins.length > 0) begins = following(begins, other.places(), i + 1);
    });
    if (begins.length > 0) yield { chunk, begins, all, times: first.times() };
  }
}

/** Those of some places that have one of the others so far behind them; both ascend. */
function following(begins: readonly number[], places: readonly number[], distance: number): number[] {
  let at = 0;
  return begins.filter((begin) => {
    while (places[at]! < begin + distance) at++;
    return places[at] === begin + distance;
  });
}
