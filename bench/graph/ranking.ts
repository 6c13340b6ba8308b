/**
 * Whether edges of the graph would make search better: the first hundred results of each annotated question are ordered again with a
 * signal of the graph added to their scores.
 *
 *   npx tsx bench/graph/ranking.ts --checkouts DIR --annotations DIR --indexes DIR
 *
 *   --repos FILE    the list of repositories (default: repos.json beside the annotations)
 *   --indexes DIR   indexes of `npm run bench:search -- --indexes DIR`, or empty: they are made there
 *   --confirm       also show the confirming half, each signal with the weight that was best on the choosing half
 *   --markdown      print tables for Markdown
 *
 * NDCG@10, and what it differs from that of today: the mean over the questions and its interval of 95 % (paired bootstrap,
 * 10,000 draws by a fixed seed). *changed* counts questions whose figure changed. Only resolved edges count. Languages without a
 * graph are there too: nothing changes for them.
 */
import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { seeded } from "../../models/train/random.ts";
import { createIgnoreRules } from "../../src/code/files/ignore.ts";
import { indexInFull } from "../../src/evaluate/index-in-full.ts";
import { closeEmbedders, createEmbedders } from "../../src/models/embed/embedders.ts";
import { silentLog } from "../../src/project/log.ts";
import { CodeSearch } from "../../src/search/code/engine.ts";
import { roleOf } from "../../src/search/code/path-role.ts";
import type { CodeResult } from "../../src/search/code/types.ts";
import { weights } from "../../src/search/code/weights.ts";
import { CodeGraph } from "../../src/search/graph/graph.ts";
import { QueryEmbedder } from "../../src/search/vectors/query-embedder.ts";
import { indexDriver } from "../../src/store/index/drivers.ts";
import { average, ndcg, rankOf } from "../measure.ts";
import { loadRepositories, type Repository } from "../search/data.ts";
import { configFor, projectFor, type Variant, variants, withoutPathWords } from "../search/run.ts";
import { printTable } from "../table.ts";

const { values: options } = parseArgs({
  options: {
    checkouts: { type: "string" },
    annotations: { type: "string" },
    indexes: { type: "string" },
    repos: { type: "string" },
    confirm: { type: "boolean", default: false },
    markdown: { type: "boolean", default: false },
  },
});
if (!options.checkouts || !options.annotations || !options.indexes) {
  console.error("usage: npx tsx bench/graph/ranking.ts --checkouts DIR --annotations DIR --indexes DIR");
  process.exit(2);
}

/** Results that are ordered again. */
const considered = 100;
/** The best of them, from which scores spread along edges. */
const spreading = 10;
/** A function of at most so many lines that calls a single one wraps it. */
const wrapperLines = 5;

/** What the graph says of a definition, or of a file. */
interface Place {
  /** Other definitions that mention it, by key; those of tests apart. */
  callers: Set<string>;
  testCallers: Set<string>;
  callees: Set<string>;
}

interface Known {
  places: ReadonlyMap<string, Place>;
  /** Files that refer to a file; a share of the most. */
  importers: ReadonlyMap<string, number>;
  /** PageRank (Page et al. 1999), as a share of the highest. */
  centrality: ReadonlyMap<string, number>;
}

/** A result with what ranking adds up, and its place in the graph. */
interface Candidate {
  result: CodeResult;
  /** Before chunks of one file are thinned out. */
  score: number;
  penalty: number;
  mentions: number;
  key: string | null;
  place: Place | undefined;
}

/** What a signal adds to a score (before its weight), or multiplies it with. */
type Signal = (one: Candidate, among: readonly Candidate[], known: Known) => number;

const keyOf = (file: string, at: number) => `${file}\n${at}`;
const fileOf = (key: string) => key.slice(0, key.indexOf("\n"));
const logShare = (count: number, most: number) => Math.min(1, Math.log1p(count) / Math.log1p(most));

