import { average, percentile } from "../measure.ts";
import type { Table } from "../search/tables.ts";
import type { Criterion } from "./reading.ts";
import { type Outcome, type Policy, policies, type Trial } from "./run.ts";
import type { TaskKind } from "./tasks.ts";

/** Tasks that are counted together. */
interface Group {
  name: string;
  has: (trial: Trial) => boolean;
}

const group = (name: string, kind: TaskKind, criterion: Criterion): Group => ({
  name,
  has: ({ task, criterion: its }) => task.kind === kind && its === criterion,
});

const groups: readonly Group[] = [
  group("function", "function", "lines"),
  group("later commit's file, a passage", "commit", "passage"),
  group("annotated lines", "span", "lines"),
  group("annotated file, all of it", "file", "whole"),
  group("annotated file, a passage", "file", "passage"),
];

/** The totals of one policy over many tasks. */
interface Figures {
  tasks: number;
  found: number;
  lines: { median: number; mean: number };
  tokens: { median: number; mean: number };
  calls: number;
}

function figuresOf(outcomes: readonly Outcome[]): Figures {
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

type Result = "win" | "tie" | "loss";

/** What differs by no more than this is the same. */
const same = 0.05;

/** Who finds wins over who does not; of two that found, who read less. */
function resultOf(ours: Outcome, theirs: Outcome): Result {
  if (ours.isFound !== theirs.isFound) return ours.isFound ? "win" : "loss";
  const isSame = Math.abs(ours.lines - theirs.lines) <= same * Math.max(ours.lines, theirs.lines);
  if (!ours.isFound || isSame) return "tie";
  return ours.lines < theirs.lines ? "win" : "loss";
}

/** Pommel beside another way, task by task. */
interface Comparison {
  against: Policy;
  tasks: number;
  /** Of all that was read in all tasks, misses and what followed them included. */
  linesSaved: number;
  tokensSaved: number;
  /** The median task. */
  medianSaved: number;
  results: Record<Result, number>;
}

function comparisonOf(trials: readonly Trial[], against: Policy): Comparison {
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

/** Maximum number of lost cases shown per group. */
const lossesShown = 10;

/** The trials as tables: what each way reads, Pommel beside the others, by repository, and what was lost. */
export function tablesOf(trials: readonly Trial[]): Table[] {
  const present = groups.filter(({ has }) => trials.some(has));
  return [
    figuresTable(trials, present),
    comparisonsTable(trials, present),
    missesTable(trials, present),
    ...present.slice(0, 3).map((group) => repositoriesTable(trials, group)),
    ...present.map((group) => lossesTable(trials, group)),
  ].filter(({ rows }) => rows.length > 0);
}

function figuresTable(trials: readonly Trial[], present: readonly Group[]): Table {
  return {
    title: "What is read until the answer was read",
    head: ["", "tasks", "found", "lines, median", "mean", "tokens, median", "mean", "calls, mean"],
    rows: present.flatMap(({ name, has }) =>
      policies.flatMap((policy) => {
        const figures = figuresIn(trials.filter(has), policy);
        return figures === null
          ? []
          : [[`${name}: ${policy}`, String(figures.tasks), share(figures.found), ...costCells(figures)]];
      }),
    ),
  };
}

function costCells({ lines, tokens, calls }: Figures): string[] {
  return [lines.median, lines.mean, tokens.median, tokens.mean].map(whole).concat(calls.toFixed(1));
}

function comparisonsTable(trials: readonly Trial[], present: readonly Group[]): Table {
  const saving = ({ linesSaved }: { linesSaved: number }) => share(linesSaved);
  return {
    title: "search_code against grep, task by task",
    head: [
      "",
      "lines saved",
      "tokens saved",
      "lines of a task, median",
      "won",
      "tied",
      "lost",
      "choosing half",
      "confirming half",
    ],
    rows: comparable(trials, present).map(({ group, trials: own, against }) => {
      const all = comparisonOf(own, against);
      const inHalf = (which: string) => own.filter(({ task }) => task.half === which);
      const { win, tie, loss } = all.results;
      return [
        `${group.name}: ${against}`,
        ...[all.linesSaved, all.tokensSaved, all.medianSaved].map(share),
        ...[win, tie, loss].map(String),
        ...["choose", "confirm"].map((which) =>
          inHalf(which).length === 0 ? "" : saving(comparisonOf(inHalf(which), against)),
        ),
      ];
    }),
  };
}

/** Where no search result led to the answer, the whole reading was in vain. */
function missesTable(trials: readonly Trial[], present: readonly Group[]): Table {
  return {
    title: "Where no result led to the answer",
    head: ["", "tasks", "share", "found by grep after that", "lines, mean", "lines without Pommel, mean"],
    rows: comparable(trials, present).flatMap(({ group, trials: own, against }) => {
      const missed = own.filter(({ foundAt }) => foundAt === null);
      const [ours, theirs] = [figuresIn(missed, "search_code"), figuresIn(missed, against)];
      if (ours === null || theirs === null) return [];
      return [
        [
          `${group.name}: ${against}`,
          String(missed.length),
          share(missed.length / own.length),
          share(ours.found),
          ...[ours.lines.mean, theirs.lines.mean].map(whole),
        ],
      ];
    }),
  };
}

function repositoriesTable(trials: readonly Trial[], group: Group): Table {
  const against = strongest(trials.filter(group.has));
  const own = trials.filter(group.has);
  const names = [...new Set(own.map(({ task }) => task.repository))];
  return {
    title: `By repository: ${group.name}, against ${against}`,
    head: [
      "",
      "tasks",
      "found without",
      "found with",
      "lines without, median",
      "mean",
      "lines with, median",
      "mean",
      "lines saved",
      "tokens saved",
      "won",
      "tied",
      "lost",
    ],
    rows: names.map((name) => {
      const here = own.filter(({ task }) => task.repository === name);
      const [without, withPommel] = [figuresIn(here, against)!, figuresIn(here, "search_code")!];
      const { linesSaved, tokensSaved, results } = comparisonOf(here, against);
      return [
        name,
        String(here.length),
        share(without.found),
        share(withPommel.found),
        ...[without.lines.median, without.lines.mean, withPommel.lines.median, withPommel.lines.mean].map(
          whole,
        ),
        share(linesSaved),
        share(tokensSaved),
        ...[results.win, results.tie, results.loss].map(String),
      ];
    }),
  };
}

function lossesTable(trials: readonly Trial[], group: Group): Table {
  const own = trials.filter(group.has);
  const against = strongest(own);
  const cell = (text: string) => text.replaceAll("|", "\\|").replace(/(.{70}).+/, "$1…");
  return {
    title: `Lost: ${group.name}, against ${against}`,
    head: ["question", "repository", "lines without", "with", "why"],
    rows: worstOf(own, against, lossesShown).map(({ trial, ours, theirs, why }) => [
      cell(trial.task.question),
      trial.task.repository,
      theirs.isFound ? String(theirs.lines) : `${theirs.lines}, not found`,
      ours.isFound ? String(ours.lines) : `${ours.lines}, not found`,
      why,
    ]),
  };
}

/** Every group with each way that Pommel can be compared with there. */
function comparable(trials: readonly Trial[], present: readonly Group[]) {
  return present.flatMap((group) => {
    const own = trials.filter(group.has);
    return policies
      .filter((policy) => policy !== "search_code" && figuresIn(own, policy) !== null)
      .map((against) => ({ group, trials: own, against }));
  });
}

/** The policy without Pommel that read least, among those that apply. */
function strongest(trials: readonly Trial[]): Policy {
  const ways = policies
    .filter((policy) => policy !== "search_code")
    .map((policy) => ({ policy, figures: figuresIn(trials, policy) }))
    .filter(({ figures }) => figures !== null);
  return ways.reduce((best, way) => (way.figures!.lines.mean < best.figures!.lines.mean ? way : best)).policy;
}

function figuresIn(trials: readonly Trial[], policy: Policy): Figures | null {
  const outcomes = trials.map(({ outcomes: all }) => all[policy]).filter((outcome) => outcome !== undefined);
  return outcomes.length === 0 ? null : figuresOf(outcomes);
}

const share = (value: number) => `${Math.round(value * 100)} %`;
const whole = (value: number) => String(Math.round(value));

/** A task in which Pommel did worse. */
interface Loss {
  trial: Trial;
  ours: Outcome;
  theirs: Outcome;
  why: string;
}

/** The tasks lost, those first in which the most was lost: answers that only the other way found, then lines. */
function worstOf(trials: readonly Trial[], against: Policy, most: number): Loss[] {
  return trials
    .flatMap((trial) => {
      const [ours, theirs] = [trial.outcomes.search_code, trial.outcomes[against]];
      if (!ours || !theirs || resultOf(ours, theirs) !== "loss") return [];
      return [{ trial, ours, theirs, why: whyOf(trial, ours, theirs) }];
    })
    .sort(
      (a, b) =>
        Number(a.ours.isFound) - Number(b.ours.isFound) ||
        b.ours.lines - b.theirs.lines - (a.ours.lines - a.theirs.lines),
    )
    .slice(0, most);
}

function whyOf({ foundAt }: Trial, ours: Outcome, theirs: Outcome): string {
  const without = theirs.calls === 1 ? "grep: one call" : `grep: ${theirs.calls} calls`;
  if (!ours.isFound) return `not read before the budget was spent, or nothing was left to read; ${without}`;
  if (foundAt === null) return `not among the results, found by grep after them; ${without}`;
  if (foundAt === 1) return `result 1, but the list of results is longer than what grep takes; ${without}`;
  return `result ${foundAt}, after those before it; ${without}`;
}
