import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { syntaxes } from "../../bench/errors/literals.ts";
import { sampleErrors } from "../../bench/errors/sample.ts";
import { type MiningOptions, mine, type Repository } from "../../bench/localise/run.ts";
import { nameKey } from "../../src/base/text/tokens.ts";
import { classifyPath, createOlderVersionCheck, isAskedFor } from "../../src/code/files/path-role.ts";
import { collectCandidates, countMentions, weighStems } from "../../src/code/search/candidates.ts";
import { findFilesChangedLikewise } from "../../src/code/search/likewise.ts";
import { placeEvidence, placeSignals } from "../../src/code/search/places.ts";
import { type AnalysedQuery, analyseQuery } from "../../src/code/search/query.ts";
import { classifyChunkRole, groupByFile, type RankedFile, rank } from "../../src/code/search/rank.ts";
import {
  classifySpelling,
  matchQueriedPath,
  measureDefinitionFit,
  measureDirectoriesFit,
  measureFileNameFit,
  measureQueryLength,
  type RankedChunk,
  type StemWeights,
} from "../../src/code/search/signals.ts";
import { noMeaning, QueryEmbedder } from "../../src/code/search/vectors/query-embedder.ts";
import { weights as inUse, toFileWeights } from "../../src/code/search/weights.ts";
import {
  type PairTarget,
  type QuestionPair,
  shuffleBySeed,
} from "../../src/features/models/evaluate/pairs.ts";
import { createStaticEmbedder } from "../../src/models/embed/static/static-embedder.ts";
import type { CodeIndex, StoredChunk } from "../../src/store/index/port.ts";
import found from "./by-hand.json" with { type: "json" };
import { byHand, type FileExample, ofChunk, ofFile, parameter, parameters, scoresOfFiles } from "./files.ts";
import { type TestPair, testPairs } from "./tests.ts";

/**
 * Those of bench/localise; name: a function's name, for that; message: an error's text, for the place that has it; test: a
 * test's title, for the file that it tests.
 */
export const kinds = ["commit", "function", "type", "name", "message", "test", "other"] as const;

/** Questions of each kind; what a repository is seldom asked for teaches little. */
const most = { commit: 40, function: 40, type: 30, name: 40, message: 10, test: 20, other: 20 };

export type Kind = (typeof kinds)[number];

/** A question, and the files and places among which its answer is. */
export interface Question extends Omit<FileExample, "count"> {
  kind: Kind;
  /** Places of those files, for each answer that is within one. */
  places: PlacesOfQuestion[];
}

interface PlacesOfQuestion {
  /** For each place its file, and its signals, one after the other. */
  fileOf: number[];
  evidence: number[];
  isRight: boolean[];
}

/** Candidates are those of the weights found by hand, so that what is learned does not depend on what was learned before. */
const weights = { ...inUse, ...toFileWeights(found) };

/** What the kept evidence depends on. */
const version = [...placeSignals, ...parameters, ...ofFile, ...ofChunk, ...Object.values(most)].join();

/** The questions of a repository; kept in `work` as long as signals and weights have the same names. */
export async function questionsOf(repository: Repository, options: MiningOptions): Promise<Question[]> {
  const file = join(options.work, repository.name, "evidence.json");
  const kept = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : {};
  if (kept.version === version) return kept.questions;
  let questions: Question[] = [];
  await mine(repository, options, async ({ index, pairs }) => {
    const name = [...(await names(index, pairs.function)), ...(await names(index, pairs.type))];
    const test = await tests(index, repository, options);
    questions = await askAll(index, { ...pairs, name, message: messages(repository, options), test });
  });
  writeFileSync(file, JSON.stringify({ version, questions }));
  return questions;
}

async function askAll(
  index: CodeIndex,
  pairs: Readonly<Record<Kind, readonly (QuestionPair | TestPair)[]>>,
): Promise<Question[]> {
  const embedder = new QueryEmbedder({ first: createStaticEmbedder() });
  const questions: Question[] = [];
  for (const kind of kinds)
    for (const pair of pairs[kind].slice(0, most[kind]))
      questions.push(...(await ask(index, embedder, kind, pair)));
  await embedder.close();
  return questions;
}

