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
    let begins = first.places();
    others.forEach((other, i) => {
      if (begins.length > 0) begins = following(begins, other.places(), i + 1);
    });
    if (begins.length > 0) yield chunk;
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
