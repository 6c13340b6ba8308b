import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { syntaxes } from "../../bench/errors/literals.ts";
import { sampleErrors } from "../../bench/errors/sample.ts";
import { type MiningOptions, mine, type Repository } from "../../bench/localise/run.ts";
import type { Pair, PairTarget } from "../../src/evaluate/pairs.ts";
import { createStaticEmbedder } from "../../src/models/embed/static/static-embedder.ts";
import { collectCandidates, mentionsOf, weighStems } from "../../src/search/code/candidates.ts";
import { isAskedFor } from "../../src/search/code/path-role.ts";
import { placeEvidence, placeSignals } from "../../src/search/code/places.ts";
import { type AnalysedQuery, analyseQuery } from "../../src/search/code/query.ts";
import { groupByFile, rank } from "../../src/search/code/rank.ts";
import type { Ranked } from "../../src/search/code/signals.ts";
import { weights } from "../../src/search/code/weights.ts";
import { noMeaning, QueryEmbedder } from "../../src/search/vectors/query-embedder.ts";
import type { CodeIndex, StoredChunk } from "../../src/store/index/port.ts";
import { nameKey } from "../../src/text/tokens.ts";
import type { PlaceExample } from "./fit.ts";

/** Those of bench/localise; name: a function's name, for that; message: an error's text, for the place that has it. */
const kinds = ["function", "type", "name", "message"] as const;

/** How much a question of a kind counts: what is searched for is mostly a function. */
const counts = { function: 1, type: 0.3, name: 1, message: 0.3 };

/** Questions of each kind; what a repository is seldom asked for teaches little. */
const most = { function: 40, type: 30, name: 40, message: 10 };

type Kind = (typeof kinds)[number];

/** A question, and the places among which its answer is. */
export interface Question extends PlaceExample {
  kind: Kind;
  isName: boolean;
}

/** The questions of a repository; kept in `work` as long as the signals have the same names. */
export async function questionsOf(repository: Repository, options: MiningOptions): Promise<Question[]> {
  const file = join(options.work, repository.name, "evidence.json");
  const kept = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : {};
  if (kept.signals === placeSignals.join()) return kept.questions;
  let questions: Question[] = [];
  await mine(repository, options, async ({ index, pairs }) => {
    const name = [...(await names(index, pairs.function)), ...(await names(index, pairs.type))];
    questions = await askAll(index, { ...pairs, name, message: messages(repository, options) });
  });
  writeFileSync(file, JSON.stringify({ signals: placeSignals.join(), questions }));
  return questions;
}

async function askAll(index: CodeIndex, pairs: Readonly<Record<Kind, readonly Pair[]>>): Promise<Question[]> {
  const embedder = new QueryEmbedder({ first: createStaticEmbedder() });
  const questions: Question[] = [];
  for (const kind of kinds)
    for (const pair of pairs[kind].slice(0, most[kind]))
      questions.push(...(await ask(index, embedder, kind, pair)));
  await embedder.close();
  return questions;
}

/** Names that are defined once or twice, of the functions or types that comments ask for. */
async function names(index: CodeIndex, pairs: readonly Pair[]): Promise<Pair[]> {
  const idOf = new Map((await index.files()).map(({ path, id }) => [path, id]));
  const found: Pair[] = [];
  for (const { targets } of pairs) {
    const id = idOf.get(targets[0]!.file);
    const chunks = id === undefined ? [] : await index.chunksOf([id]);
    const isMeant = meant("name", chunks, targets[0]!);
    const { name = "" } = chunks.find((_, i) => isMeant[i]) ?? {};
    if (!/^\w{4,}$/.test(name)) continue;
    if ((await index.definitions([nameKey(name)], 3)).length < 3) found.push({ query: name, targets });
  }
  return found;
}

function messages({ name, language }: Repository, { work }: MiningOptions): Pair[] {
  if (!(language in syntaxes)) return [];
  // Comments are blanked in the copy that is indexed: lines stay where they were.
  const root = join(work, name, "files");
  const { errors } = sampleErrors(root, { language, count: most.message, seed: 1 });
  return errors.map(({ query, file, line }) => ({ query, targets: [{ file, lines: [line, line] }] }));
}

async function ask(index: CodeIndex, embedder: QueryEmbedder, kind: Kind, pair: Pair): Promise<Question[]> {
  const query = analyseQuery(pair.query);
  const embedded = (await embedder.embed(pair.query, async () => true)) ?? noMeaning;
  const everywhere = { files: null, levels: null };
  const { candidates } = await collectCandidates(index, query, embedded, everywhere, weights, null);
  const stemWeights = await weighStems(index, query);
  const background = {
    stemWeights,
    mentionsOf: (asked: readonly string[]) => mentionsOf(index, asked),
    isMeantByTwo: false,
    isNear: () => false,
    changes: new Map(),
  };
  const ranked = await rank(candidates, query, background, weights);
  return placesOf(kind, ranked, index, query, pair);
}

/** Files, and places of each but the right one, that are kept: others are far behind. */
const mostFiles = 20;
const mostPlaces = 5;

/** The places of the files that come first, for each answer that is among them. */
async function placesOf(
  kind: Kind,
  ranked: readonly Ranked[],
  index: CodeIndex,
  query: AnalysedQuery,
  { targets }: Pair,
): Promise<Question[]> {
  const isTestAsked = isAskedFor("test", new Set(query.stems));
  const isName = query.intent === "symbol" || query.intent === "path";
  const files = groupByFile(ranked);
  const questions: Question[] = [];
  for (const target of targets) {
    const chosen = files.filter(({ best }, i) => i < mostFiles || best.candidate.chunk.path === target.file);
    const of = chosen.findIndex(({ best }) => best.candidate.chunk.path === target.file);
    if (of < 0) continue;
    const own = [chosen[of]!.best, ...chosen[of]!.others];
    const stored = new Map(
      (await index.chunks(own.map(({ candidate }) => candidate.chunk.id))).map((chunk) => [chunk.id, chunk]),
    );
    const isMeant = meant(
      kind,
      own.map(({ candidate }) => stored.get(candidate.chunk.id)!),
      target,
    );
    if (!isMeant.includes(true)) continue;
    const places = chosen.flatMap(({ best, others }, file) =>
      [best, ...others].flatMap((entry, i) => {
        const isRight = file === of && isMeant[i]!;
        return i < mostPlaces || file === of ? [{ entry, file, isRight }] : [];
      }),
    );
    questions.push({
      ...{ kind, isName, count: counts[kind] },
      isRight: places.map(({ isRight }) => isRight),
      fileOf: places.map(({ file }) => file),
      evidence: places.flatMap(({ entry }) => placeEvidence(entry, query, isTestAsked)),
      scores: chosen.map(({ best }) => Math.log(Math.max(best.score, 1e-6))),
    });
  }
  return questions;
}

/**
 * The place that is meant, and others like it: the smallest around a message's line, the largest within the lines of a definition,
 * whose comment is left out of the copy.
 */
function meant(kind: Question["kind"], chunks: readonly StoredChunk[], { lines }: PairTarget): boolean[] {
  const [first, last] = lines!;
  const sizes = chunks.map(({ startLine, endLine }) => {
    const isMeant =
      kind === "message" ? startLine <= first && endLine >= last : startLine >= first && endLine <= last;
    return isMeant ? (kind === "message" ? startLine - endLine : endLine - startLine) : Number.NaN;
  });
  const most = Math.max(...sizes.filter((size) => !Number.isNaN(size)));
  return sizes.map((size) => size === most);
}
