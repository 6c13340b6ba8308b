import { type AskedTerms, isLiteral, measureHeldShare } from "../../code/search/confidence/asked-terms.ts";
import { type Judgement, judge, judgedBy } from "../../code/search/confidence/judge.ts";
import type { AnalysedQuery } from "../../code/search/query.ts";

/** Ranks short records (commits, events) that few words describe, and judges the answer. */

/** A record that may answer a question. */
export interface RecordCandidate<T> {
  item: T;
  /** How well its words match, 0 to 1. */
  words: number;
  /** Its title first; what it is understood and judged by. */
  text: string;
  /** It is what the question names: by its id, or in quotes. */
  isNamed: boolean;
}

export interface RankedRecord<T> {
  item: T;
  /** 0 to 1. */
  score: number;
  signals: { words: number; meaning: number };
}

/**
 * The cosine of each text with a question, by the bundled model; null where there is none. Records are so short that
 * those with a word of the question are embedded when it is asked, at some thousands a second, and nothing is stored.
 */
export type RecordNearness = (
  question: string,
  texts: readonly string[],
) => Promise<(number | null)[] | null>;

/** How much meaning counts, of 1. */
const meaningShare = 0.5;
/** From this cosine on, a record without a word of the question is worth showing. */
const minCosine = 0.4;
/** Characters that a record is understood by. */
const understood = 200;

/** Records, best first, and what the answer is worth. */
export interface RankedRecords<T> extends Judgement {
  results: RankedRecord<T>[];
}

export async function rankRecords<T>(
  query: AnalysedQuery,
  asked: AskedTerms,
  candidates: readonly RecordCandidate<T>[],
  nearnessTo: RecordNearness | null,
): Promise<RankedRecords<T>> {
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
    .sort((a, b) => Number(b.isNamed) - Number(a.isNamed) || b.result.score - a.result.score);
  const evidence = ranked.slice(0, judgedBy).map(({ text, isNamed, meaning }) => ({
    held: measureHeldShare(asked, text),
    nearness: cosines === null ? null : meaning,
    defines: isNamed,
    literal: isLiteral(query.raw, text),
  }));
  const { known, chunks } = asked;
  const nearest = Math.max(...evidence.map(({ nearness }) => nearness ?? 0), 0);
  const isNamed = ranked[0]?.isNamed ?? false;
  return {
    ...judge("history", { known, chunks, nearness: cosines && nearest }, evidence),
    ...(isNamed && { is_named: true }),
    results: ranked.map(({ result }) => result),
  };
}

const round = (value: number) => Math.round(value * 1e4) / 1e4;
