import { compilePattern, type PatternFinder } from "../../base/text/pattern.ts";
import { judgeVerbatimResults } from "../../code/search/confidence/judge.ts";
import { shownOfMatch } from "../../protocol/reading/shown-of-match.ts";
import type { SessionResult } from "../../protocol/results.ts";
import { type ChunkFilter, readChunkTexts } from "../../store/memory/chunks/chunk-filter.ts";
import { findChunkAround } from "../../store/memory/chunks/chunk-lookup.ts";
import { readChunksByIds } from "../../store/memory/chunks/chunks.ts";
import type { Memory } from "../../store/memory/memory.ts";
import type { SessionChunkId } from "../../store/memory/memory-records.ts";
import { searchContent } from "./content.ts";
import { createChunkDescriber, listOtherTurns, maxOtherTurns, toIsoOrNull } from "./facts.ts";
import { groupHits, type HitPlace } from "./group.ts";
import { buildChunkFilter } from "./scope.ts";
import { cutPartAt, cutSnippetAt } from "./snippet.ts";
import type { OtherTurn, SessionAnswer, SessionQuery } from "./types.ts";
import type { SessionWeights } from "./weights.ts";

/** Answers by the very text, without ranking. Loaded when it is needed: that takes longer than most searches. */

/** Chunks whose text a pattern matches, the newest first. */
export async function searchByPattern(
  memory: Memory,
  root: string,
  request: SessionQuery,
  { matchingTurn: share }: Pick<SessionWeights, "matchingTurn">,
): Promise<Omit<SessionAnswer, "query" | "search_time_ms">> {
  const pattern = compilePattern(request.query);
  return memory.readInSnapshot(() => {
    const filter = buildChunkFilter(memory, request);
    const groups = groupHits(findChunksMatching(memory, pattern, filter), (hit) => hit, {
      ...request,
      share,
    });
    const shown = groups.slice(0, request.limit);
    const chunks = readChunksByIds(
      memory,
      shown.map(({ shown: { id } }) => id),
    );
    const describe = createChunkDescriber(memory, root, [...chunks.values()]);
    return {
      ...judgeVerbatimResults(shown),
      results: shown.flatMap(({ shown: { id, start }, others }): SessionResult[] => {
        const chunk = chunks.get(id);
        if (!chunk) return [];
        const snippet = cutSnippetAt(chunk.text, start);
        const turns = listOtherTurns(
          memory,
          others.map((other) => ({ id: other.id, score: 1 })),
        );
        const reasons = { match_reasons: ["matches the pattern"] };
        return [{ ...describe(chunk), score: 1, snippet, ...turns, ...reasons }];
      }),
      total_results: groups.length,
      searched_by: ["pattern"],
      notes: [],
    };
  });
}

/** Turns of which anything that was said or that tools wrote matches, the newest first. */
export async function searchInContent(
  memory: Memory,
  root: string,
  request: SessionQuery,
  signal?: AbortSignal,
): Promise<Omit<SessionAnswer, "query" | "search_time_ms">> {
  const { groups, reason, notes } = await searchContent(memory, request, { signal });
  const shown = groups.slice(0, request.limit);
  const chunks = shown.map(({ shown }) => findChunkAround(memory, shown));
  const describe = createChunkDescriber(memory, root, chunks);
  const results = shown.map(({ shown: hit, others }, i): SessionResult => {
    const turns = others.slice(0, maxOtherTurns).map((other): OtherTurn => {
      const { uid: id, type: chunk_type, kind } = findChunkAround(memory, other);
      const { number: turn, at } = other;
      return { id, turn, last_turn: turn, chunk_type, kind, timestamp: toIsoOrNull(at), score: 1 };
    });
    return {
      ...describe(chunks[i]!),
      score: 1,
      turn: hit.number,
      last_turn: hit.number,
      timestamp: toIsoOrNull(hit.at),
      snippet: cutSnippetAt(hit.text, hit.start),
      content: cutPartAt(hit.text, hit.start, shownOfMatch.contentChars),
      more_turns: others.length,
      other_turns: turns,
      match_reasons: [reason],
      found_in: { role: hit.role, tool: hit.tool },
    };
  });
  const isMore = groups.length > shown.length;
  const more = isMore ? [`There are more than ${shown.length}, in older sessions: raise the limit.`] : [];
  return {
    ...judgeVerbatimResults(results),
    results,
    total_results: groups.length,
    searched_by: ["content"],
    notes: [...notes, ...more],
  };
}

interface PatternHit extends HitPlace {
  id: SessionChunkId;
  /** Where in its text. */
  start: number;
}

/** Chunks whose text a pattern matches, newest first. */
function findChunksMatching(memory: Memory, find: PatternFinder, filter: ChunkFilter): PatternHit[] {
  const found: PatternHit[] = [];
  for (const { id, sessionId, firstTurn, type, text } of readChunkTexts(memory, filter)) {
    const start = find(text);
    if (start < 0) continue;
    const isLoneNote = type === "annotated" && firstTurn === 0;
    const isSummary = type === "summary";
    found.push({ id, start, sessionId, turn: firstTurn, isLoneNote, isSummary, evidence: 1 });
  }
  return found;
}
