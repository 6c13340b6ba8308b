/**
 * Learns which file answers a report (reports.json): an issue, a log, a stack trace. Asked are long messages of commits, in
 * repositories that are in no benchmark; answers are the files that these changed.
 *
 *   npm run model:reports -- --mirrors DIR --work DIR
 *
 *   --tasks FILE  also learn from these questions: [{id, repo, base, text, files}]; may be given several times
 *   --count N     mined questions of each repository (default: 60)
 *   --logs        learn only how stack traces alone are answered, and keep the weights of other reports
 *   --dry         measure, and write nothing
 *
 * DIR/owner+name/repo holds a clone of each repository of bench/issues/repositories.json. `--work` keeps checkouts and indexes, as
 * `npm run bench:issues` makes them.
 */
import { writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import {
  listLogs,
  loadRepositories,
  mineTasks,
  openIndexed,
  readTasks,
  type Task,
} from "../../bench/issues/tasks.ts";
import { printTable } from "../../bench/measure.ts";
import { collectReportEvidence } from "../../src/code/search/report/evidence.ts";
import {
  blendWeights,
  type ReportWeights,
  reportWeights,
  scoreFile,
} from "../../src/code/search/report/rank-report.ts";
import { isReport, readReport } from "../../src/code/search/report/read-report.ts";
import { reportSignals, type SignalWeights } from "../../src/code/search/report/report-signals.ts";
import { QueryEmbedder } from "../../src/code/search/vectors/query-embedder.ts";
import { weights } from "../../src/code/search/weights.ts";
import { createStaticEmbedder } from "../../src/models/embed/static/static-embedder.ts";
import { descend, listwise } from "./descent.ts";

const { values: options } = parseArgs({
  options: {
    mirrors: { type: "string" },
    work: { type: "string" },
    tasks: { type: "string", multiple: true },
    count: { type: "string", default: "60" },
    logs: { type: "boolean", default: false },
    dry: { type: "boolean", default: false },
  },
});
if (options.mirrors === undefined || options.work === undefined) {
  console.error(
    "usage: npm run model:reports -- --mirrors DIR --work DIR [options, see models/rank/reports.ts]",
  );
  process.exit(2);
}
const places = { mirrors: resolve(options.mirrors), work: resolve(options.work), like: null };

/** A question with what speaks for each file: `reportSignals.length` values a file. */
interface Example {
  task: Task;
  evidence: Float64Array[];
  isRight: boolean[];
  /** How much it is a log: 0 to 1. */
  isLog: number;
}

/**
 * Lines that name the answer are left out of mined questions, so what a path says cannot be learned from them: it counts as much as one
 * in a stack trace.
 */
const unseen = { signal: "path", as: "frame" } as const;

/** Files of a question that are learned from: the right ones, and the best of the others by what was learned before. */
const maxFiles = 80;
/** Messages that changed no source file ask for little; how much each counts. */
const ofOther = 0.3;
/** How many groups of repositories are left out in turn. */
const folds = 5;
/** Adam, and how near to zero weights are held. */
const training = { rounds: 300, rate: 0.1, hold: 0.001 };
/** How near the weights of logs, of which there are few, are held to those of other reports. */
const holdOfLogs = 0.01;

async function collectExamples(tasks: readonly Task[]): Promise<Example[]> {
  const embedder = new QueryEmbedder({ first: createStaticEmbedder() });
  const examples: Example[] = [];
  for (const key of new Set(tasks.map(({ repo, base }) => `${repo} ${base}`))) {
    const asked = tasks.filter(({ repo, base }) => `${repo} ${base}` === key);
    const { project, index } = await openIndexed(asked[0]!, places);
    for (const task of asked) {
      if (!isReport(task.text)) continue;
      const { files, candidates, isLog } = await collectReportEvidence(index, readReport(task.text), {
        root: project.root,
        scope: { files: null, levels: null },
        weights,
        embed: (text) => embedder.embed(text, () => true),
      });
      const known = blendWeights(reportWeights, isLog);
      const paths = new Map(candidates.map(({ chunk }) => [chunk.file, chunk.path]));
      const ranked = [...files]
        .map(([file, evidence]) => ({ evidence, isRight: task.files.includes(paths.get(file)!) }))
        .sort((a, b) => scoreFile(b.evidence, known) - scoreFile(a.evidence, known))
        .filter(({ isRight }, i) => isRight || i < maxFiles);
      examples.push({
        task,
        evidence: ranked.map(({ evidence }) =>
          Float64Array.from(reportSignals, (signal) => evidence[signal]),
        ),
        isRight: ranked.map(({ isRight }) => isRight),
        isLog,
      });
    }
    await index.close();
    console.error(`${key}: ${asked.length} …`);
  }
  await embedder.close();
  return examples;
}

const scoreRow = (row: Float64Array, learned: Float64Array) => {
  let sum = 0;
  for (let i = 0; i < row.length; i++) sum += row[i]! * learned[i]!;
  return sum;
};

const countOf = ({ task }: Example) => (task.kind === "other" ? ofOther : 1);

/** @param near the weights that the result is held to; null: to none, and what mined questions do not show is set by `unseen` */
function learnWeights(examples: readonly Example[], near: Float64Array | null): Float64Array {
  const used = examples.filter(({ isRight }) => isRight.includes(true));
  const all = used.reduce((sum, example) => sum + countOf(example), 0);
  const learned = near === null ? new Float64Array(reportSignals.length) : near.slice();
  const hold = near === null ? training.hold : holdOfLogs;
  descend(
    learned,
    training,
    () => {
      const gradient = learned.map((weight, i) => hold * (weight - (near?.[i] ?? 0)));
      for (const example of used) {
        const scores = Float64Array.from(example.evidence, (row) => scoreRow(row, learned));
        const slopes = listwise(scores, example.isRight);
        for (const [i, row] of example.evidence.entries()) {
          const slope = (slopes[i]! * countOf(example)) / all;
          if (slope !== 0) for (let j = 0; j < row.length; j++) gradient[j]! += slope * row[j]!;
        }
      }
      if (near === null) gradient[reportSignals.indexOf(unseen.signal)] = 0;
      return gradient;
    },
    () => {},
  );
  if (near === null)
    learned[reportSignals.indexOf(unseen.signal)] = learned[reportSignals.indexOf(unseen.as)]!;
  return learned;
}

const toArray = (weights: SignalWeights) => Float64Array.from(reportSignals, (signal) => weights[signal]);
const toWeights = (learned: Float64Array) =>
  Object.fromEntries(
    reportSignals.map((signal, i) => [signal, Math.round(learned[i]! * 100) / 100]),
  ) as SignalWeights;

const isLog = ({ task }: Example) => task.kind === "log";

function learn(examples: readonly Example[]): ReportWeights {
  const report = options.logs
    ? toArray(reportWeights.report)
    : learnWeights(
        examples.filter((example) => !isLog(example)),
        null,
      );
  return { report: toWeights(report), log: toWeights(learnWeights(examples.filter(isLog), report)) };
}

function rankRight({ evidence, isRight, isLog }: Example, learned: ReportWeights): number {
  const weights = toArray(blendWeights(learned, isLog));
  const scores = evidence.map((row) => scoreRow(row, weights));
  const best = Math.max(...scores.filter((_, i) => isRight[i]));
  return isRight.includes(true)
    ? 1 + scores.filter((score) => score > best).length
    : Number.POSITIVE_INFINITY;
}

const mined: Task[] = [];
for (const repository of loadRepositories())
  mined.push(...(await mineTasks(repository, { ...places, count: Number(options.count) })));
const questions = [...mined, ...(options.tasks ?? []).flatMap(readTasks)];
const examples = await collectExamples([...(options.logs ? [] : questions), ...listLogs(questions)]);
// Of logs alone, most are of few repositories: questions are left out instead.
const keyOf = ({ task }: Example) => (options.logs ? task.id.replace(/-log$/, "") : task.repo);
const repositories = [...new Set(examples.map(({ task }) => task.repo))].sort();
const groups = [...new Set(examples.map(keyOf))].sort();
const ranks = new Map<Example, number>();
for (let fold = 0; fold < folds; fold++) {
  const left = new Set(groups.filter((_, i) => i % folds === fold));
  const learned = learn(examples.filter((example) => !left.has(keyOf(example))));
  for (const example of examples)
    if (left.has(keyOf(example))) ranks.set(example, rankRight(example, learned));
}
const rows: string[][] = [];
function add(title: string, some: readonly Example[]): void {
  if (some.length === 0) return;
  const share = (most: number) =>
    (some.filter((one) => ranks.get(one)! <= most).length / some.length).toFixed(3);
  const mrr = some.reduce((sum, one) => sum + 1 / ranks.get(one)!, 0) / some.length;
  rows.push([title, String(some.length), share(1), share(3), share(5), share(10), mrr.toFixed(3)]);
}
for (const repo of repositories)
  add(
    repo,
    examples.filter(({ task }) => task.repo === repo),
  );
add(
  "messages of commits",
  examples.filter(({ task }) => task.kind === "source"),
);
add(
  "that changed no source",
  examples.filter(({ task }) => task.kind === "other"),
);
add(
  "other questions",
  examples.filter(({ task }) => task.kind === undefined),
);
add(
  "stack traces alone",
  examples.filter(({ task }) => task.kind === "log"),
);
printTable(["left out", "n", "first", "of 3", "of 5", "of 10", "MRR"], rows, { markdown: false });
const result = learn(examples);
console.log(JSON.stringify(result));
if (!options.dry)
  writeFileSync(join(import.meta.dirname, "reports.json"), `${JSON.stringify(result, null, 2)}\n`);
