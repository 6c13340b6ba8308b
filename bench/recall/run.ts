import type { SearchMode } from "../../src/protocol/values.ts";
import type { SessionSearch } from "../../src/sessions/search/engine.ts";
import { openQuery, type SessionAnswer } from "../../src/sessions/search/types.ts";
import { findChunkByUid, type StoredSessionChunk } from "../../src/store/memory/chunks/chunks.ts";
import type { Memory } from "../../src/store/memory/memory.ts";
import { findPlacesOfLines } from "../../src/store/memory/sessions/transcripts.ts";
import { halfOf, type Question } from "./import.ts";

/** How one question was answered. */
export interface Answered {
  id: string;
  category: string;
  half: "choose" | "confirm";
  /** Rank of the first session that answers it, from 1; null if none was found. */
  rank: number | null;
  /** Whether one of the first ten chunks covers a line of evidence; null where the question has none. */
  hasEvidence: boolean | null;
  /** Whether a turn shown or named by one of the first ten sessions does. */
  namesEvidence: boolean | null;
  /** Different sessions among the first ten chunks. */
  sessions: number;
}

/** As many sessions as there are. */
const allSessions = 1000;

/** Asks every question and records the rank of its answer. */
export async function askAll(
  search: SessionSearch,
  memory: Memory,
  sessions: ReadonlyMap<string, number>,
  questions: readonly Question[],
  mode: SearchMode,
): Promise<Answered[]> {
  const answered: Answered[] = [];
  for (const question of questions) {
    const { question: query, until = null } = question;
    const ask = { ...openQuery, query, until, mode };
    const bySession = await search.search({ ...ask, by: "session", limit: allSessions });
    const byTurn = await search.search({ ...ask, by: "turn", limit: 10 });
    const chunksOf = ({ results }: SessionAnswer) => results.map(({ id }) => findChunkByUid(memory, id)!);
    const wanted = question.relevant_sessions.map((name) => sessions.get(name));
    const shown = chunksOf(bySession);
    const at = shown.findIndex(({ sessionId }) => wanted.includes(sessionId));
    const places = question.evidence.map(({ line_uuid }) =>
      findPlacesOfLines(memory, [line_uuid]).get(line_uuid),
    );
    const covers = (chunk: StoredSessionChunk) =>
      places.some(
        (place) =>
          place?.sessionId === chunk.sessionId &&
          chunk.firstSeq !== null &&
          place.seq >= chunk.firstSeq &&
          place.seq <= chunk.lastSeq!,
      );
    const chunks = chunksOf(byTurn);
    answered.push({
      id: question.id,
      category: question.category,
      half: halfOf(question),
      rank: at < 0 ? null : at + 1,
      hasEvidence: places.length === 0 ? null : chunks.some(covers),
      namesEvidence:
        places.length === 0
          ? null
          : bySession.results
              .slice(0, 10)
              .flatMap(({ id, other_turns }) => [id, ...other_turns.map((other) => other.id)])
              .some((id) => covers(findChunkByUid(memory, id)!)),
      sessions: new Set(chunks.map(({ sessionId }) => sessionId)).size,
    });
  }
  return answered;
}

/** How long the engine takes for ten results, each question asked again and again. Milliseconds, ascending. */
export async function timesOf(
  search: SessionSearch,
  questions: readonly Question[],
  rounds = 5,
): Promise<number[]> {
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) {
    for (const { question } of questions) {
      const { search_time_ms } = await search.search({ ...openQuery, by: "session", query: question });
      if (round > 0) times.push(search_time_ms);
    }
  }
  return times.sort((a, b) => a - b);
}

export interface Figures {
  questions: number;
  r1: number;
  r5: number;
  r10: number;
  mrr: number;
  /** NaN where the questions have none. */
  evidence: number;
  named: number;
  /** Mean. */
  sessions: number;
}

export function figuresOf(answered: readonly Answered[]): Figures {
  const share = (is: (one: Answered) => boolean) => answered.filter(is).length / answered.length;
  const within = (n: number) => share(({ rank }) => rank !== null && rank <= n);
  return {
    questions: answered.length,
    r1: within(1),
    r5: within(5),
    r10: within(10),
    mrr: answered.reduce((sum, { rank }) => sum + (rank === null ? 0 : 1 / rank), 0) / answered.length,
    evidence: shareOf(answered.map(({ hasEvidence }) => hasEvidence)),
    named: shareOf(answered.map(({ namesEvidence }) => namesEvidence)),
    sessions: answered.reduce((sum, { sessions }) => sum + sessions, 0) / answered.length,
  };
}

function shareOf(all: readonly (boolean | null)[]): number {
  const known = all.filter((one) => one !== null);
  return known.filter(Boolean).length / known.length;
}
