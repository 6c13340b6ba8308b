/**
 * Every number of confidence: two logistic regressions for each kind of search, one that says whether the answer holds
 * what was asked at all, and one that says, if so, whether it is this result. Fitted by `npm run bench:confidence --
 * --fit` on pairs mined from repositories and sessions; docs/benchmarks.md has how well they hold elsewhere.
 */
export interface Coefficients {
  answer: {
    bias: number;
    /** The share of the query that occurs in the index at all. */
    known: number;
    /** The share of it that one of the best results holds. */
    held: number;
    /** Cosine of the nearest chunk, by the bundled model. */
    nearness: number;
  };
  result: {
    bias: number;
    /** The share of the query that it holds. */
    held: number;
    /** Cosine of what it belongs to: its file's nearest chunks, its own nearest passage. */
    nearness: number;
    /** It defines what the query names. */
    defines: number;
    /** ln of its place, from 1. */
    place: number;
  };
}

/** By what was searched, and whether by meaning or by words alone. */
export const coefficients = {
  code: {
    meaning: {
      answer: { bias: -11.34, known: 2.36, held: 5.49, nearness: 18.04 },
      result: { bias: -2.64, held: 0.84, nearness: 5.35, defines: 0, place: -0.96 },
    },
    words: {
      answer: { bias: -5, known: 3, held: 6, nearness: 0 },
      result: { bias: -0.6, held: 1, nearness: 0, defines: 0, place: -0.96 },
    },
  },
  sessions: {
    meaning: {
      answer: { bias: -11.34, known: 2.36, held: 5.49, nearness: 18.04 },
      result: { bias: -2.64, held: 0.84, nearness: 5.35, defines: 0, place: -0.96 },
    },
    words: {
      answer: { bias: -5, known: 3, held: 6, nearness: 0 },
      result: { bias: -0.6, held: 1, nearness: 0, defines: 0, place: -0.96 },
    },
  },
} satisfies Record<string, Record<"meaning" | "words", Coefficients>>;

/** Below this probability that there is an answer, nothing counts as found. */
export const floor = 0.15;

/** From these probabilities on. */
export const levels = { high: 0.6, medium: 0.3 };
