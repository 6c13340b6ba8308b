import type { Verdict } from "../../../protocol/values.ts";
import { type Coefficients, coefficients, thresholds, type VerdictEvidence } from "./coefficients.ts";

/** The kind of search. */
export type Searched = keyof typeof thresholds;

/** Evidence that there is an answer, besides the results themselves. */
export interface AnswerEvidence {
  /** Share of the query that occurs in the index (`AskedTerms`). */
  known: number;
  /** Cosine of the nearest chunk by the bundled model; null: the query has no meaning to it, or it was not asked. */
  nearness: number | null;
  /** The number of chunks in the search. */
  chunks: number;
}

/** Evidence for a result. */
export interface ResultEvidence {
  /** Share of the query that it holds. */
  held: number;
  /** Cosine by the bundled model, of the result or its surroundings; null without one. */
  nearness: number | null;
  /** Its score as a share of the first one's; left out where scores do not compare. */
  score?: number;
  /** It defines the name that the query is, as the query writes it. */
  defines: boolean;
  /** It contains the whole query, or its quoted part, literally. */
  literal: boolean;
  /** It holds each name of the query as a whole, if that has any; left out: nobody looked. */
  namesHeld?: boolean;
}

/** What an answer as a whole is worth. */
export interface Judgement {
  verdict: Verdict;
  /** That one of the first results is what was asked for: 0 to 1. */
  probability: number;
  /** The first result is the very thing that the query names: by its hash, id, branch, place, or a text in quotes. */
  is_named?: boolean;
}

/** Of results that contain the very text of the query, or match the pattern. */
export function judgeVerbatimResults(results: readonly unknown[]): Judgement {
  return results.length > 0
    ? { verdict: "found", probability: 1 }
    : { verdict: "probably_not_here", probability: 0 };
}

/** Of results that begin with what the query names. */
export const judgeNamedResults = (results: readonly unknown[]): Judgement => ({
  ...judgeVerbatimResults(results),
  ...(results.length > 0 && { is_named: true }),
});

/** Of fewer chunks of sessions nobody can say that something is not there. */
const fewestChunks = 30;

/** The results that decide; independent of the limit. */
export const judgedBy = 10;

/** Judges an answer by what its results hold, best first. */
export function judge(
  searched: Searched,
  asked: AnswerEvidence,
  results: readonly ResultEvidence[],
): Judgement {
  const best = results.slice(0, judgedBy);
  if (best.length === 0) return judgeVerbatimResults([]);
  if (best.some(({ literal, defines }) => literal || defines)) return judgeVerbatimResults(best);
  const by = asked.nearness === null ? "words" : "meaning";
  const probability = estimateProbability(coefficients[searched][by], buildVerdictEvidence(asked, best));
  const { found, notHere } = thresholds[searched];
  // Meaning alone is a likeness: what holds no word of the question may be the answer, but nobody has found it.
  const holdsNothing = best.every(({ held }) => held === 0);
  // The parts of a name that was deleted may stand anywhere.
  const lacksName = best.every(({ namesHeld }) => namesHeld === false);
  if (probability >= found && !holdsNothing && !lacksName) return { verdict: "found", probability };
  // In a memory of a few sessions nothing is rare, and a likeness says little: what holds no word may still be meant.
  const isTooSmall = searched === "sessions" && asked.chunks < fewestChunks;
  if (probability < notHere && !isTooSmall) return { verdict: "probably_not_here", probability };
  return { verdict: "maybe", probability: lacksName ? Math.min(probability, found) : probability };
}

/**
 * Of a stack trace alone: the file of a frame is not always the one with the fault. Of 15 unseen ones that were called found, 7 had
 * the right file among the first three.
 */
export const judgeLog = (judgement: Judgement): Judgement =>
  judgement.verdict === "found"
    ? { verdict: "maybe", probability: Math.min(judgement.probability, thresholds.code.found) }
    : judgement;

/** What the verdict is made of, as numbers. */
export function buildVerdictEvidence(
  asked: AnswerEvidence,
  best: readonly ResultEvidence[],
): VerdictEvidence {
  return {
    known: asked.known,
    held: Math.max(0, ...best.map(({ held }) => held)),
    nearness: asked.nearness ?? 0,
    lead: 1 - (best[3]?.score ?? 0),
    size: Math.log(Math.max(asked.chunks, 1)),
  };
}

/** A logistic regression; to two digits. */
export function estimateProbability({ bias, ...weights }: Coefficients, evidence: VerdictEvidence): number {
  const names = Object.keys(weights) as (keyof VerdictEvidence)[];
  const sum = names.reduce((total, name) => total + weights[name] * evidence[name], bias);
  return Math.round(100 / (1 + Math.exp(-sum))) / 100;
}
