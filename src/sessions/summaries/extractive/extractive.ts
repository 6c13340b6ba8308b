import { beginningOf } from "../../../base/text/text-size.ts";
import type { Turn } from "../../turn-content.ts";
import { openPointsFrom } from "../ending/open-points.ts";
import { outcomeFrom } from "../ending/outcome.ts";
import type { Ask } from "../llm-summary.ts";
import { contentWords, coverage } from "../prose.ts";
import { type Evidence, gatherEvidence } from "./evidence.ts";
import type { Problem, Statement } from "./problems.ts";

/** A statement with more of its words than this in another one adds nothing to it. */
const sameness = 0.6;
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
function worth(statement: Statement, evidence: Evidence): number {
  const position = evidence.sentences === 0 ? 0 : statement.order / evidence.sentences;
  return statement.weight + centralityWorth * centrality(statement, evidence) + 0.5 * position;
}

/** The `most` best statements that do not repeat each other or `besides`, in their order. */
function selectBest<T extends Statement>(
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

export interface SummaryMeta {
  /** A path as it is shown: relative to the project where it is inside. */
  relativize: (path: string) => string;
}

/** Characters; of a whole summary, and of what is left of its parts. */
const maxSummaryLength = 2_500;
const longest = { firstAsk: 400, ask: 140, statement: 220, problem: 150 } as const;
const most = { asks: 6, decisions: 5, problems: 4, files: 12, open: 6 } as const;

/**
 * A session's subject in its own words: the request, decisions, problems and their fixes, changed files, the outcome
 * and what is left. The same for the same turns; "" for a session without text. Plain text with headings and lists, up
 * to 2,500 characters; the turns are read once, in bounded memory. A step for every turn.
 */
export function* summarySteps(
  turns: Iterable<Turn>,
  { relativize }: SummaryMeta,
): Generator<void, string, void> {
  const evidence = yield* gatherEvidence(turns, relativize);
  const asks = asksOf(evidence);
  const outcome = outcomeFrom(evidence.ending);
  const bullets = [...asks, { words: contentWords(outcome) }];
  const decisions = selectBest(evidence.decisions, most.decisions, (each) => worth(each, evidence), bullets);
  const problems = problemsOf(evidence, [...bullets, ...decisions]);
  const closing = contentWords(evidence.ending.texts.at(-1) ?? "");
  const open = [
    ...openPointsFrom(evidence.ending).map(({ text }) => text),
    // The last words may speak of an item that was not ticked off.
    ...evidence.todos.filter((text) => coverage(contentWords(text), closing) <= sameness),
  ];
  const parts = [
    part(
      "Asked",
      asks.map(({ text }, i) => `- ${beginningOf(text, i === 0 ? longest.firstAsk : longest.ask)}`),
    ),
    part(
      "Decisions",
      decisions.map(({ text }) => `- ${beginningOf(text, longest.statement)}`),
    ),
    part("Problems", problems.map(lineOf)),
    part("Files changed", filesOf(evidence)),
    part("Outcome", [outcome]),
    part(
      "Next",
      open.slice(0, most.open).map((text) => `- ${text}`),
    ),
  ].filter((text) => text !== "");
  return withinLimit(parts);
}

function part(title: string, lines: readonly string[]): string {
  const bullets = lines.filter((line) => line !== "");
  return bullets.length === 0 ? "" : `${title}:\n${bullets.join("\n")}`;
}

/** The longest parts lose their last lines until all fits. */
function withinLimit(parts: readonly string[]): string {
  const lines = parts.map((text) => text.split("\n"));
  const length = () => lines.reduce((sum, part) => sum + part.join("\n").length + 2, 0);
  while (length() > maxSummaryLength) {
    const maxPartLength = lines.reduce((a, b) => (b.length > a.length ? b : a));
    if (maxPartLength.length <= 2) break;
    maxPartLength.pop();
  }
  return beginningOf(lines.map((part) => part.join("\n")).join("\n\n"), maxSummaryLength);
}

/** The first ask, and the ones after it that ask for something else, those of many words first. */
function asksOf({ asks }: Evidence): Ask[] {
  const [first, ...later] = asks;
  if (first === undefined) return [];
  const chosen = [first];
  for (const ask of later.toSorted((a, b) => Math.min(b.words.size, 12) - Math.min(a.words.size, 12))) {
    if (chosen.length >= most.asks) break;
    if (ask.words.size >= 3 && chosen.every(({ words }) => coverage(ask.words, words) <= sameness))
      chosen.push(ask);
  }
  return chosen.sort((a, b) => asks.indexOf(a) - asks.indexOf(b));
}

/** Those that were resolved, and those that count. */
function problemsOf(evidence: Evidence, besides: readonly Pick<Statement, "words">[]): Problem[] {
  const value = (problem: Problem) => worth(problem, evidence) + (problem.resolution === null ? 0 : 2);
  return selectBest(evidence.problems, most.problems, value, besides);
}

function lineOf({ text, resolution }: Problem): string {
  const problem = beginningOf(text, longest.problem);
  return resolution === null
    ? `- ${problem}`
    : `- ${problem} → ${beginningOf(resolution.text, longest.problem)}`;
}

function filesOf({ files }: Evidence): string[] {
  const changed = [...files].sort(([, a], [, b]) => b - a);
  if (changed.length === 0) return [];
  const named = changed.slice(0, most.files).map(([path]) => beginningOf(path, 120));
  const others = changed.length - named.length;
  return [named.join(", ") + (others > 0 ? `, and ${others} more` : "")];
}
