import type { StoredChunk } from "../store/code-index.ts";
import { isAskedFor, type PathRole, roleOf } from "./path-role.ts";
import type { AnalysedQuery } from "./query.ts";
import {
  type Candidate,
  definitionSignal,
  directoriesSignal,
  fileNameSignal,
  isInlineTest,
  nameSignal,
  pathSignal,
  type StemWeights,
} from "./signals.ts";
import type { Weights } from "./weights.ts";

/** A candidate with its place: the score and what it is made of. */
export interface Ranked {
  candidate: Candidate;
  score: number;
  /** Contribution of each signal to the score, before `penalty` and `saturation` (factors). */
  signals: Record<string, number>;
}

/** Orders candidates, best first: signals summed up, penalties applied, chunks of one file thinned out. */
export function rank(
  candidates: readonly Candidate[],
  query: AnalysedQuery,
  stemWeights: StemWeights,
  weights: Weights,
): Ranked[] {
  const asked = new Set(query.stems);
  const ranked = candidates.map((candidate): Ranked => {
    const role = roleOfChunk(candidate.chunk);
    const penalty = isAskedFor(role, asked) ? 1 : weights.roles[role];
    const signals = {
      lexical: weights.lexical * candidate.lexical,
      coherence: weights.coherence * candidate.file,
      file_name: weights.fileName * fileNameSignal(candidate, stemWeights),
      directories: weights.directories * directoriesSignal(candidate, stemWeights),
      path: weights.path * pathSignal(candidate, query),
      name: weights.name * nameSignal(candidate, stemWeights),
      definition: weights.definition * definitionSignal(candidate, query, weights.definitions),
    };
    const sum = Object.values(signals).reduce((a, b) => a + b, 0);
    return { candidate, score: sum * penalty, signals: { ...signals, penalty } };
  });
  ranked.sort(byScore);
  return saturate(ranked, weights.saturation);
}

/** A test among the code is a test; what a barrel file defines itself is as good as any. */
function roleOfChunk(chunk: StoredChunk): PathRole {
  if (isInlineTest(chunk)) return "test";
  const role = roleOf(chunk.path);
  return role === "barrel" && (chunk.level === "class" || chunk.level === "method") ? "source" : role;
}

/** Ties go by place, so that the same index gives the same order. */
function byScore(a: Ranked, b: Ranked): number {
  const x = a.candidate.chunk;
  const y = b.candidate.chunk;
  return b.score - a.score || (x.path < y.path ? -1 : x.path > y.path ? 1 : 0) || x.startLine - y.startLine;
}

/** Each further chunk of a file counts `factor` of the one before, so that one file cannot fill the answer. */
function saturate(ranked: readonly Ranked[], factor: number): Ranked[] {
  const seen = new Map<number, number>();
  return ranked
    .map((entry) => {
      const before = seen.get(entry.candidate.chunk.fileId) ?? 0;
      seen.set(entry.candidate.chunk.fileId, before + 1);
      const saturation = factor ** before;
      return { ...entry, score: entry.score * saturation, signals: { ...entry.signals, saturation } };
    })
    .sort(byScore);
}
