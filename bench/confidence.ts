/**
 * Verdicts: how often an answer that is called found holds what was asked for, and one that is "probably not here" does not.
 *
 *   npm run bench:confidence -- --clones DIR --checkouts DIR --annotations DIR --sessions DIR --questions FILE
 *
 *   --work DIR       keep checkouts and indexes of the clones there for the next run (default: a temporary directory)
 *   --only LIST      only these of the clones
 *   --repos FILE     the list of the benchmark's repositories (default: repos.json beside the annotations)
 *   --memory FILE    keep what was imported there for the next run (default: a temporary file)
 *   --samples FILE   keep the evidence of every question there; the next run reads it and asks nothing
 *   --fit            fit coefficients and thresholds, print them for src/code/search/confidence/coefficients.ts, and report nothing
 *   --markdown       print tables for Markdown
 *   --missed         also print what is called found and is not, and the reverse
 *
 * --clones holds a clone of each repository of models/rank and bench/localise; --checkouts and --annotations are those of
 * bench/search.ts, --sessions and --questions those of bench/recall.ts; what is left out of these two is not asked. Fitted
 * is on what is mined from the repositories of models/rank and on the choosing half of the questions that have no answer: never on
 * the benchmarks' questions, nor on those of bench/localise.
 */

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import * as z from "zod/mini";
import type { By } from "../src/code/search/confidence/coefficients.ts";
import { QueryEmbedder } from "../src/code/search/vectors/query-embedder.ts";
import { createStaticEmbedder } from "../src/models/embed/static/static-embedder.ts";
import { Memory } from "../src/store/memory/memory.ts";
import { listTranscripts } from "../src/store/memory/sessions/transcripts.ts";
import {
  benchmarkOfCode,
  benchmarkOfSessions,
  codeSamples,
  type ForeignQuestion,
  foreignOf,
} from "./confidence/benchmark.ts";
import { fitCoefficients, fitThresholds } from "./confidence/fit.ts";
import { asMarkdown, asSource, asText, nonsense, rightness, verdictOf } from "./confidence/report.ts";
import { isAnswered, type Sample, unanswerable } from "./confidence/sample.ts";
import { sessionSamples } from "./confidence/sessions.ts";
import { mine, type Repository } from "./localise/run.ts";
import { scratchDir } from "./measure.ts";
import { importSessions, loadQuestions } from "./recall/import.ts";
import { loadRepositories } from "./search/data.ts";

const { values: options } = parseArgs({
  options: {
    clones: { type: "string" },
    work: { type: "string" },
    only: { type: "string" },
    checkouts: { type: "string" },
    annotations: { type: "string" },
    repos: { type: "string" },
    sessions: { type: "string" },
    questions: { type: "string" },
    memory: { type: "string" },
    samples: { type: "string" },
    fit: { type: "boolean", default: false },
    markdown: { type: "boolean", default: false },
    missed: { type: "boolean", default: false },
  },
});

const listed = z.array(z.object({ name: z.string(), language: z.string(), revision: z.string() }));
const listAt = (...path: string[]) =>
  listed.parse(JSON.parse(readFileSync(join(import.meta.dirname, ...path), "utf8")));
const fitted = listAt("..", "models", "rank", "repositories.json");
const tested = listAt("localise", "repositories.json");
const namesOf = (repositories: readonly Repository[]) => new Set(repositories.map(({ name }) => name));
const [fittedNames, testedNames] = [namesOf(fitted), namesOf(tested)];

const kindsOfNonsense = new Set(unanswerable.map(({ kind }) => kind));
const samples = options.samples && existsSync(options.samples) ? read(options.samples) : await gather();
if (options.samples) writeFileSync(options.samples, JSON.stringify(samples));
if (options.fit) printFit();
else report();

function read(file: string): Sample[] {
  return JSON.parse(readFileSync(file, "utf8")) as Sample[];
}

function needed(name: "clones" | "checkouts" | "annotations" | "sessions" | "questions"): string {
  const value = options[name];
  if (value !== undefined && existsSync(value)) return resolve(value);
  console.error(
    `--${name} is needed.\nusage: npm run bench:confidence -- --clones DIR --checkouts DIR --annotations DIR ` +
      "--sessions DIR --questions FILE [options, see bench/confidence.ts]",
  );
  process.exit(2);
}

async function gather(): Promise<Sample[]> {
  const clones = needed("clones");
  const scratch = scratchDir("confidence");
  const { samples, foreign } = await gatherMined(clones, options.work ?? join(scratch, "mined"));
  if (options.checkouts !== undefined) samples.push(...(await gatherBenchmark(scratch)));
  if (options.sessions !== undefined) samples.push(...(await gatherSessions(foreign, scratch)));
  return samples;
}

/** What is mined from each repository, asked of it and of those that are mined after it. */
async function gatherMined(clones: string, work: string) {
  const samples: Sample[] = [];
  const foreign: ForeignQuestion[] = [];
  const only = options.only?.split(",");
  for (const repository of [...fitted, ...tested]) {
    const { name } = repository;
    if (only !== undefined && !only.includes(name)) continue;
    console.error(`${name} …`);
    await mine(repository, { clones, work: resolve(work), back: 400, count: 40 }, async (asked) => {
      samples.push(...(await codeSamples(name, asked, foreign)));
      foreign.push(...foreignOf(asked));
    });
  }
  return { samples, foreign };
}

