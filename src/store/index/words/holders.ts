import { PostingsReader } from "./postings.ts";

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
    if (first.places().some((place) => places.every((ofWord, i) => ofWord.has(place + i + 1)))) yield chunk;
  }
}
