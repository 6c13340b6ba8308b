import { average } from "../../measure.ts";
import type { Table } from "../../search/tables.ts";
import type { Arm, Counts } from "./counts.ts";
import type { Run } from "./run.ts";

/** A mean with its 95 % interval. */
export interface Estimate {
  n: number;
  mean: number;
  /** null: one value says nothing about how much values vary. */
  interval: readonly [low: number, high: number] | null;
}

/** The mean of independent values, with Student's t interval. @returns null for no values */
export function estimate(values: readonly number[]): Estimate | null {
  const n = values.length;
  if (n === 0) return null;
  const mean = average(values);
  if (n === 1) return { n, mean, interval: null };
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (n - 1);
  const half = criticalT(n - 1) * Math.sqrt(variance / n);
  return { n, mean, interval: [mean - half, mean + half] };
}

/** The 97.5 % quantile of Student's t for 1 to 30 degrees of freedom, as in any table. */
const quantiles = [
  12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.16, 2.145, 2.131,
  2.12, 2.11, 2.101, 2.093, 2.086, 2.08, 2.074, 2.069, 2.064, 2.06, 2.056, 2.052, 2.048, 2.045, 2.042,
];
const z = 1.959964;

/** Beyond the table by the first terms of the Cornish-Fisher expansion, exact to three digits there. */
export function criticalT(degrees: number): number {
  const known = quantiles[degrees - 1];
  if (known !== undefined) return known;
  return z + (z ** 3 + z) / (4 * degrees) + (5 * z ** 5 + 16 * z ** 3 + 3 * z) / (96 * degrees ** 2);
}

/** The 95 % interval of a share, by Wilson's score (1927), which also holds for few values and near 0 and 1. */
export function wilson(successes: number, n: number): readonly [low: number, high: number] {
  const share = successes / n;
  const centre = share + z ** 2 / (2 * n);
  const half = z * Math.sqrt((share * (1 - share)) / n + z ** 2 / (4 * n ** 2));
  const scale = 1 + z ** 2 / n;
  return [Math.max(0, (centre - half) / scale), Math.min(1, (centre + half) / scale)];
}

/** Two measurements of the same task. */
export interface Pair {
  task: string;
  without: number;
  with: number;
}

/** What Pommel changes: means, and the difference with its interval. */
export interface Change {
  without: number;
  with: number;
  /** With minus without. */
  difference: Estimate;
}

/**
 * The paired difference. Repetitions of a task are averaged first: they are not independent, so tasks are what is
 * counted.
 * @returns null for no pairs
 */
export function changeOf(pairs: readonly Pair[]): Change | null {
  const means = [...new Set(pairs.map(({ task }) => task))].map((task) => {
    const own = pairs.filter((pair) => pair.task === task);
    return {
      without: average(own.map(({ without }) => without)),
      with: average(own.map((pair) => pair.with)),
    };
  });
  const difference = estimate(means.map((mean) => mean.with - mean.without));
  if (difference === null) return null;
  return {
    without: average(means.map(({ without }) => without)),
    with: average(means.map((mean) => mean.with)),
    difference,
  };
}

/** Both runs of a task in a round. */
interface Both {
  task: string;
  without: Run;
  with: Run;
}

interface Measure {
  name: string;
  of: (run: Run) => number | null;
  digits: number;
}

const counted = (name: string, key: keyof Counts, digits = 1): Measure => ({
  name,
  digits,
  of: ({ counts }) => counts[key],
});

const measures: readonly Measure[] = [
  counted("tokens", "tokens", 0),
  counted("of them written by the model", "outputTokens", 0),
  counted("price, USD", "usd", 4),
  counted("turns", "turns"),
  counted("tool calls", "toolCalls"),
  counted("of them to Pommel", "pommelCalls"),
  counted("files read", "filesRead"),
  { name: "wall time, s", of: ({ seconds }) => seconds, digits: 1 },
];

/** Success, what it cost, and each task; then what could not be compared. */
export function tablesOf(runs: readonly Run[]): Table[] {
  const pairs = pairsOf(runs);
  const invalid = runs.filter((run) => run.invalid !== null);
  const tables = [successTable(pairs), costTable(pairs), tasksTable(pairs), invalidTable(invalid)];
  return tables.filter(({ rows }) => rows.length > 0);
}

