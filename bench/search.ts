/**
 * Code-search quality: NDCG@10 and recall over annotated queries, per repository, language and category.
 *
 *   npm run bench:search -- --checkouts DIR --annotations DIR [--repos FILE] [--json]
 *
 * DIR/checkouts holds one directory per repository, DIR/annotations one NAME.json per repository:
 * [{query, category, relevant: [path | {path,start_line,end_line}], secondary: [...]}]. FILE is a list of
 * {name, language, benchmark_root?, published?}; only `benchmark_root` is indexed. Format and scores of the
 * peers are those of the semble benchmark (MIT).
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import * as z from "zod/mini";
import { createCodeEmbedders } from "../src/code/code-embedders.ts";
import { createIgnoreRules } from "../src/code/ignore.ts";
import { Indexer } from "../src/code/indexer.ts";
import { silentLog } from "../src/project/log.ts";
import { type Project, projectAt } from "../src/project/paths.ts";
import { defaultConfig } from "../src/project/settings.ts";
import { CodeSearch } from "../src/search/engine.ts";
import { VectorSearch } from "../src/search/vector-search.ts";
import { CodeIndex } from "../src/store/code-index.ts";
import { average, half, ndcg, percentile, rankOf, type Target } from "./measure.ts";

const target = z.union([
  z.string(),
  z.object({ path: z.string(), start_line: z.optional(z.number()), end_line: z.optional(z.number()) }),
]);
const annotations = z.array(
  z.object({
    query: z.string(),
    category: z.optional(z.string()),
    relevant: z.array(target),
    secondary: z.optional(z.array(target)),
  }),
);
const repositories = z.array(
  z.object({
    name: z.string(),
    language: z.optional(z.string()),
    benchmark_root: z.optional(z.string()),
    published: z.optional(z.record(z.string(), z.object({ ndcg10: z.number() }))),
  }),
);
type Repository = z.infer<typeof repositories>[number];

interface Outcome {
  repository: string;
  language: string;
  category: string;
  query: string;
  ranks: number[];
  ndcg: number;
  milliseconds: number;
}

const { values: options } = parseArgs({
  options: {
    checkouts: { type: "string" },
    annotations: { type: "string" },
    repos: { type: "string" },
    only: { type: "string" },
    json: { type: "boolean", default: false },
    misses: { type: "boolean", default: false },
    stress: { type: "boolean", default: false },
  },
});
if (!options.checkouts || !options.annotations) {
  console.error("usage: npm run bench:search -- --checkouts DIR --annotations DIR [--repos FILE] [--json]");
  process.exit(2);
}
const checkouts = resolve(options.checkouts);
const annotationsDir = resolve(options.annotations);
const reposFile = options.repos ?? join(dirname(annotationsDir), "repos.json");

/** A project whose index lies in a scratch directory, so that the checkout stays untouched. */
function scratchProject(root: string, scratch: string): Project {
  mkdirSync(scratch, { recursive: true });
  return { ...projectAt(root), stateDir: scratch, indexDb: join(scratch, "index.db") };
}

/** The query without the words of its targets' paths: what is found when the name gives nothing away. */
function withoutPathWords(query: string, targets: readonly Target[]): string {
  const words = new Set(
    targets.flatMap(({ path }) => path.toLowerCase().split(/[^a-z0-9]+/)).filter(Boolean),
  );
  const kept = query.split(/\s+/).filter((word) => !words.has(word.toLowerCase().replace(/[^a-z0-9]/g, "")));
  return kept.length > 0 ? kept.join(" ") : query;
}

