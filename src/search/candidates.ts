import type { CodeIndex } from "../store/code-index.ts";
import {
  chunkFrequencies,
  type DefinedName,
  definitionsOf,
  type LookupScope,
  matchTokens,
} from "../store/code-lookup.ts";
import type { AnalysedQuery } from "./query.ts";
import type { Candidate, StemWeights } from "./signals.ts";
import type { SemanticEvidence } from "./vector-evidence.ts";
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
  const first = semantic.first?.similarities(ids);
  const second = semantic.second?.similarities(ids);
  return chunks.map((chunk, i) => ({
    chunk,
    lexical: (lexical.get(chunk.rowid) ?? 0) / best,
    // NaN, for a chunk without a vector, becomes 0 or null.
    semantic: Math.max(first?.[i] || 0, 0),
    semantic2: second && !Number.isNaN(second[i]) ? Math.max(second[i]!, 0) : null,
    defines: defines.get(chunk.rowid) ?? [],
    file: (ofFile.get(chunk.fileId) ?? 0) / bestFile,
  }));
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
