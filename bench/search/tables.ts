import type { Quality } from "../../src/features/models/evaluate/measures.ts";
import type { Report, Run } from "./report.ts";

/** A table to be printed; every row has as many cells as the head. */
export interface Table {
  title: string;
  head: string[];
  rows: string[][];
}

/** Number of peers in the table of repositories. */
const peersBeside = 3;

/** The report as tables: the modes, the peers, then by repository, language and category. */
export function tablesOf(report: Report): Table[] {
  const main = mainRun(report);
  return [
    modesTable(report),
    ...(report.peers.length > 0 ? [peersTable(report, main)] : []),
    repositoriesTable(report, main),
    partsTable(report, main, "languages"),
    partsTable(report, main, "categories"),
  ];
}

/** The run that details are given of: the last mode asked for, with the queries as they are. */
export function mainRun({ runs }: Report): Run {
  return runs.findLast(({ variant }) => variant === "normal") ?? runs.at(-1)!;
}

function modesTable({ model, runs }: Report): Table {
  return {
    title: `All questions (vectors: ${model})`,
    head: ["mode", "queries", ...qualityHead, "mean of repositories", "choosing half", "confirming half"],
    rows: runs.map((run) => [
      run.variant === "normal" ? run.mode : `${run.mode}, ${run.variant}`,
      String(run.all.queries),
      ...qualityCells(run.all),
      ...[run.mean_ndcg10, run.choose.ndcg10, run.confirm.ndcg10].map(share),
    ]),
  };
}

function peersTable({ peers, repositories }: Report, main: Run): Table {
  const times = repositories.map(({ index_ms }) => index_ms);
  const isTimed = times.every((time) => time !== null);
  const ours = {
    name: `Pommel, ${main.mode}`,
    mean_ndcg10: main.mean_ndcg10,
    p50_ms: main.all.p50_ms,
    index_ms: isTimed ? times.reduce((a, b) => a + b, 0) / times.length : null,
  };
  return {
    title: "Beside published figures (means over the repositories; times are of different machines)",
    head: ["", "NDCG@10", "p50 ms", "index ms"],
    rows: [ours, ...peers]
      .sort((a, b) => b.mean_ndcg10 - a.mean_ndcg10)
      .map(({ name, mean_ndcg10, p50_ms, index_ms }) => [
        name,
        share(mean_ndcg10),
        p50_ms === null ? "" : time(p50_ms),
        index_ms === null ? "" : String(Math.round(index_ms)),
      ]),
  };
}

function repositoriesTable(report: Report, main: Run): Table {
  const beside = report.peers.slice(0, peersBeside).map(({ name }) => name);
  return {
    title: `By repository (${main.mode})`,
    head: ["repository", "language", "queries", ...qualityHead, ...beside, "files", "chunks", "index ms"],
    rows: report.repositories.map(({ name, language, files, chunks, index_ms, published }) => {
      const quality = main.repositories[name]!;
      return [
        name,
        language,
        String(quality.queries),
        ...qualityCells(quality),
        ...beside.map((peer) => share(published[peer]!.ndcg10)),
        ...[files, chunks, index_ms ?? ""].map(String),
      ];
    }),
  };
}

/** By language or category: all measures of the main run, and the NDCG@10 of the others. */
function partsTable(report: Report, main: Run, part: "languages" | "categories"): Table {
  const others = report.runs.filter((run) => run !== main);
  return {
    title: `By ${part === "languages" ? "language" : "category"} (${main.mode}; NDCG@10 of the others)`,
    head: ["", "queries", ...qualityHead, ...others.map(({ mode, variant }) => nameOf(mode, variant))],
    rows: Object.entries(main[part]).map(([name, quality]) => [
      name,
      String(quality.queries),
      ...qualityCells(quality),
      ...others.map((run) => share(run[part][name]!.ndcg10)),
    ]),
  };
}

function nameOf(mode: string, variant: string): string {
  return variant === "normal" ? mode : `${mode}, ${variant}`;
}

const qualityHead = ["NDCG@10", "R@1", "R@5", "R@10", "p50 ms", "p95 ms"];

function qualityCells({ ndcg10, r1, r5, r10, p50_ms, p95_ms }: Quality): string[] {
  return [...[ndcg10, r1, r5, r10].map(share), time(p50_ms), time(p95_ms)];
}

const share = (value: number) => value.toFixed(3);
const time = (ms: number) => (ms < 1 ? ms.toFixed(2) : ms.toFixed(1));

export function asMarkdown(tables: readonly Table[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  return tables
    .map(({ title, head, rows }) =>
      [
        `**${title}**`,
        "",
        line(head),
        line(head.map((_, i) => (i === 0 ? "---" : "--:"))),
        ...rows.map(line),
      ].join("\n"),
    )
    .join("\n\n");
}

/** In columns; the first to the left, the rest, which are numbers, to the right. */
export function asText(tables: readonly Table[]): string {
  return tables
    .map(({ title, head, rows }) => {
      const widths = head.map((name, i) => Math.max(name.length, ...rows.map((row) => row[i]!.length)));
      const line = (cells: readonly string[]) =>
        cells.map((cell, i) => (i === 0 ? cell.padEnd(widths[i]!) : cell.padStart(widths[i]!))).join("  ");
      return [title, line(head), ...rows.map(line)].join("\n");
    })
    .join("\n\n");
}