async function measure(repository: Repository, scratch: string) {
  const root = join(checkouts, repository.name);
  const project = scratchProject(root, join(scratch, repository.name));
  const config = defaultConfig();
  if (repository.benchmark_root) config["index.include"] = [`${repository.benchmark_root}/**`];
  const index = CodeIndex.open(project.indexDb, { readonly: false });
  const rules = createIgnoreRules(root, config);
  const { first } = createCodeEmbedders(config);
  const indexer = new Indexer({ project, config, rules, index, embedder: first, log: silentLog });
  const start = performance.now();
  await indexer.reconcile();
  const indexMs = performance.now() - start;
  await indexer.close();
  const vectors = new VectorSearch({ index, first });
  const search = new CodeSearch({ project, index, vectors });
  const questions = annotations.parse(
    JSON.parse(readFileSync(join(annotationsDir, `${repository.name}.json`), "utf8")),
  );
  const outcomes: Outcome[] = [];
  for (const question of questions) {
    const targets = [...question.relevant, ...(question.secondary ?? [])].map(
      (t): Target => (typeof t === "string" ? { path: t } : t),
    );
    const query = options.stress ? withoutPathWords(question.query, targets) : question.query;
    const begin = performance.now();
    const { results } = await search.search({
      query,
      limit: 10,
      levels: [],
      paths: [],
      languages: [],
      explain: false,
    });
    const milliseconds = performance.now() - begin;
    const ranks = targets.map((t) => rankOf(t, results)).filter((rank) => rank > 0);
    outcomes.push({
      repository: repository.name,
      language: repository.language ?? "",
      category: question.category ?? "",
      query: question.query,
      ranks,
      ndcg: ndcg(ranks, targets.length, 10),
      milliseconds,
    });
  }
  const { files, chunks } = index.counts();
  index.close();
  return { repository, outcomes, files, chunks, indexMs };
}

/** NDCG@10, R@1/5/10 of a group of outcomes; recall counts a query when any of its targets is that high. */
function summary(outcomes: readonly Outcome[]) {
  const recall = (k: number) =>
    average(outcomes.map(({ ranks }) => (ranks.some((rank) => rank <= k) ? 1 : 0)));
  return {
    queries: outcomes.length,
    ndcg10: average(outcomes.map((o) => o.ndcg)),
    r1: recall(1),
    r5: recall(5),
    r10: recall(10),
    p50_ms: percentile(
      outcomes.map((o) => o.milliseconds),
      50,
    ),
    p95_ms: percentile(
      outcomes.map((o) => o.milliseconds),
      95,
    ),
  };
}

function line(name: string, outcomes: readonly Outcome[], rest = ""): string {
  const s = summary(outcomes);
  const figures = [s.ndcg10, s.r1, s.r5, s.r10].map((value) => value.toFixed(3).padStart(7)).join("");
  return `${name.padEnd(22)}${String(s.queries).padStart(5)}${figures}${s.p50_ms.toFixed(1).padStart(7)}${s.p95_ms.toFixed(1).padStart(7)}${rest}`;
}

const scratch = mkdtempSync(join(tmpdir(), "pommel-bench-"));
try {
  const wanted = options.only?.split(",");
  const list = repositories
    .parse(JSON.parse(readFileSync(reposFile, "utf8")))
    .filter(({ name }) => !wanted || wanted.includes(name));
  const measured = [];
  for (const repository of list) measured.push(await measure(repository, scratch));
  const all = measured.flatMap((m) => m.outcomes);
  const halves = half(list.map(({ name }) => name));
  const inHalf = (which: "choose" | "confirm") => all.filter((o) => halves[which].has(o.repository));
  if (options.json) {
    const per = measured.map((m) => ({
      name: m.repository.name,
      files: m.files,
      chunks: m.chunks,
      index_ms: Math.round(m.indexMs),
      ...summary(m.outcomes),
      published: m.repository.published,
    }));
    console.log(
      JSON.stringify(
        {
          all: summary(all),
          choose: summary(inHalf("choose")),
          confirm: summary(inHalf("confirm")),
          repositories: per,
        },
        null,
        2,
      ),
    );
  } else {
    console.log(
      "                          n  NDCG10    R@1    R@5   R@10    p50    p95  files chunks index_ms  semble",
    );
    for (const m of measured) {
      const semble = m.repository.published?.semble?.ndcg10.toFixed(3) ?? "";
      const rest = `${String(m.files).padStart(7)}${String(m.chunks).padStart(7)}${m.indexMs.toFixed(0).padStart(9)}${semble.padStart(8)}`;
      console.log(line(m.repository.name, m.outcomes, rest));
    }
    for (const key of ["language", "category"] as const) {
      console.log();
      for (const value of [...new Set(all.map((o) => o[key]))].sort()) {
        console.log(
          line(
            value,
            all.filter((o) => o[key] === value),
          ),
        );
      }
    }
    console.log();
    console.log(line("choosing half", inHalf("choose")));
    console.log(line("confirming half", inHalf("confirm")));
    console.log(line("all", all));
    if (options.misses) {
      for (const o of all.filter(({ ndcg: score }) => score < 0.5)) {
        console.log(`${o.ndcg.toFixed(2)} ${o.repository} [${o.ranks}] ${o.query}`);
      }
    }
  }
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
