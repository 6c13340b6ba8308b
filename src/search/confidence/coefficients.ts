/**
 * Every number of confidence: a logistic regression that says whether there is an answer at all, and one for each kind of
 * search that says, if so, whether it is this result. Fitted by `npm run bench:confidence -- --fit` on pairs mined from
 * repositories and sessions; docs/benchmarks/search.md has how well they hold elsewhere.
 */
export interface OfAnswer {
  bias: number;
  /** The share of the query that occurs in the index at all. */
  known: number;
  /** The share of it that one of the best results holds. */
  held: number;
  /** Cosine of the nearest chunk, by the bundled model. */
  nearness: number;
  /** ln of the number of chunks: among many, something is near or shares words by chance. */
  size: number;
}

export interface OfResult {
  bias: number;
  /** The share of the query that it holds. */
  held: number;
  /** Cosine of its surroundings: its file's nearest chunks, its own nearest passage. */
  nearness: number;
  /** It defines what the query names. */
  defines: number;
  /** ln of its place, from 1. */
  place: number;
}

/** How an answer is judged: with the cosines of the bundled model, or without any by words alone. */
export type By = "meaning" | "words";

/**
 * Fitted on code for sessions as well: what people once said is asked about in other words than what is mined from it, which
 * the memory holds by its very origin.
 */
export const ofAnswer = {
  meaning: {
    bias: -8.29,
    known: 2.15,
    held: 5.06,
    nearness: 17.58,
    size: -0.38,
  },
  words: {
    bias: -4.84,
    known: 3.57,
    held: 7.13,
    nearness: 0,
    size: -0.19,
  },
} satisfies Record<By, OfAnswer>;

/** By the place alone. */
const byPlace: Record<By, OfResult> = {
  meaning: { bias: 1.22, held: 0, nearness: 0, defines: 0, place: -0.92 },
  words: { bias: 1.22, held: 0, nearness: 0, defines: 0, place: -0.92 },
};

export const ofResult = {
  code: {
    meaning: {
      bias: -2.78,
      held: 1.09,
      nearness: 5.08,
      defines: 1.07,
      place: -0.94,
    },
    words: {
      bias: -0.78,
      held: 1.43,
      nearness: 0,
      defines: 1.24,
      place: -1.11,
    },
  },
  sessions: byPlace,
  /** Commits and events. Not fitted by themselves. */
  history: byPlace,
} satisfies Record<"code" | "sessions" | "history", Record<By, OfResult>>;

/**
 * Below this probability that there is an answer, nothing counts as found. Chosen on the choosing halves; by words alone
 * for at most one false answer in twenty, which costs 2 % of the right ones.
 */
export const floor: Readonly<Record<By, number>> = { meaning: 0.2, words: 0.15 };

/** From these probabilities on. */
export const levels = { high: 0.6, medium: 0.3 };
