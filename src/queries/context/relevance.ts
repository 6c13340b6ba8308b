import { analyseQuery } from "../../search/code/query.ts";
import type { SessionResult } from "../../search/sessions/types.ts";
import {
  chunksByUids,
  chunksWithToken,
  sessionsWithChunks,
  sessionsWithToken,
} from "../../store/memory/chunks/chunk-lookup.ts";
import type { Memory } from "../../store/memory/memory.ts";
import { partsOf, stem } from "../../text/tokens.ts";

/*
 * Whether a prompt goes on with an earlier session. A search puts the best match first, but the best may be bad: "fix
 * the merge conflicts" matches every time somebody fixed some. The signal that works is the number of rare words that the
 * two share: words of few of the project's sessions. Measured by `npm run bench:context`.
 */

/** A word in a larger share of the sessions is no signal. */
const rareShare = 0.15;
/** In a memory of few sessions, a word in this many is still rare. */
const rareAtLeast = 2;
/** Fewer sessions do not say how rare a word is: it counts as in so many. */
const fewSessions = 5;
/** Weight of shared rare words, in the units of their idf, that counts half. */
const halfMass = 4;

/** Minimum relevance of automatic context; docs/benchmarks.md#sessions has the figures. */
export const minRelevance = { gentle: 0.5, eager: 0.35 } as const;

/** A result with how relevant it is: 0 to 1. */
export interface Relevant {
  result: SessionResult;
  relevance: number;
  /** The rare words that both have, the rarest first. */
  words: string[];
}

/**
 * How relevant results are to a prompt, in their order.
 * @param until only what was known then counts; null: now
 */
export function relevanceOf(
  memory: Memory,
  prompt: string,
  results: readonly SessionResult[],
  until: number | null,
): Relevant[] {
  // Where a link leads is named by its words in the prompt, not by its address, nor is a number alone a name.
  const { tokens, words } = analyseQuery(prompt.replace(/https?:\/\/\S+/g, " "));
  const ids = chunksByUids(
    memory,
    results.map(({ id }) => id),
  );
  const known = sessionsWithChunks(memory, until);
  const most = Math.max(rareShare * known, Math.min(rareAtLeast, known));
  const masses = results.map((): { mass: number; tokens: { token: string; idf: number }[] } => ({
    mass: 0,
    tokens: [],
  }));
  for (const token of tokens.filter((one) => !/^\d+$/.test(one))) {
    const holders = chunksWithToken(
      memory,
      token,
      ids.filter((id) => id !== null),
    );
    if (holders.size === 0) continue;
    const count = sessionsWithToken(memory, token, { until, most });
    if (count === Infinity) continue;
    const idf = Math.log((Math.max(known, fewSessions) + 1) / (count + 0.5));
    ids.forEach((id, i) => {
      if (id === null || !holders.has(id)) return;
      masses[i]!.mass += idf;
      masses[i]!.tokens.push({ token, idf });
    });
  }
  return results.map((result, i): Relevant => {
    const { mass, tokens: shared } = masses[i]!;
    const named = shared
      .sort((a, b) => b.idf - a.idf)
      .map(({ token }) => words.find((word) => isFrom(word, token)) ?? token);
    return { result, relevance: mass / (mass + halfMass), words: [...new Set(named)] };
  });
}

const isFrom = (word: string, token: string) =>
  word.toLowerCase() === token || partsOf(word).some((part) => stem(part) === token);
