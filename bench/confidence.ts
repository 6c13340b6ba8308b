/**
 * Confidence: whether questions without an answer get none, whether right answers are kept, and whether results are
 * right as often as their confidence claims.
 *
 *   npm run bench:confidence -- --repositories DIR --checkouts DIR --annotations DIR --sessions DIR --questions FILE
 *
 *   --repos FILE     the list of the benchmark's repositories (default: repos.json beside the annotations)
 *   --memory FILE    keep what was imported there for the next run (default: a temporary file)
 *   --samples FILE   keep the evidence of every question there; the next run reads it and asks nothing
 *   --fit            fit the coefficients anew, print them for src/search/confidence/coefficients.ts, and report nothing
 *   --markdown       print tables for Markdown
 *   --missed         also print the false answers and the answers lost
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
import { judge } from "../src/search/confidence/judge.ts";
import { QueryEmbedder } from "../src/search/vectors/query-embedder.ts";
import { Memory } from "../src/store/memory/memory.ts";
import { listTranscripts } from "../src/store/memory/sessions/transcripts.ts";
import { benchmarkOfCode, benchmarkOfSessions } from "./confidence/benchmark.ts";
import { type MinedRepository, ScratchRepository } from "./confidence/code.ts";
import { fitAnswer, fitResult } from "./confidence/fit.ts";
import {
  asMarkdown,
  asSource,
  asText,
  falseAnswers,
  levels,
  lostAnswers,
  reliability,
} from "./confidence/report.ts";
import type { Sample } from "./confidence/sample.ts";
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

function printFit(): void {
  const kinds = new Set(unanswerable.map(({ kind }) => kind));
  const isUsed = ({ kind, source, half }: Sample) =>
    kind !== "benchmark" &&
    !(source in tested) &&
    (half === "choose" || !(kinds.has(kind) || source === "sessions"));
  const used = samples.filter(isUsed);
  const each = <T>(fitted: (byMeaning: boolean) => T) => ({ meaning: fitted(true), words: fitted(false) });
  const ofResult = {
    code: each((byMeaning) => fitResult(used, "code", byMeaning)),
    sessions: each((byMeaning) => fitResult(used, "sessions", byMeaning)),
  };
  console.log(`ofAnswer = ${asSource(each((byMeaning) => fitAnswer(used, byMeaning)))}`);
  console.log(`ofResult = ${asSource(ofResult)}`);
}

function report(): void {
  const kinds = new Set(unanswerable.map(({ kind }) => kind));
  const of = (is: (sample: Sample) => boolean) => samples.filter(is);
  const isNonsense = ({ kind }: Sample) => kinds.has(kind);
  const code = of(({ kind, searched }) => kind === "benchmark" && searched === "code");
  const sessions = of(({ kind, searched }) => kind === "benchmark" && searched === "sessions");
  const minedOf = (is: (sample: Sample) => boolean) =>
    of((one) => is(one) && !isNonsense(one) && one.kind !== "benchmark");
  const isTested = ({ source }: Sample) => source in tested;
  const isOfSessions = ({ source }: Sample) => source === "sessions";
  const tables = [
    falseAnswers(
      of((one) => isNonsense(one) && isTested(one)),
      "Code: no answer, five repositories not fitted on",
    ),
    falseAnswers(
      of((one) => isNonsense(one) && one.source in fitted),
      "Code: no answer, repositories fitted on",
    ),
    falseAnswers(
      of((one) => isNonsense(one) && isOfSessions(one)),
      "Sessions: no answer",
    ),
    lostAnswers([...code], "Code: the benchmark's questions"),
    lostAnswers([...sessions], "Sessions: the benchmark's questions"),
    lostAnswers(minedOf(isTested), "Code: mined from the five repositories"),
    lostAnswers(minedOf(isOfSessions), "Sessions: mined"),
    reliability(code, "Code: how often results are right, the benchmark's questions"),
    reliability(sessions, "Sessions: how often results are right, the benchmark's questions"),
    reliability(
      minedOf(isTested),
      "Code: the same, mined from the five repositories, foreign questions among them",
    ),
    reliability(minedOf(isOfSessions), "Sessions: the same, mined, foreign questions among them"),
    levels(code, "Code: by what is shown, the benchmark's questions"),
    levels(sessions, "Sessions: by what is shown, the benchmark's questions"),
  ];
  for (const table of tables) console.log(options.markdown ? asMarkdown(table) : asText(table));
  if (options.missed)
    for (const line of of((one) => one.kind === "benchmark" || isNonsense(one)).flatMap(missed))
      console.log(line);
}

/** A line for a false answer, and for an answer that is lost. */
function missed({ searched, source, kind, question, asked, found, isAnswerable }: Sample): string[] {
  const { results } = judge(
    searched,
    asked,
    found.map(({ evidence }) => ({ result: {}, evidence })),
  );
  const isLost = isAnswerable && results.length === 0 && found.some(({ isRight }) => isRight);
  const isFalse = !isAnswerable && results.length > 0;
  const held = Math.max(0, ...found.map(({ evidence }) => evidence.held));
  const why = `known ${asked.known.toFixed(2)}, held ${held.toFixed(2)}, nearness ${asked.nearness?.toFixed(2)}`;
  return isLost || isFalse ? [`${isLost ? "lost" : "false"}\t${source}\t${kind}\t${why}\t${question}`] : [];
}