/** Where both runs can be compared. */
function pairsOf(runs: readonly Run[]): Both[] {
  const valid = runs.filter(({ invalid }) => invalid === null);
  return valid.flatMap((run) => {
    const other = valid.find(
      ({ task, round, arm }) => task === run.task && round === run.round && arm === "with",
    );
    return run.arm === "without" && other ? [{ task: run.task, without: run, with: other }] : [];
  });
}

function successTable(pairs: readonly Both[]): Table {
  if (pairs.length === 0) return { title: "Success", head: [], rows: [] };
  const only = (arm: Arm, other: Arm) =>
    pairs.filter((pair) => pair[arm].isSuccess && !pair[other].isSuccess).length;
  const row = (name: string, arm: Arm, other: Arm) => {
    const successes = pairs.filter((pair) => pair[arm].isSuccess).length;
    const [low, high] = wilson(successes, pairs.length);
    const interval = `${percent(low)} to ${percent(high)}`;
    return [
      name,
      `${successes} of ${pairs.length}`,
      percent(successes / pairs.length),
      interval,
      String(only(arm, other)),
    ];
  };
  return {
    title: "Success",
    head: ["", "runs", "share", "95 % (Wilson)", "only this arm succeeded"],
    rows: [row("without Pommel", "without", "with"), row("with Pommel", "with", "without")],
  };
}

function costTable(pairs: readonly Both[]): Table {
  return {
    title: "What it cost (means over tasks; paired differences with 95 % t intervals)",
    head: ["", "tasks", "without", "with", "difference", "95 %", "change"],
    rows: measures.flatMap((measure) => {
      const change = changeOf(valuesOf(pairs, measure));
      return change === null ? [] : [[measure.name, ...cellsOf(change, measure.digits)]];
    }),
  };
}

function valuesOf(pairs: readonly Both[], { of }: Measure): Pair[] {
  return pairs.flatMap((pair) => {
    const [without, withPommel] = [of(pair.without), of(pair.with)];
    return without === null || withPommel === null ? [] : [{ task: pair.task, without, with: withPommel }];
  });
}

function cellsOf({ without, with: withPommel, difference }: Change, digits: number): string[] {
  const { n, mean, interval } = difference;
  return [
    String(n),
    without.toFixed(digits),
    withPommel.toFixed(digits),
    signed(mean, digits),
    interval === null ? "unknown" : interval.map((bound) => signed(bound, digits)).join(" to "),
    without === 0 ? "" : signed((100 * mean) / without, 0, " %"),
  ];
}

function tasksTable(pairs: readonly Both[]): Table {
  const shown = measures.filter(({ name }) => ["tokens", "turns", "tool calls", "files read"].includes(name));
  return {
    title: "By task (means over rounds, without / with)",
    head: ["task", "rounds", "succeeded", ...shown.map(({ name }) => name)],
    rows: [...new Set(pairs.map(({ task }) => task))].map((task) => {
      const own = pairs.filter((pair) => pair.task === task);
      const succeeded = (arm: Arm) => own.filter((pair) => pair[arm].isSuccess).length;
      const cells = shown.map((measure) => {
        const change = changeOf(valuesOf(own, measure));
        return change
          ? [change.without, change.with].map((mean) => mean.toFixed(measure.digits)).join(" / ")
          : "unknown";
      });
      return [task, String(own.length), `${succeeded("without")} / ${succeeded("with")}`, ...cells];
    }),
  };
}

function invalidTable(runs: readonly Run[]): Table {
  return {
    title: "Not compared, nor the other run of the pair",
    head: ["task", "round", "arm", "why"],
    rows: runs.map(({ task, round, arm, invalid }) => [
      task,
      String(round),
      arm,
      invalid!.replaceAll("\n", " "),
    ]),
  };
}

const percent = (share: number) => `${Math.round(100 * share)} %`;
const signed = (value: number, digits: number, unit = "") =>
  `${value > 0 ? "+" : ""}${value.toFixed(digits).replace(/^-(0(?:\.0+)?)$/, "$1")}${unit}`;
