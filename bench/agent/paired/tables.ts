import type { Table } from "../../search/tables.ts";
import type { Arm, Counts } from "./counts.ts";
import type { Run } from "./run.ts";
import { type Change, changeOf, type Pair, wilson } from "./statistics.ts";

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
  ...{ name, digits, of: ({ counts }) => counts[key] },
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
