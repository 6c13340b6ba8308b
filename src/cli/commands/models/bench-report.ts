import type { Miss } from "../../../evaluate/ask.ts";
import type { Quality } from "../../../evaluate/measures.ts";
import type { Mode } from "../../../evaluate/modes.ts";
import type { KindReport, SelfTestReport } from "../../../evaluate/self-test.ts";
import { aligned, humanDuration } from "../../terminal/output.ts";
import type { Palette } from "../../terminal/palette.ts";

/** With fewer questions, a difference between modes may be luck. */
const fewest = 30;

const titles: Record<KindReport["kind"], string> = {
  doc_to_function: "Doc comment → function (the comments themselves are hidden)",
  commit_to_files: "Commit message → files it changed",
};

/** What `--json` prints. */
export function reportOf(report: SelfTestReport, { root, misses }: { root: string; misses: boolean }) {
  return {
    root,
    ...report,
    kinds: report.kinds.map(({ misses: missed, modes, ...kind }) => ({
      ...kind,
      modes: Object.fromEntries(Object.entries(modes).map(([mode, quality]) => [mode, rounded(quality)])),
      ...(misses && { misses: missed }),
    })),
  };
}

function rounded(quality: Quality): Record<string, number> {
  return Object.fromEntries(
    Object.entries(quality).map(([key, value]) => [key, Math.round(value * 1e4) / 1e4]),
  );
}

/** The report for a person. */
export function renderSelfTest(
  report: SelfTestReport,
  { misses, colors }: { misses: boolean; colors: Palette },
): string {
  const { files, chunks, index_ms, embed_ms, model } = report;
  const vectors = model === null ? "no vectors" : `vectors by ${model}`;
  const more = embed_ms === null ? "" : `, then embedded in ${humanDuration(embed_ms)}`;
  const blocks = [
    `${files} files, ${chunks} chunks, ${vectors}; indexed from scratch in ${humanDuration(index_ms)}${more}.`,
    ...report.notes.map((note) => colors.warn(note)),
    ...report.kinds.map((kind) => renderKind(kind, misses, colors)),
    colors.dim("Compare the rows with each other, not with other projects (docs/benchmarks.md)."),
  ];
  return blocks.join("\n\n");
}

function renderKind(kind: KindReport, misses: boolean, colors: Palette): string {
  const lines = [colors.bold(titles[kind.kind])];
  if (kind.queries === 0) return [...lines, `Not measured: ${kind.problem ?? "no questions"}.`].join("\n");
  const few = kind.queries < fewest ? " Too few questions to compare modes." : "";
  const why = kind.problem === null ? "" : `: ${kind.problem}`;
  lines.push(`${kind.queries} questions${why}.${few}`);
  lines.push(
    aligned([heads, ...Object.entries(kind.modes).map(([mode, quality]) => row(mode as Mode, quality))]),
  );
  if (misses && kind.misses.length > 0) lines.push("", "Worst misses:", ...kind.misses.map(renderMiss));
  return lines.join("\n");
}

const heads = ["", "MRR", "NDCG@10", "R@1", "R@5", "R@10", "ms p50", "ms p95"];

function row(mode: Mode, quality: Quality): string[] {
  const { mrr, ndcg10, r1, r5, r10, p50_ms, p95_ms } = quality;
  return [
    mode,
    ...[mrr, ndcg10, r1, r5, r10].map((share) => share.toFixed(3)),
    ...[p50_ms, p95_ms].map((ms) => ms.toFixed(1)),
  ];
}

function renderMiss({ query, expected, rank, found }: Miss): string {
  const place = ({ file, start_line }: { file: string; start_line?: number }) =>
    start_line === undefined ? file : `${file}:${start_line}`;
  const where = expected.map(place).join(", ");
  return [
    `  "${query}"`,
    `    ${rank === null ? "not in the top ten" : `at ${rank}`}: ${where}`,
    `    on top: ${found.map(place).join(", ") || "nothing"}`,
  ].join("\n");
}