/** Names that are defined once or twice, of the functions or types that comments ask for. */
async function names(index: CodeIndex, pairs: readonly QuestionPair[]): Promise<QuestionPair[]> {
  const idOf = new Map((await index.files()).map(({ path, id }) => [path, id]));
  const found: QuestionPair[] = [];
  for (const { targets } of pairs) {
    const id = idOf.get(targets[0]!.file);
    const chunks = id === undefined ? [] : await index.readChunksOfFiles([id]);
    const isMeant = meant("name", chunks, targets[0]!);
    const { name = "" } = chunks.find((_, i) => isMeant[i]) ?? {};
    if (!/^\w{4,}$/.test(name)) continue;
    if ((await index.findDefinitions([nameKey(name)], 3)).length < 3) found.push({ query: name, targets });
  }
  return found;
}

function messages({ name, language }: Repository, { work }: MiningOptions): QuestionPair[] {
  if (!(language in syntaxes)) return [];
  // Comments are blanked in the copy that is indexed: lines stay where they were.
  const root = join(work, name, "files");
  const { errors } = sampleErrors(root, { language, count: most.message, seed: 1 });
  return errors.map(({ query, file, line }) => ({ query, targets: [{ file, lines: [line, line] }] }));
}

/** Some of each repository's, whichever files they are of. */
async function tests(index: CodeIndex, { name }: Repository, { work }: MiningOptions): Promise<TestPair[]> {
  const paths = (await index.files()).map(({ path }) => path);
  return shuffleBySeed(testPairs(join(work, name, "files"), paths), name);
}

async function ask(
  index: CodeIndex,
  embedder: QueryEmbedder,
  kind: Kind,
  pair: QuestionPair | TestPair,
): Promise<Question[]> {
  const query = analyseQuery(pair.query);
  const embedded = (await embedder.embed(pair.query, async () => true)) ?? noMeaning;
  const scope = { files: "asker" in pair ? await allBut(pair.asker, index) : null, levels: null };
  const { candidates } = await collectCandidates(index, query, embedded, scope, weights, null);
  const stemWeights = await weighStems(index, query);
  const background = {
    stemWeights,
    mentionsOf: (asked: readonly string[]) => countMentions(index, asked),
    isMeantByTwo: false,
    isNear: () => false,
    changes: await findFilesChangedLikewise(index.commits, query, stemWeights),
  };
  const files = groupByFile(await rank(candidates, query, background, weights));
  const isTarget = ({ best }: RankedFile) =>
    pair.targets.some(({ file }) => file === best.candidate.chunk.path);
  const chosen = files.filter((file, i) => i < mostFiles || isTarget(file));
  const isRight = chosen.map(isTarget);
  if (!isRight.includes(true)) return [];
  const isOlder = createOlderVersionCheck(candidates.map(({ chunk }) => chunk.path));
  const question = {
    kind,
    isName: query.intent === "symbol" || query.intent === "path",
    length: measureQueryLength(query),
    isRight,
    files: chosen.flatMap(({ best }) => fileEvidence(best, query, stemWeights, isOlder)),
    chunks: chosen.flatMap(({ best, others }, file) =>
      [best, ...others]
        .sort((a, b) => ofItself(b) - ofItself(a))
        .slice(0, mostChunks)
        .flatMap((entry) => chunkEvidence(entry, file, query)),
    ),
    places: await placesOf(kind, chosen, index, query, pair),
  };
  const { scores } = scoresOfFiles({ ...question, count: 1 }, byHand);
  for (const [i, { best }] of chosen.entries()) {
    const score = Math.exp(scores[i]!);
    if (Math.abs(score - best.score) > 0.01 * best.score + 1e-4)
      throw new Error(`${best.candidate.chunk.path} is scored ${best.score}, and ${score} here`);
  }
  return [question];
}

