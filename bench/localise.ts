/**
 * Where is this done? Questions that nobody words, mined from repositories' own histories, so that nothing can be tuned to
 * them: later commits' subjects (answers: the source files that each changed) and doc comments (answers: their functions). What is
 * indexed are the files as they were before those commits, without those comments.
 *
 *   npm run bench:localise -- --clones DIR
 *
 *   --half look|report  only that half of the repositories: one to look at, one to report (default: both, apart)
 *   --work DIR          keep checkouts and indexes there for the next run (default: a temporary directory)
 *   --list FILE         other repositories (default: bench/localise/repositories.json)
 *   --only LIST         only these
 *   --count N           questions of each kind and repository (default: 40)
 *   --back N            commits that ask (default: the last 400, at most two fifths of the history)
 *   --markdown          print tables for Markdown
 *   --misses            also print the questions whose answer is not among the first five
 *   --save FILE         also write every question with the rank of its answer
 *
 * DIR holds a clone of each repository under its name, bare or not. A file's rank is that of its first result among the
 * files; a function's, that of the first result within its lines.
 */
import { writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { CodeSearch } from "../src/code/search/engine.ts";
import { QueryEmbedder } from "../src/code/search/vectors/query-embedder.ts";
import { rankTargets } from "../src/features/models/evaluate/pairs.ts";
import { createStaticEmbedder } from "../src/models/embed/static/static-embedder.ts";
import { type Asked, type Half, type Kind, kinds, loadRepositories, mine } from "./localise/run.ts";
import { type MeasuredAnswer, measureQuality, printTable, scratchDir } from "./measure.ts";

const { values: options } = parseArgs({
  options: {
    clones: { type: "string" },
    half: { type: "string", default: "look,report" },
    work: { type: "string" },
    list: { type: "string" },
    only: { type: "string" },
    count: { type: "string", default: "40" },
    back: { type: "string", default: "400" },
    markdown: { type: "boolean", default: false },
    misses: { type: "boolean", default: false },
    save: { type: "string" },
  },
});
if (options.clones === undefined) {
  console.error("usage: npm run bench:localise -- --clones DIR [options, see bench/localise.ts]");
  process.exit(2);
}

interface Outcome extends MeasuredAnswer {
  repository: string;
  language: string;
  half: Half;
  kind: Kind;
  query: string;
}

const limit = 10;

type AnsweredQuery = MeasuredAnswer & Pick<Outcome, "kind" | "query">;

async function ask({ project, index, pairs }: Asked): Promise<AnsweredQuery[]> {
  const embedder = new QueryEmbedder({ first: createStaticEmbedder() });
  const search = new CodeSearch({ project, index, embedder });
  const find = (query: string, by: "chunk" | "file") =>
    search.search({ query, by, limit, levels: [], paths: [], languages: [], explain: false });
  const answered: AnsweredQuery[] = [];
  for (const kind of kinds) {
    for (const pair of pairs[kind]) {
      const { results, search_time_ms: milliseconds } = await find(
        pair.query,
        kind === "function" || kind === "type" ? "chunk" : "file",
      );
      answered.push({
        kind,
        query: pair.query,
        ranks: rankTargets(pair, results),
        targets: pair.targets.length,
        milliseconds,
      });
    }
  }
  await embedder.close();
  return answered;
}

const wanted = loadRepositories(options.half.split(","), options.only?.split(","), options.list);
const work = options.work ?? scratchDir("localise");
const outcomes: Outcome[] = [];
for (const repository of wanted) {
  const { name, language } = repository;
  const mining = {
    clones: resolve(options.clones),
    work: resolve(work),
    back: Number(options.back),
    count: Number(options.count),
  };
  await mine(repository, mining, async (asked) => {
    const answered = await ask(asked);
    console.error(`${name}: ${answered.length} questions …`);
    for (const one of answered) outcomes.push({ ...one, repository: name, language, half: repository.half });
  });
}

const rows: string[][] = [];
const add = (title: string, some: readonly Outcome[]) => {
  for (const kind of kinds) {
    const { queries, r1, r5, r10, mrr, p50_ms } = measureQuality(some.filter((one) => one.kind === kind));
    if (queries === 0) continue;
    const figures = [r1, r5, r10, mrr].map((figure) => figure.toFixed(3));
    rows.push([title, kind, String(queries), ...figures, p50_ms.toFixed(1)]);
  }
};
for (const name of ["look", "report"] as const) {
  const some = outcomes.filter((one) => one.half === name);
  for (const { name, language } of wanted)
    add(
      `${name} (${language})`,
      some.filter(({ repository }) => repository === name),
    );
  add(`all to ${name}`, some);
}
printTable(["", "question", "n", "R@1", "R@5", "R@10", "MRR", "p50 ms"], rows, options);
if (options.misses) {
  for (const { repository, kind, query, ranks } of outcomes) {
    const rank = Math.min(...ranks);
    if (rank > 5) console.log(`${Number.isFinite(rank) ? rank : "-"}\t${kind}\t${repository}\t${query}`);
  }
}
if (options.save) writeFileSync(options.save, JSON.stringify(outcomes, null, 1));
