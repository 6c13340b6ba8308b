import { coverage } from "../words.ts";
import type { Evidence } from "./evidence.ts";
import type { Statement } from "./statement.ts";

/** A statement with more of its words than this in another one adds nothing to it. */
export const sameness = 0.6;
/** How much a sentence of the session's most frequent words gains over one of words that occur once. */
const centralityWorth = 2.5;

/**
 * How central a statement is to the session, from 0 to 1: the mean frequency of its words, as SumBasic scores
 * sentences (Nenkova and Vanderwende, The Impact of Frequency on Summarization, 2005), on a logarithmic scale.
 */
function centrality({ words }: Pick<Statement, "words">, { wordCounts, mostFrequent }: Evidence): number {
  if (words.size === 0) return 0;
  let sum = 0;
  for (const word of words) sum += Math.log2(1 + (wordCounts.get(word) ?? 0));
  return sum / words.size / Math.log2(1 + mostFrequent);
}

/** Cues, centrality, and a little for late statements, which hold to the end. */
export function worth(statement: Statement, evidence: Evidence): number {
  const position = evidence.sentences === 0 ? 0 : statement.order / evidence.sentences;
  return statement.weight + centralityWorth * centrality(statement, evidence) + 0.5 * position;
}

/** The `most` best statements that do not repeat each other or `besides`, in their order. */
export function selectBest<T extends Statement>(
  statements: readonly T[],
  most: number,
  worthOf: (statement: T) => number,
  besides: readonly Pick<Statement, "words">[] = [],
): T[] {
  const ranked = statements
    .map((statement) => ({ statement, value: worthOf(statement) }))
    .sort((a, b) => b.value - a.value || a.statement.order - b.statement.order);
  const chosen: T[] = [];
  for (const { statement } of ranked) {
    if (chosen.length >= most) break;
    const others = [...besides, ...chosen];
    if (others.every(({ words }) => coverage(statement.words, words) <= sameness)) chosen.push(statement);
  }
  return chosen.sort((a, b) => a.order - b.order);
}
