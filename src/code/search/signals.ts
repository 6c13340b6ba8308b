import { memoize } from "../../base/text/memoize.ts";
import { splitIdentifier, stem } from "../../base/text/tokens.ts";
import type { ChunkOutline, Definition } from "../../store/index/port.ts";
import { findAbbreviations } from "./abbreviations.ts";
import type { AnalysedQuery } from "./query.ts";
import type { FileEvidence, SignalWeights } from "./report/report-signals.ts";
import type { Spelling, Weights } from "./weights.ts";

/** Contribution of each signal to the score, then the factors, and what was added for the best. The keys are those of JSON. */
export interface Signals {
  lexical: number;
  phrase: number;
  quoted: number;
  semantic: number;
  coherence: number;
  file_semantic: number;
  file_name: number;
  directories: number;
  path: number;
  name: number;
  definition: number;
  /** A factor. */
  penalty: number;
  mentions?: number;
  /** A factor, of what lies in the package one works in. */
  near?: number;
  /** A factor, of what a commit like the query changed. */
  history?: number;
  /** A factor: what it is of its file, beside the others there. */
  place?: number;
}

/** The commit that speaks most for a file. */
export interface CommitMatch {
  /**
   * How well it matches the query beside the best commit, and how much of it; less for one that changed many files: 0 to 1.
   */
  strength: number;
  subject: string;
}

/** What speaks for a file as the answer to a report, and what that counts. */
export interface Reported {
  evidence: FileEvidence;
  weights: SignalWeights;
}

/** A candidate with its rank: the score and its parts. */
export interface RankedChunk {
  candidate: ChunkCandidate;
  /** How well its name and that of what it is in fit the query, and how surely the query means what it defines. */
  named: number;
  owned: number;
  defined: number;
  /** How much of the code mentions its name; 0 where that was not asked. */
  mentioned: number;
  /** The commit like the query that changed its file. */
  change?: CommitMatch;
  reported?: Reported;
  score: number;
  signals: Signals;
}

/** A chunk under consideration, with its evidence from retrieval. */
export interface ChunkCandidate {
  chunk: ChunkOutline;
  /** BM25 as a share of the best candidate's. */
  lexical: number;
  /** How much of the query it holds word by word. */
  phrase: number;
  /** How much it holds of what the query quotes. */
  quoted: number;
  /** Nearness of its vector to the query's: a cosine, blended of two if a second model is used; 0 for none. */
  semantic: number;
  /** The mean of that over the three nearest chunks of its file. */
  fileSemantic: number;
  /** As `fileSemantic`, by the first model alone. */
  fileNearness: number;
  /** Names that the query mentions and this chunk defines. */
  defines: readonly Definition[];
  /** Lexical evidence of the whole file as a share of the best file's. */
  file: number;
}

/** The stems of a name's parts; names come back query after query. */
const stemsOf = memoize<readonly string[]>(200_000, (name) => [...new Set(splitIdentifier(name).map(stem))]);

/** The weight of each of the query's stems: rare in the repository counts more. Sums to 1. */
export type StemWeights = ReadonlyMap<string, number>;

/** The share of the query (by weight) that these stems cover. */
export function sumCoveredWeight(stems: readonly string[], weight: StemWeights): number {
  let sum = 0;
  for (const s of stems) sum += weight.get(s) ?? 0;
  return sum;
}

/**
 * How well a name fits the query: the share of the query that it covers, and the share of the name that the query mentions:
 * `Retry` is a better match for "retry" than `RetryLimitError`. Words may be shortened in the name, or in the query.
 */
function measureCloseness(stems: readonly string[], weight: StemWeights): number {
  let covered = 0;
  let hits = 0;
  for (const s of stems) {
    const share = weight.get(s);
    const other = share === undefined ? findOtherLength(s, weight) : null;
    if (share !== undefined) {
      covered += share;
      hits++;
    } else if (other !== null && !stems.includes(other)) {
      covered += ofShortened * weight.get(other)!;
      hits += ofShortened;
    }
  }
  return hits === 0 ? 0 : Math.sqrt(Math.min(covered, 1) * (hits / stems.length));
}

/** Shorter beginnings of names' words are chance. Characters. */
const minShared = 3;
const otherLengths = new WeakMap<StemWeights, Map<string, string | null>>();

/** The word of a query that a name's word shortens (`alt` of "alternative"), or is a longer form of; kept for each query. */
function findOtherLength(part: string, weight: StemWeights): string | null {
  let known = otherLengths.get(weight);
  if (known === undefined) {
    known = new Map();
    otherLengths.set(weight, known);
  }
  let other = known.get(part);
  if (other !== undefined) return other;
  other = null;
  for (const one of weight.keys()) {
    if (findAbbreviations(one).has(part)) {
      other = one;
      break;
    }
    if (Math.min(part.length, one.length) >= minShared && (one.startsWith(part) || part.startsWith(one)))
      other ??= one;
  }
  known.set(part, other);
  return other;
}

