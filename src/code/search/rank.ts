import type { ChunkOutline, FileId } from "../../store/index/port.ts";
import { classifyPath, createOlderVersionCheck, isAskedFor, type PathRole } from "../files/path-role.ts";
import type { Changes } from "./likewise.ts";
import { scoreByPlace } from "./places.ts";
import type { AnalysedQuery } from "./query.ts";
import type { RankedChunk, Signals } from "./signals.ts";
import {
  type ChunkCandidate,
  isInlineTest,
  matchQueriedPath,
  measureDefinitionFit,
  measureDirectoriesFit,
  measureFileNameFit,
  measureOwnerFit,
  measureQueryLength,
  nameSignal,
  type StemWeights,
  scaleMentions,
} from "./signals.ts";
import type { Weights } from "./weights.ts";

/** Facts from the index that ranking needs beyond the candidates. */
export interface Background {
  stemWeights: StemWeights;
  /** In how many chunks each of these names is mentioned. */
  mentionsOf: (names: readonly string[]) => Promise<ReadonlyMap<string, number>>;
  /** Whether a second model knows the query's meaning as well. */
  isMeantByTwo: boolean;
  /** Whether a path lies where the one who asks works. */
  isNear: (path: string) => boolean;
  /** What commits like the query changed. */
  changes: Changes;
}

/**
 * Orders candidates, best first: signals summed up, penalties applied; a file is as good as its best chunk. How often
 * a name is mentioned is asked of the best only: it decides between good ones, and asking takes time.
 */
export async function rank(
  candidates: readonly ChunkCandidate[],
  query: AnalysedQuery,
  { stemWeights, mentionsOf, isMeantByTwo, isNear, changes }: Background,
  weights: Weights,
): Promise<RankedChunk[]> {
  const isName = query.intent === "symbol" || query.intent === "path";
  const nearness =
    (isName ? weights.semanticOfNames : 1 + weights.semanticOfLong * measureQueryLength(query)) *
    (isMeantByTwo ? weights.semanticOfTwo : 1);
  const ofRole = chooseRoleFactors(query, weights);
  const files = computeFileSignals(candidates, query, stemWeights, weights);
  const ranked = candidates.map((candidate): RankedChunk => {
    const { chunk } = candidate;
    const file = files.get(chunk.file)!;
    const named = nameSignal(chunk, stemWeights);
    const owned = measureOwnerFit(chunk, stemWeights);
    const defined = measureDefinitionFit(candidate, query, weights.definitions);
    // All of one shape, and added up by hand: there are a thousand, and most are never shown.
    const signals: Signals = {
      lexical: weights.lexical * candidate.lexical,
      phrase: weights.phrase * candidate.phrase,
      quoted: weights.quoted * candidate.quoted,
      semantic: nearness * weights.semantic * candidate.semantic,
      coherence: weights.coherence * candidate.file,
      file_semantic: nearness * weights.fileSemantic * candidate.fileSemantic,
      file_name: file.fileName,
      directories: file.directories,
      path: file.path,
      name: weights.name * named,
      definition: weights.definition * defined,
      penalty: ofRole[classifyChunkRole(chunk, file.role)] * file.older * weights.levels[chunk.level],
    };
    const sum =
      signals.lexical +
      signals.phrase +
      signals.quoted +
      signals.semantic +
      signals.coherence +
      signals.file_semantic +
      signals.file_name +
      signals.directories +
      signals.path +
      signals.name +
      signals.definition;
    return { candidate, named, owned, defined, mentioned: 0, score: sum * signals.penalty, signals };
  });
  const named = ranked
    .sort(compareByScore)
    .slice(0, weights.mentionsAsked)
    .filter(({ candidate: { chunk } }) => chunk.level === "class" || chunk.level === "method");
  const mentions = await mentionsOf(named.map(({ candidate }) => candidate.chunk.name));
  for (const entry of named) {
    entry.mentioned = scaleMentions(mentions.get(entry.candidate.chunk.name) ?? 0);
    entry.signals.mentions = weights.mentions * entry.mentioned;
    entry.score += entry.signals.mentions * entry.signals.penalty;
  }
  for (const entry of ranked) {
    const { path } = entry.candidate.chunk;
    if (isNear(path)) {
      entry.signals.near = isName ? weights.near.name : weights.near.words;
      entry.score *= entry.signals.near;
    }
    const change = changes.get(path);
    if (change !== undefined) {
      entry.change = change;
      entry.signals.history = Math.exp(weights.history * change.strength);
      entry.score *= entry.signals.history;
    }
  }
  scoreByPlace(ranked, query, weights);
  return ranked.sort(compareByScore);
}

