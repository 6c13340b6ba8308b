import { judge } from "../../src/code/search/confidence/judge.ts";
import type { Verdict } from "../../src/protocol/values.ts";
import { type Half, isAnswered, type Sample } from "./sample.ts";

/** What the judge makes of samples, in tables: a head and rows. */
export interface Table {
  title: string;
  rows: string[][];
}

const halves: readonly Half[] = ["choose", "confirm"];
const percent = (part: number, all: number) => (all === 0 ? "-" : `${((100 * part) / all).toFixed(1)} %`);

export const verdictOf = ({ searched, asked, found }: Sample): Verdict =>
  judge(
    searched,
    asked,
    found.map(({ evidence }) => evidence),
  ).verdict;

/** Questions that have no answer, by what is said of them. */
export function nonsense(samples: readonly Sample[], title: string): Table {
  const asked = samples.filter(({ isAnswerable }) => !isAnswerable);
  const kinds = [...new Set(asked.map(({ kind }) => kind))];
  const row = (name: string, of: readonly Sample[]) => [
    name,
    ...halves.flatMap((half) => {
      const own = of.filter((sample) => sample.half === half).map(verdictOf);
      const called = (verdict: Verdict) => own.filter((one) => one === verdict).length;
      return [String(own.length), percent(called("found"), own.length), percent(called("maybe"), own.length)];
    }),
  ];
  return {
    title,
    rows: [
      ["no answer", "choose", "found", "maybe", "confirm", "found", "maybe"],
      ...kinds.map((kind) =>
        row(
          kind,
          asked.filter((sample) => sample.kind === kind),
        ),
      ),
      row("all", asked),
    ],
  };
}

/** How often each verdict is right: of how many answers one of the first, the first three, the first ten results is. */
export function rightness(samples: readonly Sample[], title: string): Table {
  const rows = (["found", "maybe", "probably_not_here"] as const).map((verdict) => [
    verdict.replaceAll("_", " "),
    ...halves.flatMap((half) => {
      const own = samples.filter((sample) => sample.half === half && verdictOf(sample) === verdict);
      const right = (within: number) =>
        percent(own.filter((sample) => isAnswered(sample, within)).length, own.length);
      return [String(own.length), right(1), right(3), right(10)];
    }),
  ]);
  const head = halves.flatMap((half) => [half, "first", "of 3", "of 10"]);
  return { title, rows: [["verdict", ...head], ...rows] };
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