function splitPath(path: string): { directories: string; base: string } {
  const slash = path.lastIndexOf("/");
  const dot = path.indexOf(".", slash + 2);
  return {
    directories: slash < 0 ? "" : path.slice(0, slash),
    base: path.slice(slash + 1, dot < 0 ? undefined : dot),
  };
}

/** Files with generic names are identified by their directory. */
const emptyNames = new Set(["index", "mod", "lib", "main", "init", "__init__"]);

/** The directory that identifies a file, "" if its own name does. */
export function findNamingDirectory(path: string): string {
  const { directories, base } = splitPath(path);
  return emptyNames.has(base) ? directories.slice(directories.lastIndexOf("/") + 1) : "";
}

/** The stems of what a path consists of. */
interface PathStems {
  /** Of the file's name, or of the directory that identifies it. */
  name: readonly string[];
  directories: readonly string[];
}

/** Each question meets the same files. */
const stemsOfPath = memoize(50_000, (path): PathStems => {
  const { directories, base } = splitPath(path);
  return { name: stemsOf(findNamingDirectory(path) || base), directories: stemsOf(directories) };
});

/** Shorter beginnings of words are chance. Characters. */
const minBeginning = 4;
/** The weight of an abbreviation relative to the word itself. */
const ofShortened = 0.7;

/**
 * How well a file's name fits the query, as `measureCloseness`; but names of files are often shortened (`auth.py`, `ctx.py`) or
 * run together (`urlencoded.ex`).
 */
export function measureFileNameFit(path: string, { joined }: AnalysedQuery, weight: StemWeights): number {
  const parts = stemsOfPath(path).name;
  if (parts.length === 0) return 0;
  const covered = new Set<string>();
  let coverage = 0;
  let hits = 0;
  const cover = (stems: readonly string[], share: number) => {
    for (const one of stems) if (!covered.has(one)) coverage += share * (weight.get(one) ?? 0);
    for (const one of stems) covered.add(one);
    hits += share;
  };
  for (const part of parts) {
    const whole = weight.has(part) ? [part] : joined.get(part);
    if (whole) {
      cover(whole, 1);
      continue;
    }
    let long: string | undefined;
    for (const one of weight.keys()) {
      if (covered.has(one)) continue;
      if (findAbbreviations(one).has(part)) {
        long = one;
        break;
      }
      if (part.length >= minBeginning && one.startsWith(part)) long ??= one;
    }
    if (long) cover([long], ofShortened);
  }
  return Math.sqrt((Math.min(coverage, 1) * hits) / parts.length);
}

export function measureDirectoriesFit(path: string, weight: StemWeights): number {
  return sumCoveredWeight(stemsOfPath(path).directories, weight);
}

/** How long the query is: 0 up to seven words, 1 from twelve on. */
export function measureQueryLength({ sequence }: AnalysedQuery): number {
  return Math.min(Math.max((sequence.length - 7) / 5, 0), 1);
}

/** The query is the path, or the end of the path, of this file. */
export function matchQueriedPath(path: string, query: AnalysedQuery): number {
  if (query.intent !== "path") return 0;
  const asked = query.raw
    .trim()
    .toLowerCase()
    .replace(/^\.?\//, "")
    .replace(/\/$/, "");
  return `/${path.toLowerCase()}`.endsWith(`/${asked}`) ? 1 : 0;
}

export function nameSignal({ level, name }: ChunkOutline, weight: StemWeights): number {
  return level === "file" ? 0 : measureCloseness(stemsOf(name), weight);
}

/** As `nameSignal`, of the class or function that the chunk is in. */
export function measureOwnerFit({ parentName }: ChunkOutline, weight: StemWeights): number {
  return parentName === null ? 0 : measureCloseness(stemsOf(parentName), weight);
}

/**
 * How the query spells a name that is defined: as it is, or in another way, which says less; and less again where the name is just
 * a word in a sentence.
 */
export function classifySpelling({ key, name }: Definition, query: AnalysedQuery): Spelling {
  const isMeantAsName = query.intent === "symbol" || query.namesAsWritten.has(key);
  if (query.written.has(name)) return isMeantAsName ? "asWritten" : "plainWord";
  return isMeantAsName ? "otherSpelling" : "plainWordOtherSpelling";
}

/** The certainty that the query means a definition of the chunk, by how it spells the name and by what the chunk is. */
export function measureDefinitionFit(
  { defines }: ChunkCandidate,
  query: AnalysedQuery,
  { spellings, kinds }: Weights["definitions"],
): number {
  let best = 0;
  for (const one of defines)
    best = Math.max(best, spellings[classifySpelling(one, query)] * (kinds.get(one.kind) ?? 1));
  return best;
}

/** A name that much of the code mentions is more likely meant; 1 from 400 chunks on. */
export function scaleMentions(chunks: number): number {
  return Math.min(1, Math.log1p(chunks) / 6);
}

/** Tests that stand among the code they test. */
export function isInlineTest({ name, parentName }: ChunkOutline): boolean {
  return (
    (name.startsWith("test") && /^test(_|[A-Z]|s?$)/.test(name)) ||
    name.endsWith("_test") ||
    parentName === "test" ||
    parentName === "tests"
  );
}
