import type { ChunkOutline, FileId } from "../../store/index/port.ts";
import { isAskedFor, olderVersions, type PathRole, roleOf } from "./path-role.ts";
import type { AnalysedQuery } from "./query.ts";
import {
  type Candidate,
  definitionSignal,
  directoriesSignal,
  fileNameSignal,
  isInlineTest,
  mentionsSignal,
  nameSignal,
  pathSignal,
  type StemWeights,
} from "./signals.ts";
import type { Weights } from "./weights.ts";

/** A candidate with its rank: the score and its parts. */
export interface Ranked {
  candidate: Candidate;
  score: number;
  /** Contribution of each signal to the score, before `penalty`, `near` and `saturation` (factors). */
  signals: Record<string, number>;
}

/** Facts from the index that ranking needs beyond the candidates. */
export interface Background {
  stemWeights: StemWeights;
  /** In how many chunks each of these names is mentioned. */
  mentionsOf: (names: readonly string[]) => Promise<ReadonlyMap<string, number>>;
  /** Whether a second model knows the query's meaning as well. */
  isMeantByTwo: boolean;
  /** Whether a path lies where the one who asks works. */
  isNear: (path: string) => boolean;
}

/**
 * Orders candidates, best first: signals summed up, penalties applied, chunks of one file thinned out. How often
 * its name is mentioned is asked of the best only: it decides between good ones, and asking takes time.
 */
export async function rank(
  candidates: readonly Candidate[],
  query: AnalysedQuery,
  { stemWeights, mentionsOf, isMeantByTwo, isNear }: Background,
  weights: Weights,
): Promise<Ranked[]> {
  const asked = new Set(query.stems);
  const isName = query.intent === "symbol" || query.intent === "path";
  const nearness = (isName ? weights.semanticOfNames : 1) * (isMeantByTwo ? weights.semanticOfTwo : 1);
  const ofFile = new Map<FileId, ReturnType<typeof fileSignals>>();
  const isOlder = olderVersions(candidates.map(({ chunk }) => chunk.path));
  const ranked = candidates.map((candidate): Ranked => {
    const { chunk } = candidate;
    const file = ofFile.get(chunk.file) ?? fileSignals(chunk.path, query, stemWeights, weights);
    ofFile.set(chunk.file, file);
    const role = roleOfChunk(chunk);
    const signals: Record<string, number> = {
      lexical: weights.lexical * candidate.lexical,
      phrase: weights.phrase * candidate.phrase,
      semantic: nearness * weights.semantic * candidate.semantic,
      coherence: weights.coherence * candidate.file,
      file_semantic: nearness * weights.fileSemantic * candidate.fileSemantic,
      ...file,
      name: weights.name * nameSignal(chunk, stemWeights),
      definition: weights.definition * definitionSignal(candidate, query, weights.definitions),
    };
    const sum = Object.values(signals).reduce((a, b) => a + b, 0);
    signals.penalty =
      (isAskedFor(role, asked) ? 1 : weights.roles[role]) *
      (isOlder(chunk.path, query.written) ? weights.olderVersion : 1) *
      weights.levels[chunk.level];
    return { candidate, score: sum * signals.penalty, signals };
  });
  const named = ranked
    .sort(byScore)
    .slice(0, weights.mentionsAsked)
    .filter(({ candidate: { chunk } }) => chunk.level === "class" || chunk.level === "method");
  const mentions = await mentionsOf(named.map(({ candidate }) => candidate.chunk.name));
  for (const entry of named) {
    const count = mentions.get(entry.candidate.chunk.name) ?? 0;
    entry.signals.mentions = weights.mentions * mentionsSignal(count);
    entry.score += entry.signals.mentions * entry.signals.penalty!;
  }
  for (const entry of ranked) {
    if (!isNear(entry.candidate.chunk.path)) continue;
    entry.signals.near = isName ? weights.near.name : weights.near.words;
    entry.score *= entry.signals.near;
  }
  saturate(ranked.sort(byScore), weights.saturation);
  return ranked.sort(byScore);
}

/** The signals that a file's chunks share. */
function fileSignals(path: string, query: AnalysedQuery, stemWeights: StemWeights, weights: Weights) {
  return {
    file_name: weights.fileName * fileNameSignal(path, query, stemWeights),
    directories: weights.directories * directoriesSignal(path, stemWeights),
    path: weights.path * pathSignal(path, query),
  };
}

/** A test among the code is a test; a barrel file's own definitions count in full. */
function roleOfChunk(chunk: ChunkOutline): PathRole {
  if (isInlineTest(chunk)) return "test";
  const role = roleOf(chunk.path);
  return role === "barrel" && (chunk.level === "class" || chunk.level === "method") ? "source" : role;
}

/** Ties are broken by place, so that the same index gives the same order. */
function byScore(a: Ranked, b: Ranked): number {
  const x = a.candidate.chunk;
  const y = b.candidate.chunk;
  return b.score - a.score || (x.path < y.path ? -1 : x.path > y.path ? 1 : 0) || x.startLine - y.startLine;
}

/** Each further chunk of a file counts `factor` of the one before, so that one file cannot fill the answer. */
function saturate(ranked: readonly Ranked[], factor: number): void {
  const seen = new Map<FileId, number>();
  for (const entry of ranked) {
    const { file } = entry.candidate.chunk;
    const before = seen.get(file) ?? 0;
    seen.set(file, before + 1);
    entry.signals.saturation = factor ** before;
    entry.score *= entry.signals.saturation;
  }
}