/** The share of the best score that those of the best have which fulfil a condition; at most 1. */
function spread(one: Candidate, among: readonly Candidate[], isTied: (other: Candidate) => boolean): number {
  const best = among[0]?.score || 1;
  let sum = 0;
  for (const other of among.slice(0, spreading))
    if (other !== one && isTied(other)) sum += other.score / best;
  return Math.min(1, sum / 2);
}

const additive: Record<string, Signal> = {
  "callers (definitions)": ({ place }) => logShare(place?.callers.size ?? 0, 50),
  "callers, instead of mentions": ({ place, mentions }) =>
    logShare(place?.callers.size ?? 0, 50) - mentions / weights.mentions,
  "callers in other files": ({ place, key }) =>
    key === null
      ? 0
      : logShare(new Set([...place!.callers].map(fileOf).filter((file) => file !== fileOf(key))).size, 20),
  "callers, of what has the name that is asked for": ({ result, place }) =>
    result.signals!.definition! > 0 ? logShare(place?.callers.size ?? 0, 50) : 0,
  "called by tests": ({ place }) => logShare(place?.testCallers.size ?? 0, 20),
  "files that refer to the file": ({ result }, _, { importers }) => importers.get(result.file) ?? 0,
  "PageRank of the file": ({ result }, _, { centrality }) => centrality.get(result.file) ?? 0,
  "called by the best": (one, among) =>
    spread(one, among, ({ key }) => key !== null && (one.place?.callers.has(key) ?? false)),
  "calls the best": (one, among) =>
    spread(one, among, ({ key }) => key !== null && (one.place?.callees.has(key) ?? false)),
  "its file is referred to by files of the best": (one, among) =>
    spread(one, among, ({ result, place }) => refersTo(result.file, place, one.result.file)),
  "its file refers to files of the best": (one, among) =>
    spread(one, among, ({ result }) => refersTo(one.result.file, one.place, result.file)),
};

const factors: Record<string, Signal> = {
  wrappers: ({ result, place }) =>
    result.level === "method" &&
    place?.callees.size === 1 &&
    result.end_line - result.start_line < wrapperLines
      ? 1
      : 0,
  "never called, not even by a test": ({ result, place }) =>
    result.level === "method" && place !== undefined && place.callers.size + place.testCallers.size === 0
      ? 1
      : 0,
};

function refersTo(from: string, place: Place | undefined, to: string): boolean {
  return from !== to && [...(place?.callees ?? [])].some((key) => fileOf(key) === to);
}

const weightsTried = [0.05, 0.1, 0.2, 0.4, 0.8];
const factorsTried = [0.95, 0.9, 0.8, 0.6];

/** All resolved edges of an index; what a definition holds mentions things for it, too. */
async function knownOf(graph: CodeGraph, paths: readonly string[]): Promise<Known> {
  const places = new Map<string, Place>();
  const placeOf = (key: string) => {
    const place = places.get(key) ?? { callers: new Set(), testCallers: new Set(), callees: new Set() };
    places.set(key, place);
    return place;
  };
  const fileEdges = new Map<string, Set<string>>();
  for (const file of paths) {
    const isTest = roleOf(file) === "test";
    for (const { at: from } of [{ at: -1 }, ...(await graph.definitionsOf(file))]) {
      const key = keyOf(file, from);
      placeOf(key);
      const { edges } = await graph.callees({ file, at: from, field: null });
      for (const { target, confidence } of edges) {
        if (confidence !== "resolved") continue;
        const other = keyOf(target.file, target.at);
        const callee = placeOf(other);
        placeOf(key).callees.add(other);
        (isTest ? callee.testCallers : callee.callers).add(key);
        if (target.file === file || isTest) continue;
        if (!fileEdges.has(file)) fileEdges.set(file, new Set());
        fileEdges.get(file)!.add(target.file);
      }
    }
  }
  const counts = new Map<string, number>();
  for (const targets of fileEdges.values())
    for (const to of targets) counts.set(to, (counts.get(to) ?? 0) + 1);
  const most = Math.max(1, ...counts.values());
  const importers = new Map([...counts].map(([file, count]) => [file, logShare(count, most)]));
  return { places, importers, centrality: centralityOf(paths, fileEdges) };
}

