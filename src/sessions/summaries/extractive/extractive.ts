import { shortenText } from "../../../base/text/text-size.ts";
import type { Turn } from "../../turn-content.ts";
import { findOpenPoints, untickedItem } from "../ending/open-points.ts";
import { extractOutcome } from "../ending/outcome.ts";
import type { Ask } from "../llm-summary.ts";
import { extractContentWords, measureOverlap } from "../prose.ts";
import { gatherEvidence, type SummaryEvidence } from "./evidence.ts";
import type { SessionProblem, SummaryStatement } from "./problems.ts";

/** A statement with more of its words than this in another one adds nothing to it. */
const sameness = 0.6;
/** How much a sentence of the session's most frequent words gains over one of words that occur once. */
const centralityWorth = 2.5;

/**
 * How central a statement is to the session, from 0 to 1: the mean frequency of its words, as SumBasic scores
 * sentences (Nenkova and Vanderwende, The Impact of Frequency on Summarization, 2005), on a logarithmic scale.
 */
function measureCentrality(
  { words }: Pick<SummaryStatement, "words">,
  { wordCounts, mostFrequent }: SummaryEvidence,
): number {
  if (words.size === 0) return 0;
  let sum = 0;
  for (const word of words) sum += Math.log2(1 + (wordCounts.get(word) ?? 0));
  return sum / words.size / Math.log2(1 + mostFrequent);
}

/** Cues, centrality, and a little for late statements, which hold to the end. */
function weighStatement(statement: SummaryStatement, evidence: SummaryEvidence): number {
  const position = evidence.sentences === 0 ? 0 : statement.order / evidence.sentences;
  return statement.weight + centralityWorth * measureCentrality(statement, evidence) + 0.5 * position;
}

/** The `most` best statements that do not repeat each other or `besides`, in their order. */
function selectBest<T extends SummaryStatement>(
  statements: readonly T[],
  most: number,
  worthOf: (statement: T) => number,
  besides: readonly Pick<SummaryStatement, "words">[] = [],
): T[] {
  const ranked = statements
    .map((statement) => ({ statement, value: worthOf(statement) }))
    .sort((a, b) => b.value - a.value || a.statement.order - b.statement.order);
  const chosen: T[] = [];
  for (const { statement } of ranked) {
    if (chosen.length >= most) break;
    const others = [...besides, ...chosen];
    if (others.every(({ words }) => measureOverlap(statement.words, words) <= sameness))
      chosen.push(statement);
  }
  return chosen.sort((a, b) => a.order - b.order);
}

export interface SummaryMeta {
  /** A path as it is shown: relative to the project where it is inside. */
  relativize: (path: string) => string;
}

/** Characters; of a whole summary, and of what is left of its parts. */
const maxSummaryLength = 2_500;
const maxPartChars = { firstAsk: 400, ask: 140, statement: 220, problem: 150 } as const;
const maxPartItems = { asks: 6, decisions: 5, problems: 4, files: 12, open: 6 } as const;

/**
 * A session's subject in its own words: the request, decisions, problems and their fixes, changed files, the outcome
 * and what is left. The same for the same turns; "" for a session without text. Plain text with headings and lists, up
 * to 2,500 characters; the turns are read once, in bounded memory. A step for every turn.
 */
export function* summariseInSteps(
  turns: Iterable<Turn>,
  { relativize }: SummaryMeta,
): Generator<void, string, void> {
  const evidence = yield* gatherEvidence(turns, relativize);
  const asks = selectAsks(evidence);
  const outcome = extractOutcome(evidence.ending);
  const bullets = [...asks, { words: extractContentWords(outcome) }];
  const decisions = selectBest(
    evidence.decisions,
    maxPartItems.decisions,
    (each) => weighStatement(each, evidence),
    bullets,
  );
  const problems = selectProblems(evidence, [...bullets, ...decisions]);
  const closing = extractContentWords(evidence.ending.texts.at(-1) ?? "");
  const open = [
    ...findOpenPoints(evidence.ending).map(({ text }) => text),
    // The last words may speak of an item that was not ticked off.
    ...evidence.todos
      .filter((text) => measureOverlap(extractContentWords(text), closing) <= sameness)
      .map(untickedItem.word),
  ];
  const parts = [
    formatPart(
      "Asked",
      asks.map(({ text }, i) => `- ${shortenText(text, i === 0 ? maxPartChars.firstAsk : maxPartChars.ask)}`),
    ),
    formatPart(
      "Decisions",
      decisions.map(({ text }) => `- ${shortenText(text, maxPartChars.statement)}`),
    ),
    formatPart("Problems", problems.map(formatProblem)),
    formatPart("Files changed", formatChangedFiles(evidence)),
    formatPart("Outcome", [outcome]),
    formatPart(
      "Next",
      open.slice(0, maxPartItems.open).map((text) => `- ${text}`),
    ),
  ].filter((text) => text !== "");
  return shortenParts(parts);
}

function formatPart(title: string, lines: readonly string[]): string {
  const bullets = lines.filter((line) => line !== "");
  return bullets.length === 0 ? "" : `${title}:\n${bullets.join("\n")}`;
}

/** The longest parts lose their last lines until all fits. */
function shortenParts(parts: readonly string[]): string {
  const lines = parts.map((text) => text.split("\n"));
  const length = () => lines.reduce((sum, part) => sum + part.join("\n").length + 2, 0);
  while (length() > maxSummaryLength) {
    const maxPartLength = lines.reduce((a, b) => (b.length > a.length ? b : a));
    if (maxPartLength.length <= 2) break;
    maxPartLength.pop();
  }
  return shortenText(lines.map((part) => part.join("\n")).join("\n\n"), maxSummaryLength);
}

/** The first ask, and the ones after it that ask for something else, those of many words first. */
function selectAsks({ asks }: SummaryEvidence): Ask[] {
  const [first, ...later] = asks;
  if (first === undefined) return [];
  const chosen = [first];
  for (const ask of later.toSorted((a, b) => Math.min(b.words.size, 12) - Math.min(a.words.size, 12))) {
    if (chosen.length >= maxPartItems.asks) break;
    if (ask.words.size >= 3 && chosen.every(({ words }) => measureOverlap(ask.words, words) <= sameness))
      chosen.push(ask);
  }
  return chosen.sort((a, b) => asks.indexOf(a) - asks.indexOf(b));
}

/** Those that were resolved, and those that count. */
function selectProblems(
  evidence: SummaryEvidence,
  besides: readonly Pick<SummaryStatement, "words">[],
): SessionProblem[] {
  const value = (problem: SessionProblem) =>
    weighStatement(problem, evidence) + (problem.resolution === null ? 0 : 2);
  return selectBest(evidence.problems, maxPartItems.problems, value, besides);
}

function formatProblem({ text, resolution }: SessionProblem): string {
  const problem = shortenText(text, maxPartChars.problem);
  return resolution === null
    ? `- ${problem}`
    : `- ${problem} → ${shortenText(resolution.text, maxPartChars.problem)}`;
}

function formatChangedFiles({ files }: SummaryEvidence): string[] {
  const changed = [...files].sort(([, a], [, b]) => b - a);
  if (changed.length === 0) return [];
  const named = changed.slice(0, maxPartItems.files).map(([path]) => shortenText(path, 120));
  const others = changed.length - named.length;
  return [named.join(", ") + (others > 0 ? `, and ${others} more` : "")];
}
