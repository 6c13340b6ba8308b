import { type Weights, weights } from "../../../code/search/weights.ts";

/** Ways to search, for measuring what each contributes. People always get the hybrid. */
export const modes = ["lexical", "semantic", "hybrid"] as const;
export type EvaluatedMode = (typeof modes)[number];

const wordless = { words: 0, phrase: 0, name: 0, definition: 0, mentions: 0 };

/** Vectors alone: no word of the query counts. Penalties stay, they never looked at words. */
const semanticOnly: Weights = {
  ...weights,
  candidates: 0,
  definitionsPerName: 0,
  lexical: 0,
  phrase: 0,
  coherence: 0,
  fileName: 0,
  directories: 0,
  path: 0,
  name: 0,
  mentions: 0,
  definition: 0,
  places: { words: { ...weights.places.words, ...wordless }, name: { ...weights.places.name, ...wordless } },
};

/** The weights of a mode. "lexical" is also to be searched without vectors. */
export function chooseWeights(mode: EvaluatedMode): Weights {
  return mode === "semantic" ? semanticOnly : weights;
}
