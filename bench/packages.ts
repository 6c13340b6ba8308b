/**
 * What `near` does in repositories of several packages: how often a name that several packages define leads to the one in
 * the package where one works, and what that costs a question whose answer lies in another package.
 *
 *   npm run bench:packages -- --checkouts DIR
 *
 *   --only LIST         only these directories of DIR (default: all)
 *   --factors LIST      values of the weights `near` to compare, for names and words alike (default: those in use)
 *   --annotations DIR   a NAME.json of annotated questions for some of them, as in bench:search
 *   --repos FILE        the list of annotated repositories (default: repos.json beside the annotations)
 *   --indexes DIR       keep the indexes there for the next run (default: a temporary directory)
 *   --count N           at most so many questions of a kind and repository (default: 100)
 *   --markdown          print tables for Markdown
 *
 * Questions are drawn by a fixed seed. `twin`: a name that is defined in several packages, asked in one of them; a hit is a
 * definition of it in that package on top. `alone`: a name that one package defines, asked in another. `question`:
 * annotated questions, asked in the package of the first answer (here) and in another one (elsewhere); a hit is an answer
 * on top. `lost`: hits without `near` that are none with it; `won`: the reverse. Half of the repositories choose the weight, the
 * other half confirm it.
 */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { parseArgs } from "node:util";
import { makeDefaultConfig } from "../src/base/config/settings.ts";
import { silentLog } from "../src/base/log.ts";
import { makeNewProject } from "../src/base/paths.ts";
import { createIgnoreRules } from "../src/code/files/ignore.ts";
import { classifyPath } from "../src/code/files/path-role.ts";
import { findPackagesOfIndex, type PackageMap } from "../src/code/packages/packages.ts";
import { CodeSearch } from "../src/code/search/engine.ts";
import { QueryEmbedder } from "../src/code/search/vectors/query-embedder.ts";
import { weights } from "../src/code/search/weights.ts";
import { indexDriver } from "../src/engines/drivers.ts";
import { indexInFull } from "../src/features/models/evaluate/index-in-full.ts";
import { shuffleBySeed } from "../src/features/models/evaluate/pairs.ts";
import { closeEmbedders, createEmbedders } from "../src/models/embed/embedders.ts";
import type { CodeResult } from "../src/protocol/results.ts";
import type { CodeIndex, StoredChunk } from "../src/store/index/port.ts";
import { half, printTable, rankOf } from "./measure.ts";
import { type Question as Annotated, loadRepositories } from "./search/data.ts";

const { values: options } = parseArgs({
  options: {
    checkouts: { type: "string" },
    only: { type: "string" },
    factors: { type: "string", default: "" },
    annotations: { type: "string" },
    repos: { type: "string" },
    indexes: { type: "string" },
    count: { type: "string", default: "100" },
    markdown: { type: "boolean", default: false },
  },
});
if (options.checkouts === undefined) {
  console.error("usage: npm run bench:packages -- --checkouts DIR [options, see bench/packages.ts]");
  process.exit(2);
}
const { checkouts } = options;
const factors: (typeof weights.near)[] =
  options.factors === ""
    ? [weights.near]
    : options.factors.split(",").map((factor) => ({ name: Number(factor), words: Number(factor) }));
const count = Number(options.count);
const indexes = options.indexes ?? mkdtempSync(join(tmpdir(), "pommel-packages-"));

interface Question {
  kind: "twin" | "alone" | "question here" | "question elsewhere";
  query: string;
  /** Directory of the package where it is asked. */
  near: string;
  isHit: (top: CodeResult) => boolean;
}

interface Outcome {
  kind: Question["kind"];
  half: string;
  before: boolean;
  /** By factor. */
  after: boolean[];
}

/** Names that mean nothing by themselves are nobody's question. */
const isAsked = (name: string) => name.length >= 5 && /\p{L}/u.test(name);

