import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { type Config, makeDefaultConfig } from "../../src/base/config/settings.ts";
import { silentLog } from "../../src/base/log.ts";
import { makeNewProject, type Project } from "../../src/base/paths.ts";
import { createIgnoreRules } from "../../src/code/files/ignore.ts";
import { CodeSearch } from "../../src/code/search/engine.ts";
import { QueryEmbedder } from "../../src/code/search/vectors/query-embedder.ts";
import { indexDriver } from "../../src/engines/drivers.ts";
import { indexInFull } from "../../src/features/models/evaluate/index-in-full.ts";
import { chooseWeights, type EvaluatedMode } from "../../src/features/models/evaluate/modes.ts";
import { closeEmbedders, createEmbedders } from "../../src/models/embed/embedders.ts";
import type { Engine } from "../engine.ts";
import { type MeasuredAnswer, rankOf, type Target } from "../measure.ts";
import type { Question, Repository } from "./data.ts";

export const variants = ["normal", "stress"] as const;
/** "stress": the query without the words of its targets' paths, so that the file name does not help. */
export type Variant = (typeof variants)[number];

export interface Outcome extends MeasuredAnswer {
  repository: string;
  language: string;
  half: Repository["half"];
  category: string;
  mode: EvaluatedMode;
  variant: Variant;
  query: string;
}

export interface MeasuredRepository {
  repository: Repository;
  files: number;
  chunks: number;
  /** The whole index, the vectors of every model included; null when an earlier run had made it. Milliseconds. */
  indexMs: number | null;
  outcomes: Outcome[];
}

interface RunOptions {
  /** Holds a directory for each repository. */
  checkouts: string;
  /** Where the indexes are made. */
  indexes: string;
  /** As in `embed.code`. */
  model: string;
  modes: readonly EvaluatedMode[];
  variants: readonly Variant[];
  /** Default: sqlite. */
  engine?: Engine["settings"];
}

/** Untimed searches at the start: they load vectors, statements and pages of the index. */
const warmUp = 5;

/** Indexes a repository once and asks all its questions in every mode and variant. */
export async function measure(repository: Repository, options: RunOptions): Promise<MeasuredRepository> {
  const config = { ...configFor(repository, options.model), ...options.engine };
  const project = projectFor(repository, options);
  const embedders = createEmbedders(config, "code");
  const { index } = await (await indexDriver(config)).openToWrite(project.indexDb, silentLog);
  try {
    const isNew = (await index.readIndexCounts()).chunks === 0;
    const rules = createIgnoreRules(project.root, config);
    const times = await indexInFull({ project, config, rules, index, embedders, log: silentLog });
    // A benchmark waits for every model, so that it measures the same each time.
    const embedder = new QueryEmbedder({ ...embedders, deadlineMs: Number.POSITIVE_INFINITY });
    const outcomes: Outcome[] = [];
    for (const mode of options.modes) {
      const used = mode === "lexical" ? null : embedder;
      const search = new CodeSearch({ project, index, embedder: used, weights: chooseWeights(mode) });
      for (const { query } of repository.questions.slice(0, warmUp)) await find(search, query);
      for (const variant of options.variants) {
        outcomes.push(...(await askAll(search, repository, { mode, variant })));
      }
    }
    const { files, chunks } = await index.readIndexCounts();
    return {
      repository,
      files,
      chunks,
      indexMs: isNew ? times.indexing + (times.embedding ?? 0) : null,
      outcomes,
    };
  } finally {
    await index.close();
    await closeEmbedders(embedders);
  }
}

function configFor({ benchmarkRoot }: Repository, model: string): Config {
  const config = makeDefaultConfig();
  // The names that configuration takes were checked with the command line.
  config["embed.code"] = model;
  if (benchmarkRoot !== "") config["index.include"] = [`${benchmarkRoot}/**`];
  return config;
}

/** A project with its index elsewhere, so that the checkout stays untouched. */
function projectFor(
  { name }: Repository,
  { checkouts, indexes, model }: Pick<RunOptions, "checkouts" | "indexes" | "model">,
): Project {
  const indexDir = join(indexes, model.replaceAll("/", "-"), name);
  mkdirSync(indexDir, { recursive: true });
  return { ...makeNewProject(join(checkouts, name)), indexDb: join(indexDir, "index.db") };
}

async function askAll(
  search: CodeSearch,
  { name, language, half, questions }: Repository,
  { mode, variant }: { mode: EvaluatedMode; variant: Variant },
): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const question of questions) {
    const query = variant === "stress" ? withoutPathWords(question) : question.query;
    const start = performance.now();
    const results = await find(search, query);
    const milliseconds = performance.now() - start;
    outcomes.push({
      repository: name,
      language,
      half,
      category: question.category,
      mode,
      variant,
      query,
      milliseconds,
      ranks: question.targets.map((target) => rankOf(target, results)).filter((rank) => rank > 0),
      targets: question.targets.length,
    });
  }
  return outcomes;
}

async function find(search: CodeSearch, query: string) {
  const answer = await search.search({
    query,
    limit: 10,
    levels: [],
    paths: [],
    languages: [],
    explain: false,
  });
  return answer.results;
}

function withoutPathWords({
  query,
  targets,
}: Pick<Question, "query"> & { targets: readonly Target[] }): string {
  const words = new Set(
    targets.flatMap(({ path }) => path.toLowerCase().split(/[^a-z0-9]+/)).filter(Boolean),
  );
  const kept = query.split(/\s+/).filter((word) => !words.has(word.toLowerCase().replace(/[^a-z0-9]/g, "")));
  return kept.length > 0 ? kept.join(" ") : query;
}