async function gatherBenchmark(scratch: string): Promise<Sample[]> {
  const [checkouts, annotations] = [needed("checkouts"), needed("annotations")];
  const list = options.repos ?? join(dirname(annotations), "repos.json");
  const samples: Sample[] = [];
  for (const repository of loadRepositories(annotations, { list, only: undefined })) {
    console.error(`benchmark of ${repository.name} …`);
    samples.push(...(await benchmarkOfCode(repository, { checkouts, scratch })));
  }
  return samples;
}

async function gatherSessions(foreign: readonly ForeignQuestion[], scratch: string): Promise<Sample[]> {
  console.error("sessions …");
  const questions = loadQuestions(needed("questions"));
  const { memory, rows } = await openMemory(needed("sessions"), options.memory ?? join(scratch, "memory.db"));
  const embedder = new QueryEmbedder({ first: createStaticEmbedder() });
  const samples = [
    ...(await sessionSamples(memory, embedder, rows, foreign)),
    ...(await benchmarkOfSessions(memory, rows, questions)),
  ];
  memory.close();
  return samples;
}

async function openMemory(sessions: string, file: string) {
  if (!existsSync(file)) {
    const { memory, sessions: rows } = await importSessions(sessions, file);
    return { memory, rows };
  }
  const memory = Memory.open(file, { readonly: true });
  const rows = new Map(
    listTranscripts(memory).map(({ path, sessionId }) => [basename(path, ".jsonl"), sessionId!]),
  );
  return { memory, rows };
}

/** What numbers are chosen on. */
function isFittedOn({ kind, source, half }: Sample): boolean {
  return kind !== "benchmark" && fittedNames.has(source) && (half === "choose" || !kindsOfNonsense.has(kind));
}

function printFit(): void {
  const used = samples.filter(isFittedOn);
  const each = <T>(fitted: (by: By) => T) => ({ meaning: fitted("meaning"), words: fitted("words") });
  const coefficients = each((by) => fitCoefficients(used, by));
  const thresholds = each((by) => fitThresholds(used, { by, coefficients: coefficients[by] }));
  console.log(`coefficients = ${asSource(coefficients)}`);
  console.log(`thresholds = ${asSource(thresholds)}`);
}

function report(): void {
  const of = (is: (sample: Sample) => boolean) => samples.filter(is);
  const isNonsense = ({ kind }: Sample) => kindsOfNonsense.has(kind);
  const benchmark = (which: "code" | "sessions") =>
    of(({ kind, searched }) => kind === "benchmark" && searched === which);
  const isTested = ({ source }: Sample) => testedNames.has(source);
  const isOfSessions = ({ source }: Sample) => source === "sessions";
  const answerable = ({ isAnswerable }: Sample) => isAnswerable;
  const mined = (is: (sample: Sample) => boolean) =>
    of((one) => is(one) && !isNonsense(one) && one.kind !== "benchmark");
  const tables = [
    rightness(benchmark("code"), "Code: the benchmark's questions"),
    rightness(benchmark("sessions"), "Sessions: the benchmark's questions"),
    rightness(mined(isTested).filter(answerable), "Code: mined from repositories not fitted on"),
    rightness(mined(isTested), "Code: the same, foreign questions among them"),
    rightness(mined(isOfSessions).filter(answerable), "Sessions: mined"),
    rightness(mined(isOfSessions), "Sessions: the same, foreign questions among them"),
    nonsense(
      of((one) => isNonsense(one) && isTested(one)),
      "Code: no answer, repositories not fitted on",
    ),
    nonsense(
      of((one) => isNonsense(one) && fittedNames.has(one.source)),
      "Code: no answer, repositories fitted on",
    ),
    nonsense(
      of((one) => isNonsense(one) && isOfSessions(one)),
      "Sessions: no answer",
    ),
  ];
  for (const table of tables) console.log(options.markdown ? asMarkdown(table) : asText(table));
  if (options.missed) for (const line of samples.flatMap(missed)) console.log(line);
}

/** A line for nonsense that is called found, and for an answer that is there and called "probably not here", or the reverse. */
function missed(sample: Sample): string[] {
  const { source, kind, question, asked, found, isAnswerable } = sample;
  const verdict = verdictOf(sample);
  const isLost = verdict === "probably_not_here" && isAnswered(sample, 10);
  const isFalse = verdict === "found" && !(isAnswerable && isAnswered(sample, 10));
  const held = Math.max(0, ...found.map(({ evidence }) => evidence.held));
  const why = `known ${asked.known.toFixed(2)}, held ${held.toFixed(2)}, nearness ${asked.nearness?.toFixed(2)}`;
  return isLost || isFalse ? [`${isLost ? "lost" : "false"}\t${source}\t${kind}\t${why}\t${question}`] : [];
}
