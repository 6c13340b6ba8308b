import { type ChunkFilter, chunkIdsIn, conditionsOf } from "../../store/memory/chunks/chunk-filter.ts";
import { matchSessionTokens } from "../../store/memory/chunks/chunk-lookup.ts";
import { sessionChunkCount } from "../../store/memory/chunks/chunks.ts";
import type { Memory } from "../../store/memory/memory.ts";
import type { Nearness } from "../vectors/nearness.ts";
import { type Evidence, standardised } from "./rank.ts";
import type { SessionWeights } from "./weights.ts";

/** Evidence for the chunks of a scope, and which of them are worth ranking. */
export interface Collected {
  evidence: Evidence;
  /** Rows of `chunks`. */
  candidates: number[];
}

/**
 * Words are counted as if there were so many chunks at least: what holds them is to be found where all of a few chunks
 * do, and where there is one alone.
 */
const fewest = 200;
/** And nearness as if there were so many, the others neither near nor far. */
const fewestNear = 10;

/**
 * Looks for the words, and takes what the models found near.
 * @param nearness of all chunks to the query, for each model that understood it; the first counts most
 */
export function collectEvidence(
  memory: Memory,
  tokens: readonly string[],
  filter: ChunkFilter,
  nearness: readonly Nearness[],
  weights: SessionWeights,
): Collected {
  const isEverything = conditionsOf(filter).sql === null;
  const scope = isEverything ? null : new Set(chunkIdsIn(memory, filter));
  const population = Math.max(scope?.size ?? sessionChunkCount(memory), fewest);
  const matches = matchSessionTokens(memory, tokens, weights.columns, weights.maxTextMatches, filter);
  const scores = standardised(
    Float64Array.from(matches, ({ score }) => score),
    population,
  );
  const words = new Map(matches.map(({ rowid }, i) => [rowid, scores[i]!]));
  const models = nearness.map((model) => standardise(model, scope));
  const [first] = models;
  const candidates = new Set([
    ...matches.slice(0, weights.candidates).map(({ rowid }) => rowid),
    ...(first ? best(first.chunkIds, first.best, weights.candidates) : []),
    ...(first ? best(first.chunkIds, first.whole, weights.candidates) : []),
  ]);
  return {
    evidence: {
      words: (rowid) => words.get(rowid) ?? 0,
      passage: (rowid) => blend(models, "best", rowid, weights.secondModel),
      whole: (rowid) => blend(models, "whole", rowid, weights.secondModel),
    },
    candidates: [...candidates],
  };
}

/** Nearness in standard deviations; NaN outside of the scope. */
function standardise(nearness: Nearness, scope: ReadonlySet<number> | null): Nearness {
  const inScope = (values: Float64Array) =>
    scope === null
      ? values
      : values.map((value, place) => (scope.has(nearness.chunkIds[place]!) ? value : Number.NaN));
  const [passages, wholes] = [inScope(nearness.best), inScope(nearness.whole)];
  return {
    ...nearness,
    best: standardised(passages, fewestNear),
    whole: standardised(wholes, fewestNear),
  };
}

/** What the models say of a chunk together, each in its own standard deviations; 0 where none says anything. */
function blend(models: readonly Nearness[], part: "best" | "whole", rowid: number, share: number): number {
  const [first = 0, second] = models.map((model) => model[part][model.placeOf.get(rowid) ?? -1] || 0);
  return second === undefined || second === 0 ? first : (1 - share) * first + share * second;
}

/** The `n` chunks with the largest values of those above the average, best first; of equal ones the first. */
function best(chunkIds: readonly number[], values: Float64Array, n: number): number[] {
  const above = values.filter((value) => value > 0).sort();
  // Only those from here on are put in order: sorting numbers alone is quick, with what belongs to them it is not.
  const least = above[Math.max(above.length - n, 0)] ?? Number.POSITIVE_INFINITY;
  const places: number[] = [];
  values.forEach((value, place) => {
    if (value >= least) places.push(place);
  });
  return places
    .sort((a, b) => values[b]! - values[a]!)
    .slice(0, n)
    .map((place) => chunkIds[place]!);
}
