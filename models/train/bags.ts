import { Tokenizer } from "../../src/models/embed/static/words.ts";

/**
 * Texts as bags of tokens: text i holds the tokens `ids[offsets[i]]` to `ids[offsets[i + 1] - 1]`, each once,
 * weighted 1 + ln of how often it occurs.
 */
export interface Bags {
  ids: Uint16Array;
  weights: Float32Array;
  offsets: Uint32Array;
}

const mostTokens = 2000;

export function bagsOf(texts: readonly string[], vocabulary: readonly string[]): Bags {
  const tokenizer = new Tokenizer(vocabulary);
  const ids: number[] = [];
  const weights: number[] = [];
  const offsets = new Uint32Array(texts.length + 1);
  texts.forEach((text, i) => {
    const counts = new Map<number, number>();
    for (const id of tokenizer.tokenize(text, mostTokens)) counts.set(id, (counts.get(id) ?? 0) + 1);
    for (const [id, count] of counts) {
      ids.push(id);
      weights.push(1 + Math.log(count));
    }
    offsets[i + 1] = ids.length;
  });
  return { ids: Uint16Array.from(ids), weights: Float32Array.from(weights), offsets };
}

/** In how many texts each of `size` tokens occurs. */
export function documentFrequencies(size: number, ...all: Bags[]): Float64Array {
  const frequencies = new Float64Array(size);
  for (const { ids } of all) for (const id of ids) frequencies[id]!++;
  return frequencies;
}