/** What chunks of a role keep of their score. */
function chooseRoleFactors({ stems }: AnalysedQuery, { roles }: Weights): Record<PathRole, number> {
  const asked = new Set(stems);
  const factors = { ...roles };
  for (const role of Object.keys(roles) as PathRole[]) if (isAskedFor(role, asked)) factors[role] = 1;
  return factors;
}

/** What the chunks of a file share: contributions of signals, its role, and the factor of an older version. */
interface OfFile {
  fileName: number;
  directories: number;
  path: number;
  role: PathRole;
  older: number;
}

function computeFileSignals(
  candidates: readonly ChunkCandidate[],
  query: AnalysedQuery,
  stemWeights: StemWeights,
  weights: Weights,
): ReadonlyMap<FileId, OfFile> {
  const chunks = new Map(candidates.map(({ chunk }) => [chunk.file, chunk]));
  const isOlder = createOlderVersionCheck([...chunks.values()].map(({ path }) => path));
  const files = new Map<FileId, OfFile>();
  for (const [file, { path, built }] of chunks) {
    files.set(file, {
      fileName: weights.fileName * measureFileNameFit(path, query, stemWeights),
      directories: weights.directories * measureDirectoriesFit(path, stemWeights),
      path: weights.path * matchQueriedPath(path, query),
      role: classifyPath(path, built === 1),
      older: isOlder(path, query.written) ? weights.olderVersion : 1,
    });
  }
  return files;
}

/** A test among the code is a test; a barrel file's own definitions count in full. */
export function classifyChunkRole(chunk: ChunkOutline, role: PathRole): PathRole {
  if (isInlineTest(chunk)) return "test";
  return role === "barrel" && (chunk.level === "class" || chunk.level === "method") ? "source" : role;
}

/** Ties are broken by place, so that the same index gives the same order. */
function compareByScore(a: RankedChunk, b: RankedChunk): number {
  const x = a.candidate.chunk;
  const y = b.candidate.chunk;
  return b.score - a.score || (x.path < y.path ? -1 : x.path > y.path ? 1 : 0) || x.startLine - y.startLine;
}

/** One result a file: its best chunk, and what else in it matches. */
export interface RankedFile {
  best: RankedChunk;
  /** Its other chunks, best first. */
  others: RankedChunk[];
  /** Paths of files that hold the same as its best chunk. */
  copies: string[];
}

/** Chunks, best first, by their files, in the order of each one's best. */
export function groupByFile(ranked: readonly RankedChunk[]): RankedFile[] {
  const files = new Map<FileId, RankedFile>();
  for (const entry of ranked) {
    const { file } = entry.candidate.chunk;
    const known = files.get(file);
    if (known) known.others.push(entry);
    else files.set(file, { best: entry, others: [], copies: [] });
  }
  return [...files.values()];
}

/** Bits of 32 in which the fingerprints of copies may differ: a line of some thirty, or another layout. */
const maxDifference = 2;

/** Takes out results whose best chunk another file's, which comes before it, is a copy of; each is named with that one. */
export function withoutCopies(found: readonly RankedFile[]): RankedFile[] {
  const kept: RankedFile[] = [];
  const alike = new Map<string, RankedFile[]>();
  for (const one of found) {
    const { fingerprint, level, name, file, path } = one.best.candidate.chunk;
    // What has a name is only a copy of what has the same; files are named as they like.
    const key = level === "file" ? level : `${level} ${name}`;
    const others = alike.get(key) ?? [];
    const isNearCopy = ({ chunk }: ChunkCandidate) =>
      chunk.file !== file && countDifferentBits(chunk.fingerprint, fingerprint) <= maxDifference;
    const original = fingerprint ? others.find(({ best }) => isNearCopy(best.candidate)) : undefined;
    if (original) {
      if (!original.copies.includes(path)) original.copies.push(path);
      continue;
    }
    kept.push(one);
    if (fingerprint) alike.set(key, [...others, one]);
  }
  return kept;
}

function countDifferentBits(a: number, b: number): number {
  let count = 0;
  for (let bits = a ^ b; bits !== 0; bits &= bits - 1) count++;
  return count;
}
