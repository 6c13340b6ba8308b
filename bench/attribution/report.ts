import { type BindingFigures, bindingFiguresOf, type Figures, figuresOf, saysAgent } from "./figures.ts";
import { type Judged, nameOf } from "./judge.ts";
import type { MeasuredRepository } from "./measure.ts";

export interface Summary {
  repositories: number;
  /** By keeper, then by subset: "all", "choose", "confirm", "typescript", "commit: rebase", ... */
  figures: Record<string, Record<string, Figures>>;
  bindings: Record<string, BindingFigures>;
  /** Milliseconds a commit, by keeper. */
  times: Record<string, { p50: number; p95: number; commits: number }>;
}

const keepers = (measured: readonly MeasuredRepository[]) => Object.keys(measured[0]?.by ?? {});
const linesOf = (measured: readonly MeasuredRepository[], keeper: string) =>
  measured.flatMap(({ by }) => by[keeper]!.lines);

export function summary(measured: readonly MeasuredRepository[]): Summary {
  const figures: Summary["figures"] = {};
  const bindings: Summary["bindings"] = {};
  const times: Summary["times"] = {};
  for (const keeper of keepers(measured)) {
    const all = linesOf(measured, keeper);
    const rows: Record<string, Figures> = { all: figuresOf(all) };
    for (const half of ["choose", "confirm"] as const) {
      rows[half] = figuresOf(
        linesOf(
          measured.filter((one) => one.half === half),
          keeper,
        ),
      );
    }
    for (const name of new Set(all.map(({ language }) => language).sort())) {
      rows[name] = figuresOf(all.filter(({ language }) => language === name));
    }
    for (const tag of [...new Set(all.flatMap(({ tags }) => tags))].sort()) {
      rows[tag] = figuresOf(all.filter(({ tags }) => tags.includes(tag)));
    }
    figures[keeper] = rows;
    bindings[keeper] = bindingFiguresOf(measured.flatMap(({ by }) => by[keeper]!.bindings));
    const sorted = measured.flatMap(({ by }) => by[keeper]!.times).sort((a, b) => a - b);
    const at = (share: number) => sorted[Math.floor(sorted.length * share)] ?? 0;
    times[keeper] = { p50: at(0.5), p95: at(0.95), commits: sorted.length };
  }
  return { repositories: measured.length, figures, bindings, times };
}

const columns: readonly (readonly [string, keyof Figures])[] = [
  ["lines", "lines"],
  ["agent P", "agentPrecision"],
  ["agent R", "agentRecall"],
  ["human P", "humanPrecision"],
  ["human R", "humanRecall"],
  ["unknown", "unknown"],
  ["session", "session"],
  ["turn", "turn"],
];

const format = (figure: number | null, key: string) =>
  figure === null ? "" : key === "lines" ? String(figure) : figure.toFixed(3);

function printTable(rows: readonly (readonly string[])[], markdown: boolean): void {
  const [head, ...body] = rows as [string[], ...string[][]];
  if (markdown) {
    const line = (row: readonly string[]) => `| ${row.join(" | ")} |`;
    console.log(
      [line(head), line(head.map((_, i) => (i === 0 ? "---" : "--:"))), ...body.map(line)].join("\n"),
    );
    return;
  }
  const widths = head.map((_, i) => Math.max(...rows.map((row) => row[i]!.length)));
  for (const row of rows) {
    console.log(
      row.map((text, i) => (i === 0 ? text.padEnd(widths[i]!) : text.padStart(widths[i]!))).join("  "),
    );
  }
}

/** One row for each situation and keeper, and how far confidence can be relied on. */
export function printSituations(
  measured: readonly MeasuredRepository[],
  names: readonly string[],
  { markdown }: { markdown: boolean },
): void {
  for (const keeper of keepers(measured)) {
    const row = (name: string, of: readonly MeasuredRepository[]) => {
      const figures = figuresOf(linesOf(of, keeper));
      return [name, ...columns.map(([, key]) => format(figures[key], key))];
    };
    const half = (wanted: string) => measured.filter((one) => one.half === wanted);
    printTable(
      [
        [keeper, ...columns.map(([title]) => title)],
        row("all", measured),
        row("choose", half("choose")),
        row("confirm", half("confirm")),
        ...names.map((name) =>
          row(
            name,
            measured.filter(({ situation }) => situation === name),
          ),
        ),
      ],
      markdown,
    );
    console.log("");
    printReliability(linesOf(measured, keeper), keeper, markdown);
    console.log("");
  }
}

function printReliability(lines: readonly Judged[], keeper: string, markdown: boolean): void {
  for (const author of ["agent", "human"] as const) {
    const rows = reliabilityOf(lines, author);
    printTable(
      [
        [
          `${keeper}: said to be ${author === "agent" ? "an agent's" : "a human's"}`,
          "lines",
          "confidence",
          "right",
        ],
        ...rows.map(({ from, to, lines, confidence, right }) => [
          `${from} to ${to}`,
          String(lines),
          confidence.toFixed(3),
          right.toFixed(3),
        ]),
        ["calibration error", "", "", calibrationError(rows).toFixed(3)],
        ...reliabilityByBasis(lines, author).map(({ basis, lines, confidence, right }) => [
          basis,
          String(lines),
          confidence.toFixed(3),
          right.toFixed(3),
        ]),
      ],
      markdown,
    );
  }
}

