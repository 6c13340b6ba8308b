import { expect, test } from "vitest";
import type { Repository } from "./data.ts";
import { pointsOf } from "./plot.ts";
import { reportOf } from "./report.ts";
import type { MeasuredRepository, Outcome } from "./run.ts";
import { asMarkdown, asText, tablesOf } from "./tables.ts";

/** A repository whose questions were answered at these ranks, in every mode; 0: not found. */
function measured(
  name: string,
  half: Repository["half"],
  ranks: number[],
  published = {},
): MeasuredRepository {
  const outcomes = (["lexical", "hybrid"] as const).flatMap((mode) =>
    ranks.map(
      (rank): Outcome => ({
        repository: name,
        language: "go",
        half,
        category: "symbol",
        mode,
        variant: "normal",
        query: "x",
        ranks: rank === 0 ? [] : [rank],
        targets: 1,
        milliseconds: mode === "hybrid" ? 4 : 2,
      }),
    ),
  );
  const repository: Repository = { name, language: "go", benchmarkRoot: "", published, half, questions: [] };
  return { repository, files: 3, chunks: 9, indexMs: 100, outcomes };
}

const semble = { ndcg10: 0.5, p50_ms: 1, index_ms: 10 };
const report = reportOf("static", [
  measured("a", "choose", [1, 1, 1], { semble, bm25: { ndcg10: 0.3 } }),
  measured("b", "confirm", [0], { semble: { ...semble, ndcg10: 0.7 }, bm25: { ndcg10: 0.5 }, other: semble }),
]);

test("questions count alike in the whole, repositories in the mean", () => {
  expect(report.runs.map(({ mode }) => mode)).toEqual(["lexical", "hybrid"]);
  expect(report.runs[1]).toMatchObject({
    all: { queries: 4, ndcg10: 0.75, r1: 0.75, p50_ms: 4 },
    mean_ndcg10: 0.5,
    choose: { queries: 3, ndcg10: 1 },
    confirm: { queries: 1, ndcg10: 0 },
    languages: { go: { queries: 4 } },
  });
});

test("peers are compared on the same repositories only, best first", () => {
  expect(report.peers).toEqual([
    { name: "semble", mean_ndcg10: 0.6, p50_ms: 1, index_ms: 10 },
    { name: "bm25", mean_ndcg10: 0.4, p50_ms: null, index_ms: null },
  ]);
});

test("tables have a cell for each head, as text and as Markdown", () => {
  const tables = tablesOf(report);
  for (const { head, rows } of tables) {
    for (const row of rows) expect(row).toHaveLength(head.length);
  }
  expect(asMarkdown(tables)).toContain(
    "| a | go | 3 | 1.000 | 1.000 | 1.000 | 1.000 | 4.0 | 4.0 | 0.500 | 0.300 |",
  );
  expect(asText(tables)).toMatch(/^semble +0\.600 +1\.0 +10$/m);
  expect(asText(tables)).toMatch(/^Pommel, hybrid +0\.500 +4\.0 +100$/m);
});

test("the plot shows every mode, the best of earlier runs, and the peers", () => {
  const earlier = { ...report, model: "ollama/bge-m3" };
  expect(pointsOf(report, [earlier]).map(({ label, milliseconds }) => [label, milliseconds])).toEqual([
    ["Pommel, words only", 2],
    ["Pommel, static", 4],
    ["Pommel, ollama/bge-m3", 4],
    ["semble", 1],
    ["bm25", null],
  ]);
});
