import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { makeDefaultConfig } from "../../src/base/config/settings.ts";
import { silentLog } from "../../src/base/log.ts";
import { makeNewProject } from "../../src/base/paths.ts";
import { createIgnoreRules } from "../../src/code/files/ignore.ts";
import { judge, judgedBy } from "../../src/code/search/confidence/judge.ts";
import { CodeSearch } from "../../src/code/search/engine.ts";
import { analyseQuery } from "../../src/code/search/query.ts";
import { QueryEmbedder } from "../../src/code/search/vectors/query-embedder.ts";
import { indexDriver } from "../../src/engines/drivers.ts";
import { indexInFull } from "../../src/features/models/evaluate/index-in-full.ts";
import { type QuestionPair, rankTargets } from "../../src/features/models/evaluate/pairs.ts";
import { createStaticEmbedder } from "../../src/models/embed/static/static-embedder.ts";
import { SessionSearch } from "../../src/sessions/search/engine.ts";
import { openQuery } from "../../src/sessions/search/types.ts";
import type { Memory } from "../../src/store/memory/memory.ts";
import { findSessionByUid } from "../../src/store/memory/sessions/sessions.ts";
import { type Asked, kinds } from "../localise/run.ts";
import { rankOf } from "../measure.ts";
import { halfOf, type Question } from "../recall/import.ts";
import type { Repository } from "../search/data.ts";
import { halfOfQuestion, hashOf, Listener, type Sample, unanswerable } from "./sample.ts";

/** The benchmarks' questions, which are never used for fitting: they show what must not be lost. */

/** The questions of bench/search.ts about one of its repositories. */
export async function benchmarkOfCode(
  repository: Repository,
  { checkouts, scratch }: { checkouts: string; scratch: string },
): Promise<Sample[]> {
  const config = makeDefaultConfig();
  if (repository.benchmarkRoot !== "") config["index.include"] = [`${repository.benchmarkRoot}/**`];
  const indexDir = join(scratch, "benchmark", repository.name);
  mkdirSync(indexDir, { recursive: true });
  const root = join(checkouts, repository.name);
  const project = { ...makeNewProject(root), indexDb: join(indexDir, "index.db") };
  const embedders = { first: createStaticEmbedder(), second: null, deadlineMs: 0 };
  const { index } = await (await indexDriver(config)).openToWrite(project.indexDb, silentLog);
  try {
    const rules = createIgnoreRules(root, config);
    await indexInFull({ project, config, rules, index, embedders, log: silentLog });
    const listener = new Listener(judge);
    const embedder = new QueryEmbedder(embedders);
    const search = new CodeSearch({ project, index, embedder, judge: listener.listen });
    const samples: Sample[] = [];
    for (const { query, targets } of repository.questions) {
      const request = { query, limit: judgedBy, levels: [], paths: [], languages: [], explain: false };
      const { results } = await search.search(request);
      const { asked, evidence } = listener.last!;
      samples.push({
        searched: "code",
        kind: "benchmark",
        source: repository.name,
        question: query,
        half: repository.half,
        isAnswerable: true,
        asked,
        found: results.map((result, i) => ({
          evidence: evidence[i]!,
          isRight: targets.some(({ path }) => rankOf({ path }, [result]) > 0),
        })),
      });
    }
    return samples;
  } finally {
    await index.close();
  }
}

/** What bench/recall.ts asks. */
export async function benchmarkOfSessions(
  memory: Memory,
  rows: ReadonlyMap<string, number>,
  questions: readonly Question[],
): Promise<Sample[]> {
  const listener = new Listener(judge);
  const embedder = new QueryEmbedder({ first: createStaticEmbedder() });
  const search = new SessionSearch({ root: "/", memory, embedder, judge: listener.listen });
  const samples: Sample[] = [];
  for (const question of questions) {
    const { results } = await search.search({ ...openQuery, by: "session", query: question.question });
    const { asked, evidence } = listener.last!;
    const wanted = question.relevant_sessions.map((name) => rows.get(name));
    samples.push({
      searched: "sessions",
      kind: "benchmark",
      source: "sessions",
      question: question.question,
      half: halfOf(question),
      isAnswerable: true,
      asked,
      found: results.slice(0, judgedBy).map(({ session_id }, i) => ({
        evidence: evidence[i]!,
        isRight: wanted.includes(findSessionByUid(memory, session_id)?.id),
      })),
    });
  }
  return samples;
}

/** A question of a repository to others, which do not answer it. */
export interface ForeignQuestion {
  kind: string;
  query: string;
}

/** Questions of each kind that are asked of a repository, and foreign ones. */
const askedOfEach = 15;
const foreignAsked = 60;

/** Asks a repository its own questions, which it answers, and others, which it does not. */
export async function codeSamples(
  name: string,
  { project, index, pairs }: Asked,
  foreign: readonly ForeignQuestion[],
): Promise<Sample[]> {
  const samples: Sample[] = [];
  const listener = new Listener(judge);
  const embedder = new QueryEmbedder({ first: createStaticEmbedder() });
  const search = new CodeSearch({ project, index, embedder, judge: listener.listen });
  const ask = async (kind: string, { query, targets }: QuestionPair) => {
    if (analyseQuery(query).tokens.length === 0) return;
    const request = { query, limit: judgedBy, levels: [], paths: [], languages: [], explain: false };
    listener.last = null;
    const { results } = await search.search(request);
    // What stands there as quoted is not judged.
    if (listener.last === null) return;
    const { asked, evidence } = listener.last as NonNullable<Listener["last"]>;
    // The right file counts as the right place: another function of it is as near as the comment can show.
    const wanted: QuestionPair = { query, targets: targets.map(({ file }) => ({ file })) };
    samples.push({
      searched: "code",
      kind,
      source: name,
      half: halfOfQuestion(query),
      question: query,
      isAnswerable: targets.length > 0,
      asked,
      found: results.map((result, i) => ({
        evidence: evidence[i]!,
        isRight: rankTargets(wanted, [result]).length > 0,
      })),
    });
  };
  for (const kind of kinds) for (const pair of pairs[kind].slice(0, askedOfEach)) await ask(kind, pair);
  const others = [...foreign].sort((a, b) => hashOf(name + a.query) - hashOf(name + b.query));
  for (const { kind, query } of others.slice(0, foreignAsked))
    await ask(`foreign ${kind}`, { query, targets: [] });
  for (const { kind, question } of unanswerable) await ask(kind, { query: question, targets: [] });
  await embedder.close();
  return samples;
}

/** The questions that other repositories are asked as well. */
export const foreignOf = ({ pairs }: Asked): ForeignQuestion[] =>
  (["commit", "function"] as const).flatMap((kind) =>
    pairs[kind].slice(0, askedOfEach).map(({ query }) => ({ kind, query })),
  );
