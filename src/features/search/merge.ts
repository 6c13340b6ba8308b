import { chooseBestVerdict, computeLikelihood } from "../../protocol/reading/evidence.ts";
import type { Coverage, SearchResponse, TranscriptSearchResponse } from "../../protocol/results.ts";
import type { HistoryResult, HistorySearchResponse } from "./operation.ts";

/**
 * Answers of several projects in one order. Each project's own order stays as it is; the question is how theirs go
 * together.
 *
 * Scores of code are shares of the best result's, so every project's best has 1, however far off it is. What can be
 * compared are the signals that do not measure a project by itself: nearness of meaning, names, definitions, paths; not
 * the words' shares of the best candidate's (lexical, coherence). A project is as sure as the best of its results is by
 * those, and a result's score is its share of that. With eight repositories and the 159 questions that each annotates
 * for itself, the file that answers came at a mean reciprocal rank of 0.77 so, at 0.32 by scores or ranks alone, at
 * 0.73 by all signals; asked alone, the right repository has it at 0.92.
 *
 * Scores of sessions compare as they are. With 274 sessions in four memories of very different sizes, one of the
 * first five sessions answered 95 % of the questions by scores, 90 % by ranks.
 */

export interface CodePart {
  /** The project's root. */
  project: string;
  answer: SearchResponse;
}

export interface TranscriptPart {
  project: string;
  answer: TranscriptSearchResponse;
}

export interface HistoryPart {
  project: string;
  answer: HistorySearchResponse;
}

interface MergeOptions {
  query: string;
  limit: number;
  /** Whether the request has `explain`. */
  explain: boolean;
  /** Milliseconds. */
  took: number;
}

type Positioned<T> = T & {
  /** The root of its project; paths are relative to it. */
  project: string;
};

type MergeableAnswer<Response extends { results: unknown[] }> = Omit<Response, "results"> & {
  results: Positioned<Response["results"][number]>[];
};
type CodeAcross = MergeableAnswer<SearchResponse>;
type TranscriptsAcross = MergeableAnswer<TranscriptSearchResponse>;
type HistoryAcross = MergeableAnswer<HistorySearchResponse>;

/** Signals relative to a project's own best result, and factors. */
const relative = new Set(["lexical", "coherence", "penalty", "place", "near", "history"]);

/** Merges answers that were given with `explain`. */
export function mergeCode(parts: readonly CodePart[], merging: MergeOptions): CodeAcross {
  const sure = parts.map(({ answer }) =>
    Math.max(0, ...answer.results.map(({ signals }) => computeSureness(signals))),
  );
  const surest = Math.max(...sure, 0) || 1;
  const positioned = parts.flatMap(({ project, answer }, i) =>
    answer.results.map((result, rank) => ({
      rank,
      result: { project, ...result, score: round(result.score * (sure[i]! / surest)) },
    })),
  );
  const ages = parts.map(({ answer }) => answer.index);
  return {
    query: merging.query,
    ...sortAndLimit(positioned, merging),
    ...mergeParts(parts, merging),
    index: {
      pending: sumOrNull(ages.map(({ pending }) => pending)),
      is_complete: ages.every(({ is_complete }) => is_complete),
      // As old as the oldest.
      as_of: ages.some(({ as_of }) => as_of === null)
        ? null
        : (ages.map(({ as_of }) => as_of!).sort()[0] ?? null),
    },
  };
}

function computeSureness(signals: Record<string, number> | undefined): number {
  const { penalty = 1, place = 1 } = signals ?? {};
  const sum = Object.entries(signals ?? {}).reduce(
    (total, [name, value]) => total + (relative.has(name) ? 0 : value),
    0,
  );
  return sum * penalty * place;
}

/** Merges answers to requests with `explain`. Sessions that clones share appear once. */
export function mergeTranscripts(
  parts: readonly TranscriptPart[],
  merging: MergeOptions & { by: "session" | "turn" },
): TranscriptsAcross {
  const every = parts.flatMap(({ project, answer }) =>
    answer.results.map((result, rank) => ({ rank, result: { project, ...result } })),
  );
  const best = new Map<string, (typeof every)[number]>();
  for (const one of every.sort(compareRanked)) {
    const { session_id, turn, last_turn, chunk_type, content } = one.result;
    // Notes from shells are in no session.
    const key =
      merging.by === "session" && turn > 0
        ? session_id
        : JSON.stringify([session_id, turn, last_turn, chunk_type, content]);
    if (!best.has(key)) best.set(key, one);
  }
  const positioned = [...best.values()];
  const all = mergeParts(parts, merging);
  const ages = parts.map(({ answer }) => answer.memory);
  return {
    scope: "transcripts",
    query: merging.query,
    ...sortAndLimit(positioned, merging),
    ...all,
    total_results: all.total_results - (every.length - positioned.length),
    memory: {
      pending: sumOrNull(ages.map(({ pending }) => pending)),
      as_of:
        ages
          .flatMap(({ as_of }) => as_of ?? [])
          .sort()
          .at(-1) ?? null,
    },
  };
}

