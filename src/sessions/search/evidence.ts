import type { ChunkNearness } from "../../code/search/vectors/nearness.ts";
import { Best } from "../../store/best.ts";
import { type ChunkFilter, findFilterScope } from "../../store/memory/chunks/chunk-filter.ts";
import { chooseRareTokens, matchSessionTokens } from "../../store/memory/chunks/chunk-lookup.ts";
import { countSessionChunks, findSessionsOfChunks } from "../../store/memory/chunks/chunks.ts";
import type { Memory } from "../../store/memory/memory.ts";
import type { SessionChunkId } from "../../store/memory/memory-records.ts";
import { countSessions, matchSessions } from "../../store/memory/sessions/session-index.ts";
import type { TextScores } from "../../store/sqlite/full-text.ts";
import { type ChunkEvidence, createStandardizer } from "./rank.ts";
import type { SessionWeights } from "./weights.ts";

/** Evidence for the chunks of a scope, and which of them are worth ranking. */
export interface CollectedEvidence {
  evidence: ChunkEvidence;
  candidates: SessionChunkId[];
}

/**
 * Words are counted as if there were at least this many chunks: a search must find them even if all of a few chunks
 * contain them, or if there is only one.
 */
const minPopulation = 200;
/** The same for sessions. */
const fewestSessions = 50;
/** The same for nearness, with the missing chunks neither near nor far. */
const fewestNear = 10;

/**
 * Finds the words in chunks and in the titles, prompts and summaries of sessions, and adds the chunks that the models
 * found near.
 * @param nearness of all chunks to the query, for each model that understood it; the first counts most
 */
export function collectEvidence(
  memory: Memory,
  tokens: readonly string[],
  filter: ChunkFilter,
  nearness: readonly ChunkNearness[],
  weights: SessionWeights,
): CollectedEvidence {
  const scope = findFilterScope(memory, filter);
  const population = Math.max(scope?.size ?? countSessionChunks(memory), minPopulation);
  const rare = chooseRareTokens(memory, tokens);
  const matches = matchSessionTokens(memory, rare, weights.columns, weights.maxTextMatches, filter);
  const ofWords = createStandardizer(
    Float64Array.from(matches, ({ score }) => score),
    population,
  );
  const words = new Map(matches.map(({ id, score }) => [id, ofWords(score)]));
  const models = nearness.map((model) => toDeviations(model, scope));
  const [first] = models;
  const sessions = matchSessions(memory, rare, weights.asked, filter.until);
  const among = Math.max(countSessions(memory), fewestSessions);
  const candidates = new Set([
    ...matches.slice(0, weights.candidates).map(({ id }) => id),
    ...(first ? selectBestChunks(first, first.best, weights.candidates) : []),
    ...(first ? selectBestChunks(first, first.whole, weights.candidates) : []),
  ]);
  return {
    evidence: {
      words: (id) => words.get(id) ?? 0,
      passage: (id) => blendNearness(models, "best", id, weights.secondModel),
      whole: (id) => blendNearness(models, "whole", id, weights.secondModel),
      asked: createSessionScorer(sessions.asked, among),
      summary: createSessionScorer(sessions.summary, among),
      nearness: onAverage(memory, models, weights.secondModel),
    },
    candidates: [...candidates],
  };
}

/** How well a session as a whole matches, in standard deviations; 0 for one that does not. */
function createSessionScorer(
  { rows, scores }: TextScores,
  population: number,
): (sessionId: number) => number {
  const values = new Float64Array(rows.length);
  for (let i = 0; i < rows.length; i++) values[i] = scores[rows[i]!]!;
  const standard = createStandardizer(values, population);
  return (sessionId) => {
    const score = scores[sessionId] ?? 0;
    return score === 0 ? 0 : standard(score);
  };
}

/** How near chunks are, by place; NaN outside of the scope. In standard deviations for those that are asked for, which are few. */
interface Deviations {
  values: Float64Array;
  standard: (value: number) => number;
}

interface NearnessInScope extends Pick<ChunkNearness, "chunkIds" | "placeOf"> {
  best: Deviations;
  whole: Deviations;
}

function toDeviations(
  { chunkIds, placeOf, best, whole }: ChunkNearness,
  scope: ReadonlySet<SessionChunkId> | null,
): NearnessInScope {
  const computeDeviations = (all: Float64Array): Deviations => {
    const values =
      scope === null ? all : all.map((value, place) => (scope.has(chunkIds[place]!) ? value : Number.NaN));
    return { values, standard: createStandardizer(values, fewestNear) };
  };
  return { chunkIds, placeOf, best: computeDeviations(best), whole: computeDeviations(whole) };
}

/** How near all chunks of a session are as wholes, on average, by all models; 0 without any. */
function onAverage(
  memory: Memory,
  models: readonly NearnessInScope[],
  share: number,
): (sessionId: number) => number {
  const [first, second] = models.map(({ chunkIds, whole: { values, standard } }) => {
    const sessions = findSessionsOfChunks(memory, chunkIds);
    const [sums, counts] = [new Map<number, number>(), new Map<number, number>()];
    sessions.forEach((session, place) => {
      const value = values[place]!;
      if (Number.isNaN(value)) return;
      sums.set(session, (sums.get(session) ?? 0) + value);
      counts.set(session, (counts.get(session) ?? 0) + 1);
    });
    return (session: number) => {
      const count = counts.get(session);
      return count === undefined ? 0 : standard(sums.get(session)! / count);
    };
  });
  return (session) => blendScores(first?.(session) ?? 0, second?.(session), share);
}

/** The combined nearness of a chunk by all models, each in its own standard deviations; 0 without any. */
function blendNearness(
  models: readonly NearnessInScope[],
  part: "best" | "whole",
  id: SessionChunkId,
  share: number,
): number {
  const [first = 0, second] = models.map((model) => {
    const place = model.placeOf.get(id);
    const { values, standard } = model[part];
    return place === undefined ? 0 : standard(values[place]!) || 0;
  });
  return blendScores(first, second, share);
}

function blendScores(first: number, second: number | undefined, share: number): number {
  return second === undefined || second === 0 ? first : (1 - share) * first + share * second;
}

/** The `n` chunks with the largest values of those above the average, best first; of equal ones the first. */
function selectBestChunks(
  { chunkIds }: NearnessInScope,
  { values, standard }: Deviations,
  n: number,
): SessionChunkId[] {
  const found = new Best(n);
  for (let place = 0; place < values.length; place++) {
    const value = values[place]!;
    if (value >= found.least && standard(value) > 0) found.offer(place, value);
  }
  return found.takeSorted().map(({ row }) => chunkIds[row]!);
}
