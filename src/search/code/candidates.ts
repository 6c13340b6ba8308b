import type { ChunkOutline, CodeIndex } from "../../store/index/code-index.ts";
import {
  chunkFrequencies,
  type DefinedName,
  definitionsOf,
  type LookupScope,
  matchTokens,
} from "../../store/index/code-lookup.ts";
import { tokenStream } from "../../text/tokens.ts";
import type { SemanticEvidence } from "../vectors/vector-evidence.ts";
import type { AnalysedQuery } from "./query.ts";
import type { Candidate, StemWeights } from "./signals.ts";
import type { Weights } from "./weights.ts";

/** Collects the chunks worth ranking: by words, by meaning, and by the names they define. */
export function collectCandidates(
  index: CodeIndex,
  query: AnalysedQuery,
  scope: LookupScope,
  weights: Weights,
  semantic: SemanticEvidence,
): Candidate[] {
  const matches = matchTokens(index, query.tokens, weights.columns, weights.candidates, scope);
  const lexical = new Map(matches.map(({ rowid, score }) => [rowid, score]));
  const defines = new Map<number, DefinedName[]>();
  for (const definition of definitionsOf(index, query.nameKeys, weights.definitionsPerName)) {
    const names = defines.get(definition.rowid);
    if (names) names.push(definition);
    else defines.set(definition.rowid, [definition]);
  }
  const near = [semantic.first, semantic.second].flatMap((model) =>
    [...(model?.nearest ?? [])].flatMap(([rowid, cosine]) =>
      cosine >= weights.leastSimilarity ? [rowid] : [],
    ),
  );
  const rowids = [...new Set([...lexical.keys(), ...defines.keys(), ...near])];
  const inScope = scopeFilter(scope);
  const chunks = index.outlines(rowids).filter(inScope);

  const best = Math.max(...lexical.values(), Number.MIN_VALUE);
  const ofFile = new Map<number, number>();
  for (const chunk of chunks) {
    ofFile.set(chunk.fileId, (ofFile.get(chunk.fileId) ?? 0) + (lexical.get(chunk.rowid) ?? 0));
  }
  const bestFile = Math.max(...ofFile.values(), Number.MIN_VALUE);
  const ids = chunks.map(({ rowid }) => rowid);
  const nearness = blend(
    semantic.first?.similarities(ids),
    semantic.second?.similarities(ids),
    weights.secondModel,
  );
  const nearnessOfFile = nearestOfEachFile(chunks, nearness);
  return chunks.map((chunk, i) => ({
    chunk,
    lexical: (lexical.get(chunk.rowid) ?? 0) / best,
    semantic: nearness(i),
    fileSemantic: nearnessOfFile.get(chunk.fileId) ?? 0,
    defines: defines.get(chunk.rowid) ?? [],
    file: (ofFile.get(chunk.fileId) ?? 0) / bestFile,
  }));
}

/** The cosine of the i-th chunk, of both models where both have a vector of it (NaN stands for none); not below 0. */
function blend(
  first: Float64Array | undefined,
  second: Float64Array | undefined,
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
function nearestOfEachFile(
  chunks: readonly ChunkOutline[],
  nearness: (i: number) => number,
): Map<number, number> {
  const ofFile = new Map<number, [number, number, number]>();
  chunks.forEach(({ fileId }, i) => {
    const top = ofFile.get(fileId) ?? [0, 0, 0];
    ofFile.set(fileId, top);
    const least = top.indexOf(Math.min(...top));
    top[least] = Math.max(top[least]!, nearness(i));
  });
  return new Map([...ofFile].map(([fileId, [a, b, c]]) => [fileId, (a + b + c) / 3]));
}

/** Definitions are looked up without the scope; this holds them to it. */
function scopeFilter(scope: LookupScope): (chunk: Candidate["chunk"]) => boolean {
  const files = scope.fileIds && new Set(scope.fileIds);
  const levels = scope.levels && new Set(scope.levels);
  return (chunk) => (!files || files.has(chunk.fileId)) && (!levels || levels.has(chunk.level));
}

/** Inverse document frequency of the query's stems, as shares of 1 (the formula of BM25). */
export function weighStems(index: CodeIndex, query: AnalysedQuery): StemWeights {
  const chunks = index.chunkCount();
  const counts = chunkFrequencies(index, query.stems);
  const idf = query.stems.map((stem): [string, number] => {
    const n = counts.get(stem) ?? 0;
    return [stem, Math.log(1 + (chunks - n + 0.5) / (n + 0.5))];
  });
  const sum = idf.reduce((total, [, weight]) => total + weight, 0) || 1;
  return new Map(idf.map(([stem, weight]) => [stem, weight / sum]));
}

/** In how many chunks a name stands as a whole. */
export function mentionsOf(index: CodeIndex, name: string): number {
  const [whole] = tokenStream(name).split(" ");
  return whole ? (chunkFrequencies(index, [whole]).get(whole) ?? 0) : 0;
}