function centralityOf(
  files: readonly string[],
  edges: ReadonlyMap<string, ReadonlySet<string>>,
): Map<string, number> {
  let ranks = new Map(files.map((file) => [file, 1]));
  for (let round = 0; round < 30; round++) {
    const next = new Map(files.map((file) => [file, 0.15]));
    for (const [from, targets] of edges) {
      const share = (0.85 * (ranks.get(from) ?? 0)) / targets.size;
      for (const to of targets) next.set(to, (next.get(to) ?? 0.15) + share);
    }
    ranks = next;
  }
  const most = Math.max(1, ...ranks.values());
  return new Map([...ranks].map(([file, value]) => [file, logShare(value, most)]));
}

interface Asked {
  half: Repository["half"];
  variant: Variant;
  targets: Repository["questions"][number]["targets"];
  candidates: Candidate[];
  known: Known;
}

async function ask(repository: Repository): Promise<Asked[]> {
  const config = configFor(repository, "static");
  const [checkouts, indexes] = [resolve(options.checkouts!), resolve(options.indexes!)];
  const project = projectFor(repository, { checkouts, indexes, model: "static" });
  const embedders = createEmbedders(config, "code");
  const { index } = await (await indexDriver(config)).openToWrite(project.indexDb, silentLog);
  try {
    const rules = createIgnoreRules(project.root, config);
    await indexInFull({ project, config, rules, index, embedders, log: silentLog });
    const graph = await CodeGraph.of(index, project.root);
    const paths = (await index.files()).map(({ path }) => path);
    const before = process.cpuUsage();
    const known = await knownOf(graph, paths);
    const { user, system } = process.cpuUsage(before);
    const definitions = [...known.places.keys()].filter((key) => !key.endsWith("\n-1")).length;
    console.error(
      `${definitions} definitions, all of their edges in ${Math.round((user + system) / 1000)} ms of CPU`,
    );
    const embedder = new QueryEmbedder({ ...embedders, deadlineMs: Number.POSITIVE_INFINITY });
    const search = new CodeSearch({ project, index, embedder });
    const asked: Asked[] = [];
    for (const question of repository.questions) {
      for (const variant of variants) {
        const query = variant === "stress" ? withoutPathWords(question) : question.query;
        const request = { query, limit: considered, levels: [], paths: [], languages: [], explain: true };
        const { results } = await search.search({ ...request, by: "chunk" });
        const candidates = await Promise.all(results.map((result) => candidateOf(result, graph, known)));
        asked.push({ half: repository.half, variant, targets: question.targets, candidates, known });
      }
    }
    return asked;
  } finally {
    await index.close();
    await closeEmbedders(embedders);
  }
}

async function candidateOf(result: CodeResult, graph: CodeGraph, { places }: Known): Promise<Candidate> {
  const { penalty = 1, near = 1, saturation: _, ...parts } = result.signals!;
  const sum = Object.values(parts).reduce((a, b) => a + b, 0);
  const { file, name, start_line: first, end_line: last } = result;
  const key = (await graph.covers(file))
    ? keyOf(file, result.level === "file" ? -1 : (await graph.definitionAt({ file, name, first, last })).at)
    : null;
  return {
    ...{ result, penalty, key },
    score: sum * penalty * near,
    mentions: parts.mentions ?? 0,
    place: key === null ? undefined : places.get(key),
  };
}

/** The order by new scores, chunks of one file thinned out as ranking does it. */
function ordered({ candidates }: Asked, scoreOf: (one: Candidate) => number): CodeResult[] {
  const scored = candidates.map((one) => ({ result: one.result, score: scoreOf(one) }));
  const seen = new Map<string, number>();
  for (const one of scored.sort((a, b) => b.score - a.score)) {
    const before = seen.get(one.result.file) ?? 0;
    seen.set(one.result.file, before + 1);
    one.score *= weights.saturation ** before;
  }
  return scored.sort((a, b) => b.score - a.score).map(({ result }) => result);
}

