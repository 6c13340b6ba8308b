/**
 * The first answer in a repository that was never indexed: how often the right file is among its first ten, beside `git grep`
 * with the question's words, and how long each takes.
 *
 *   npm run bench:first -- DIR [DIR ...]     (default: this checkout)
 *
 *   --questions N      for each repository (default: 100)
 *   --misses           also print what only `git grep` found
 *
 * DIR is a clone with its history: its commits' messages are the questions, and the files that they changed the right answers.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { createBundledQueryEmbedder } from "../src/answers/session-search.ts";
import { makeDefaultConfig } from "../src/base/config/settings.ts";
import { makeNewProject } from "../src/base/paths.ts";
import { detectLanguage } from "../src/code/languages/index.ts";
import { CodeSearch } from "../src/code/search/engine.ts";
import { analyseQuery } from "../src/code/search/query.ts";
import { SourceTree } from "../src/code/search/tree/tree.ts";
import { mineCommitPairs } from "../src/features/models/evaluate/commit-pairs.ts";
import { type MeasuredAnswer, measureQuality } from "../src/features/models/evaluate/measures.ts";

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    questions: { type: "string", default: "100" },
    misses: { type: "boolean", default: false },
  },
});

const shown = 10;
const home = mkdtempSync(join(tmpdir(), "pommel-first-"));
process.env.POMMEL_HOME = home;

const git = (root: string, ...args: string[]) =>
  spawnSync("git", ["-C", root, ...args], { encoding: "utf8", maxBuffer: 1 << 28 }).stdout;

/** The files that hold most of a question's words, as `git grep` finds them; of equally many in its order. */
function grepped(root: string, question: string): string[] {
  const held = new Map<string, number>();
  for (const word of new Set(analyseQuery(question).words.map((one) => one.toLowerCase()))) {
    for (const file of git(root, "grep", "-z", "-l", "-I", "-i", "-F", "-e", word)
      .split("\0")
      .filter(Boolean))
      held.set(file, (held.get(file) ?? 0) + 1);
  }
  return [...held].sort(([, a], [, b]) => b - a).map(([file]) => file);
}

const ranksIn = (files: readonly string[], targets: readonly { file: string }[]) =>
  targets.flatMap(({ file }) => (files.includes(file) ? [files.indexOf(file) + 1] : []));

async function measure(root: string) {
  const project = makeNewProject(root);
  const config = makeDefaultConfig();
  const tracked = git(root, "ls-files", "-z").split("\0").filter(Boolean);
  const languages = new Map(tracked.map((path) => [path, detectLanguage(path)]));
  const count = Number(options.questions);
  const { pairs } = await mineCommitPairs(root, languages, { seed: "first", count });
  const embedder = await createBundledQueryEmbedder();
  const tree = SourceTree.openForProject(project, config);
  const answers: { pommel: MeasuredAnswer[]; grep: MeasuredAnswer[] } = { pommel: [], grep: [] };
  for (const { query, targets } of pairs) {
    const request = { query, limit: shown, levels: [], paths: [], languages: [], explain: false };
    const asked = performance.now();
    const { results } = await tree.ask(request, (index) =>
      new CodeSearch({ project, index, embedder }).search(request),
    );
    const answered = performance.now();
    const files = grepped(root, query);
    const grepEnded = performance.now();
    const found = ranksIn(
      results.map(({ file }) => file),
      targets,
    );
    const held = ranksIn(files.slice(0, shown), targets);
    if (options.misses && found.length === 0 && held.length > 0)
      console.error(`  only git grep: ${query} -> ${targets.map(({ file }) => file).join(", ")}`);
    answers.pommel.push({ ranks: found, targets: targets.length, milliseconds: answered - asked });
    answers.grep.push({ ranks: held, targets: targets.length, milliseconds: grepEnded - answered });
  }
  await tree.close();
  return {
    files: tracked.length,
    pommel: measureQuality(answers.pommel),
    grep: measureQuality(answers.grep),
  };
}

const percent = (share: number) => `${(100 * share).toFixed(0)} %`;
const milliseconds = (time: number) => `${time.toFixed(0)} ms`;

console.log("| repository | files | questions | R@10 | git grep | R@1 | git grep | p50 | p95 | git grep |");
console.log("|---|---|---|---|---|---|---|---|---|---|");
for (const dir of positionals.length > 0 ? positionals : ["."]) {
  const root = resolve(dir);
  const { files, pommel, grep } = await measure(root);
  const cells = [
    basename(root),
    files,
    pommel.queries,
    percent(pommel.r10),
    percent(grep.r10),
    percent(pommel.r1),
    percent(grep.r1),
    milliseconds(pommel.p50_ms),
    milliseconds(pommel.p95_ms),
    milliseconds(grep.p50_ms),
  ];
  console.log(`| ${cells.join(" | ")} |`);
}
rmSync(home, { recursive: true, force: true });
