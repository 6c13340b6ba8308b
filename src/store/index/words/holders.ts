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
  for (const { chunk, times } of occurrencesOf(words)) writer.add(chunk, times, []);
  return writer.finish();
}

/** The chunks with a phrase, and how often each field has it. */
function* occurrencesOf(words: readonly Lists[]): Generator<{ chunk: number; times: readonly number[] }> {
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
    const places = others.map((reader) => new Set(reader.places()));
    // Places come field by field.
    const ofFirst = [...first.times];
    const times = new Array<number>(fieldCount).fill(0);
    let field = 0;
    let counted = 0;
    for (const place of first.places()) {
      while (counted === ofFirst[field]) [field, counted] = [field + 1, 0];
      counted++;
      if (places.every((ofWord, i) => ofWord.has(place + i + 1))) times[field]!++;
    }
    if (times.some((count) => count > 0)) yield { chunk, times };
  }
}