function quality(asked: Asked, scoreOf: (one: Candidate) => number): number {
  const results = ordered(asked, scoreOf).slice(0, 10);
  const ranks = asked.targets.map((target) => rankOf(target, results)).filter((rank) => rank > 0);
  return ndcg(ranks, asked.targets.length, 10);
}

/** The interval that holds 95 % of the means of as many differences, drawn from these. */
function intervalOf(differences: readonly number[]): [number, number] {
  const next = seeded(7);
  const means = Array.from({ length: 10_000 }, () => {
    let sum = 0;
    for (let i = 0; i < differences.length; i++) sum += differences[Math.floor(next() * differences.length)]!;
    return sum / differences.length;
  }).sort((a, b) => a - b);
  return [means[249]!, means[9749]!];
}

const list = options.repos ?? join(dirname(resolve(options.annotations)), "repos.json");
if (!existsSync(list)) throw new Error(`There is no ${list}.`);
const asked: Asked[] = [];
for (const repository of loadRepositories(resolve(options.annotations), { list, only: undefined })) {
  console.error(`${repository.name} …`);
  asked.push(...(await ask(repository)));
}

const today = new Map(asked.map((one) => [one, quality(one, ({ score }) => score)]));

interface Tried {
  signal: string;
  weight: number;
  of: (one: Asked) => number;
}

const tried: Tried[][] = [
  ...Object.entries(additive).map(([signal, value]) =>
    weightsTried.map((weight) => ({
      signal,
      weight,
      of: (question: Asked) =>
        quality(
          question,
          (one) => one.score + weight * one.penalty * value(one, question.candidates, question.known),
        ),
    })),
  ),
  ...Object.entries(factors).map(([signal, holds]) =>
    factorsTried.map((weight) => ({
      signal: `${signal}, a factor`,
      weight,
      of: (question: Asked) =>
        quality(
          question,
          (one) => one.score * (holds(one, question.candidates, question.known) > 0 ? weight : 1),
        ),
    })),
  ),
];

/** NDCG@10, how it differs from today's, and of how many questions. */
function measured({ of }: Tried, half: Repository["half"], variant: Variant) {
  const questions = asked.filter((one) => one.half === half && one.variant === variant);
  const values = questions.map(of);
  const differences = questions.map((one, i) => values[i]! - today.get(one)!);
  const [low, high] = intervalOf(differences);
  return {
    all: average(values),
    mean: average(differences),
    low,
    high,
    changed: differences.filter(Boolean).length,
  };
}

const signed = (value: number) => `${value < 0 ? "−" : "+"}${Math.abs(value).toFixed(4)}`;
function cells(one: Tried, half: Repository["half"]): string[] {
  const { all, mean, low, high, changed } = measured(one, half, "normal");
  const stress = measured(one, half, "stress");
  return [
    all.toFixed(3),
    `${signed(mean)} (${signed(low)} to ${signed(high)})`,
    `${changed}`,
    signed(stress.mean),
  ];
}

const head = ["NDCG@10", "differs by", "changed", "stress differs by"];
const best: Tried[] = [];
const rows: string[][] = [];
for (const variantsOfOne of tried) {
  const means = variantsOfOne.map((one) => measured(one, "choose", "normal").mean);
  best.push(variantsOfOne[means.indexOf(Math.max(...means))]!);
  for (const one of variantsOfOne) rows.push([one.signal, `${one.weight}`, ...cells(one, "choose")]);
}
for (const half of ["choose", "confirm"] as const)
  for (const variant of variants) {
    const of = asked.filter((one) => one.half === half && one.variant === variant);
    if (half === "choose" || options.confirm)
      console.log(half, variant, of.length, average(of.map((one) => today.get(one)!)).toFixed(4));
  }
printTable(["signal", "weight", ...head], rows, options);
if (options.confirm) {
  console.log("\nThe confirming half, with the best weight of the choosing half:");
  printTable(
    ["signal", "weight", ...head],
    best.map((one) => [one.signal, `${one.weight}`, ...cells(one, "confirm")]),
    options,
  );
}
