/**
 * Code-search quality: NDCG@10 and recall over annotated queries, per repository, language and category, with the
 * published figures of other tools.
 *
 *   npm run bench:search -- --checkouts DIR --annotations DIR
 *
 *   --model NAME       vectors by: static (default), none, ollama/MODEL, …: as in `embed.code`
 *   --modes LIST       lexical, semantic, hybrid (default: all; the last one is reported in detail)
 *   --variants LIST    normal, stress: without the words of the targets' paths (default: both)
 *   --only LIST        only these repositories
 *   --engine NAME      the index driver: sqlite (default), lancedb or postgres; that with --url ADDRESS, or else its own server
 *   --repos FILE       the list of repositories (default: repos.json beside the annotations)
 *   --indexes DIR      keep the indexes there for the next run (default: a temporary directory)
 *   --markdown, --json print tables for Markdown, or everything, down to each question
 *   --save FILE        also write that JSON to a file
 *   --plot FILE.svg    draw quality against time
 *   --beside LIST      and add what earlier runs with other models saved
 *   --misses           also print the questions answered worst
 *
 * DIR/checkouts holds one directory per repository, DIR/annotations one NAME.json per repository:
 * [{query, category, relevant: [path | {path,start_line,end_line}], secondary: [...]}]. The list of repositories has
 * {name, language, benchmark_root?, published?}; only `benchmark_root` is indexed. The formats, and the scores of the
 * peers, are those of the semble benchmark (MIT).
 */
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { settings } from "../src/base/config/settings.ts";
import { type EvaluatedMode, modes } from "../src/features/models/evaluate/modes.ts";
import { startEngine } from "./engine.ts";
import { ndcg } from "./measure.ts";
import { loadRepositories } from "./search/data.ts";
import { loadSaved, plot, pointsOf } from "./search/plot.ts";
import { type Report, reportOf } from "./search/report.ts";
import { type MeasuredRepository, measure, type Variant, variants } from "./search/run.ts";
import { asMarkdown, asText, mainRun, tablesOf } from "./search/tables.ts";

const { values: options } = parseArgs({
  options: {
    checkouts: { type: "string" },
    annotations: { type: "string" },
    repos: { type: "string" },
    only: { type: "string" },
    model: { type: "string", default: "static" },
    modes: { type: "string", default: modes.join(",") },
    variants: { type: "string", default: variants.join(",") },
    indexes: { type: "string" },
    engine: { type: "string", default: "sqlite" },
    url: { type: "string" },
    plot: { type: "string" },
    beside: { type: "string" },
    save: { type: "string" },
    json: { type: "boolean", default: false },
    markdown: { type: "boolean", default: false },
    misses: { type: "boolean", default: false },
  },
});

function fail(message: string): never {
  console.error(
    `${message}\nusage: npm run bench:search -- --checkouts DIR --annotations DIR [options, see bench/search.ts]`,
  );
  process.exit(2);
}

/** The names in a comma separated option, in the order in which they are measured. */
function chosen<T extends string>(option: string, from: readonly T[]): T[] {
  const names = option.split(",");
  const unknown = names.find((name) => !from.some((known) => known === name));
  if (unknown !== undefined) fail(`There is no ${unknown}; there are ${from.join(", ")}.`);
  return from.filter((name) => names.includes(name));
}

function print(report: Report): void {
  const tables = tablesOf(report);
  if (options.json) console.log(JSON.stringify(report, null, 2));
  else if (options.markdown) console.log(asMarkdown(tables));
  else console.log(asText(tables));
}

/** What the last mode answered worst. */
function printMisses({ questions }: Report, mode: EvaluatedMode, variant: Variant): void {
  const poor = questions
    .filter((one) => one.mode === mode && one.variant === variant)
    .map((one) => ({ ...one, score: ndcg(one.ranks, one.targets, 10) }))
    .filter(({ score }) => score < 0.5)
    .sort((a, b) => a.score - b.score);
  console.log(
    `\n${poor.length} questions below 0.5 (NDCG@10, repository, ranks of the targets found, query):`,
  );
  for (const { score, repository, ranks, query } of poor) {
    console.log(`${score.toFixed(2)} ${repository} [${ranks}] ${query}`);
  }
}

if (!options.checkouts || !options.annotations) fail("--checkouts and --annotations are needed.");
const checkouts = resolve(options.checkouts);
const annotations = resolve(options.annotations);
const list = options.repos ?? join(dirname(annotations), "repos.json");
const lacking = [checkouts, annotations, list].find((path) => !existsSync(path));
if (lacking !== undefined) fail(`There is no ${lacking}.`);
if (!settings["embed.code"].schema.safeParse(options.model).success)
  fail(`There is no model ${options.model}.`);
const repositories = loadRepositories(annotations, { list, only: options.only?.split(",") });
if (repositories.length === 0) fail("There is no such repository.");
const absent = repositories.filter(({ name }) => !existsSync(join(checkouts, name)));
if (absent.length > 0) fail(`Not in ${checkouts}: ${absent.map(({ name }) => name).join(", ")}.`);
const engine = await startEngine(options.engine, options.url);
const scratch = mkdtempSync(join(tmpdir(), "pommel-bench-"));
try {
  const wanted = chosen(options.modes, modes).filter(
    (mode) => options.model !== "none" || mode === "lexical",
  );
  if (wanted.length === 0) fail("Without a model only the lexical mode can be measured.");
  const measured: MeasuredRepository[] = [];
  for (const repository of repositories) {
    console.error(`${repository.name} …`);
    measured.push(
      await measure(repository, {
        checkouts,
        indexes: resolve(options.indexes ?? scratch),
        model: options.model,
        modes: wanted,
        variants: chosen(options.variants, variants),
        engine: engine.settings,
      }),
    );
  }
  const report = reportOf(options.model, measured);
  print(report);
  const { mode, variant } = mainRun(report);
  if (options.misses && !options.json) printMisses(report, mode, variant);
  if (options.save) writeFileSync(options.save, JSON.stringify(report, null, 2));
  if (options.plot) {
    const queries = report.runs[0]?.all.queries ?? 0;
    const earlier = (options.beside?.split(",") ?? []).map(loadSaved);
    const svg = plot(pointsOf(report, earlier), {
      title: `Finding code: ${queries} questions on ${repositories.length} repositories`,
      caption:
        "Means over the repositories. The others' figures are those published with the semble benchmark, timed on another machine.",
    });
    writeFileSync(options.plot, svg);
  }
} finally {
  await engine.stop();
  rmSync(scratch, { recursive: true, force: true });
}