export function print(measured: readonly MeasuredRepository[], { markdown }: { markdown: boolean }): void {
  const { figures, bindings, times } = summary(measured);
  for (const [keeper, rows] of Object.entries(figures)) {
    const head = [keeper, ...columns.map(([title]) => title)];
    // For a document, totals of the import are enough, and events matter more than languages.
    const totals = ["all", "choose", "confirm"];
    const isShown = (name: string) =>
      !markdown || totals.includes(name) || (keeper === "live" && /^(line|commit): (?!before)/.test(name));
    const shown = Object.entries(rows).filter(([name]) => isShown(name));
    const cells = shown.map(([name, row]) => [name, ...columns.map(([, key]) => format(row[key], key))]);
    printTable([head, ...cells], markdown);
    console.log("");
    printReliability(linesOf(measured, keeper), keeper, markdown);
    const { precision, recall, commits } = bindings[keeper]!;
    const { p50, p95 } = times[keeper]!;
    const figure = (value: number | null) => value?.toFixed(3) ?? "-";
    console.log(
      `\n${keeper}: sessions bound to ${commits} commits: precision ${figure(precision)}, recall ${figure(recall)}; ` +
        `taking in a commit: p50 ${p50.toFixed(0)} ms, p95 ${p95.toFixed(0)} ms\n`,
    );
  }
}

/** The places with the most wrong lines, those wrongly attributed to agents first. */
export function explain(measured: readonly MeasuredRepository[], most: number, half: string): void {
  for (const keeper of keepers(measured)) {
    const places = new Map<string, { seed: string; wrong: Judged[] }>();
    for (const { seed, situation, half: its, by } of measured) {
      if (its !== half) continue;
      for (const one of by[keeper]!.lines) {
        if (!isWrong(one)) continue;
        const key = [situation, seed, one.commit, one.path, said(one), one.truth.kind, one.tags[0]].join();
        const place = places.get(key) ?? {
          seed: situation === null ? String(seed) : `${situation} ${seed}`,
          wrong: [],
        };
        place.wrong.push(one);
        places.set(key, place);
      }
    }
    const weight = ({ wrong }: { wrong: Judged[] }) => wrong.length * (saysAgent(wrong[0]!) ? 3 : 1);
    const worst = [...places.values()].sort((a, b) => weight(b) - weight(a)).slice(0, most);
    for (const { seed, wrong } of worst) {
      const one = wrong[0]!;
      console.log(
        `${keeper}, seed ${seed}, ${one.commit.slice(0, 10)} ${one.path}: ${wrong.length} lines from ${one.line}: ` +
          `${nameOf(one.truth)} said to be ${said(one)} (${one.tags.join("; ")})`,
      );
      console.log(`${one.around.map((line) => `    ${line}`).join("\n")}\n`);
    }
  }
}

function isWrong({ truth, verdict, isBefore }: Judged): boolean {
  const author = isBefore ? "human" : (verdict?.author ?? "unknown");
  if (truth.kind === "untold") return author === "agent";
  return author !== truth.kind;
}

function said({ verdict }: Judged): string {
  if (verdict === null) return "nothing";
  const { author, how, sessionUid, turn, confidence, basis } = verdict;
  const session = sessionUid === null ? "" : ` ${sessionUid.slice(0, 4)}:${turn}`;
  return `${author}${session} by ${how}/${basis} (${confidence.toFixed(2)})`;
}

/** What was claimed with about this confidence, and how much of it is right. */
interface Reliability {
  from: number;
  to: number;
  lines: number;
  /** Means of both. */
  confidence: number;
  right: number;
}

const edges = [0, 0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.95, 0.975, 1.0001];

/** Claims by their confidence. */
function reliabilityOf(judged: readonly Judged[], author: "agent" | "human"): Reliability[] {
  const claims = claimsOf(judged, author);
  return edges.slice(1).flatMap((to, i) => {
    const from = edges[i]!;
    const own = claims.filter(({ verdict }) => verdict!.confidence >= from && verdict!.confidence < to);
    return own.length === 0 ? [] : [{ from, to: Math.min(to, 1), ...rightOf(own, author) }];
  });
}

/** Claims by what they rest on, those with the most lines first. */
function reliabilityByBasis(judged: readonly Judged[], author: "agent" | "human") {
  const claims = claimsOf(judged, author);
  const bases = [...new Set(claims.map(({ verdict }) => verdict!.basis ?? "none"))];
  return bases
    .map((basis) => ({
      basis,
      ...rightOf(
        claims.filter(({ verdict }) => (verdict!.basis ?? "none") === basis),
        author,
      ),
    }))
    .sort((a, b) => b.lines - a.lines);
}

/** Lines whose truth nobody can know are left out. */
const claimsOf = (judged: readonly Judged[], author: "agent" | "human") =>
  judged.filter(({ verdict, truth }) => verdict?.author === author && truth.kind !== "untold");

const rightOf = (own: readonly Judged[], author: "agent" | "human") => ({
  lines: own.length,
  confidence: own.reduce((sum, { verdict }) => sum + verdict!.confidence, 0) / own.length,
  right: own.filter(({ truth }) => truth.kind === author).length / own.length,
});

/** How far confidence is from what is right, on average over lines (expected calibration error). */
function calibrationError(rows: readonly Reliability[]): number {
  const lines = rows.reduce((sum, row) => sum + row.lines, 0);
  return rows.reduce((sum, row) => sum + row.lines * Math.abs(row.confidence - row.right), 0) / (lines || 1);
}