const allBut = async (asker: string, index: CodeIndex) =>
  (await index.files()).filter(({ path }) => path !== asker).map(({ id }) => id);

/** Files, and chunks of each, that are kept: others are far behind. */
const mostFiles = 20;
const mostChunks = 3;
/** Places that are kept of each but the right one. */
const mostPlaces = 5;

/** The score before the places of a file were ordered. */
const ofItself = ({ score, signals }: RankedChunk) => score / (signals.place ?? 1);

const short = (value: number) => Math.round(value * 1e4) / 1e4;

function fileEvidence(
  { candidate: { chunk, file, fileSemantic }, change }: RankedChunk,
  query: AnalysedQuery,
  stemWeights: StemWeights,
  isOlder: ReturnType<typeof createOlderVersionCheck>,
): number[] {
  const { path } = chunk;
  return [
    file,
    fileSemantic,
    measureFileNameFit(path, query, stemWeights),
    measureDirectoriesFit(path, stemWeights),
    matchQueriedPath(path, query),
    Number(isOlder(path, query.written)),
    change?.strength ?? 0,
  ].map(short);
}

function chunkEvidence(entry: RankedChunk, file: number, query: AnalysedQuery): number[] {
  const { candidate, named, mentioned } = entry;
  const { chunk, lexical, phrase, semantic } = candidate;
  const role = classifyChunkRole(chunk, classifyPath(chunk.path, chunk.built === 1));
  const isAsked = isAskedFor(role, new Set(query.stems));
  return [
    file,
    ...[lexical, phrase, semantic, named, mentioned].map(short),
    ...definitionOf(entry, query),
    parameter(`levels.${chunk.level}`),
    isAsked ? -1 : parameter(`roles.${role}`),
  ];
}

/** How the query spells what a chunk defines, and its kind, of the definition that is meant most surely. */
function definitionOf({ candidate }: RankedChunk, query: AnalysedQuery): number[] {
  const certainty = (defines: typeof candidate.defines) =>
    measureDefinitionFit({ ...candidate, defines }, query, weights.definitions);
  const [surest] = [...candidate.defines].sort((a, b) => certainty([b]) - certainty([a]));
  return surest === undefined
    ? [-1, -1]
    : [parameter(`spellings.${classifySpelling(surest, query)}`), parameter(`kinds.${surest.kind}`)];
}

/** The places of the files that come first, for each answer that is within one. */
async function placesOf(
  kind: Kind,
  files: readonly RankedFile[],
  index: CodeIndex,
  query: AnalysedQuery,
  { targets }: QuestionPair,
): Promise<PlacesOfQuestion[]> {
  const isTestAsked = isAskedFor("test", new Set(query.stems));
  const found: PlacesOfQuestion[] = [];
  for (const target of targets) {
    const of = files.findIndex(({ best }) => best.candidate.chunk.path === target.file);
    if (of < 0 || target.lines === undefined) continue;
    const own = [files[of]!.best, ...files[of]!.others];
    const stored = new Map(
      (await index.readChunks(own.map(({ candidate }) => candidate.chunk.id))).map((chunk) => [
        chunk.id,
        chunk,
      ]),
    );
    const isMeant = meant(
      kind,
      own.map(({ candidate }) => stored.get(candidate.chunk.id)!),
      target,
    );
    if (!isMeant.includes(true)) continue;
    const places = files.flatMap(({ best, others }, file) =>
      [best, ...others].flatMap((entry, i) => {
        const isKept = file === of || i < mostPlaces;
        return isKept ? [{ entry, file, isRight: file === of && isMeant[i]! }] : [];
      }),
    );
    found.push({
      fileOf: places.map(({ file }) => file),
      evidence: places.flatMap(({ entry }) => placeEvidence(entry, query, isTestAsked).map(short)),
      isRight: places.map(({ isRight }) => isRight),
    });
  }
  return found;
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
