import { average, percentile } from "../measure.ts";
import type { Criterion } from "./reading.ts";
import type { Outcome, Policy, Trial } from "./run.ts";
import type { TaskKind } from "./tasks.ts";

/** Tasks that are counted together. */
export interface Group {
  name: string;
  has: (trial: Trial) => boolean;
}

const group = (name: string, kind: TaskKind, criterion: Criterion): Group => ({
  name,
  has: ({ task, criterion: its }) => task.kind === kind && its === criterion,
});

export const groups: readonly Group[] = [
  group("function", "function", "lines"),
  group("later commit's file, a passage", "commit", "passage"),
  group("annotated lines", "span", "lines"),
  group("annotated file, all of it", "file", "whole"),
  group("annotated file, a passage", "file", "passage"),
];

/** The totals of one policy over many tasks. */
export interface Figures {
  tasks: number;
  found: number;
  lines: { median: number; mean: number };
  tokens: { median: number; mean: number };
  calls: number;
}

export function figuresOf(outcomes: readonly Outcome[]): Figures {
  const of = (key: "lines" | "tokens") => {
    const values = outcomes.map((outcome) => outcome[key]);
    return { median: percentile(values, 50), mean: average(values) };
  };
  return {
    tasks: outcomes.length,
    found: average(outcomes.map(({ isFound }) => Number(isFound))),
    lines: of("lines"),
    tokens: of("tokens"),
    calls: average(outcomes.map(({ calls }) => calls)),
  };
}

export type Result = "win" | "tie" | "loss";

/** What differs by no more than this is the same. */
const same = 0.05;

/** Who finds wins over who does not; of two that found, who read less. */
export function resultOf(ours: Outcome, theirs: Outcome): Result {
  if (ours.isFound !== theirs.isFound) return ours.isFound ? "win" : "loss";
  const isSame = Math.abs(ours.lines - theirs.lines) <= same * Math.max(ours.lines, theirs.lines);
  if (!ours.isFound || isSame) return "tie";
  return ours.lines < theirs.lines ? "win" : "loss";
}

/** Pommel beside another way, task by task. */
export interface Comparison {
  against: Policy;
  tasks: number;
  /** Of all that was read in all tasks, misses and what followed them included. */
  linesSaved: number;
  tokensSaved: number;
  /** The median task. */
  medianSaved: number;
  results: Record<Result, number>;
}

export function comparisonOf(trials: readonly Trial[], against: Policy): Comparison {
  const pairs = trials.flatMap(({ outcomes }) => {
    const [ours, theirs] = [outcomes.search_code, outcomes[against]];
    return ours && theirs ? [{ ours, theirs }] : [];
  });
  const sum = (values: readonly number[]) => values.reduce((a, b) => a + b, 0);
  const saved = (key: "lines" | "tokens") =>
    1 - sum(pairs.map(({ ours }) => ours[key])) / sum(pairs.map(({ theirs }) => theirs[key]));
  const results: Comparison["results"] = { win: 0, tie: 0, loss: 0 };
  for (const { ours, theirs } of pairs) results[resultOf(ours, theirs)]++;
  return {
    against,
    tasks: pairs.length,
    linesSaved: saved("lines"),
    tokensSaved: saved("tokens"),
    medianSaved: percentile(
      pairs.map(({ ours, theirs }) => 1 - ours.lines / Math.max(theirs.lines, 1)),
      50,
    ),
    results,
  };
}
