import type { AnalysedQuery } from "../code/query.ts";
import { type AskedTerms, heldShare, isLiteral } from "../confidence/asked-terms.ts";
import { type Judged, judge, judgedBy } from "../confidence/judge.ts";

/** Ranks short records (commits, events) that few words describe, and judges them. */

/** A record that may answer a question. */
export interface Candidate<T> {
  item: T;
  /** How well its words match, 0 to 1. */
  words: number;
  /** Its title first; what it is understood and judged by. */
  text: string;
  /** It is what the question names: by its id. */
  isNamed: boolean;
}

export interface Ranked<T> {
  item: T;
  /** 0 to 1. */
  score: number;
  signals: { words: number; meaning: number };
}

/**
 * The cosine of each text with a question, by the bundled model; null where there is none. Records are so short that
 * those with a word of the question are embedded when it is asked, at some thousands a second, and nothing is stored.
 */
export type Nearness = (question: string, texts: readonly string[]) => Promise<(number | null)[] | null>;

/** How much meaning counts, of 1. */
const meaningShare = 0.5;
/** From this cosine on, a record without a word of the question is worth showing. */
const minCosine = 0.4;
/** Characters that a record is understood by. */
const understood = 200;

/** Ranked and judged: best first, or the nearest where none answers the question. */
export async function rankRecords<T>(
  query: AnalysedQuery,
  asked: AskedTerms,
  candidates: readonly Candidate<T>[],
  nearnessTo: Nearness | null,
): Promise<Judged<Ranked<T>>> {
  const texts = candidates.map(({ text }) => text.slice(0, understood));
  const cosines = (await nearnessTo?.(query.raw, texts)) ?? null;
  const ranked = candidates
    .map(({ item, words, text, isNamed }, i) => {
      const meaning = Math.max(cosines?.[i] ?? 0, 0);
      const blended = cosines === null ? words : (1 - meaningShare) * words + meaningShare * meaning;
      const signals = { words: round((1 - meaningShare) * words), meaning: round(meaningShare * meaning) };
      return { result: { item, score: round(isNamed ? 1 : blended), signals }, text, isNamed, meaning };
    })
    .filter(({ result, isNamed, meaning }) => result.signals.words > 0 || isNamed || meaning >= minCosine)
    .sort((a, b) => b.result.score - a.result.score);
  const evidence = ranked.map(({ text, isNamed, meaning }, i) => ({
    // Of the others, it is not asked whether they are an answer.
    held: i < judgedBy ? heldShare(asked, text) : 0,
    nearness: cosines === null ? null : meaning,
    defines: isNamed,
    literal: i < judgedBy && isLiteral(query.raw, text),
  }));
  const nearest = evidence.slice(0, judgedBy).map(({ nearness }) => nearness ?? 0);
  const { known, chunks } = asked;
  return judge(
    "history",
    { known, chunks, nearness: cosines && Math.max(...nearest, 0) },
    ranked.map(({ result }, i) => ({ result, evidence: evidence[i]! })),
  );
}

const round = (value: number) => Math.round(value * 1e4) / 1e4;
