/**
 * Verdicts: how often an answer that is called found holds what was asked for, and one that is "probably not here" does not.
 *
 *   npm run bench:confidence -- --repositories DIR --checkouts DIR --annotations DIR --sessions DIR --questions FILE
 *
 *   --repos FILE     the list of the benchmark's repositories (default: repos.json beside the annotations)
 *   --memory FILE    keep what was imported there for the next run (default: a temporary file)
 *   --samples FILE   keep the evidence of every question there; the next run reads it and asks nothing
 *   --fit            fit coefficients and thresholds, print them for src/search/confidence/coefficients.ts, and report nothing
 *   --markdown       print tables for Markdown
 *   --missed         also print what is called found and is not, and the reverse
 *
 * --repositories holds clones, with history, of those in `fitted` and `tested` below; --checkouts and --annotations are
 * those of bench/search.ts, --sessions and --questions those of bench/recall.ts. Coefficients are fitted on what is
 * mined from the repositories in `fitted`, on half of the sessions, and on the choosing half of the questions that have
 * no answer: never on the benchmarks' questions.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { createStaticEmbedder } from "../src/models/embed/static/static-embedder.ts";
import type { By } from "../src/search/confidence/coefficients.ts";
import { QueryEmbedder } from "../src/search/vectors/query-embedder.ts";
import { Memory } from "../src/store/memory/memory.ts";
import { listTranscripts } from "../src/store/memory/sessions/transcripts.ts";
import { benchmarkOfCode, benchmarkOfSessions } from "./confidence/benchmark.ts";
import { type MinedRepository, ScratchRepository } from "./confidence/code.ts";
import { fitCoefficients, fitThresholds } from "./confidence/fit.ts";
import { asMarkdown, asSource, asText, nonsense, rightness, verdictOf } from "./confidence/report.ts";
import { isAnswered, type Sample } from "./confidence/sample.ts";
import { sessionSamples } from "./confidence/sessions.ts";
import { unanswerable } from "./confidence/unanswerable.ts";
import { importSessions } from "./recall/import.ts";
import { loadQuestions } from "./recall/questions.ts";
import { loadRepositories } from "./search/data.ts";

const { values: options } = parseArgs({
  options: {
    repositories: { type: "string" },
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

/** By domain: questions about one web framework may well be answered by another. */
const fitted: Readonly<Record<string, string>> = {
  axum: "web",
  cobra: "commands",
  dapper: "databases",
  entire: "sessions",
  express: "web",
  flask: "web",
  fmtlib: "formatting",
  hono: "web",
  "kotlinx-coroutines": "concurrency",
  monolog: "logging",
  plug: "web",
  rack: "web",
  requests: "web",
  serde: "serialisation",
  trpc: "web",
};
const tested: Readonly<Record<string, string>> = {
  curl: "web",
  fastapi: "web",
  gin: "web",
  gson: "serialisation",
  zod: "validation",
};

const kindsOfNonsense = new Set(unanswerable.map(({ kind }) => kind));
const samples = options.samples && existsSync(options.samples) ? read(options.samples) : await gather();
if (options.samples) writeFileSync(options.samples, JSON.stringify(samples));
if (options.fit) printFit();
else report();

function read(file: string): Sample[] {
  return JSON.parse(readFileSync(file, "utf8")) as Sample[];
}

function needed(name: "repositories" | "checkouts" | "annotations" | "sessions" | "questions"): string {
  const value = options[name];
  if (value !== undefined && existsSync(value)) return resolve(value);
  console.error(
    `--${name} is needed.\nusage: npm run bench:confidence -- --repositories DIR --checkouts DIR --annotations DIR ` +
      "--sessions DIR --questions FILE [options, see bench/confidence.ts]",
  );
  process.exit(2);
}

