import { addTo } from "../../base/multimap.ts";
import { computeRarity } from "../../base/text/rarity.ts";
import { makeTokenStream } from "../../base/text/tokens.ts";
import type {
  ChunkId,
  ChunkMatch,
  ChunkOutline,
  Definition,
  FileId,
  QueryVector,
  SearchableIndex,
  SearchScope,
} from "../../store/index/port.ts";
import type { AnalysedQuery } from "./query.ts";
import type { ChunkCandidate, StemWeights } from "./signals.ts";
import type { EmbeddedQuery } from "./vectors/query-embedder.ts";
import { collectPhrases, listQuotableWords } from "./verbatim/phrases.ts";
import type { Weights } from "./weights.ts";

/** The chunks worth ranking. */
export interface CollectedChunks {
  candidates: ChunkCandidate[];
  /** Cosine of the nearest chunk by the first model; null where it has no vector of the query, or of any chunk. */
  nearest: number | null;
}

/**
 * Collects the chunks worth ranking: by words, by meaning, and by the names they define.
 * @param among only these, and all of them; null: all chunks that are found
 * @param quoted chunks that hold what the query quotes, each with its share of that: they are found as well
 */
export async function collectCandidates(
  index: SearchableIndex,
  query: AnalysedQuery,
  { first, second }: EmbeddedQuery,
  scope: SearchScope,
  weights: Weights,
  among: readonly ChunkId[] | null,
  quoted: ReadonlyMap<ChunkId, number> = new Map(),
): Promise<CollectedChunks> {
  const nearTo = async (vector: QueryVector | null): Promise<ChunkMatch[]> =>
    vector && among === null ? index.findNearest(vector, weights.nearest, scope) : [];
  // Vectors first: they may be compared elsewhere meanwhile.
  const [nearFirst, nearSecond, phrases, matches, definitions] = await Promise.all([
    nearTo(first),
    nearTo(second),
    weights.phrase > 0 ? collectPhrases(index, listQuotableWords(query)) : new Map<ChunkId, number>(),
    index.lexical(query.tokens, weights.columns, weights.candidates, scope),
    index.findDefinitions(query.nameKeys, weights.definitionsPerName),
  ]);
  const lexical = new Map(matches.map(({ id, score }) => [id, score]));
  const defines = new Map<ChunkId, Definition[]>();
  for (const definition of definitions) {
    addTo(defines, definition.id, definition);
  }
  const near = [...nearFirst, ...nearSecond].flatMap(({ id, score }) =>
    score >= weights.minSimilarity ? [id] : [],
  );
  const found = among ?? [
    ...new Set([...lexical.keys(), ...defines.keys(), ...near, ...phrases.keys(), ...quoted.keys()]),
  ];
  const chunks = (await index.readOutlines(found)).filter(scopeFilter(scope));

  const best = Math.max(...lexical.values(), Number.MIN_VALUE);
  const ofFile = new Map<FileId, number>();
  for (const { id, file } of chunks) ofFile.set(file, (ofFile.get(file) ?? 0) + (lexical.get(id) ?? 0));
  const bestFile = Math.max(...ofFile.values(), Number.MIN_VALUE);
  const ids = chunks.map(({ id }) => id);
  const similarities = (vector: QueryVector | null) => vector && index.measureSimilarities(vector, ids);
  const cosines = await Promise.all([similarities(first), similarities(second)]);
  const nearness = createBlendedNearness(cosines, weights.secondModel);
  const nearnessOfFile = averageNearestPerFile(chunks, nearness);
  // Confidence uses one model alone, whose cosines always mean the same.
  const firstOfFile =
    second === null
      ? nearnessOfFile
      : averageNearestPerFile(chunks, createBlendedNearness([cosines[0], null], 0));
  const candidates = chunks.map((chunk, i) => ({
    chunk,
    lexical: (lexical.get(chunk.id) ?? 0) / best,
    phrase: phrases.get(chunk.id) ?? 0,
    quoted: quoted.get(chunk.id) ?? 0,
    semantic: nearness(i),
    fileSemantic: nearnessOfFile.get(chunk.file) ?? 0,
    fileNearness: firstOfFile.get(chunk.file) ?? 0,
    defines: defines.get(chunk.id) ?? [],
    file: (ofFile.get(chunk.file) ?? 0) / bestFile,
  }));
  return { candidates, nearest: nearFirst[0]?.score ?? null };
}

/** The cosine of the i-th chunk, of both models if both have a vector for it (NaN means none); not below 0. */
function createBlendedNearness(
  [first, second]: readonly [Float64Array | null, Float64Array | null],
  share: number,
): (i: number) => number {
  return (i) => {
    const one = first?.[i] ?? Number.NaN;
    const other = second?.[i] ?? Number.NaN;
    const both = Number.isNaN(other) ? one : Number.isNaN(one) ? other : (1 - share) * one + share * other;
    return Math.max(both || 0, 0);
  };
}

/** The mean nearness of the three nearest chunks of each file: one stray likeness says less than several. */
function averageNearestPerFile(
  chunks: readonly ChunkOutline[],
  nearness: (i: number) => number,
): Map<FileId, number> {
  const ofFile = new Map<FileId, [most: number, number, number]>();
  chunks.forEach(({ file }, i) => {
    const near = nearness(i);
    const top = ofFile.get(file);
    if (top === undefined) ofFile.set(file, [near, 0, 0]);
    else if (near > top[0]) [top[0], top[1], top[2]] = [near, top[0], top[1]];
    else if (near > top[1]) [top[1], top[2]] = [near, top[1]];
    else if (near > top[2]) top[2] = near;
  });
  return new Map([...ofFile].map(([file, [a, b, c]]) => [file, (a + b + c) / 3]));
}

/** The share of a query that a term is which it surely describes. */
const ofTerms = 0.3;

/** Definitions are looked up without the scope; this holds them to it. */
function scopeFilter(scope: SearchScope): (chunk: ChunkOutline) => boolean {
  const files = scope.files && new Set(scope.files);
  const levels = scope.levels && new Set(scope.levels);
  return (chunk) => (!files || files.has(chunk.file)) && (!levels || levels.has(chunk.level));
}

/**
 * Inverse document frequency of the query's stems, as shares of 1 (the formula of BM25). A term that the query describes has a share
 * of its own beside them.
 */
export async function weighStems(
  index: SearchableIndex,
  { stems, terms }: AnalysedQuery,
): Promise<StemWeights> {
  const { chunks, holding } = await index.countFrequencies(stems);
  const idf = stems.map((stem): [string, number] => {
    const n = holding.get(stem) ?? 0;
    return [stem, computeRarity(chunks, n)];
  });
  const sum = idf.reduce((total, [, weight]) => total + weight, 0) || 1;
  return new Map([
    ...idf.map(([stem, weight]): [string, number] => [stem, weight / sum]),
    ...[...terms].map(([term, sure]): [string, number] => [term, ofTerms * sure]),
  ]);
}

/** The number of chunks that contain each of these names as a whole. */
export async function countMentions(
  index: SearchableIndex,
  names: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const getWholeToken = (name: string) => makeTokenStream(name).split(" ")[0] ?? "";
  const { holding } = await index.countFrequencies([...new Set(names.map(getWholeToken))].filter(Boolean));
  return new Map(names.map((name) => [name, holding.get(getWholeToken(name)) ?? 0]));
}