/** Merges commits and events: the likeliest first. Clones' commits appear once. */
export function mergeHistory(parts: readonly HistoryPart[], merging: MergeOptions): HistoryAcross {
  const every = parts
    .flatMap(({ project, answer }) =>
      answer.results.map((result, i) => ({ project, ...result, likely: computeLikelihood(answer, i + 1) })),
    )
    .sort((a, b) => b.likely - a.likely || b.score - a.score)
    .map(({ likely: _, ...result }) => result as Positioned<HistoryResult>);
  const once = [...new Map(every.toReversed().map((result) => [result.id, result])).values()].toReversed();
  const all = mergeParts(parts, merging);
  return {
    scope: "history",
    query: merging.query,
    results: once.slice(0, merging.limit).map((result) => withSignals(result, merging.explain)),
    ...all,
    total_results: all.total_results - (every.length - once.length),
    commits: {
      indexed: parts.reduce((sum, { answer }) => sum + answer.commits.indexed, 0),
      is_complete: parts.every(({ answer }) => answer.commits.is_complete),
    },
  };
}

interface ProjectResult {
  /** In its own project's answer. */
  rank: number;
  result: { score: number; project: string };
}

/** Best first; equal ones by rank in their own project, then by project. */
function compareRanked(a: ProjectResult, b: ProjectResult): number {
  return (
    b.result.score - a.result.score ||
    a.rank - b.rank ||
    (a.result.project < b.result.project ? -1 : a.result.project > b.result.project ? 1 : 0)
  );
}

function sortAndLimit<
  R extends { score: number; project: string; signals?: Record<string, number> | undefined },
>(positioned: { rank: number; result: R }[], { limit, explain }: MergeOptions): { results: R[] } {
  return {
    results: positioned
      .sort(compareRanked)
      .slice(0, limit)
      .map(({ result }) => withSignals(result, explain)),
  };
}

function withSignals<R extends { signals?: Record<string, number> | undefined }>(
  result: R,
  explain: boolean,
): R {
  if (explain) return result;
  const { signals: _, ...rest } = result;
  return rest as R;
}

function mergeParts(
  parts: readonly {
    answer: Pick<
      SearchResponse,
      "verdict" | "coverage" | "probability" | "total_results" | "searched_by" | "notes"
    >;
    project: string;
  }[],
  { took }: MergeOptions,
) {
  return {
    verdict: chooseBestVerdict(parts.map(({ answer }) => answer)),
    coverage: sumCoverages(parts.flatMap(({ answer }) => answer.coverage ?? [])),
    probability: Math.max(0, ...parts.map(({ answer }) => answer.probability)),
    total_results: parts.reduce((sum, { answer }) => sum + answer.total_results, 0),
    searched_by: [...new Set(parts.flatMap(({ answer }) => answer.searched_by))],
    notes: parts.flatMap(({ project, answer }) => answer.notes.map((note) => `${project}: ${note}`)),
    search_time_ms: took,
  };
}

/** Of the projects that are not read in full; undefined: all are. */
function sumCoverages(parts: readonly Coverage[]): Coverage | undefined {
  const [first] = parts;
  if (first === undefined) return undefined;
  const sum = (count: (one: Coverage) => number) => parts.reduce((total, one) => total + count(one), 0);
  return {
    of: first.of,
    done: sumOrNull(parts.map(({ done }) => done)),
    total: sum(({ total }) => total),
    files_read: first.of === "files" ? sum(({ files_read = 0 }) => files_read) : undefined,
  };
}

function sumOrNull(values: readonly (number | null)[]): number | null {
  return values.reduce(
    (sum, value) => (sum === null || value === null ? null : sum + value),
    0 as number | null,
  );
}

const round = (value: number) => Math.round(value * 1e4) / 1e4;