async function gather(): Promise<Sample[]> {
  const clones = needed("repositories");
  const annotations = needed("annotations");
  const places = { checkouts: needed("checkouts"), sessions: needed("sessions") };
  const questions = loadQuestions(needed("questions"));
  const scratch = mkdtempSync(join(tmpdir(), "pommel-confidence-"));
  try {
    const { samples, mined } = await gatherMined(clones);
    const list = options.repos ?? join(dirname(annotations), "repos.json");
    for (const repository of loadRepositories(annotations, { list, only: undefined })) {
      console.error(`benchmark of ${repository.name} …`);
      samples.push(...(await benchmarkOfCode(repository, { checkouts: places.checkouts, scratch })));
    }
    console.error("sessions …");
    const { memory, rows } = await openMemory(places.sessions, options.memory ?? join(scratch, "memory.db"));
    const others = mined.filter(({ domain }) => domain !== "sessions" && domain !== "commands");
    const embedder = new QueryEmbedder({ first: createStaticEmbedder() });
    samples.push(...(await sessionSamples(memory, embedder, rows, others)));
    samples.push(...(await benchmarkOfSessions(memory, rows, questions)));
    memory.close();
    return samples;
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** What is mined from all repositories, asked of each. */
async function gatherMined(clones: string): Promise<{ samples: Sample[]; mined: MinedRepository[] }> {
  const opened: { own: MinedRepository; repository: ScratchRepository }[] = [];
  try {
    for (const [name, domain] of Object.entries({ ...fitted, ...tested })) {
      console.error(`${name} …`);
      const repository = await ScratchRepository.prepare(join(clones, name));
      opened.push({ repository, own: await repository.mined(name, domain) });
      console.error(`  ${await repository.chunks()} chunks`);
    }
    const mined = opened.map(({ own }) => own);
    const samples: Sample[] = [];
    for (const { own, repository } of opened) samples.push(...(await repository.samples(own, mined)));
    return { samples, mined };
  } finally {
    for (const { repository } of opened) await repository.dispose();
  }
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
  const isMinedAnswer = !kindsOfNonsense.has(kind) && source !== "sessions";
  return kind !== "benchmark" && !(source in tested) && (half === "choose" || isMinedAnswer);
}

function printFit(): void {
  const used = samples.filter(isFittedOn);
  const each = <T>(fitted: (by: By) => T) => ({ meaning: fitted("meaning"), words: fitted("words") });
  const coefficients = each((by) => fitCoefficients(used, by));
  const of = (searched: "code" | "sessions") =>
    each((by) => fitThresholds(used, searched, { by, coefficients: coefficients[by] }));
  console.log(`coefficients = ${asSource(coefficients)}`);
  console.log(`thresholds = ${asSource({ code: of("code"), sessions: of("sessions") })}`);
}

function report(): void {
  const of = (is: (sample: Sample) => boolean) => samples.filter(is);
  const isNonsense = ({ kind }: Sample) => kindsOfNonsense.has(kind);
  const benchmark = (which: "code" | "sessions") =>
    of(({ kind, searched }) => kind === "benchmark" && searched === which);
  const isTested = ({ source }: Sample) => source in tested;
  const isOfSessions = ({ source }: Sample) => source === "sessions";
  const answerable = ({ isAnswerable }: Sample) => isAnswerable;
  const mined = (is: (sample: Sample) => boolean) =>
    of((one) => is(one) && !isNonsense(one) && one.kind !== "benchmark");
  const tables = [
    rightness(benchmark("code"), "Code: the benchmark's questions"),
    rightness(benchmark("sessions"), "Sessions: the benchmark's questions"),
    rightness(mined(isTested).filter(answerable), "Code: mined from five repositories not fitted on"),
    rightness(mined(isTested), "Code: the same, foreign questions among them"),
    rightness(mined(isOfSessions).filter(answerable), "Sessions: mined"),
    rightness(mined(isOfSessions), "Sessions: the same, foreign questions among them"),
    nonsense(
      of((one) => isNonsense(one) && isTested(one)),
      "Code: no answer, five repositories not fitted on",
    ),
    nonsense(
      of((one) => isNonsense(one) && one.source in fitted),
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
