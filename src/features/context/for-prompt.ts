import { certain } from "../../protocol/reading/evidence.ts";
import type { SessionResult } from "../../protocol/results.ts";
import {
  findClosestDecision,
  groupDecisionsByChunk,
  isCurrent,
  isSuperseded,
} from "../../sessions/decisions/stored.ts";
import { openQuery } from "../../sessions/search/types.ts";
import { extractContentWords } from "../../sessions/summaries/prose.ts";
import { findChunkByUid } from "../../store/memory/chunks/chunks.ts";
import { findNoteById } from "../../store/memory/chunks/notes.ts";
import { readCommitsOfSessions } from "../../store/memory/commits/commits-of-turns.ts";
import type { Memory } from "../../store/memory/memory.ts";
import { findSessionByUid } from "../../store/memory/sessions/sessions.ts";
import { toSessionInjection } from "./at-start.ts";
import { noteToTell } from "./for-edit.ts";
import { scoreRelevance } from "./relevance.ts";
import { type ContextItem, type ContextSource, listSeenSessions, makeSeenFilter } from "./source.ts";

/** A longer prompt is a document, which has its subject at the beginning. Characters. */
const maxPromptLength = 4000;
const weighed = 5;
const maxInjected = 1;
/** "Yes, do that" and "/review" are about what stands before them. */
const minWords = 3;

/** How near a session is to a prompt: by meaning, or by the words of it that it holds, more of them where meaning does not say so. */
const minNear = { near: 0.5, held: 0.75, heldAlone: 0.5 } as const;

/**
 * Earlier sessions that a prompt goes on with, best first; usually none. The verdict of the search is not enough: it is
 * found that somebody once fixed merge conflicts, and so it is every time.
 * @param least minimum relevance (relevance.ts)
 * @throws PommelError what a search throws
 */
export async function findPromptInjections(
  source: ContextSource,
  { sessionUid, prompt, least }: { sessionUid: string; prompt: string; least: number },
): Promise<ContextItem[]> {
  const query = prompt.slice(0, maxPromptLength);
  if (/^\s*\/[\w:-]+\s*$/.test(query) || extractContentWords(query).size < minWords) return [];
  const { memory, until } = source;
  const sight = { leaves: listSeenSessions(source, sessionUid), until };
  const answer = await source.search({
    ...openQuery,
    query,
    limit: weighed,
    by: "session",
    explain: true,
    withoutCommits: true,
    ...sight,
  });
  if (answer.verdict !== "found") return [];
  const sees = makeSeenFilter(source, sessionUid);
  const others = answer.results.filter(({ session_id, abandoned }) => !sees(session_id) && !abandoned);
  const relevant = scoreRelevance(memory, query, others, until).filter(
    ({ result: { signals = {} }, relevance }) => {
      const { held = 0, near } = signals;
      const isNear =
        near === undefined ? held >= minNear.heldAlone : near >= minNear.near || held >= minNear.held;
      return isNear && relevance >= least;
    },
  );
  const items: ContextItem[] = [];
  for (const { result, relevance, words } of relevant) {
    const why = `also about ${words.slice(0, 4).join(", ")}`;
    const item = await toPromptInjection(source, result, query, why);
    if (item !== null) items.push({ ...item, score: Math.round(relevance * 100) / 100 });
    if (items.length === maxInjected) break;
  }
  return items;
}

async function toPromptInjection(
  source: ContextSource,
  result: SessionResult,
  query: string,
  why: string,
): Promise<ContextItem | null> {
  const { memory, until } = source;
  const decided =
    result.kind === "decision"
      ? findClosestDecision(query, groupDecisionsByChunk(memory).get(result.id) ?? [])
      : null;
  if (decided !== null && isSuperseded(decided, until)) return null;
  const note = findResultNote(memory, result);
  if (note !== null) return isCurrent(memory, until)(note) ? noteToTell(memory, note, why) : null;
  const session = findSessionByUid(memory, result.session_id);
  if (session === null) return null;
  const commit = await findLatestCommit(source, result);
  return toSessionInjection(source, session, { kind: "Earlier session", why, turn: result.turn, commit });
}

/** The latest that these turns led to, and what reverted it. */
async function findLatestCommit(source: ContextSource, { session_id: uid, turn, last_turn }: SessionResult) {
  const commit = readCommitsOfSessions(source.memory, [uid])
    .get(uid)
    ?.find(({ turns, committedAt, confidence }) => {
      const isKnown = source.until === null || committedAt <= source.until;
      return isKnown && confidence >= certain && turns.some((one) => one >= turn && one <= last_turn);
    });
  return commit && { ...commit, revertedBy: (await source.revertOf?.(commit)) ?? null };
}

function findResultNote(memory: Memory, { id, annotation }: SessionResult) {
  const annotationId = annotation === null ? null : (findChunkByUid(memory, id)?.annotationId ?? null);
  return annotationId === null ? null : findNoteById(memory, annotationId);
}
