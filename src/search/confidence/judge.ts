import type { Confidence } from "../../protocol/values.ts";
import { floor, levels, type OfAnswer, type OfResult, ofAnswer, ofResult } from "./coefficients.ts";

/** The kind of search. */
export type Searched = keyof typeof ofResult;

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
  /** It defines what the query names, as the query writes it. */
  defines: boolean;
  /** It contains the whole query, or its quoted part, literally. */
  literal: boolean;
}

/** The confidence of a result. */
export interface Judgement {
  confidence: Confidence;
  /** That this result answers the question: 0 to 1. */
  probability: number;
}

/** A certain match: it contains the very text of the query, or matches the pattern. */
export const sure: Judgement = { confidence: "high", probability: 1 };

export interface Judged<T> {
  /** Best first; empty where nothing answers the question. */
  results: (T & Judgement)[];
  /** The nearest results if none answers the question: not an answer. */
  nearest: (T & Judgement)[];
}

/** The results that decide whether there is an answer; independent of the limit. */
export const judgedBy = 10;
const nearestShown = 3;

/** Ranked results with their confidence, or the nearest ones if none answers the question. */
export function judge<T>(
  searched: Searched,
  asked: AnswerEvidence,
  found: readonly { result: T; evidence: ResultEvidence }[],
): Judged<T> {
  const by = asked.nearness === null ? "words" : "meaning";
  const best = found.slice(0, judgedBy).map(({ evidence }) => evidence);
  const isSure = best.some(({ literal, defines }) => literal || defines);
  const answered = isSure ? 1 : probabilityOfAnswer(ofAnswer[by], asked, best);
  const judged = found.map(({ result, evidence }, i): T & Judgement => {
    const probability =
      Math.round(answered * probabilityOfResult(ofResult[searched][by], evidence, i + 1) * 100) / 100;
    return { ...result, confidence: levelOf(probability), probability };
  });
  return answered >= floor[by]
    ? { results: judged, nearest: [] }
    : { results: [], nearest: judged.slice(0, nearestShown) };
}

function probabilityOfAnswer(
  { bias, known, held, nearness, size }: OfAnswer,
  asked: AnswerEvidence,
  best: readonly ResultEvidence[],
): number {
  const maxHeld = Math.max(0, ...best.map((evidence) => evidence.held));
  return logistic(
    bias +
      known * asked.known +
      held * maxHeld +
      nearness * (asked.nearness ?? 0) +
      size * Math.log(Math.max(asked.chunks, 1)),
  );
}

/** If there is an answer. */
function probabilityOfResult(
  { bias, held, nearness, defines, place }: OfResult,
  evidence: ResultEvidence,
  at: number,
): number {
  return logistic(
    bias +
      held * evidence.held +
      nearness * (evidence.nearness ?? 0) +
      defines * Number(evidence.defines) +
      place * Math.log(at),
  );
}

/** A probability in a word. */
export function levelOf(probability: number): Confidence {
  return probability >= levels.high ? "high" : probability >= levels.medium ? "medium" : "low";
}

const logistic = (x: number) => 1 / (1 + Math.exp(-x));
