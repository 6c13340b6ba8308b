/**
 * Which file must change? Asked with what a person writes who has a problem: an issue, a log, a stack trace.
 *
 *   npm run bench:issues -- --mirrors DIR
 *
 *   --tasks FILE     questions with their answers: [{id, repo, base, text, files}] (default: mined from the repositories of
 *                    bench/issues/repositories.json: long messages of later commits, for the one or two sources that each changed)
 *   --half LIST      choose, confirm: that half of the mined repositories (default: both, apart)
 *   --kind NAME      source, other, quoted: mined questions that source files answer, or anything else; subjects with quotes (default: source)
 *   --logs           ask with the stack traces of the questions alone, and leave out those that have none
 *   --only LIST      only questions whose id begins so
 *   --work DIR       keep checkouts and indexes there for the next run (default: a temporary directory)
 *   --count N        mined questions of each repository (default: 40)
 *   --max-chars N    ask with so many characters of each (default: 20000)
 *   --no-model       by words alone
 *   --foreign        ask each repository what is asked of another, so that no answer is right: what do verdicts say?
 *   --bm25           also rank whole source files by BM25, for comparison
 *   --markdown       print tables for Markdown
 *   --save FILE      also write every question with the rank of its answer
 *   --index-only     make the indexes, and ask nothing
 *
 * DIR/owner+name/repo holds a clone of each repository, bare or not. Each is indexed as it was before the commits that
 * answer, with its history up to then. A question's rank is that of the first file that answers it.
 */
import { writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { CodeSearch } from "../src/code/search/engine.ts";
import { QueryEmbedder } from "../src/code/search/vectors/query-embedder.ts";
import { createStaticEmbedder } from "../src/models/embed/static/static-embedder.ts";
import { rankByWholeFiles } from "./issues/bm25.ts";
import {
  listLogs,
  loadRepositories,
  mineTasks,
  mirrorDir,
  openIndexed,
  readTasks,
  runGit,
  type Task,
} from "./issues/tasks.ts";
import { half, percentile, printTable, scratchDir } from "./measure.ts";

const { values: options } = parseArgs({
  options: {
    mirrors: { type: "string" },
    tasks: { type: "string" },
    half: { type: "string", default: "choose,confirm" },
    kind: { type: "string", default: "source" },
    only: { type: "string" },
    work: { type: "string" },
    count: { type: "string", default: "40" },
    "max-chars": { type: "string", default: "20000" },
    logs: { type: "boolean", default: false },
    "no-model": { type: "boolean", default: false },
    foreign: { type: "boolean", default: false },
    bm25: { type: "boolean", default: false },
    markdown: { type: "boolean", default: false },
    save: { type: "string" },
    "index-only": { type: "boolean", default: false },
  },
});
if (options.mirrors === undefined) {
  console.error("usage: npm run bench:issues -- --mirrors DIR [options, see bench/issues.ts]");
  process.exit(2);
}
const mirrors = resolve(options.mirrors);
const work = resolve(options.work ?? scratchDir("issues"));
const maxChars = Number(options["max-chars"]);
const limit = 50;

async function listTasks(): Promise<Task[]> {
  if (options.tasks !== undefined) return readTasks(options.tasks);
  const mined: Task[] = [];
  for (const repository of loadRepositories())
    mined.push(...(await mineTasks(repository, { mirrors, count: Number(options.count) })));
  return mined.filter(({ kind }) => kind === options.kind);
}

interface Outcome {
  id: string;
  repo: string;
  half: string;
  rank: number;
  bm25: number | null;
  verdict: string;
  results: number;
  milliseconds: number;
  first: string | undefined;
  files: readonly string[];
}

const only = options.only?.split(",");
const listed = await listTasks();
const all = options.logs ? listLogs(listed) : listed;
const { choose } = half([...new Set(all.map(({ repo }) => repo))]);
const halfOf = ({ repo }: Task) =>
  options.tasks !== undefined ? "all" : choose.has(repo) ? "choose" : "confirm";
const tasks = all.filter(
  (task) =>
    (only === undefined || only.some((id) => task.id.startsWith(id))) &&
    (options.tasks !== undefined || options.half.split(",").includes(halfOf(task))),
);
const outcomes: Outcome[] = [];
for (const repo of new Set(tasks.map((task) => task.repo))) {
  const dateOf = ({ base }: Task) =>
    Number(runGit(mirrorDir(mirrors, repo), "show", "-s", "--format=%ct", base));
  const ours = tasks.filter((task) => task.repo === repo).toSorted((a, b) => dateOf(a) - dateOf(b));
  let like: string | null = null;
  for (const base of new Set(ours.map((task) => task.base))) {
    const asked = ours.filter((task) => task.base === base);
    const { project, index } = await openIndexed(asked[0]!, { mirrors, work, like });
    like = base;
    const embedder = options["no-model"] ? null : new QueryEmbedder({ first: createStaticEmbedder() });
    const search = new CodeSearch({ project, index, embedder });
    const repos = [...new Set(tasks.map((task) => task.repo))];
    const next = repos[(repos.indexOf(repo) + 1) % repos.length];
    const questions = options.foreign ? tasks.filter((task) => task.repo === next) : asked;
    for (const task of options["index-only"] ? [] : questions) {
      const query = task.text.slice(0, maxChars);
      const question = { query, limit, levels: [], paths: [], languages: [], explain: false };
      const before = process.cpuUsage();
      const { results, verdict } = await search.search(question);
      const { user, system } = process.cpuUsage(before);
      const milliseconds = (user + system) / 1000;
      const rankIn = (files: readonly string[]) =>
        1 + files.findIndex((file) => task.files.includes(file)) || Number.POSITIVE_INFINITY;
      outcomes.push({
        id: task.id,
        repo,
        half: halfOf(task),
        rank: rankIn(results.map(({ file }) => file)),
        bm25: options.bm25 ? rankIn(rankByWholeFiles(project.root, query)) : null,
        verdict,
        results: results.length,
        milliseconds,
        first: results[0]?.file,
        files: task.files,
      });
    }
    await search.release();
    await index.close();
    console.error(`${repo} ${base.slice(0, 9)}: ${asked.length} …`);
  }
}

const rows: string[][] = [];
function add(title: string, some: readonly Outcome[]): void {
  if (some.length === 0) return;
  const share = (count: number) => (count / some.length).toFixed(3);
  const figures = (ranks: readonly number[]) => [
    ...[1, 3, 5, 10].map((n) => share(ranks.filter((rank) => rank <= n).length)),
    share(ranks.reduce((sum, rank) => sum + 1 / rank, 0)),
  ];
  const p50 = percentile(
    some.map((one) => one.milliseconds),
    50,
  ).toFixed(1);
  rows.push([title, String(some.length), ...figures(some.map(({ rank }) => rank)), p50]);
  if (options.bm25) rows.push(["  BM25 of whole files", "", ...figures(some.map(({ bm25 }) => bm25!)), ""]);
}
for (const name of ["choose", "confirm", "all"]) {
  const some = outcomes.filter((one) => one.half === name);
  for (const repo of new Set(some.map((one) => one.repo)))
    add(
      `${name === "all" ? "" : `${name} `}${repo}`,
      some.filter((one) => one.repo === repo),
    );
  add(name === "all" ? "all" : `all to ${name}`, some);
}
printTable(["", "n", "first", "of 3", "of 5", "of 10", "MRR", "p50 CPU ms"], rows, options);
const verdicts = ["found", "maybe", "probably_not_here"].map((verdict) => {
  const some = outcomes.filter((one) => one.verdict === verdict);
  const right = some.filter(({ rank }) => rank <= 3).length;
  return [verdict, String(some.length), some.length === 0 ? "-" : (right / some.length).toFixed(3)];
});
printTable(["verdict", "n", "right of 3"], verdicts, options);
if (options.save) writeFileSync(options.save, JSON.stringify(outcomes, null, 1));
