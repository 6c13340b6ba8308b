import {
  caution,
  type Document,
  factTable,
  faint,
  hint,
  indentedLine,
  line,
  makeDocument,
  mark,
  type Paragraph,
  strong,
  type TextPiece,
  table,
  title,
} from "../../answers/document.ts";
import { formatDuration } from "../../base/text/duration.ts";
import type { Availability, EmbedderUsage } from "../../models/embed/embedder.ts";
import type { Miss } from "./evaluate/ask.ts";
import type { KindReport, SelfTestReport } from "./evaluate/self-test.ts";

/** An embedder in the JSON of `pm models list`. */
export interface ListedEmbedder extends Omit<Availability, "usable"> {
  /** As `embed.code` wants it. */
  embedder: string;
  about: string;
  /** null when only a real call can show it. */
  usable: boolean | null;
  /** The settings that name it. */
  used_for: ("code" | "text")[];
}

/** The JSON of a tested embedder. */
export interface TestedEmbedder {
  embedder: string;
  ok: boolean;
  /** What is wrong; "" when nothing is. */
  message: string;
  hint: string;
  dimensions: number | null;
  /** Until the first vector, with whatever had to be loaded. */
  prepare_ms: number | null;
  /** For a question and two passages. */
  embed_ms: number | null;
  /** Cosines with the question: of a text that answers it, and of one that does not. */
  similarity: { related: number; unrelated: number } | null;
  usage: EmbedderUsage | null;
}

/** What makes vectors, whether it can be used, and what it is used for. */
export const wordEmbedders = (embedders: readonly ListedEmbedder[]): Document => [
  [
    table(
      [{ title: "" }, { title: "", wraps: true }],
      embedders.flatMap(({ embedder, about, usable, detail, hint: advice, models = [], used_for }) => [
        [
          [chooseMark(usable, used_for.length > 0), " ", { text: embedder }],
          [about, used_for.length > 0 && strong(` (used for ${used_for.join(" and ")})`)],
        ],
        ["", { text: detail }],
        ...(advice === "" ? [] : [["", hint(advice)]]),
        ...(models.length === 0 ? [] : [["", { text: `available models: ${models.join(", ")}` }]]),
      ]),
    ),
  ],
];

/** An unusable driver is a fault only where it is used. */
function chooseMark(usable: boolean | null, isUsed: boolean): TextPiece {
  if (usable) return mark("ok");
  if (!isUsed) return faint("-");
  return mark(usable === null ? "warn" : "fail");
}

/** Whether an embedder works, how fast, and what that cost. */
export function wordTested(tested: TestedEmbedder): Document {
  const { embedder, ok, message, hint: advice, dimensions, prepare_ms, embed_ms, similarity, usage } = tested;
  const facts: [string, string][] = [];
  if (dimensions !== null && dimensions > 0) {
    facts.push(["Vectors:", `${dimensions} numbers`]);
    facts.push(["Ready in:", `${formatDuration(prepare_ms ?? 0)}; three texts in ${embed_ms} ms`]);
  }
  if (similarity !== null) {
    const [related, other] = [similarity.related.toFixed(2), similarity.unrelated.toFixed(2)];
    facts.push(["Similarity:", `${related} to a text that answers the question, ${other} to another`]);
  }
  if (usage !== null) facts.push(["Usage:", formatUsage(usage)]);
  return [
    [
      line(mark(ok ? "ok" : "fail"), " ", { text: embedder }),
      ...(message === "" ? [] : [indentedLine(2, 4, { text: message })]),
      ...(advice === "" ? [] : [indentedLine(2, 4, hint(advice))]),
      ...(dimensions === 0
        ? [line("  Makes no vectors: search uses words and code structure.")]
        : factTable(facts)),
    ],
  ];
}

function formatUsage({ requests, tokens, dollars }: EmbedderUsage): string {
  const cost = dollars === null ? "price unknown" : `$${dollars.toFixed(6)}`;
  return `${requests} requests, ${tokens} tokens, ${cost}`;
}

/** With fewer questions, a difference between modes may be luck. */
const minQuestions = 30;

const kindTitles: Record<KindReport["kind"], string> = {
  doc_to_function: "Doc comment → function (the comments themselves are hidden)",
  commit_to_files: "Commit message → files it changed",
};

/** How well each way to search finds what the project's own comments and commits ask for. */
export function wordSelfTest(report: SelfTestReport, withMisses: boolean): Document {
  const { files, chunks, index_ms, embed_ms, model } = report;
  const vectors = model === null ? "no vectors" : `vectors by ${model}`;
  const more = embed_ms === null ? "" : `, then embedded in ${formatDuration(embed_ms)}`;
  return makeDocument(
    [
      line(
        `${files} files, ${chunks} chunks, ${vectors}; indexed from scratch in ${formatDuration(index_ms)}${more}.`,
      ),
    ],
    report.notes.map((note) => line(caution(note))),
    ...report.kinds.flatMap((kind) => [wordKind(kind), withMisses && wordMisses(kind.misses)]),
    [line(faint("Compare the rows with each other, not with other projects (docs/benchmarks.md)."))],
  );
}

function wordKind({ kind, queries, problem, modes }: KindReport): Paragraph {
  const name = title(kindTitles[kind]);
  if (queries === 0) return [name, line(`Not measured: ${problem ?? "no questions"}.`)];
  const few = queries < minQuestions ? " Too few questions to compare modes." : "";
  const why = problem === null ? "" : `: ${problem}`;
  return [
    name,
    line(`${queries} questions${why}.${few}`),
    table(
      ["", "MRR", "NDCG@10", "R@1", "R@5", "R@10", "ms p50", "ms p95"].map((head) => ({ title: head })),
      Object.entries(modes).map(([mode, { mrr, ndcg10, r1, r5, r10, p50_ms, p95_ms }]) => [
        mode,
        ...[mrr, ndcg10, r1, r5, r10].map((share) => share.toFixed(3)),
        ...[p50_ms, p95_ms].map((ms) => ms.toFixed(1)),
      ]),
    ),
  ];
}

function wordMisses(misses: readonly Miss[]): Paragraph {
  const wordPlace = ({ file, start_line }: { file: string; start_line?: number }) =>
    start_line === undefined ? file : `${file}:${start_line}`;
  return misses.length === 0
    ? []
    : [
        line("Worst misses:"),
        ...misses.flatMap(({ query, expected, rank, found }) => [
          indentedLine(2, 4, { text: `"${query}"` }),
          indentedLine(4, 6, rank === null ? "not in the top ten: " : `at ${rank}: `, {
            text: expected.map(wordPlace).join(", "),
          }),
          indentedLine(4, 6, "on top: ", { text: found.map(wordPlace).join(", ") || "nothing" }),
        ]),
      ];
}
