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
    /** ln of the number of chunks: among many, something is near or shares words by chance. */
    size: number;
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
      answer: {
        bias: -8.29,
        known: 2.15,
        held: 5.06,
        nearness: 17.58,
        size: -0.38,
      },
      result: {
        bias: -2.78,
        held: 1.09,
        nearness: 5.08,
        defines: 1.07,
        place: -0.94,
      },
    },
    words: {
      answer: {
        bias: -4.84,
        known: 3.57,
        held: 7.13,
        nearness: 0,
        size: -0.19,
      },
      result: {
        bias: -0.78,
        held: 1.43,
        nearness: 0,
        defines: 1.24,
        place: -1.11,
      },
    },
  },
  sessions: {
    meaning: {
      answer: {
        bias: -12.95,
        known: 5.56,
        held: 3.8,
        nearness: 12.86,
        size: 0,
      },
      result: {
        bias: 1.22,
        held: 0,
        nearness: 0,
        defines: 0,
        place: -0.92,
      },
    },
    words: {
      answer: {
        bias: -9.4,
        known: 6.28,
        held: 5.5,
        nearness: 0,
        size: 0,
      },
      result: {
        bias: 1.22,
        held: 0,
        nearness: 0,
        defines: 0,
        place: -0.92,
      },
    },
  },
} satisfies Record<string, Record<"meaning" | "words", Coefficients>>;

/**
 * Below this probability that there is an answer, nothing counts as found. Chosen on the choosing halves, so that few
 * right answers are lost.
 */
export const floors = { code: 0.2, sessions: 0.12 };

/** From these probabilities on. */
export const levels = { high: 0.6, medium: 0.3 };
