import learned from "../../../models/rank/sessions.json" with { type: "json" };

/**
 * Every number of the ranking of sessions. Evidence is counted in standard deviations from what an average chunk
 * has, so that words and meaning can be added up (fusion by z-scores; plain reciprocal rank fusion was worse than
 * words alone). What evidence counts is learned from other repositories (models/rank/README.md); the rest was found by
 * `npm run bench:recall` on the choosing half of its questions, in round numbers.
 */
export interface SessionWeights {
  /** Columns of the full-text index. */
  columns: { prompt: number; answer: number; actions: number; errors: number };
  /** Columns of the full-text index of whole sessions, in what one was asked. */
  asked: { title: number; branch: number; prompts: number };
  /** BM25 of a chunk. */
  words: number;
  /** Cosine of its nearest passage, and of all its passages together. */
  passage: number;
  whole: number;
  /** The evidence of its session's best chunks: the best counts once, each next one this share of the one before. */
  session: number;
  sessionDecay: number;
  sessionChunks: number;
  /** BM25 of its session's title and prompts, and of its session's summary; mean cosine of its session's chunks. */
  sessionAsked: number;
  sessionSummary: number;
  sessionNearness: number;
  /** Share of a second model's cosine where there is one. */
  secondModel: number;
  /** Factors on the sum of the evidence. */
  annotated: number;
  summaryForOverview: number;
  summaryForDetail: number;
  fixForFix: number;
  decisionForDecision: number;
  abandoned: number;
  /** On sessions whose commits were all reverted: enough to decide between nearly equal results. */
  reverted: number;
  /** How much of a score age takes away: with 0.1, an infinitely old chunk keeps nine tenths. */
  recency: number;
  recencyWhenAsked: number;
  /** Days in which that part halves. */
  halfLife: number;
  /** Candidates closer together in time than this count as equally recent. Days, as a standard deviation. */
  spread: number;
  /** Chunks whose words count at all. */
  maxTextMatches: number;
  /** Chunks that are ranked: the best by words, by their nearest passage, and as a whole, so many of each. */
  candidates: number;
  /** A turn is one of a session's matching turns from this share of its best turn's evidence on. */
  matchingTurn: number;
  /** Evidence that is shown as a score of a half. */
  halfScore: number;
}

export const sessionWeights: SessionWeights = {
  columns: { prompt: 1.5, answer: 1, actions: 0.4, errors: 0.5 },
  asked: { title: 2, branch: 2, prompts: 1 },
  ...learned,
  session: 1,
  sessionDecay: 0.5,
  sessionChunks: 2,
  secondModel: 0.5,
  annotated: 1.5,
  summaryForOverview: 1.2,
  summaryForDetail: 0.8,
  fixForFix: 1.1,
  decisionForDecision: 1.05,
  abandoned: 0.8,
  reverted: 0.9,
  recency: 0.05,
  recencyWhenAsked: 0.3,
  halfLife: 30,
  spread: 7,
  maxTextMatches: 400,
  candidates: 150,
  matchingTurn: 0.5,
  halfScore: 23,
};
