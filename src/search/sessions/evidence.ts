import { type ChunkFilter, chunkIdsIn, conditionsOf } from "../../store/memory/chunk-filter.ts";
import { matchSessionTokens } from "../../store/memory/chunk-lookup.ts";
import { sessionChunkCount } from "../../store/memory/chunks.ts";
import type { Memory } from "../../store/memory/memory.ts";
import type { Nearness } from "./passage-index.ts";
import { type Evidence, standardised } from "./rank.ts";
import type { SessionWeights } from "./weights.ts";

/** Evidence for the chunks of a scope, and which of them are worth ranking. */
export interface Collected {
  evidence: Evidence;
  /** Rows of `chunks`. */
  candidates: number[];
}

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
  const population = scope?.size ?? sessionChunkCount(memory);
  const matches = matchSessionTokens(memory, tokens, weights.columns, weights.byWords, filter);
  const words = standardise(
    matches.map(({ rowid, score }) => [rowid, score]),
    population,
  );
  const passage = blend(nearness, "best", scope, weights.secondModel);
  const whole = blend(nearness, "whole", scope, weights.secondModel);
  const candidates = new Set([
    ...best(words, weights.byMeaning),
    ...best(passage, weights.byMeaning),
    ...best(whole, weights.byMeaning),
  ]);
  return { evidence: { words, passage, whole }, candidates: [...candidates] };
}

function standardise(values: readonly [number, number][], population: number): Map<number, number> {
  const scores = standardised(
    values.map(([, value]) => value),
    population,
  );
  return new Map(values.map(([rowid], i) => [rowid, scores[i]!]));
}

/** What the models say of each chunk, each in its own standard deviations, together. */
function blend(
  nearness: readonly Nearness[],
  part: "best" | "whole",
  scope: ReadonlySet<number> | null,
  share: number,
): Map<number, number> {
  const [first, second] = nearness.map((model) => {
    const values: [number, number][] = [];
    model.chunkIds.forEach((rowid, i) => {
      const value = model[part][i]!;
      if (!Number.isNaN(value) && (scope === null || scope.has(rowid))) values.push([rowid, value]);
    });
    return standardise(values, values.length);
  });
  if (!first || !second) return first ?? new Map();
  return new Map(
    [...first].map(([rowid, one]) => {
      const other = second.get(rowid);
      return [rowid, other === undefined ? one : (1 - share) * one + share * other];
    }),
  );
}

function best(scores: ReadonlyMap<number, number>, n: number): number[] {
  const entries = [...scores];
  if (entries.length > n) entries.sort((a, b) => b[1] - a[1]);
  return entries.slice(0, n).map(([rowid]) => rowid);
}
