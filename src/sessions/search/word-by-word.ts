import { compilePattern, type Finder } from "../../base/text/pattern.ts";
import { verbatim } from "../../code/search/confidence/judge.ts";
import type { SessionResult } from "../../protocol/results.ts";
import { type ChunkFilter, chunkTextsIn } from "../../store/memory/chunks/chunk-filter.ts";
import { chunkAround } from "../../store/memory/chunks/chunk-lookup.ts";
import { chunksByIds } from "../../store/memory/chunks/chunks.ts";
import type { Memory } from "../../store/memory/memory.ts";
import type { SessionChunkId } from "../../store/memory/memory-records.ts";
import { searchContent } from "./content.ts";
import { describer, isoOrNull, maxOtherTurns, otherTurns } from "./facts.ts";
import { groupHits, type HitPlace } from "./group.ts";
import { filterOf } from "./scope.ts";
import { partAt, snippetAt } from "./snippet.ts";
import type { OtherTurn, SessionAnswer, SessionQuery } from "./types.ts";
import type { SessionWeights } from "./weights.ts";

/** Answers by the very text, without ranking. Loaded when it is needed: that takes longer than most searches. */

/** What is shown of a text in the content that matches. Characters. */
const contentShown = 2000;

/** Chunks whose text a pattern matches, the newest first. */
export async function searchByPattern(
  memory: Memory,
  root: string,
  request: SessionQuery,
  { matchingTurn: share }: Pick<SessionWeights, "matchingTurn">,
): Promise<Omit<SessionAnswer, "query" | "search_time_ms">> {
  const pattern = compilePattern(request.query);
  return memory.inSnapshot(() => {
    const filter = filterOf(memory, request);
    const groups = groupHits(chunksMatching(memory, pattern, filter), (hit) => hit, { ...request, share });
    const shown = groups.slice(0, request.limit);
    const chunks = chunksByIds(
      memory,
      shown.map(({ shown: { id } }) => id),
    );
    const describe = describer(memory, root, [...chunks.values()]);
    return {
      ...verbatim(shown),
      results: shown.flatMap(({ shown: { id, start }, others }): SessionResult[] => {
        const chunk = chunks.get(id);
        if (!chunk) return [];
        const snippet = snippetAt(chunk.text, start);
        const turns = otherTurns(
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
  const chunks = shown.map(({ shown }) => chunkAround(memory, shown));
  const describe = describer(memory, root, chunks);
  const results = shown.map(({ shown: hit, others }, i): SessionResult => {
    const turns = others.slice(0, maxOtherTurns).map((other): OtherTurn => {
      const { uid: id, type: chunk_type, kind } = chunkAround(memory, other);
      const { number: turn, at } = other;
      return { id, turn, last_turn: turn, chunk_type, kind, timestamp: isoOrNull(at), score: 1 };
    });
    return {
      ...describe(chunks[i]!),
      score: 1,
      turn: hit.number,
      last_turn: hit.number,
      timestamp: isoOrNull(hit.at),
      snippet: snippetAt(hit.text, hit.start),
      content: partAt(hit.text, hit.start, contentShown),
      more_turns: others.length,
      other_turns: turns,
      match_reasons: [reason],
      found_in: { role: hit.role, tool: hit.tool },
    };
  });
  const isMore = groups.length > shown.length;
  const more = isMore ? [`There are more than ${shown.length}, in older sessions: raise the limit.`] : [];
  return {
    ...verbatim(results),
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
function chunksMatching(memory: Memory, find: Finder, filter: ChunkFilter): PatternHit[] {
  const found: PatternHit[] = [];
  for (const { id, sessionId, firstTurn, type, text } of chunkTextsIn(memory, filter)) {
    const start = find(text);
    if (start < 0) continue;
    const isLoneNote = type === "annotated" && firstTurn === 0;
    const isSummary = type === "summary";
    found.push({ id, start, sessionId, turn: firstTurn, isLoneNote, isSummary, evidence: 1 });
  }
  return found;
}
