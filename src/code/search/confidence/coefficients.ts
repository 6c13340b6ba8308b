/**
 * Every number of a verdict: a logistic regression that says whether the first results answer the question. Fitted by
 * `npm run bench:confidence -- --fit`; docs/benchmarks.md#search has how well it holds elsewhere.
 */
export interface VerdictEvidence {
  /** The share of the query that occurs in the index at all. */
  known: number;
  /** The share of it that one of the best results holds. */
  held: number;
  /** Cosine of the nearest chunk, by the bundled model. */
  nearness: number;
  /** How far the fourth result falls behind the first, as a share of its score: what answers a question stands out. */
  lead: number;
  /** ln of the number of chunks: among many, something is near or shares words by chance. */
  size: number;
}

export type Coefficients = VerdictEvidence & { bias: number };

/** How an answer is judged: with the cosines of the bundled model, or without any by words alone. */
export type By = "meaning" | "words";

/**
 * Of code. Others have none for `lead`, as their scores mean something else; the rest was fitted on code for them as well: what people
 * once said is asked about in other words than what is mined from it, which the memory holds by its very origin.
 */
const ofCode: Readonly<Record<By, Coefficients>> = {
  meaning: { bias: -5.24, known: 2.6, held: 1.11, nearness: 8.31, lead: 1.86, size: -0.31 },
  words: { bias: -4.26, known: 3.97, held: 2.64, nearness: 0, lead: 1.79, size: -0.19 },
};
const ofOthers: Readonly<Record<By, Coefficients>> = {
  meaning: { bias: -8.29, known: 2.15, held: 5.06, nearness: 17.58, lead: 0, size: -0.38 },
  words: { bias: -4.84, known: 3.57, held: 7.13, nearness: 0, lead: 0, size: -0.19 },
};
export const coefficients = { code: ofCode, sessions: ofOthers, history: ofOthers };

/** From which probability on an answer is found, and below which it is probably not here. */
export const thresholds = {
  code: { found: 0.88, notHere: 0.08 },
  sessions: { found: 0.9, notHere: 0.05 },
  history: { found: 0.9, notHere: 0.05 },
};
