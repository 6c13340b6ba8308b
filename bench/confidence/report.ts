import { judge } from "../../src/search/confidence/judge.ts";
import type { Half, Sample } from "./sample.ts";

/** What the judge makes of samples, in tables: a head and rows. */
export interface Table {
  title: string;
  rows: string[][];
}

const halves: readonly Half[] = ["choose", "confirm"];
const percent = (part: number, all: number) => (all === 0 ? "-" : `${((100 * part) / all).toFixed(1)} %`);

interface Outcome {
  sample: Sample;
  isFound: boolean;
  results: { probability: number; isRight: boolean }[];
}

function outcomeOf(sample: Sample): Outcome {
  const found = sample.found.map(({ evidence, isRight }) => ({ result: { isRight }, evidence }));
  const { results, nearest } = judge(sample.searched, sample.asked, found);
  return { sample, isFound: results.length > 0, results: results.length > 0 ? results : nearest };
}

/** Answers to questions that have none, by kind; the tuning half separately. */
export function falseAnswers(samples: readonly Sample[], title: string): Table {
  const outcomes = samples.filter(({ isAnswerable }) => !isAnswerable).map(outcomeOf);
  const kinds = [...new Set(outcomes.map(({ sample }) => sample.kind))];
  const row = (name: string, of: readonly Outcome[]) => [
    name,
    ...halves.flatMap((half) => {
      const asked = of.filter(({ sample }) => sample.half === half);
      const found = asked.filter(({ isFound }) => isFound).length;
      return [`${found} of ${asked.length}`, percent(found, asked.length)];
    }),
  ];
  return {
    title,
    rows: [
      ["false answers", "choose", "", "confirm", ""],
      ...kinds.map((kind) =>
        row(
          kind,
          outcomes.filter(({ sample }) => sample.kind === kind),
        ),
      ),
      row("all", outcomes),
    ],
  };
}

/** Questions whose right answer was among the ten, but below the confidence floor. */
export function lostAnswers(samples: readonly Sample[], title: string): Table {
  const answered = samples
    .filter(({ isAnswerable, found }) => isAnswerable && found.some(({ isRight }) => isRight))
    .map(outcomeOf);
  const kinds = [...new Set(answered.map(({ sample }) => sample.kind))];
  return {
    title,
    rows: [
      ["right answers lost", "choose", "", "confirm", ""],
      ...kinds.map((kind) => [
        kind,
        ...halves.flatMap((half) => {
          const asked = answered.filter(({ sample }) => sample.kind === kind && sample.half === half);
          const lost = asked.filter(({ isFound }) => !isFound).length;
          return [`${lost} of ${asked.length}`, percent(lost, asked.length)];
        }),
      ]),
    ],
  };
}

const bins = [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.001];

/** For each predicted probability, the share of results that are right. */
export function reliability(samples: readonly Sample[], title: string): Table {
  const results = samples
    .map(outcomeOf)
    .flatMap(({ sample, results }) => results.map((result) => ({ ...result, half: sample.half })));
  const rows = bins.slice(1).map((to, i) => {
    const from = bins[i]!;
    const name = `${from.toFixed(1)} to ${Math.min(to, 1).toFixed(1)}`;
    return [
      name,
      ...halves.flatMap((half) => {
        const inBin = results.filter(
          (one) => one.half === half && one.probability >= from && one.probability < to,
        );
        const right = inBin.filter(({ isRight }) => isRight).length;
        return [String(inBin.length), percent(right, inBin.length)];
      }),
    ];
  });
  return { title, rows: [["probability", "choose", "right", "confirm", "right"], ...rows] };
}

/** How often the levels that people see are right. */
export function levels(samples: readonly Sample[], title: string): Table {
  const seen = samples.flatMap((sample) => {
    const found = sample.found.map(({ evidence, isRight }) => ({ result: { isRight }, evidence }));
    return judge(sample.searched, sample.asked, found).results.map((result) => ({
      ...result,
      half: sample.half,
    }));
  });
  return {
    title,
    rows: [
      ["confidence", "choose", "right", "confirm", "right"],
      ...(["high", "medium", "low"] as const).map((level) => [
        level,
        ...halves.flatMap((half) => {
          const own = seen.filter(({ confidence, half: of }) => confidence === level && of === half);
          return [String(own.length), percent(own.filter(({ isRight }) => isRight).length, own.length)];
        }),
      ]),
    ],
  };
}

export function asText({ title, rows }: Table): string {
  const widths = rows[0]!.map((_, i) => Math.max(...rows.map((row) => row[i]!.length)));
  const lines = rows.map((row) =>
    row.map((cell, i) => (i === 0 ? cell.padEnd(widths[i]!) : cell.padStart(widths[i]!))).join("  "),
  );
  return `\n${title}\n${lines.join("\n")}`;
}

export function asMarkdown({ title, rows }: Table): string {
  const [head = [], ...body] = rows;
  const line = (row: readonly string[]) => `| ${row.join(" | ")} |`;
  return `\n${title}\n\n${[line(head), line(head.map(() => "---")), ...body.map(line)].join("\n")}`;
}

/** In the form of coefficients.ts. */
export const asSource = (coefficients: unknown) =>
  JSON.stringify(coefficients, null, 2).replace(/"(\w+)":/g, "$1:");