async function questionsOf(index: CodeIndex, packages: PackageMap, annotated: readonly Annotated[]) {
  const files = (await index.files()).filter(({ path }) => classifyPath(path) === "source");
  const definitions = new Map<string, StoredChunk[]>();
  for (const chunk of await index.readChunksOfFiles(files.map(({ id }) => id))) {
    const isNamed = (chunk.level === "class" || chunk.level === "method") && isAsked(chunk.name);
    if (isNamed) definitions.set(chunk.name, [...(definitions.get(chunk.name) ?? []), chunk]);
  }
  const dirOf = (path: string) => packages.findAround(path)?.dir ?? "";
  const dirs = [...new Set(packages.packages.map(({ dir }) => dir))].filter((dir) =>
    files.some(({ path }) => dir !== "" && dirOf(path) === dir),
  );
  // Sorted, so that the same are drawn in whichever order files were indexed.
  const inOrder = [...definitions.entries()].sort(([a], [b]) => (a < b ? -1 : 1));
  const another = (than: string, seed: string) => shuffleBySeed(dirs, seed).find((dir) => dir !== than);
  const twins: Question[] = [];
  const alone: Question[] = [];
  for (const [name, chunks] of inOrder) {
    const inPackages = [...new Set(chunks.map(({ path }) => dirOf(path)))].sort();
    const isDefinitionIn = (dir: string) => (top: CodeResult) => top.name === name && dirOf(top.file) === dir;
    if (inPackages.length > 1) {
      const near = shuffleBySeed(
        inPackages.filter((dir) => dir !== ""),
        name,
      )[0];
      if (near !== undefined) twins.push({ kind: "twin", query: name, near, isHit: isDefinitionIn(near) });
    } else {
      const near = another(inPackages[0]!, name);
      if (near !== undefined)
        alone.push({ kind: "alone", query: name, near, isHit: isDefinitionIn(inPackages[0]!) });
    }
  }
  const paths = (await index.files()).map(({ path }) => path);
  const asked = annotated.flatMap(({ query, targets }): Question[] => {
    const [first] = targets;
    const path = paths.find((one) => first && (one === first.path || one.endsWith(`/${first.path}`)));
    const here = path === undefined ? "" : dirOf(path);
    const elsewhere = another(here, query);
    if (here === "" || elsewhere === undefined) return [];
    const isHit = (top: CodeResult) => targets.some((target) => rankOf(target, [top]) === 1);
    return [
      { kind: "question here", query, near: here, isHit },
      { kind: "question elsewhere", query, near: elsewhere, isHit },
    ];
  });
  return [
    ...shuffleBySeed(twins, "twins").slice(0, count),
    ...shuffleBySeed(alone, "alone").slice(0, count),
    ...asked,
  ];
}

async function measure(name: string, side: string, annotated: readonly Annotated[]): Promise<Outcome[]> {
  const config = makeDefaultConfig();
  const indexDir = join(indexes, name);
  mkdirSync(indexDir, { recursive: true });
  const project = { ...makeNewProject(join(checkouts, name)), indexDb: join(indexDir, "index.db") };
  const embedders = createEmbedders(config, "code");
  const { index } = await (await indexDriver(config)).openToWrite(project.indexDb, silentLog);
  try {
    const rules = createIgnoreRules(project.root, config);
    await indexInFull({ project, config, rules, index, embedders, log: silentLog });
    const packages = await findPackagesOfIndex(index, project.root);
    const questions = await questionsOf(index, packages, annotated);
    console.error(`${name}: ${packages.packages.length} packages, ${questions.length} questions`);
    const embedder = new QueryEmbedder({ ...embedders, deadlineMs: Number.POSITIVE_INFINITY });
    const ask = async (near: typeof weights.near, { query, near: dir, isHit }: Question, isNear: boolean) => {
      const search = new CodeSearch({ project, index, embedder, weights: { ...weights, near } });
      const common = { query, limit: 1, levels: [], paths: [], languages: [], explain: false };
      const { results } = await search.search({ ...common, ...(isNear && { near: dir }) });
      const [top] = results;
      return top !== undefined && isHit(top);
    };
    const outcomes: Outcome[] = [];
    for (const question of questions) {
      const after: boolean[] = [];
      for (const factor of factors) after.push(await ask(factor, question, true));
      outcomes.push({
        kind: question.kind,
        half: side,
        before: await ask(weights.near, question, false),
        after,
      });
    }
    return outcomes;
  } finally {
    await index.close();
    await closeEmbedders(embedders);
  }
}

const names = readdirSync(checkouts)
  .filter((name) => options.only === undefined || options.only.split(",").includes(name))
  .sort();
const annotations = options.annotations;
const annotated = new Map(
  annotations === undefined
    ? []
    : loadRepositories(annotations, {
        list: options.repos ?? join(dirname(annotations), "repos.json"),
        only: names.filter((name) => existsSync(join(annotations, `${name}.json`))),
      }).map(({ name, questions }) => [name, questions]),
);
const { choose } = half(names);
const outcomes: Outcome[] = [];
for (const name of names) {
  outcomes.push(...(await measure(name, choose.has(name) ? "choose" : "confirm", annotated.get(name) ?? [])));
}
if (options.indexes === undefined) rmSync(indexes, { recursive: true });

const share = (part: number, of: number) => `${((100 * part) / Math.max(of, 1)).toFixed(1)} %`;
const rows = ["choose", "confirm"].flatMap((side) =>
  (["twin", "alone", "question here", "question elsewhere"] as const).flatMap((kind) => {
    const these = outcomes.filter((one) => one.half === side && one.kind === kind);
    const hits = these.filter(({ before }) => before).length;
    return factors.map((factor, i) => {
      const after = these.filter((one) => one.after[i]).length;
      const lost = these.filter((one) => one.before && !one.after[i]).length;
      return [
        side,
        kind,
        Object.values(factor).join(" / "),
        String(these.length),
        share(hits, these.length),
        share(after, these.length),
        String(after - hits + lost),
        String(lost),
      ];
    });
  }),
);
printTable(["half", "kind", "near", "asked", "on top without", "on top with", "won", "lost"], rows, options);
