import { isSpelledAsCode, listIdentifiers, nameKey, splitIdentifier, stem } from "../../base/text/tokens.ts";
import { classifyPath } from "../../code/files/path-role.ts";
import { analyseQuery } from "../../code/search/query.ts";
import type { SessionResult } from "../../protocol/results.ts";
import type { ChunkId, SearchableIndex, StoredChunk } from "../../store/index/port.ts";
import {
  countSessionsWithChunks,
  countSessionsWithToken,
  findChunksByUids,
  findChunksWithToken,
} from "../../store/memory/chunks/chunk-lookup.ts";
import type { Memory } from "../../store/memory/memory.ts";
import type { ContextItem } from "./source.ts";

/*
 * The locations of code that a prompt names. A mere description is left to a search: the best place for "fix the merge
 * conflicts" is nowhere. Measured by `npm run bench:context`.
 */

/** A prompt with more names is a plan, and its writer knows the code. */
const maxNames = 8;
/** A name with more definitions is ambiguous. */
const maxDefinitions = 2;
const maxInjected = 3;
/** A longer prompt is a document. Characters. */
const maxPromptLength = 10_000;

/**
 * The definitions of the names in a prompt, in the order of the names, except those in a file that the prompt names
 * too.
 */
export async function findNamedCode(index: SearchableIndex, prompt: string): Promise<ContextItem[]> {
  // A link is an address, not a name.
  const text = prompt.slice(0, maxPromptLength).replace(/https?:\/\/\S+/g, " ");
  const names = [...new Set(listIdentifiers(text))].filter(isSpelledAsCode);
  if (names.length === 0 || names.length > maxNames) return [];
  const definitions = await index.findDefinitions([...new Set(names.map(nameKey))], 4 * maxDefinitions);
  const chunks = new Map<ChunkId, StoredChunk>();
  for (const chunk of await index.readChunks(definitions.map(({ id }) => id))) chunks.set(chunk.id, chunk);
  return names
    .flatMap((name) => {
      const places = definitions
        .filter((definition) => definition.name === name)
        .flatMap(({ id }) => chunks.get(id) ?? []);
      return toDefinitionInjections(name, places, text);
    })
    .slice(0, maxInjected);
}

function toDefinitionInjections(name: string, places: readonly StoredChunk[], prompt: string): ContextItem[] {
  const found = places.filter(({ path }) => !["test", "docs", "generated"].includes(classifyPath(path)));
  if (found.length > maxDefinitions) return [];
  return found
    .filter(({ path }) => !prompt.includes(path.slice(path.lastIndexOf("/") + 1)))
    .map(({ path, signature, startLine, endLine }) => ({
      ref: `code:${path}#${name}`,
      kind: "Code",
      quote: signature || name,
      place: `${path}:${startLine}-${endLine}`,
      why: `the prompt names ${name}`,
      score: null,
    }));
}

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
interface Relevant {
  result: SessionResult;
  relevance: number;
  /** The rare words that both have, the rarest first. */
  words: string[];
}

/**
 * How relevant results are to a prompt, in their order.
 * @param until only what was known then counts; null: now
 */
export function scoreRelevance(
  memory: Memory,
  prompt: string,
  results: readonly SessionResult[],
  until: number | null,
): Relevant[] {
  // Where a link leads is named by its words in the prompt, not by its address, nor is a number alone a name.
  const { tokens, words } = analyseQuery(prompt.replace(/https?:\/\/\S+/g, " "));
  const ids = findChunksByUids(
    memory,
    results.map(({ id }) => id),
  );
  const known = countSessionsWithChunks(memory, until);
  const most = Math.max(rareShare * known, Math.min(rareAtLeast, known));
  const masses = results.map((): { mass: number; tokens: { token: string; idf: number }[] } => ({
    mass: 0,
    tokens: [],
  }));
  for (const token of tokens.filter((one) => !/^\d+$/.test(one))) {
    const holders = findChunksWithToken(
      memory,
      token,
      ids.filter((id) => id !== null),
    );
    if (holders.size === 0) continue;
    const count = countSessionsWithToken(memory, token, { until, most });
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
  word.toLowerCase() === token || splitIdentifier(word).some((part) => stem(part) === token);
